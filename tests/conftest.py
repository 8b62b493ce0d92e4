"""What every test can ask for; each file of tests/furniture holds one subject."""

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
