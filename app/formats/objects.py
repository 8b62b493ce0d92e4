"""Objects as rows of a table: what each field means, and whether those that were asked for are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.formats.errors import BadValueError
from app.formats.limits import MOST_COLUMNS
from app.formats.schema import Kind, NamedBy, fields_of, listed
from app.formats.source import Source

SHAPES_KEPT = 100
_PARTING = "."


class ObjectFields:
    """Parts objects into the fields that mean something for a kind and all others.

    `columns` says which names the file uses, as in `fields_of`; a name with dots, as `meta.author`, may be
    that of a field inside another one. `named_by` is as in `fields_of`.
    """

    def __init__(self, kind: Kind, columns: Mapping[str, str] | None, named_by: NamedBy = "object") -> None:
        self._named_by = named_by
        self._kind, self._columns = kind, columns or {}
        self._missing = set(self._columns.values())
        self._nested = [name.split(_PARTING) for name in self._missing if _PARTING in name]
        self._known: dict[tuple[str, ...], dict[str, str]] = {}
        self._names: dict[str, None] = {}
        self._called: dict[str, str] = {}
        self.theirs: dict[str, str] = {}
        """Our name -> the file's name, of the object that was parted last."""

    def parted(self, value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return (our name -> value, other name -> value) of an object, which is taken apart.

        :raise BadValueError: It lacks a field that is needed, or what was asked for cannot be.
        """
        for path in self._nested:
            _raise(value, path)
        names = tuple(value)
        if names not in self._known:
            self._look_at(names)
        self.theirs = self._known[names]
        return {ours: value.pop(theirs) for ours, theirs in self.theirs.items()}, value

    def refuse_missing(self, source: Source) -> None:
        """Refuse names that were asked for and that no object had."""
        for name in sorted(self._missing) if self._names else ():
            error = BadValueError(
                "column",
                name,
                "the file has no column of this name",
                "It has %(names)s.",
                names=listed(list(self._names)),
            )
            source.refuse(error, None)

    def _look_at(self, names: tuple[str, ...]) -> None:
        self._missing.difference_update(names)
        if len(self._names) < MOST_COLUMNS:
            self._names.update(dict.fromkeys(names))
        if len(self._known) >= SHAPES_KEPT:
            self._known.clear()
        found = fields_of(
            names, self._kind, self._columns, exact=False, named_by=self._named_by, called=self._called
        )
        self._called |= found
        self._known[names] = found


def _raise(value: dict[str, Any], path: list[str]) -> None:
    """Give an object the field inside another one as its own."""
    inner: Any = value
    for name in path:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if inner is not None:
        value.setdefault(_PARTING.join(path), inner)
