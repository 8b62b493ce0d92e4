"""Large runs are read by several processes at once, and come out as if one had read them all."""

import json

import numpy as np
import pytest

from app.formats.errors import FormatError
from app.services.file_scores import Choices, score_files, side_by_side


@pytest.fixture
def at_once(monkeypatch):
    """Two processes, whatever the size; return the numbers of those that were started."""
    started = []
    start = side_by_side._start

    def noted(*asked):
        started.append(start(*asked))
        return started[-1]

    monkeypatch.setattr(side_by_side, "_start", noted)
    monkeypatch.setattr(side_by_side, "_processors", lambda: 2)
    monkeypatch.setattr(side_by_side, "_may_fork", lambda: True)
    monkeypatch.setattr(side_by_side, "WORTHWHILE", 1)
    return started


@pytest.fixture
def files(tmp_path):
    """Five runs, each with queries that no other file has before it, and unjudged documents in common."""
    rng = np.random.default_rng(4)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q{n} 0 d{d} {rng.integers(4)}\n" for n in range(6) for d in range(8)))
    runs = []
    for number in range(5):
        listed = [*range(6), 20 - number, 30 + number % 2]
        lines = [
            f"q{query} Q0 d{document} {rank} {20 - rank} r{number}\n"
            for query in listed
            for rank, document in enumerate(rng.permutation(16)[:12])
        ]
        runs.append(tmp_path / f"r{number}.run")
        runs[-1].write_text("".join(lines))
    return qrels, runs


def told(scores):
    return json.dumps([repr(scores.runs), sorted(scores.table.collection.query_ids)])


def values_of(scores):
    return {label: values.tobytes() for label, values in scores.table.values.items()}


def test_two_processes_find_what_one_finds_to_the_last_bit(files, at_once, monkeypatch):
    choices = Choices(measures="nDCG@5 AP judged@3")
    together = score_files(*files, choices)
    assert len(at_once) == 1

    monkeypatch.setattr(side_by_side, "_processors", lambda: 1)
    alone = score_files(*files, choices)

    assert len(at_once) == 1
    assert told(together) == told(alone)
    assert values_of(together) == values_of(alone)


@pytest.mark.parametrize("number", [0, 3])
def test_a_bad_line_is_said_as_if_one_process_had_read_all(files, at_once, number):
    qrels, runs = files
    with runs[number].open("a") as file:
        file.write(f"q1 Q0 d99 1 high r{number}\n")

    with pytest.raises(FormatError) as caught:
        score_files(qrels, runs, Choices())

    assert len(at_once) == 1
    assert caught.value.total == 1
    assert caught.value.problems[0].file == f"r{number}.run"


def test_a_process_that_dies_is_made_up_for(files, at_once, monkeypatch):
    monkeypatch.setattr(side_by_side.pickle, "dump", lambda *_asked, **_more: 1 / 0)

    assert len(score_files(*files, Choices()).runs) == 5
    assert len(at_once) == 1
