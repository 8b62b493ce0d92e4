"""What the checks show about each annotator; for owners, and no verdict on anybody below its sample rules."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.judgment import Origin
from app.models.person import Person
from app.scoring.proportions import wilson_interval
from app.services.assignment.checks import gold_of
from app.services.current_judgments import COUNTED
from app.services.evidence.state import Evidence

ENOUGH_GOLD = 10
ENOUGH_REPEATS = 15
# Below it, at the upper end of its interval, a share of right answers is flagged.
DOUBTFUL = 0.7


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """The checks that one annotator has rated.

    Attributes
    ----------
    number
        Of the annotator.
    gold, right
        Gold answers that they graded, and those with exactly the known grade.
    repeats, same, near
        Answers that they graded a second time; with the same grade; and with one at most a step away.
    """

    name: str
    gold: int
    right: int
    repeats: int
    same: int
    near: int
    number: int = field(default=0, compare=False)

    @property
    def is_doubtful(self) -> bool:
        """Return whether they miss gold answers so often that chance is no excuse."""
        return self.gold >= ENOUGH_GOLD and wilson_interval(self.right, self.gold)[1] < DOUBTFUL

    @property
    def has_enough_gold(self) -> bool:
        """Return whether the share of right ones may be shown."""
        return self.gold >= ENOUGH_GOLD

    @property
    def has_enough_repeats(self) -> bool:
        """Return whether the share of equal ones may be shown."""
        return self.repeats >= ENOUGH_REPEATS


def check_results(session: Session, evidence: Evidence) -> list[CheckResult]:
    """Return the results of everybody who has rated a check, by name."""
    known = gold_of(session, evidence.project_id)
    graded = evidence.current & (evidence.ledger.grade >= 0)
    gold = np.flatnonzero(graded & (evidence.ledger.role == Origin.GOLD))
    again = np.flatnonzero(graded & (evidence.ledger.role == Origin.REPEAT))
    counts: dict[int, dict[str, int]] = {}
    for row in gold.tolist():
        grade = known.get(int(evidence.ledger.candidate[row]))
        if grade is not None:
            hit = int(evidence.ledger.grade[row]) == grade
            _add(counts, evidence, row, {"gold": 1, "right": hit})
    for row in again.tolist():
        apart = _steps_from_before(evidence, row)
        if apart is not None:
            _add(counts, evidence, row, {"repeats": 1, "same": apart == 0, "near": apart <= 1})
    people = session.execute(select(Person.id, Person.name).where(Person.id.in_(list(counts))))
    found = [CheckResult(name=name, number=number, **counts[number]) for number, name in people]
    return sorted(found, key=lambda result: result.name)


def _steps_from_before(evidence: Evidence, row: int) -> int | None:
    """Return how far a repeat lies from what the annotator had said before, None if that holds no grade."""
    ledger = evidence.ledger
    mine = (ledger.candidate[:row] == ledger.candidate[row]) & (
        ledger.annotator[:row] == ledger.annotator[row]
    )
    before = np.flatnonzero(mine & np.isin(ledger.role[:row], COUNTED))
    if not len(before) or ledger.grade[before[-1]] < 0:
        return None
    return abs(int(ledger.grade[row]) - int(ledger.grade[before[-1]]))


def _add(counts: dict[int, dict[str, int]], evidence: Evidence, row: int, more: dict[str, int]) -> None:
    none = dict.fromkeys(("gold", "right", "repeats", "same", "near"), 0)
    mine = counts.setdefault(int(evidence.ledger.annotator[row]), none)
    for name, number in more.items():
        mine[name] += int(number)
