"""Search, filter, sort and pages of the list of questions; names come from fixed lists only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.services.questions import QuestionRow

EACH = 50
FILTERS = {
    "all": "All",
    "answered": "Answered",
    "weak": "Only weak answers",
    "none_found": "No answer found",
    "unknown": "Not yet known",
    "unrated": "With unrated answers",
}
SORTS: dict[str, tuple[str, Callable[[QuestionRow], Any]]] = {
    "hardest": ("Hardest first", lambda row: (row.best is None, row.best or 0.0)),
    "spread": ("Most disputed between rankers", lambda row: -(row.spread or 0.0)),
    "missing": ("Most unrated answers", lambda row: row.rated - row.pooled),
    "name": ("By name", lambda row: row.external_id.encode()),
}


@dataclass(frozen=True)
class Listing:
    """One page of rows, and how they were chosen."""

    rows: list[QuestionRow]
    total: int
    everything: int
    page: int
    pages: int
    search: str
    state: str
    sort: str

    def address(self, **changes: Any) -> dict[str, Any]:
        """Return the parameters of this list's address, with changes."""
        return {"q": self.search or None, "state": self.state, "sort": self.sort} | changes


def listing_of(rows: list[QuestionRow], arguments: Mapping[str, str]) -> Listing:
    """Return the rows that an address asks for; names it does not know are ignored."""
    search = arguments.get("q", "").strip()[:200]
    state = arguments.get("state", "all")
    state = state if state in FILTERS else "all"
    sort = arguments.get("sort", "hardest")
    sort = sort if sort in SORTS else "hardest"
    kept = [row for row in rows if _matches(row, search.casefold(), state)]
    kept.sort(key=SORTS[sort][1])
    pages = max(1, -(-len(kept) // EACH))
    wanted = arguments.get("page", "1")
    page = min(max(int(wanted), 1), pages) if wanted.isascii() and wanted.isdigit() else 1
    first = (page - 1) * EACH
    return Listing(kept[first : first + EACH], len(kept), len(rows), page, pages, search, state, sort)


def _matches(row: QuestionRow, search: str, state: str) -> bool:
    if state == "unrated" and row.rated >= row.pooled:
        return False
    if state not in {"all", "unrated"} and row.state != state:
        return False
    words = (row.text, row.external_id, *row.tags)
    return not search or any(search in word.casefold() for word in words)
