"""What can be chosen when judgments are imported, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class JudgmentOptions:
    """How to import judgments; blanks around the annotator's name are taken off.

    Attributes
    ----------
    annotator
        Whose they are where the file does not say; "Imported from <file>" if not given.
    replace
        Let grades of this file take the place of other grades by the same annotator.
    kind
        Who stands behind the grades: people whom a file speaks for (``imported``), or a machine (a click
        model, a language model), which counts only where the ruler says so. None: as the annotator's
        name is known already, else ``imported``.
    negative
        What to do with negative grades, which some collections use for "not judged".
    """

    annotator: str | None = None
    replace: bool = False
    kind: Literal["imported", "machine"] | None = None
    negative: Literal["reject", "skip"] = "reject"
    unknown_documents: Literal["reject", "add"] = "reject"
    unknown_queries: Literal["reject", "skip"] = "reject"

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotator", (self.annotator or "").strip() or None)


@dataclass(frozen=True, kw_only=True)
class JudgmentsImported:
    """Counts of one import of judgments.

    Attributes
    ----------
    added, unchanged, replaced
        New judgments, those that are there already, and those that take another one's place.
    outside_pool
        Added judgments of answers that no active run returns within the depth; they count in the ideal.
    annotators
        Whose they are.
    revision
        The event of the import; None if nothing changed.
    pooled, rated
        Answers in the pool, and how many of them are rated afterwards; None where nothing was written.
    """

    added: int = 0
    unchanged: int = 0
    replaced: int = 0
    skipped_lines: int = 0
    negative_lines: int = 0
    repeated: int = 0
    new_documents: int = 0
    outside_pool: int = 0
    annotators: tuple[str, ...] = ()
    revision: int | None = None
    pooled: int | None = None
    rated: int | None = None
