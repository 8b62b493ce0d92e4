"""Statements that every rating runs: built once, and compiled once for each database."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, CursorResult, Dialect, Executable


class Prepared:
    """A statement with named parameters. Use it as the decorator of the function that builds it."""

    def __init__(self, build: Callable[[], Executable]) -> None:
        self._build = build
        self._options: WeakKeyDictionary[Dialect, dict[str, Any]] = WeakKeyDictionary()

    @cached_property
    def statement(self) -> Executable:
        """The statement: putting it together takes longer than running it."""
        return self._build()

    def run(self, connection: Connection, values: dict[str, Any]) -> CursorResult[*tuple[Any, ...]]:
        """Return the rows of the statement with these values, always of the same names."""
        options = self._options.get(connection.dialect)
        if options is None:
            options = self._options[connection.dialect] = {"compiled_cache": _OneCompiled()}
        return connection.execute(self.statement, values, execution_options=options)


class _OneCompiled(dict[Any, Any]):
    """A cache of one statement. The usual one goes through all its parts to find it, .1 ms each time."""

    def get(self, _structure: Any, default: Any = None) -> Any:
        return super().get(None, default)

    def __setitem__(self, _structure: Any, compiled: Any) -> None:
        super().__setitem__(None, compiled)
