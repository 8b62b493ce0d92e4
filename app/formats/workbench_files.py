"""Query sets for the search relevance workbench; its judgments are in `qrels_files.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.formats.writing import enclosed, json_text


def write_query_set(name: str, texts: Iterable[str]) -> Iterator[str]:
    """Yield a query set of these texts, as its API takes it."""
    about = json_text({"name": name, "description": "", "sampling": "manual"})
    queries = (json_text({"queryText": text}) for text in texts)
    return enclosed(f'{about[:-1]}, "querySetQueries": [', queries, "]}")
