"""Property tests run without a clock: another program on the machine must not fail a test.

`make test` tries a fifth of the examples, `make test-all` runs every property again with all of them. A test that
names a number itself names that of `make test-all`: `@settings(max_examples=tried(150))`.
`make test ARGS="--hypothesis-profile long -k properties"` tries ten times as many.
"""

from hypothesis import settings

USUAL = 100
settings.register_profile("house", deadline=None, max_examples=USUAL // 5)
settings.register_profile("all", deadline=None, max_examples=USUAL)
settings.register_profile("long", deadline=None, max_examples=USUAL * 10)
settings.load_profile("house")


def tried(examples: int) -> int:
    """Return how many examples are tried now where `make test-all` tries so many."""
    return max(1, examples * settings().max_examples // USUAL)
