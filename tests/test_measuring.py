"""Benchmarks and trials can be started: nothing they import has gone."""

import importlib.util
import sys
import threading
import uuid
from collections import deque
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MEASURING = sorted([*TESTS.glob("benchmarks/bench_*.py"), *TESTS.glob("trials/trial_*.py")])


@pytest.mark.thorough
@pytest.mark.parametrize("path", MEASURING, ids=lambda path: path.stem)
def test_a_benchmark_or_trial_finds_all_that_it_imports(path, monkeypatch):
    found = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, path.stem, module)

    found.loader.exec_module(module)

    assert callable(module.main)


def test_somebody_in_the_trial_of_postgresql_goes_on_rating_until_told_to_stop():
    from tests.trials.trial_postgresql_away import Answer, Person

    stopped, asked = threading.Event(), []

    class Rater:
        def rate(self, candidate, _batch, grade, *, number, base):
            asked.append((candidate, grade, base))
            if len(asked) == 12:
                stopped.set()
            return (503 if candidate == "refused" else 201), number

        def get(self, _path):
            return 200, b""

    person = Person(Rater(), deque(Answer(name, 1) for name in ("a", "refused", "b", "c")), stopped)
    person.run()

    assert [name for name, _, _ in asked] == ["a", "refused", *"bcabcabcab"]
    # The same answer gets another grade each time, and is rated in the place of the rating before.
    assert len(set(asked)) == 12
    assert [uuid.UUID(base).bytes for _, _, base in asked if base] == person.told[:8]
    assert person.refused == [503]
