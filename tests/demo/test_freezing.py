"""Nobody tunes the demo: its files are what they were when they were frozen.

Two stages. Texts, questions and facets were frozen before the first ranker was run; the corrections
were frozen after the pooled pairs had been read. A later change of a file shows as another hash.
"""

from __future__ import annotations

import hashlib
import json
import shutil

from app.demo.corpus import DATA

BEFORE_THE_RANKERS = ("documents.jsonl", "queries.jsonl", "question_facets.jsonl", "article_facets.jsonl")
AFTER_THE_READING = ("corrections.jsonl",)


def hash_of(name, data):
    """Return the SHA-256 of one data file, its line ends as in the repository."""
    content = (data / name).read_bytes().replace(b"\r\n", b"\n")
    return hashlib.sha256(content).hexdigest()


def frozen_hashes():
    """Return the hashes written down when the files were frozen, by file name."""
    text = (DATA / "frozen.json").read_text(encoding="utf-8")
    stages = json.loads(text)
    return {name: digest for stage in stages.values() for name, digest in stage.items()}


def changed_files(data=DATA):
    """Return the data files that no longer are what was frozen: none, as long as nobody tunes."""
    frozen = frozen_hashes()
    names = (*BEFORE_THE_RANKERS, *AFTER_THE_READING)
    return [name for name in names if frozen.get(name) != hash_of(name, data)]


def test_no_file_differs_from_what_was_frozen():
    assert changed_files() == []


def test_every_file_that_decides_a_grade_is_frozen():
    assert set(frozen_hashes()) == {*BEFORE_THE_RANKERS, *AFTER_THE_READING}
    assert {path.name for path in DATA.glob("*.jsonl")} == set(frozen_hashes())


def test_one_changed_letter_is_noticed(tmp_path):
    copy = shutil.copytree(DATA, tmp_path / "data")
    queries = copy / "queries.jsonl"
    queries.write_text(queries.read_text(encoding="utf-8").replace("wobbly", "wobbley"), encoding="utf-8")

    assert changed_files(copy) == ["queries.jsonl"]


def test_the_line_ends_of_a_checkout_do_not_matter(tmp_path):
    copy = shutil.copytree(DATA, tmp_path / "data")
    queries = copy / "queries.jsonl"
    queries.write_bytes(queries.read_bytes().replace(b"\n", b"\r\n"))

    assert changed_files(copy) == []
