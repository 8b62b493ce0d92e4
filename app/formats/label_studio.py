"""Label Studio: an export in JSON, whose tasks hold a question and an answer each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.formats.errors import BadValueError
from app.formats.groups import Group, Place, object_in, objects_in
from app.formats.schema import matched_fields


def task(value: object, _place: Place) -> Iterator[Group]:
    """Yield a task with what each person said of it: a rating, a number or a choice.

    :raise BadValueError: The data of the task does not name its question and its answer.
    """
    whole = object_in(value)
    data = object_in(whole.get("data"))
    found = matched_fields(tuple(data), "judgments", exact=False)
    if "doc_id" not in found or not {"query_id", "query"} & found.keys():
        raise BadValueError(
            "header",
            ", ".join(data),
            "the data of the task does not name its question and its answer",
            "Give it the fields query_id (or query) and doc_id.",
        )
    query: dict[str, Any] = {name: data[found[name]] for name in ("query_id", "query") if name in found}
    about = {"doc_id": data[found["doc_id"]], "document": data}
    said = [_said(each) for each in objects_in(whole.get("annotations")) if not each.get("was_cancelled")]
    yield Group(query, [{**about, **each} for each in said or [{}]])


def _said(annotation: dict[str, Any]) -> dict[str, Any]:
    person = annotation.get("completed_by")
    name = person.get("email") if isinstance(person, dict) else person
    grade = next(filter(None, (_grade(each) for each in objects_in(annotation.get("result")))), None)
    return {"annotator": None if name is None else str(name), "grade": grade}


def _grade(result: dict[str, Any]) -> str | None:
    value = object_in(result.get("value", {}))
    found = value.get("rating", value.get("number", value.get("choices")))
    if isinstance(found, list):
        found = found[0] if len(found) == 1 else None
    return None if found is None else str(found)
