"""What somebody wants to see of the history: all of it stands in the address, so that it can be shared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

VIEWS = ("today", "then", "growth")
LONGEST = 40


@dataclass(frozen=True)
class Choice:
    """A view of the history.

    Attributes
    ----------
    view
        One of `VIEWS`.
    rankers
        Their numbers; the usual ones if empty.
    band
        The ranker whose band is drawn; the best one if None.
    version
        The run whose evidence grows; the newest of the best ranker if None.
    first, last
        The ends of the range as they stand in the address; empty for no end.
    point
        Ranker and revision of the point to explain.
    """

    view: str = VIEWS[0]
    rankers: tuple[int, ...] = ()
    band: int | None = None
    version: int | None = None
    first: str = ""
    last: str = ""
    point: tuple[int, int] | None = None

    @property
    def is_usual(self) -> bool:
        """Whether neither rankers nor a range are chosen."""
        return not (self.rankers or self.first or self.last or self.band)

    def address(self, **changes: Any) -> dict[str, Any]:
        """Return the query of the address of this view, or of this view with changes."""
        to = replace(self, **changes)
        named = {
            "view": to.view if to.view != VIEWS[0] else None,
            "ranker": list(to.rankers) or None,
            "band": to.band,
            "version": to.version if to.view == "growth" else None,
            "from": to.first or None,
            "until": to.last or None,
            "point": "{}-{}".format(*to.point) if to.point and to.view == "then" else None,
        }
        return {name: value for name, value in named.items() if value is not None}


def choice_from(query: MultiDict[str, str]) -> Choice:
    """Return what an address asks for; what it says wrongly is as if it were not said."""
    view = query.get("view", "")
    return Choice(
        view=view if view in VIEWS else VIEWS[0],
        rankers=tuple(dict.fromkeys(filter(None, map(_number, query.getlist("ranker"))))),
        band=_number(query.get("band", "")),
        version=_number(query.get("version", "")),
        first=query.get("from", "").strip()[:LONGEST],
        last=query.get("until", "").strip()[:LONGEST],
        point=_point(query.get("point", "")),
    )


def _number(text: str) -> int | None:
    """Return a number of the database, or None for anything else."""
    plain = text.isascii() and text.isdecimal() and len(text) <= 9
    return int(text) if plain else None


def _point(text: str) -> tuple[int, int] | None:
    ranker, _, revision = text.partition("-")
    numbers = _number(ranker), _number(revision)
    return None if None in numbers else numbers  # type: ignore[return-value]
