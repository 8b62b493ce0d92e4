"""Property tests run without a clock: another program on the machine must not fail a test.

`make test` tries a tenth of the usual examples, `make test-all` runs every property again with three tenths of them. A test
that names a number itself names the usual one: `@settings(max_examples=tried(150))`.
`make test ARGS="--hypothesis-profile long -k properties"` tries ten times as many.
"""

from hypothesis import settings

USUAL = 100
settings.register_profile("touchstone", deadline=None, max_examples=USUAL // 10)
settings.register_profile("all", deadline=None, max_examples=USUAL * 3 // 10)
settings.register_profile("long", deadline=None, max_examples=USUAL * 10)
settings.load_profile("touchstone")


def tried(examples: int) -> int:
    """Return how many examples are tried now where so many are usual."""
    return max(1, examples * settings().max_examples // USUAL)
