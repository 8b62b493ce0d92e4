"""Property tests run without a clock: another program on the machine must not fail a test.

`make test ARGS="--hypothesis-profile long -k properties"` tries ten times as many examples where a test does not
name their number itself.
"""

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile("house")
