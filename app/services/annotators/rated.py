"""All about the annotators of a project at one revision, each part worked out when first asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.models import Origin
from app.scoring.agreement import alpha_of
from app.services.annotators.agreement import Agreements, agreements_of, planned_ratings
from app.services.annotators.drift import AnnotatorDrift, drifts_of
from app.services.annotators.effect import Effect, VerdictChange, effect_of, verdict_changes
from app.services.annotators.given import Given, given_of
from app.services.annotators.haste import hasty_rows
from app.services.annotators.kept import kept_until_moved
from app.services.annotators.order import OrderReport, order_report_of
from app.services.annotators.profiles import Profile, profiles_of
from app.services.annotators.sheet import Sheet, sheet_of
from app.services.comparison import Basis, basis_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Rated:
    """What annotators gave, with all that follows from it."""

    evidence: Evidence
    sheet: Sheet
    given: Given
    _verdicts: dict[int, list[VerdictChange]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def levels(self) -> int:
        """The number of grades of the scale."""
        ruler = self.evidence.ruler_at()
        return ruler.scale_high - ruler.scale_low + 1

    @cached_property
    def machines(self) -> Given:
        """What machines say today; it is no part of `given`, whether it counts or not."""
        return given_of(self.evidence, self.sheet, (Origin.MACHINE,))

    @cached_property
    def profiles(self) -> dict[int, Profile]:
        """The profile of everybody who has settled an answer, by their number."""
        return profiles_of(
            self.given,
            self.sheet,
            self.evidence.ledger.blind,
            pooled=self.evidence.pooled(),
            levels=self.levels,
        )

    @cached_property
    def agreements(self) -> Agreements:
        """How far they agree."""
        return agreements_of(self.given, levels=self.levels, project_id=self.evidence.project_id)

    @cached_property
    def alpha(self) -> float | None:
        """The agreement alone, without its interval and its pairs; None where it is hidden."""
        return alpha_of(planned_ratings(self.given, self.levels))

    @cached_property
    def drifts(self) -> dict[int, AnnotatorDrift]:
        """Whether they move from week to week."""
        return drifts_of(self.given, self.sheet)

    @cached_property
    def hasty(self) -> Flags:
        """Which rows of `given` were given too fast."""
        return hasty_rows(self.given)

    @cached_property
    def order(self) -> OrderReport:
        """Whether places moved grades."""
        return order_report_of(self.evidence, self.given, self.sheet, levels=self.levels)

    @cached_property
    def basis(self) -> Basis:
        """Today's scores."""
        return basis_of(self.evidence)

    @cached_property
    def effects(self) -> dict[int, Effect]:
        """What leaving each annotator out does, by their number; nothing without a ranker."""
        if not self.basis.board.runs:
            return {}
        return {number: self.without(self.given.annotator == number)[0] for number in self.profiles}

    def verdicts_without(self, number: int) -> list[VerdictChange]:
        """Return of which pairs another word would be said without an annotator; worked out once for each."""
        if number not in self._verdicts:
            _, without = self.without(self.given.annotator == number)
            self._verdicts[number] = verdict_changes(self.basis, without)
        return self._verdicts[number]

    @cached_property
    def effect_of_haste(self) -> tuple[Effect, list[VerdictChange]]:
        """What leaving out all grades that were given too fast does, and to which verdicts."""
        effect, without = self.without(self.hasty)
        return effect, verdict_changes(self.basis, without) if effect.ratings else []

    def settled(self, number: int, query_ids: Collection[int]) -> int:
        """Return how many answers of some questions an annotator has rated or passed on."""
        structure = self.evidence.structure
        mine = structure.query[self.given.cell[self.given.annotator == number]]
        return int(np.isin(structure.query_id[mine], list(query_ids)).sum())

    def without(self, left_out: Flags) -> tuple[Effect, Basis]:
        """Return what leaving out some rows of `given` does, and the basis without them."""
        return effect_of(self.basis, self.given, np.asarray(left_out))


def rated_of(session: Session, evidence: Evidence) -> Rated:
    """Return what annotators gave up to the evidence's revision; kept until the ledger moves."""

    def make() -> Rated:
        sheet = sheet_of(session, evidence)
        return Rated(evidence, sheet, given_of(evidence, sheet))

    return kept_until_moved(evidence, "rated", make)
