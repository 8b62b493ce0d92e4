"""What readers of other tools' files make: a query with its documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from app.formats.errors import BadValueError
from app.formats.schema import Kind


class Group(NamedTuple):
    """A query, and its documents with what a file says of each; names are those of `schema.NAMES`.

    What is known of a document itself is its `document`.
    """

    query: dict[str, Any]
    pairs: list[dict[str, Any]]


class Place(NamedTuple):
    """Where a value was: its file, the name of its member or its number in a list, and what is wanted."""

    file: str
    key: str
    kind: Kind = "run"

    @property
    def stem(self) -> str:
        """The name of the file without its endings."""
        return Path(self.file).stem


def object_in(value: object) -> dict[str, Any]:
    """Return an object.

    :raise BadValueError: It is something else.
    """
    return value if isinstance(value, dict) else refuse_shape(value, "object")


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return a list of objects, which may be missing.

    :raise BadValueError: It is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        refuse_shape(value, "list")
    return [object_in(each) for each in value]


def refuse_shape(value: object, wanted: str) -> NoReturn:
    """Refuse a value that has another shape than its tool writes."""
    raise BadValueError(
        "json-shape",
        value,
        "there is no %(name)s where the tool writes one",
        "Export the file again from the tool that made it.",
        name=wanted,
    )
