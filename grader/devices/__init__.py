"""Where a submission's calls run, and what is seen of them: benches, cost, trusted timing.

Everything here runs beside untrusted code. What a bench reports is therefore testimony: good for
marks where lying about it is harder than doing it right, never for speed, which only the clock of
the trusted side can tell (see `timing`).
"""
