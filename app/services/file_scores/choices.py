"""How files are to be scored: what was asked for, and the ruler that follows from it and from the grades."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.formats.errors import BadValueError
from app.formats.limits import LARGEST_GRADE
from app.scoring.measures import parse_measures
from app.scoring.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.errors import ProblemLog
    from app.formats.word_files import QrelsFile
    from app.scoring.discounts import Discount
    from app.scoring.gains import Gain
    from app.scoring.measures import Asked
    from app.scoring.ruler import Ideal, Unjudged

USUAL_DEPTH = 10
WIDEST_SCALE = LARGEST_GRADE
MOST_GRADES = 1000
"""Different grades: of a wide scale only those that occur take time and memory."""


class ChoiceError(ValueError):
    """Choices that do not go together; the message is one sentence with its remedy."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the caller of `score_files` may choose; the fields are those of `app.scoring.ruler.Ruler`.

    Attributes
    ----------
    measures
        As people write them.
    highest
        None for the largest grade of the qrels.
    trec
        Score as trec_eval does: negative grades are not judged, a query without a relevant document
        scores 0, queries that a run does not list are left out of its means, scores are compared as float32.
    """

    measures: str = "nDCG@10 AP"
    gain: Gain = "linear"
    discount: Discount = "log2"
    ideal: Ideal = "judged"
    unjudged: Unjudged = "zero"
    lowest: int = 0
    highest: int | None = None
    threshold: float | None = None
    trec: bool = False

    def asked(self) -> list[Asked]:
        """Return the measures.

        Raises
        ------
        UnknownMeasureError
            One is not known; the nearest known one is named.
        """
        return parse_measures(self.measures)

    def check(self) -> None:
        """Refuse what cannot be right whatever the files hold.

        Raises
        ------
        ChoiceError
            The scale is empty, a choice contradicts trec_eval's way, or a measure lacks the cutoff that its
            ideal needs.
        UnknownMeasureError
            As for `asked`.
        """
        self.asked()
        if self.trec and self.lowest != 0:
            raise ChoiceError("In trec_eval the lowest grade is always 0: leave out --lowest or --trec.")
        if self.highest is not None and self.highest <= self.lowest:
            raise ChoiceError(f"--highest must be above the lowest grade, {self.lowest}.")
        if self.highest is not None and self.highest - self.lowest > WIDEST_SCALE:
            raise ChoiceError(f"--highest may be at most {WIDEST_SCALE:,} above the lowest grade.")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise ChoiceError(f"--threshold must be a finite number, not {self.threshold}.")
        # The scale's end may still have to be read from the qrels: here it is one that holds the threshold.
        ruler = self._ruler(max(self.lowest + 1, math.ceil(self.threshold or 0)))
        for one in self.asked():
            if one.is_endless(ruler):
                raise ChoiceError(
                    f"With --ideal maximum {one.label} needs a cutoff, because its ideal list has "
                    f"no end: write {one.label}@10."
                )

    def ruler_for(self, qrels: QrelsFile, log: ProblemLog, name: str) -> Ruler:
        """Return the ruler for these grades; grades off the scale go to the log, each with its line."""
        highest = self.highest
        if highest is None:
            highest = max(int(qrels.grade.max(initial=self.lowest)), self.lowest + 1)
        if highest - self.lowest > WIDEST_SCALE:
            reason = f"a scale from {self.lowest} to {highest} has more than {WIDEST_SCALE:,} steps"
            log.refuse(BadValueError("scale", "", reason, "Give a smaller scale."), name, None)
            return Ruler(lowest=self.lowest, highest=self.lowest + 1)
        different = np.count_nonzero(np.bincount(np.maximum(qrels.grade - self.lowest, 0)))
        if different > MOST_GRADES:
            reason = f"the file holds {different:,} different grades, more than {MOST_GRADES:,}"
            log.refuse(BadValueError("scale", "", reason, "Round them to fewer steps."), name, None)
        least = min(int(qrels.grade.min(initial=0)), self.lowest) if self.trec else self.lowest
        off = (qrels.grade < least) | (qrels.grade > highest)
        for line, grade in zip(qrels.line[off].tolist(), qrels.grade[off].tolist(), strict=True):
            log.refuse(self._off_scale(grade, highest), name, line)
        return self._ruler(highest)

    def _off_scale(self, grade: int, highest: int) -> BadValueError:
        remedy = f"Correct it, or give {'--highest' if grade > highest else '--lowest'} {grade}."
        if grade < 0:
            remedy = "Correct it, or give --trec: there a negative grade means not judged."
        reason = f"the grade is off the scale {self.lowest} to {highest}"
        return BadValueError("off-scale", grade, reason, remedy)

    def _ruler(self, highest: int) -> Ruler:
        highest = highest if self.highest is None else self.highest
        # In trec_eval's way nothing is relevant then; elsewhere it is rather a scale that goes on.
        if self.threshold is not None and self.threshold > highest and not self.trec:
            raise ChoiceError(
                f"--threshold {self.threshold:g} is above the highest grade, {highest}: nothing "
                f"would be relevant. If the scale goes higher, give --highest {math.ceil(self.threshold)}."
            )
        try:
            return Ruler(
                lowest=self.lowest,
                highest=highest,
                gain=self.gain,
                discount=self.discount,
                threshold=self.threshold,
                ideal=self.ideal,
                unjudged=self.unjudged,
                trec=self.trec,
            )
        except ValueError as error:
            raise ChoiceError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def cutoffs_of(asked: list[Asked]) -> list[int]:
    """Return the cutoffs of the measures, ascending; 10 where none has one."""
    return sorted({one.depth for one in asked if one.depth is not None}) or [USUAL_DEPTH]


def pool_depth_of(asked: list[Asked]) -> int:
    """Return how deep the pool is: the largest k of an nDCG@k, else the largest cutoff."""
    bounded = [one.depth for one in asked if one.measure.name == "nDCG" and one.depth is not None]
    return max(bounded, default=cutoffs_of(asked)[-1])


def counts_pool_below(choices: Choices) -> bool:
    """Tell whether a measure counts pooled documents wherever they stand, and not only in the top ranks.

    In trec_eval's way the pool is the qrels, whose lines are found at any rank.
    """
    return not choices.trec and any(one.measure.counts_pool for one in choices.asked())


def compared_of(asked: Sequence[Asked]) -> Asked:
    """Return the measure that runs are compared by: the first nDCG@k, else the first of all."""
    return next((one for one in asked if one.measure.name == "nDCG" and one.depth), asked[0])


def reach_of(asked: Asked, ideal: Ideal) -> int | None:
    """Return the rank down to which unjudged documents could change a value; None for whole lists.

    What is dropped from condensed lists makes room for what stands below, but with nothing unjudged down
    to the cutoff nothing is dropped. The ideal over the returned list is made of all of it.
    """
    if not asked.measure.takes.startswith("cutoff") or asked.parameter is None:
        return None
    if asked.measure.has_ideal and ideal == "returned":
        return None
    return int(asked.parameter)
