"""Files to score, written from dictionaries."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from app.cli.score_files_compare import compare_runs
from app.cli.score_files_scores import Choices, score_files


class Files:
    """Writes qrels and runs into a folder of their own, and scores them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def qrels(self, grades, name="qrels.txt"):
        lines = "".join(f"{q} 0 {d} {g}\n" for q, of in grades.items() for d, g in of.items())
        return self.text(name, lines)

    def run(self, name, lists, *, gap=" ", end="\n"):
        lines = [
            gap.join([q, "Q0", d, str(rank), repr(score), name]) + end
            for q, of in lists.items()
            for rank, (d, score) in enumerate(of.items(), 1)
        ]
        return self.text(f"{name}.run", "".join(lines))

    def text(self, name, text):
        path = self.folder / name
        data = text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    def score(self, qrels, *runs, compare=(), **choices):
        found = score_files(qrels, runs, Choices(**choices), comparing=bool(compare))
        if compare:
            found.comparisons = compare_runs(found, compare)
        return found


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)
