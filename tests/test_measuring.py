"""Benchmarks and trials can be started: nothing they import has gone."""

import importlib.util
import sys
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
