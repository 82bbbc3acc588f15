"""Many submissions on many machines: the local run's judging processes, reached through Dask.

A worker holds as many of them as it has threads; a Dask task hands one a submission, and its result
back. The client reads submissions and writes results, as in a local run.
"""
