"""A submission in a confined worker: `ladder.start()` gives the strongest that this machine can.

The trusted side is `ladder`, `zygote`, `client` and `link`; `forking` and `worker` run beside the
submission. Nothing is imported here, so that a worker holds only what a worker needs.
"""
