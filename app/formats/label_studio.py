"""Label Studio: an export in JSON, whose tasks hold a question and an answer each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.formats.errors import BadValueError
from app.formats.groups import Group, Place, object_in, objects_in
from app.formats.schema import matched_fields


def task(value: object, _place: Place) -> Iterator[Group]:
    """Yield a task with what each person said of it: a rating, a number or a choice.

    :raise BadValueError: The data of the task does not name its question and its answer; an annotation holds
        several ratings.
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
    annotations = objects_in(whole.get("annotations"))
    said = [_said(each) for each in annotations if not each.get("was_cancelled")]
    # Of a task that everybody skipped nothing is said; one that nobody was given is told.
    yield Group(query, [{**about, **each} for each in (said if annotations else [{}])])


def _said(annotation: dict[str, Any]) -> dict[str, Any]:
    person = annotation.get("completed_by")
    name = person.get("email") if isinstance(person, dict) else person
    return {"annotator": None if name is None else str(name), "grade": _one_grade(annotation)}


def _one_grade(annotation: dict[str, Any]) -> str | None:
    """Return the grade of an annotation: of its stars where it has some, else of what else it holds.

    :raise BadValueError: It holds several.
    """
    results = objects_in(annotation.get("result"))
    stars = [each for each in results if each.get("type") == "rating"]
    grades = [grade for each in stars or results if (grade := _grade(each)) is not None]
    if len(grades) > 1:
        raise BadValueError(
            "grade",
            ", ".join(grades),
            "the annotation holds several ratings",
            "Keep one of them in each annotation.",
        )
    return grades[0] if grades else None


def _grade(result: dict[str, Any]) -> str | None:
    value = object_in(result.get("value", {}))
    found = value.get("rating", value.get("number", value.get("choices")))
    if isinstance(found, list):
        found = found[0] if len(found) == 1 else None
    return None if found is None else str(found)
