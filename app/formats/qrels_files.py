"""One rating for each answer, in the files of other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from app.formats.quepid_files import write_ratings
from app.formats.writing import enclosed, json_text, write_qrels

QrelsFormat = Literal["trec", "quepid", "workbench", "rank-eval", "json-pairs"]
TEMPLATE = '{"query": {"multi_match": {"query": "{{query_string}}"}}}'


class RatedQuery(NamedTuple):
    """A query with the one rating of each of its rated answers."""

    query_id: str
    text: str
    grades: list[tuple[str, int]]


def write_rated(
    queries: Iterable[RatedQuery], format: QrelsFormat, name: str, depth: int, *, data: bool = False
) -> Iterator[str]:
    """Yield the lines of a file.

    Parameters
    ----------
    name, depth
        What the list of judgments, or the index, is called, and the cutoff of the measure, where the format
        names them.
    data
        Of a CSV: see `write_table`.
    """
    if format == "trec":
        return write_qrels(
            (query.query_id, document, grade) for query in queries for document, grade in query.grades
        )
    if format == "quepid":
        rows = ((query.text, document, grade) for query in queries for document, grade in query.grades)
        return write_ratings(rows, data=data)
    if format == "json-pairs":
        members = (f"{json_text(query.query_id)}: {json_text(dict(query.grades))}" for query in queries)
        return enclosed("{", members, "}")
    item, head, foot = _PARTS[format](name, depth)
    return enclosed(head, (json_text(item(query)) for query in queries), foot)


Item = Callable[[RatedQuery], dict[str, Any]]


def _workbench(name: str, _depth: int) -> tuple[Item, str, str]:
    def item(query: RatedQuery) -> dict[str, Any]:
        # The workbench takes texts that hold numbers, nothing else.
        ratings = [{"docId": document, "rating": str(float(grade))} for document, grade in query.grades]
        return {"query": query.text, "ratings": ratings}

    about = json_text({"name": name, "description": "", "type": "IMPORT_JUDGMENT"})
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

    templates = json_text([{"id": "search", "template": {"source": TEMPLATE}}])
    metric = json_text({"dcg": {"k": depth, "normalize": True}})
    return item, f'{{"templates": {templates}, "requests": [', f'], "metric": {metric}}}'


_PARTS = {"workbench": _workbench, "rank-eval": _rank_eval}
