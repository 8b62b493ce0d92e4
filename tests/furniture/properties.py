"""Property tests run without a clock: another program on the machine must not fail a test."""

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")
