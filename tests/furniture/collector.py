"""Less work for the garbage collector: what was collected as tests stays for the whole run and is not looked at again."""

import gc


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
