"""What an import of queries or documents did, or would do."""

from __future__ import annotations

from dataclasses import dataclass

CONTRADICTS = "the project has different content for this id"


@dataclass(frozen=True, kw_only=True)
class CorpusImported:
    """Counts of one import.

    Attributes
    ----------
    added
        New in the project.
    filled
        Documents that were known by name only and have their text now.
    unchanged
        Same id and same content again.
    replaced
        Same id, other content, taken over with `replace`; `edited` of them say something else now, so
        that earlier judgments of them count no more.
    repeated
        Lines equal to an earlier line of the file.
    without_text
        Documents that nobody can rate until their text comes.
    revision
        The event of the import; None if nothing changed.
    """

    added: int = 0
    filled: int = 0
    unchanged: int = 0
    replaced: int = 0
    edited: int = 0
    repeated: int = 0
    without_text: int = 0
    revision: int | None = None
