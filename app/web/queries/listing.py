"""Search, filter, sort and pages of the list of questions; names come from fixed lists only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.services.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.scoring.arrays import Floats
    from app.services.questions import QuestionRow

EACH = 50
RETIRED = "retired"
FILTERS = {
    "all": "All",
    "answered": "Scored",
    "weak": "Only weak answers",
    "none_found": "No answer found",
    "unknown": "Not yet known",
    "unrated": "With unrated answers",
    "missed": "Missed by some ranker",
    RETIRED: "Retired",
}
MISSED = "missed-"
SORTS = {
    "hardest": "Lowest scores first",
    "spread": "Rankers differ most",
    "disputed": "Annotators disagree most",
    "beyond": "Most gain below the top",
    "missing": "Most unrated answers",
    "name": "By name",
}
KEYS: dict[str, Callable[[QuestionRow], Any]] = {
    "hardest": lambda row: (row.best is None, row.best or 0.0, row.mean or 0.0),
    "spread": lambda row: -(row.spread or 0.0),
    "disputed": lambda row: (-row.apart, -row.distance),
    "missing": lambda row: row.rated - row.pooled,
    "name": lambda row: row.external_id.encode(),
}


@dataclass(frozen=True)
class Listing:
    """One page of rows, and how they were chosen.

    `matching` are the rows of all pages; `filters` are the states and, by ranker, what was missed; `tags` all
    tags there are; `beyond` the gain below the cutoff by query id, where the list is sorted by it.
    """

    rows: list[QuestionRow]
    matching: list[QuestionRow]
    everything: int
    page: int
    pages: int
    search: str
    state: str
    sort: str
    tag: str
    filters: dict[str, str]
    tags: list[str]
    beyond: dict[int, float] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of rows on all pages."""
        return len(self.matching)

    def address(self, **changes: Any) -> dict[str, Any]:
        """Return the parameters of this list's address, with changes."""
        kept = {"q": self.search or None, "state": self.state, "sort": self.sort, "tag": self.tag or None}
        return kept | changes

    def disputed(self, row: QuestionRow) -> str:
        """Return what annotators disagree about on a question, in words."""
        return f"{row.apart} of {counted(row.twice, 'answer')}" if row.twice else "–"


def wants_retired(arguments: Mapping[str, str]) -> bool:
    """Tell whether an address asks for the retired questions."""
    return arguments.get("state") == RETIRED


def sort_of(arguments: Mapping[str, str]) -> str:
    """Return the order that an address asks for."""
    sort = arguments.get("sort", "hardest")
    return sort if sort in SORTS else "hardest"


def listing_of(
    rows: list[QuestionRow],
    arguments: Mapping[str, str],
    rankers: Sequence[tuple[int, str]] = (),
    beyond: Floats | None = None,
) -> Listing:
    """Return the rows that an address asks for; names it does not know are ignored.

    Parameters
    ----------
    rankers
        (id, name) of each row of the board that the rows were made from.
    beyond
        The gain below the cutoff by place, where the list is sorted by it.
    """
    search, sort = arguments.get("q", "").strip()[:200], sort_of(arguments)
    filters = FILTERS | {f"{MISSED}{number}": f"Missed by {name}" for number, name in rankers}
    tags = sorted({tag for row in rows for tag in row.tags})
    state, tag = arguments.get("state", "all"), arguments.get("tag", "")
    state, tag = state if state in filters else "all", tag if tag in tags else ""
    failing = {f"{MISSED}{number}": row for row, (number, _) in enumerate(rankers)}.get(state)
    kept = [
        row
        for row in rows
        if _found(row, search.casefold(), tag)
        and (failing in row.missed_by if failing is not None else _in_state(row, state))
    ]
    gain = {row.query_id: float(beyond[row.place]) for row in kept} if beyond is not None else {}
    kept.sort(key=KEYS.get(sort, lambda row: -gain.get(row.query_id, 0.0)))
    pages = max(1, -(-len(kept) // EACH))
    page = page_of(arguments.get("page", "1"), pages)
    shown = kept[(page - 1) * EACH : page * EACH]
    return Listing(shown, kept, len(rows), page, pages, search, state, sort, tag, filters, tags, beyond=gain)


def page_of(wanted: str, pages: int) -> int:
    """Return the number of the page that an address asks for, the nearest there is."""
    plain = wanted.isascii() and wanted.isdigit() and len(wanted) < 10
    return min(max(int(wanted), 1), pages) if plain else 1


def _in_state(row: QuestionRow, state: str) -> bool:
    if state == "unrated":
        return row.rated < row.pooled
    if state == "missed":
        return bool(row.missed_by)
    return state in {"all", RETIRED, row.state}


def _found(row: QuestionRow, search: str, tag: str) -> bool:
    if tag and tag not in row.tags:
        return False
    words = (row.text, row.external_id, *row.tags)
    return not search or any(search in word.casefold() for word in words)
