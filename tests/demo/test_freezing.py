"""Nobody tunes the demo: its files are what they were when they were frozen."""

from __future__ import annotations

import shutil

from app.demo import freezing
from app.demo.corpus import DATA


def test_no_file_differs_from_what_was_frozen():
    assert freezing.changed_files() == []


def test_every_file_that_decides_a_grade_is_frozen():
    assert set(freezing.frozen_hashes()) == {*freezing.BEFORE_THE_RANKERS, *freezing.AFTER_THE_READING}
    assert {path.name for path in DATA.glob("*.jsonl")} == set(freezing.frozen_hashes())


def test_one_changed_letter_is_noticed(tmp_path, monkeypatch):
    copy = shutil.copytree(DATA, tmp_path / "data")
    queries = copy / "queries.jsonl"
    queries.write_text(queries.read_text(encoding="utf-8").replace("wobbly", "wobbley"), encoding="utf-8")

    monkeypatch.setattr(freezing, "DATA", copy)

    assert freezing.changed_files() == ["queries.jsonl"]


def test_the_line_ends_of_a_checkout_do_not_matter(tmp_path, monkeypatch):
    copy = shutil.copytree(DATA, tmp_path / "data")
    queries = copy / "queries.jsonl"
    queries.write_bytes(queries.read_bytes().replace(b"\n", b"\r\n"))

    monkeypatch.setattr(freezing, "DATA", copy)

    assert freezing.changed_files() == []
