"""Settings for every test of the harness."""

from hypothesis import settings

# The same examples in every run, and no limit on seconds: tests state behaviour, not speed.
settings.register_profile("harness", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("harness")
