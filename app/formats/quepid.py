"""Quepid: the JSON of cases, of ratings and of books; its CSV files are tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from app.formats.groups import Group, Place, object_in, objects_in

ANONYMOUS = "Anonymous"
"""What Quepid calls a person without a name."""


def different_names(names: Sequence[str]) -> list[str]:
    """Return names of people, equal ones numbered in their order: each of a book is somebody else."""
    taken, met, last = set(names), set[str](), Counter[str]()
    found = []
    for name in names:
        different = name
        while different in met or (different in taken and different != name):
            last[name] += 1
            different = f"{name or ANONYMOUS} {last[name] + 1}"
        met.add(different)
        found.append(different)
    return found


def case(value: object, _place: Place) -> Iterator[Group]:
    """Yield a query of a case, with its ratings in a list, or in an object by document."""
    query = object_in(value)
    ratings = query.get("ratings")
    if isinstance(ratings, dict):
        pairs = [{"doc_id": document, "grade": rating} for document, rating in ratings.items()]
    else:
        pairs = [
            {"doc_id": each.get("doc_id"), "grade": each.get("rating"), "annotator": each.get("user_email")}
            for each in objects_in(ratings)
        ]
    yield Group(_query(query), pairs)


def book(value: object, _place: Place) -> Iterator[Group]:
    """Yield a pair of query and document of a book, with what each person said of it."""
    pair = object_in(value)
    document, fields = pair.get("doc_id"), pair.get("document_fields")
    judgements = [each for each in objects_in(pair.get("judgements")) if not each.get("judge_later")]
    nameless = [each for each in judgements if each.get("user_email") is None or each["user_email"] == ""]
    # Of a single one that has no such member the file does not say whose it is.
    for each, name in zip(nameless, different_names([ANONYMOUS] * len(nameless)), strict=True):
        if len(nameless) > 1 or "user_email" in each:
            each["user_email"] = name
    said = [_said(each) for each in judgements]
    about = {"doc_id": document, "document": fields if isinstance(fields, dict) else None}
    yield Group(_query(pair), [{**about, **each} for each in said or [{}]])


def _said(judgement: dict[str, Any]) -> dict[str, Any]:
    rating = judgement.get("rating")
    reason = "other" if rating is None and judgement.get("unrateable") else None
    return {"grade": rating, "annotator": judgement.get("user_email"), "reason": reason}


def _query(value: dict[str, Any]) -> dict[str, Any]:
    text = value.get("query_text", value.get("query"))
    said = {"query": text}
    return said | {"intent": value["information_need"]} if "information_need" in value else said
