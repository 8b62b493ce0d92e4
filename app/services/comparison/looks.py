"""Looks as the ledger keeps them: what each said about every pair, and what it is worth today."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.models import EventKind
from app.scoring.bounds import pair_bounds
from app.scoring.looks import with_grades_of_today
from app.scoring.means import mean_of
from app.scoring.milestones import Look
from app.scoring.verdict import PairLook
from app.services.comparison.plans import core_of, plans_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from app.scoring.arrays import Ints
    from app.services.comparison.basis import Basis
    from app.services.comparison.plans import Plan
    from app.services.evidence import Evidence
    from app.services.evidence.structure import EventFact
    from app.services.rulers import RulerValues

NUMBERS = ("p", "mean", "low", "high")


@dataclass(frozen=True)
class TakenLook:
    """One look of the ledger.

    Attributes
    ----------
    revision, at
        Of its event.
    look
        Its number, milestone, n, share of the 5%, and whether it is the plan's last.
    said
        The event's payload: see `look_payload`.
    """

    revision: int
    at: datetime
    look: Look
    said: dict[str, Any]

    @property
    def run_ids(self) -> tuple[int, ...]:
        """The compared runs, ascending."""
        return tuple(self.said["run_ids"])

    @property
    def baseline(self) -> int | None:
        """The run that the others were tested against; None where all pairs were tested."""
        return self.said.get("baseline")

    @property
    def tested(self) -> tuple[Ints, Ints]:
        """The pairs that it says something about, in its order, as places among `run_ids`."""
        ids = self.run_ids
        return tested_places(len(ids), None if self.baseline is None else ids.index(self.baseline))

    def tests(self, one: int, other: int) -> bool:
        """Tell whether it says something about two runs."""
        return {one, other} <= set(self.run_ids) and self.baseline in {None, one, other}

    def pair(self, from_run: int, to_run: int) -> PairLook:
        """Return what it said about two of its runs, d = score of `to_run` minus score of `from_run`."""
        a, b = sorted((from_run, to_run))
        found = _pair_look(self.said, self.look, self._place_of(a, b), (a, b))
        return found if to_run == b else flipped(found)

    def _place_of(self, a: int, b: int) -> int:
        """Return where a pair stands in the order of ``combinations``: counted, not searched."""
        ids = self.said["run_ids"]
        first, second = ids.index(a), ids.index(b)
        if self.baseline is not None:
            other = first if b == self.baseline else second
            return int(other - (other > ids.index(self.baseline)))
        return int(first * (2 * len(ids) - first - 1) // 2 + second - first - 1)


@dataclass(frozen=True)
class HeldLook:
    """What a past look says about a pair, with today's grades, and when it was taken."""

    taken: TakenLook
    look: PairLook


def look_payload(
    plan_revision: int,
    rests_on: int,
    look: Look,
    *,
    ruler_id: int,
    run_ids: Sequence[int],
    query_ids: Sequence[int],
    weight_judged: Sequence[float],
    pairs: Sequence[PairLook],
    baseline: int | None = None,
) -> dict[str, Any]:
    """Return what the ledger keeps of a look: all that is needed to show its verdict again.

    `pairs` are in the order of ``combinations(run_ids, 2)``, with a baseline those it is in; d = score of
    the later run minus the earlier.
    """
    return {
        "plan": plan_revision,
        "revision": rests_on,
        "ruler_id": ruler_id,
        "number": look.number,
        "milestone": look.milestone,
        "n": look.n,
        "alpha": look.alpha,
        "last": look.last,
        "complete": pairs[0].complete,
        "run_ids": list(run_ids),
        "query_ids": list(query_ids),
        "weight_judged": list(weight_judged),
        "baseline": baseline,
        "pairs": [
            {name: getattr(pair, name) for name in NUMBERS}
            | {"bounds": list(pair.bounds), "sure": pair.is_sure}
            for pair in pairs
        ],
    }


def looks_of(evidence: Evidence, plan: Plan) -> list[TakenLook]:
    """Return the looks that a plan has taken, oldest first."""
    if plan.revision is None:
        return []
    return [
        _taken(event)
        for event in evidence.structure.events
        if event.kind == EventKind.LOOK and event.payload["plan"] == plan.revision
    ]


