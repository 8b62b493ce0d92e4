"""Proof that the demo was not tuned: the hashes its data files had when they were frozen.

Two stages. Texts, questions and facets were frozen before the first ranker was run; the corrections
were frozen after the pooled pairs had been read. A later change of a file shows as another hash.
"""

from __future__ import annotations

import hashlib
import json

from app.demo.corpus import DATA

BEFORE_THE_RANKERS = ("documents.jsonl", "queries.jsonl", "question_facets.jsonl", "article_facets.jsonl")
AFTER_THE_READING = ("corrections.jsonl",)


def hash_of(name: str) -> str:
    """Return the SHA-256 of one data file, its line ends as in the repository."""
    content = (DATA / name).read_bytes().replace(b"\r\n", b"\n")
    return hashlib.sha256(content).hexdigest()


def frozen_hashes() -> dict[str, str]:
    """Return the hashes written down when the files were frozen, by file name."""
    text = (DATA / "frozen.json").read_text(encoding="utf-8")
    stages: dict[str, dict[str, str]] = json.loads(text)
    return {name: digest for stage in stages.values() for name, digest in stage.items()}


def changed_files() -> list[str]:
    """Return the data files that no longer are what was frozen: none, as long as nobody tunes."""
    frozen = frozen_hashes()
    names = (*BEFORE_THE_RANKERS, *AFTER_THE_READING)
    return [name for name in names if frozen.get(name) != hash_of(name)]
