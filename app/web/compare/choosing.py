"""Which versions a page compares: those of its address, else the best two, or the newest with the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.evaluation import best_first
from app.services.overview import versions_before

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.services.comparison import Basis
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact

GONE = "A version of this address is not there any more; "


@dataclass(frozen=True)
class Choice:
    """Two versions by their places, all that can be chosen, and what of the address could not be met."""

    first: int
    second: int
    offered: list[RunFact]
    note: str


@dataclass(frozen=True)
class Step:
    """A version and the one before it, by their places; `old` is None for a first version.

    Attributes
    ----------
    chosen
        The number of the version.
    rankers
        One version of each ranker, to choose the ranker by.
    versions
        The versions of this ranker, newest first, each with the one before it.
    note
        What of the address could not be met.
    """

    new: int
    old: int | None
    chosen: int
    rankers: list[RunFact]
    versions: list[tuple[RunFact, RunFact | None]]
    note: str


def choice_of(basis: Basis, arguments: Mapping[str, str]) -> Choice | None:
    """Return the two versions to compare; None where there are not two."""
    evidence = basis.evidence
    offered = _offered(evidence)
    if len(offered) < 2:
        return None
    wanted = [arguments.get(name, "") for name in ("first", "second")]
    known = [offered[number] for number in wanted if number in offered]
    note = _note(wanted, known)
    rest = [place for place in _best_first(basis, list(offered.values())) if place not in known]
    first, second = (known if len(set(known)) == 2 else [*dict.fromkeys(known), *rest])[:2]
    return Choice(first, second, _listed(evidence, list(offered.values())), note)


def step_of(evidence: Evidence, arguments: Mapping[str, str]) -> Step | None:
    """Return the version to tell the changes of; None where there is no ranker.

    Without an address it is the newest that has a version before it, else the newest of all. A ranker of the
    address goes before a version of another one: whoever chooses a ranker has not chosen its version yet.
    """
    offered = _offered(evidence)
    if not offered:
        return None
    runs, places = evidence.structure.runs, list(offered.values())
    before = versions_before(evidence, places)
    asked = offered.get(arguments.get("version", ""))
    note = f"{GONE}here is the newest." if arguments.get("version") and asked is None else ""
    newest = {str(runs[place].ranker_id): place for place in places}
    ranker = newest.get(arguments.get("ranker", ""))
    if asked is None or (ranker is not None and runs[ranker].ranker_id != runs[asked].ranker_id):
        asked = ranker if ranker is not None else max(before, default=places[-1])
    own = [place for place in reversed(places) if runs[place].ranker_id == runs[asked].ranker_id]
    return Step(
        new=asked,
        old=before.get(asked),
        chosen=runs[asked].id,
        rankers=sorted((runs[place] for place in newest.values()), key=lambda run: run.mark),
        versions=[(runs[place], runs[before[place]] if place in before else None) for place in own],
        note=note,
    )


def _offered(evidence: Evidence) -> dict[str, int]:
    """Return the versions that can be compared, as an address names them, in order of registration."""
    runs = evidence.structure.runs
    return {str(runs[place].id): place for place in evidence.active_runs() if runs[place].kind == "system"}


def _note(wanted: list[str], known: list[int]) -> str:
    if len(known) < len([number for number in wanted if number]):
        return f"{GONE}the best of the others takes its place."
    if len(known) == 2 and known[0] == known[1]:
        return "A version cannot be compared with itself; the best of the others is beside it."
    return ""


def _best_first(basis: Basis, places: list[int]) -> list[int]:
    """Return the current versions by their scores, then the older ones, newest first."""
    current = [basis.places[row] for row in best_first(basis.board)]
    return current + [place for place in reversed(places) if place not in current]


def _listed(evidence: Evidence, places: list[int]) -> list[RunFact]:
    """Return versions in the order of a list to choose from: by ranker, newest first."""
    runs = evidence.run_facts(places)
    return sorted(runs, key=lambda run: (run.mark, -run.revision))
