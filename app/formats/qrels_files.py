"""One rating for each answer, in the files of other tools."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, get_args

from app.formats.schema import Format
from app.formats.writing import Echo, write_qrels

QrelsFormat = Literal["trec", "quepid", "workbench", "rank-eval", "json-pairs"]
QRELS_FORMATS: tuple[QrelsFormat, ...] = get_args(QrelsFormat)
FILES: dict[QrelsFormat, tuple[str, Format]] = {
    "trec": ("qrels.txt", "trec"),
    "quepid": ("quepid.csv", "csv"),
    "workbench": ("workbench.json", "workbench"),
    "rank-eval": ("rank-eval.json", "rank-eval"),
    "json-pairs": ("qrels.json", "json-pairs"),
}
"""What each file is called, and what it is."""
BY_TEXT: frozenset[QrelsFormat] = frozenset({"quepid", "workbench"})
"""These know queries by their texts alone."""
TEMPLATE = '{"query": {"multi_match": {"query": "{{query_string}}"}}}'


class RatedQuery(NamedTuple):
    """A query with the one rating of each of its rated answers."""

    query_id: str
    text: str
    grades: list[tuple[str, int]]


def write_rated(queries: Iterable[RatedQuery], format: QrelsFormat, name: str, depth: int) -> Iterator[str]:
    """Yield the lines of a file.

    Parameters
    ----------
    name, depth
        What the list of judgments, or the index, is called, and the cutoff of the measure, where the format
        names them.
    """
    if format == "trec":
        return write_qrels(
            (query.query_id, document, grade) for query in queries for document, grade in query.grades
        )
    if format == "quepid":
        return _quepid(queries)
    if format == "json-pairs":
        members = (f"{_json(query.query_id)}: {_json(dict(query.grades))}" for query in queries)
        return _enclosed("{", members, "}")
    item, head, foot = _PARTS[format](name, depth)
    return _enclosed(head, (_json(item(query)) for query in queries), foot)


def _quepid(queries: Iterable[RatedQuery]) -> Iterator[str]:
    write = csv.writer(Echo(), lineterminator="\n").writerow
    yield write(("query", "docid", "rating"))
    for query in queries:
        for document, grade in query.grades:
            yield write((query.text, document, grade))


Item = Callable[[RatedQuery], dict[str, Any]]


def _workbench(name: str, _depth: int) -> tuple[Item, str, str]:
    def item(query: RatedQuery) -> dict[str, Any]:
        # The workbench takes texts that hold numbers, nothing else.
        ratings = [{"docId": document, "rating": str(float(grade))} for document, grade in query.grades]
        return {"query": query.text, "ratings": ratings}

    about = _json({"name": name, "description": "", "type": "IMPORT_JUDGMENT"})
    return item, f'{about[:-1]}, "judgmentRatings": [', "]}"


def _rank_eval(name: str, depth: int) -> tuple[Item, str, str]:
    def item(query: RatedQuery) -> dict[str, Any]:
        ratings = [{"_index": name, "_id": document, "rating": grade} for document, grade in query.grades]
        return {
            "id": query.query_id,
            "template_id": "search",
            "params": {"query_string": query.text},
            "ratings": ratings,
        }

    templates = _json([{"id": "search", "template": {"source": TEMPLATE}}])
    metric = _json({"dcg": {"k": depth, "normalize": True}})
    return item, f'{{"templates": {templates}, "requests": [', f'], "metric": {metric}}}'


_PARTS = {"workbench": _workbench, "rank-eval": _rank_eval}


def _enclosed(head: str, parts: Iterable[str], foot: str) -> Iterator[str]:
    yield f"{head}\n"
    comma = ""
    for part in parts:
        yield f"{comma}{part}"
        comma = ",\n"
    yield f"\n{foot}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
