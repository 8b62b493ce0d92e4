"""Elasticsearch and OpenSearch: judgments of the workbench, `_rank_eval`, and answers to searches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.formats.errors import BadValueError
from app.formats.groups import Group, Place, object_in, objects_in
from app.sentences import message

_TEXT_PARAMS = ("query_string", "query", "query_text", "text", "q")
"""What templates of searches usually call the text."""
_TEXT_CLAUSES = frozenset(
    {
        "match",
        "match_phrase",
        "match_phrase_prefix",
        "match_bool_prefix",
        "multi_match",
        "combined_fields",
        "query_string",
        "simple_query_string",
        "semantic",
    }
)


def workbench(value: object, _place: Place) -> Iterator[Group]:
    """Yield a query of a judgment list of the search relevance workbench."""
    query = object_in(value)
    ratings = objects_in(query.get("ratings"))
    pairs = [{"doc_id": each.get("docId"), "grade": each.get("rating")} for each in ratings]
    yield Group({"query": query.get("query")}, pairs)


def query_set(value: object, _place: Place) -> Iterator[Group]:
    """Yield a query of a query set of the search relevance workbench, which has no ratings."""
    yield Group({"query": object_in(value).get("queryText")}, [])


def request(value: object, place: Place) -> Iterator[Group]:
    """Yield a rated search of a `_rank_eval` request.

    :raise BadValueError: Queries are wanted, and it does not say the text of its query.
    """
    search = object_in(value)
    if place.kind == "queries":
        yield Group({"query_id": search.get("id"), "text": _text_of(search, place)}, [])
        return
    ratings = objects_in(search.get("ratings"))
    pairs = [{"doc_id": each.get("_id"), "grade": each.get("rating")} for each in ratings]
    yield Group({"query": search.get("id")}, pairs)


def _text_of(search: dict[str, Any], place: Place) -> str:
    """Return the one text that a rated search looks for.

    :raise BadValueError: It looks for none, or for several.
    """
    params = search.get("params")
    given = params if isinstance(params, dict) else {}
    texts = {value for value in given.values() if isinstance(value, str)}
    named = [given[name] for name in _TEXT_PARAMS if isinstance(given.get(name), str)]
    found = set(named[:1]) or texts or set(_searched(search.get("request")))
    if len(found) == 1:
        return found.pop()
    raise BadValueError(
        "json-shape",
        ", ".join(sorted(found)),
        message(
            "the request '%(name)s' does not search for exactly one text", name=search.get("id") or place.key
        ),
        "Import the questions as a table with the columns query_id and text.",
    )


def _searched(query: object) -> Iterator[str]:
    """Yield every text that the clauses of a search look for."""
    if isinstance(query, list):
        for each in query:
            yield from _searched(each)
    elif isinstance(query, dict):
        for name, clause in query.items():
            if name in _TEXT_CLAUSES and isinstance(clause, dict):
                # Either the text beside its fields, or each field with its text, or with an object of it.
                inner = [clause["query"]] if "query" in clause else list(clause.values())
                texts = (each.get("query") if isinstance(each, dict) else each for each in inner)
                yield from (text for text in texts if isinstance(text, str))
            else:
                yield from _searched(clause)


def response(value: object, place: Place) -> Iterator[Group]:
    """Yield what a `_rank_eval` response says of one search: the documents in their order."""
    found = objects_in(object_in(value).get("hits"))
    pairs = [
        {"doc_id": object_in(each.get("hit")).get("_id"), "rank": rank, "grade": each.get("rating")}
        for rank, each in enumerate(found, 1)
    ]
    yield Group({"query": place.key}, pairs)


def search(value: object, place: Place) -> Iterator[Group]:
    """Yield the one list of a `_search` response; its query is in the names of its clauses or of the file.

    :raise BadValueError: It lacks results.
    """
    _refuse_incomplete(value, place)
    hits = _hits(value)
    yield Group({"query": _name_in(hits) or place.stem}, _ranked(hits))


def msearch(value: object, place: Place) -> Iterator[Group]:
    """Yield one list of an `_msearch` response.

    :raise BadValueError: It lacks results, or does not say which query it answers.
    """
    _refuse_incomplete(value, place)
    hits = _hits(value)
    name = _name_in(hits)
    if hits and name is None:
        raise BadValueError(
            "json-shape",
            "",
            "the response does not say which query it answers",
            "Give each query of the search a _name, or save each response in a file named after its query.",
        )
    yield Group({"query": name}, _ranked(hits))


def _refuse_incomplete(value: object, place: Place) -> None:
    """Refuse a response of a search that failed or ended early: some results are missing in it."""
    whole = object_in(value)
    shards = whole.get("_shards")
    failed = shards.get("failed") if isinstance(shards, dict) else None
    error = whole.get("error")
    if error:
        kind = error.get("type") if isinstance(error, dict) else error
        status = whole.get("status")
        told = f"{kind}, status {status}" if status else str(kind)
        reason = message("the search of response %(n)s failed", n=place.key or 1)
    elif whole.get("timed_out") is True:
        told, reason = "timed_out: true", message("the search of response %(n)s timed out", n=place.key or 1)
    elif failed:
        told = f"_shards.failed: {failed}"
        reason = message("response %(n)s lacks the results of shards that failed", n=place.key or 1)
    else:
        return
    remedy = "Search again, and save the responses once all of them are complete."
    raise BadValueError("incomplete", told, reason, remedy)


def failures(value: object) -> None:
    """Refuse the searches of a `_rank_eval` response that failed, if there are some."""
    if isinstance(value, dict) and value:
        raise BadValueError(
            "incomplete",
            ", ".join(map(str, value)),
            "the response lacks searches that failed",
            "Search again, and save the response once no search fails.",
        )


def _hits(value: object) -> list[dict[str, Any]]:
    return objects_in(object_in(object_in(value).get("hits", {})).get("hits"))


def _ranked(hits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"doc_id": hit.get("_id"), "rank": rank, "document": hit.get("_source")}
        for rank, hit in enumerate(hits, 1)
    ]


def _name_in(hits: list[dict[str, Any]]) -> str | None:
    """Return the name of the query that all hits matched, if there is exactly one."""
    names = {str(hit.get("matched_queries")): hit.get("matched_queries") for hit in hits}
    name = next(iter(names.values()), None)
    return name[0] if len(names) == 1 and isinstance(name, list) and len(name) == 1 else None
