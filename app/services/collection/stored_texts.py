"""Texts of queries in files that name them by their ids as well."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.query import Query
from app.services.bulk import stream_plain


class StoredTexts:
    """Tells a reader which texts beside ids of queries are not those that the project has for these ids.

    The project is asked only if a file has such texts, and once: kept are numbers made of its texts.

    Parameters
    ----------
    read
        Opens a session to look texts up.
    """

    def __init__(self, read: Callable[[], AbstractContextManager[Session]], project_id: int) -> None:
        self._read, self._project_id = read, project_id
        self._stored: dict[str, int] | None = None

    def __call__(self, query: str, text: str) -> str | None:
        """Return the text of the query with this id, None where it is this one or there is no such query."""
        if self._stored is None:
            wanted = select(Query.external_id, Query.text).where(Query.project_id == self._project_id)
            with self._read() as session:
                self._stored = {external: _number_of(own) for external, own in stream_plain(session, wanted)}
        number = _number_of(text)
        if self._stored.get(query, number) == number:
            return None
        with self._read() as session:
            return session.scalar(
                select(Query.text).where(Query.project_id == self._project_id, Query.external_id == query)
            )


def _number_of(text: str) -> int:
    """Return the same number for texts that differ in nothing but blanks."""
    return hash(" ".join(text.split()))
