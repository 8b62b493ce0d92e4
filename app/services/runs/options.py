"""What can be chosen when a run is imported, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app.services.wording import counted

TIED_SHARE = 0.01


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How to import a run; blanks around its names and its note are taken off.

    Attributes
    ----------
    ranker
        The name of its ranker, which is made if it is new.
    version
        Its label; v1, v2, ... if not given.
    unknown_documents
        What to do with ids that the project lacks: refuse, or add them by name only.
    unknown_queries
        The same: refuse, or leave their lists out.
    kind
        `manual` for answers that people knew of: pooled, but part of no comparison.
    """

    ranker: str
    version: str | None = None
    unknown_documents: Literal["reject", "add"] = "reject"
    unknown_queries: Literal["reject", "skip"] = "reject"
    note: str = ""
    kind: Literal["system", "manual"] = "system"

    def __post_init__(self) -> None:
        # Whoever asks for options, by hand or in the browser: names that look the same are the same.
        object.__setattr__(self, "ranker", self.ranker.strip())
        object.__setattr__(self, "version", (self.version or "").strip() or None)
        object.__setattr__(self, "note", self.note.strip())


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """What an import found in a run.

    Attributes
    ----------
    lines, queries
        Stored lines and lists.
    missing_queries
        Active queries of the project about which the run is silent.
    skipped_queries
        Lists left out because the project lacks their query.
    new_documents
        Documents to be added by name only.
    new_candidates, rated_candidates
        Answers that join the pool, and those of them that are rated already.
    tied_lines
        Lines that have the score of the line before them; document ids decide their order.
    rank_disagreements
        Lists whose rank column contradicts the scores.
    own_targets, gapped_lists, other_lengths, usual_length
        In projects of papers: lines that recommend a target to itself, lists whose places are not 1, 2, 3
        and so on, and lists that do not hold the usual number of papers.
    """

    lines: int
    queries: int
    missing_queries: int
    skipped_queries: int
    new_documents: int
    new_candidates: int
    rated_candidates: int
    tied_lines: int
    rank_disagreements: int
    repeated_lines: int
    has_scores: bool
    depth: int
    own_targets: int = 0
    gapped_lists: int = 0
    other_lengths: int = 0
    usual_length: int = 0

    @property
    def stats(self) -> dict[str, int | bool]:
        """Everything that is stored with the run."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def covered(self) -> str:
        """How many of the project's queries the run answers, in words."""
        return f"{self.queries:,} of {self.queries + self.missing_queries:,} queries"

    @property
    def warnings(self) -> list[str]:
        """What the owner should know, as sentences."""
        share = self.tied_lines / self.lines if self.lines else 0
        lines = counted(self.own_targets, "line")
        gapped, odd = counted(self.gapped_lists, "list"), counted(self.other_lengths, "list")
        missing = counted(self.missing_queries, "query", "queries")
        disagreeing, skipped = counted(self.rank_disagreements, "list"), counted(self.skipped_queries, "list")
        told = {
            f"{share:.1%} of the lines have the same score as the line before; "
            "they are ordered by document id, highest first.": share > TIED_SHARE,
            f"{disagreeing} of {self.queries:,}: the ranks and the scores disagree; the scores are "
            "used.": self.rank_disagreements,
            f"No list for {missing} of the project: each counts 0 once it is scored.": self.missing_queries,
            f"Skipped: {skipped} for queries that the project does not have.": self.skipped_queries,
            f"Added without text: {counted(self.new_documents, 'document')}; nobody can rate them until "
            "the text is imported.": self.new_documents,
            f"Skipped: {counted(self.repeated_lines, 'line')} repeating an earlier line.": (
                self.repeated_lines
            ),
            f"{lines} recommending a target paper for itself, by its id or its title: remove them from "
            "the file.": self.own_targets,
            f"{gapped} of {self.queries:,}: the places are not 1, 2, 3 and so on without a "
            "gap.": self.gapped_lists,
            f"{odd} of {self.queries:,}: not exactly {self.usual_length} recommended "
            "papers.": self.other_lengths,
        }
        return [sentence for sentence, holds in told.items() if holds]


@dataclass(frozen=True, kw_only=True)
class RunImported:
    """What an import of a run did; `already` says that the same file was registered before."""

    run_id: int
    ranker: str
    version: str
    already: bool = False
    withdrawn: bool = False
    revision: int | None = None
    new_candidates: int = 0
    report: RunReport | None = field(default=None, repr=False)
