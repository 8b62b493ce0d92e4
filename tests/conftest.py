"""What every test can ask for; each file of tests/furniture holds one subject."""

import os

# Before anything imports ranx: compiling it takes longer than all tests that ask it.
os.environ["NUMBA_DISABLE_JIT"] = "1"

pytest_plugins = [
    "tests.furniture.missing",
    "tests.furniture.stopping",
    "tests.furniture.properties",
    "tests.furniture.network",
    "tests.furniture.factories",
    "tests.furniture.databases",
    "tests.furniture.site",
    "tests.furniture.rankers",
    "tests.furniture.provider",
    "tests.furniture.two_projects",
    "tests.furniture.thorough",
    "tests.furniture.made_up",
    "tests.furniture.collector",
    "tests.furniture.post",
]
