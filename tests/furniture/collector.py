"""Less work for the garbage collector: what is collected as tests stays for the whole run and is never looked at."""

import gc


def pytest_configure() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
