"""Runs as ranx and pytrec_eval take them: {query: {document: score}}."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from app.formats.rows import RunRow
from app.formats.writing import enclosed, json_text, score_of


def write_run_pairs(rows: Iterable[RunRow]) -> Iterator[str]:
    """Yield the lines of a run from rows that stand query by query, best first; one line for each query.

    A row without a score gets minus its rank, as in a TREC run.
    """
    lists = groupby(rows, key=attrgetter("query_id"))
    return enclosed("{", (f"{json_text(query)}: {json_text(_scores(some))}" for query, some in lists), "}")


def _scores(rows: Iterable[RunRow]) -> dict[str, float]:
    return {row.document_id: score_of(row, place) for place, row in enumerate(rows, 1)}
