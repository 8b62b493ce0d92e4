"""Which two versions a page compares: those of its address, else the two best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.evaluation import best_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.services.comparison import Basis
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class Choice:
    """Two versions by their places, all that can be chosen, and what of the address could not be met."""

    first: int
    second: int
    offered: list[RunFact]
    note: str


def choice_of(basis: Basis, arguments: Mapping[str, str]) -> Choice | None:
    """Return the two versions to compare; None where there are not two."""
    evidence = basis.evidence
    offered = {
        str(evidence.structure.runs[place].id): place
        for place in evidence.active_runs()
        if evidence.structure.runs[place].kind == "system"
    }
    if len(offered) < 2:
        return None
    wanted = [arguments.get(name, "") for name in ("first", "second")]
    known = [offered[number] for number in wanted if number in offered]
    note = _note(wanted, known)
    rest = [place for place in _best_first(basis, list(offered.values())) if place not in known]
    first, second = (known if len(set(known)) == 2 else [*dict.fromkeys(known), *rest])[:2]
    return Choice(first, second, _listed(evidence, list(offered.values())), note)


def _note(wanted: list[str], known: list[int]) -> str:
    if len(known) < len([number for number in wanted if number]):
        return "A version of this address is not there any more; the best of the others stands in for it."
    if len(known) == 2 and known[0] == known[1]:
        return "A version cannot be compared with itself; the best of the others stands beside it."
    return ""


def _best_first(basis: Basis, places: list[int]) -> list[int]:
    """Return the current versions by their scores, then the older ones, newest first."""
    current = [basis.places[row] for row in best_first(basis.board)]
    return current + [place for place in reversed(places) if place not in current]


def _listed(evidence: Evidence, places: list[int]) -> list[RunFact]:
    """Return versions in the order of a list to choose from: by ranker, newest first."""
    runs = evidence.run_facts(places)
    return sorted(runs, key=lambda run: (run.mark, -run.revision))