def looks_under(evidence: Evidence, ruler: RulerValues) -> list[TakenLook]:
    """Return every look of every plan under this ruler (its unjudged policy aside), oldest first."""
    plans = {plan.revision for plan in plans_of(evidence) if plan.core == core_of(ruler)}
    return [
        _taken(event)
        for event in evidence.structure.events
        if event.kind == EventKind.LOOK and event.payload["plan"] in plans
    ]


def held_looks(basis: Basis, taken: Sequence[TakenLook], first: int, second: int) -> list[HeldLook]:
    """Return those of some looks that compared two rows, with today's grades, d = `first` - `second`.

    All plans count: a later version opens a plan of its own, and the verdict on two runs that stayed
    keeps its date.
    """
    one, other = basis.board.runs[first].run.id, basis.board.runs[second].run.id
    return [HeldLook(look, _held(basis, look, first, second)) for look in taken if look.tests(one, other)]


def tested_places(runs: int, baseline: int | None) -> tuple[Ints, Ints]:
    """Return the pairs that a look tests: all, or those with the baseline; the earlier run of each first."""
    first, second = np.triu_indices(runs, 1)
    if baseline is None:
        return first, second
    kept = (first == baseline) | (second == baseline)
    return first[kept], second[kept]


def flipped(look: PairLook) -> PairLook:
    """Return a look with its two runs exchanged."""
    return replace(
        look,
        mean=-look.mean,
        mean_today=-look.mean_today,
        low=None if look.high is None else -look.high,
        high=None if look.low is None else -look.low,
        bounds=(-look.bounds[1], -look.bounds[0]),
        weight_judged=(look.weight_judged[1], look.weight_judged[0]),
    )


def _held(basis: Basis, taken: TakenLook, first: int, second: int) -> PairLook:
    """Return what a look says about two rows, with today's grades on its queries that are still scored."""
    runs = basis.board.runs
    queries = _places(basis, taken.said["query_ids"])
    queries = queries[~np.isnan(basis.values[[first, second]][:, queries]).any(axis=0)]
    look = taken.pair(runs[second].run.id, runs[first].run.id)
    if not len(queries):
        # Nothing of what it rested on is scored today: it claims nothing any more.
        return replace(look, mean_today=0.0)
    if look.complete and not basis.complete:
        look = _without_declaration(basis, look, first, second, queries)
    return with_grades_of_today(look, basis.values[second, queries], basis.values[first, queries])


def _without_declaration(basis: Basis, look: PairLook, first: int, second: int, queries: Ints) -> PairLook:
    """Return a look as it holds without the declaration it was taken under, which was taken back."""
    k = basis.board.ruler.k
    lists = basis.evidence.lists(basis.places, k)
    found = pair_bounds(lists, basis.board.judged, k, np.array([second]), np.array([first]))
    low, high = mean_of(found.low[0, queries]), mean_of(found.high[0, queries])
    weights = [mean_of(basis.weight_judged[row, queries]) for row in (second, first)]
    return replace(
        look,
        complete=False,
        bounds=(low or 0.0, high or 0.0),
        weight_judged=(weights[0] or 0.0, weights[1] or 0.0),
    )


def _places(basis: Basis, query_ids: Sequence[int]) -> Ints:
    """Return the places of a look's queries; a query that was removed since has none."""
    return np.flatnonzero(np.isin(basis.evidence.structure.query_id, query_ids))


def _taken(event: EventFact) -> TakenLook:
    said = event.payload
    look = Look(said["number"], said["milestone"], said["n"], said["alpha"], said["last"])
    return TakenLook(event.revision, event.at, look, said)


def _pair_look(said: dict[str, Any], look: Look, place: int, runs: tuple[int, int]) -> PairLook:
    pair = said["pairs"][place]
    weights = [said["weight_judged"][said["run_ids"].index(run)] for run in runs]
    return PairLook(
        number=look.number,
        n=look.n,
        alpha=look.alpha,
        **{name: pair[name] for name in NUMBERS},
        bounds=(pair["bounds"][0], pair["bounds"][1]),
        weight_judged=(weights[0], weights[1]),
        complete=said["complete"],
        mean_today=pair["mean"],
    )
