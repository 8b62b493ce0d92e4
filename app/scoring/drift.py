"""Whether one annotator's grades move against those of the others from week to week."""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.means import SAME
from app.scoring.seeds import shuffled_copies

LEAST_IN_WEEK = 20
LEAST_WEEKS = 2
SHUFFLES = 1_999
ENOUGH = 20
_OF_A_SEED, _AT_ONCE = 100, 10
"""Shuffles of one seed, and how many of them are drawn before it is asked whether more are needed."""


@dataclass(frozen=True)
class Drift:
    """The weeks of one annotator.

    Attributes
    ----------
    week, number, mean
        (weeks,): which week, how many answers others rated too, and the mean of own grade minus the mean
        of the others', in grade steps; only weeks with at least 20 such answers, and none of one week
        alone, which would be the mean of all that has a sample rule of its own.
    p
        The permutation P-value of "all weeks alike"; ``None`` under two such weeks.
    """

    week: Ints
    number: Ints
    mean: Floats
    p: float | None


def drift_of(difference: Floats, week: Ints, *, seed: int, shuffles: int = SHUFFLES) -> Drift:
    """Return the weekly means, tested by shuffling the answers over the weeks.

    Formula: the statistic is ``sum over weeks of n (mean of week - mean of all)^2``; with B shuffles
    ``P = (1 + #{at least as large}) / (B + 1)``, or 20 / l once 20 of the first l are.

    Parameters
    ----------
    difference
        float64 (answers,): own grade minus the mean of the others' on the same answer.
    week
        integers (answers,): when the own grade was given.
    seed
        Of the shuffles.
    shuffles
        B.
    """
    weeks, number = np.unique(week, return_counts=True)
    kept = weeks[number >= LEAST_IN_WEEK]
    inside = np.isin(week, kept)
    order = np.argsort(week[inside], kind="stable")
    values, number = difference[inside][order], number[number >= LEAST_IN_WEEK]
    if len(kept) < LEAST_WEEKS:
        return Drift(kept[:0], number[:0], np.zeros(0), None)
    means = np.add.reduceat(values, _starts(number)) / number
    return Drift(kept, number, means, _p(values, number, seed, shuffles))


def _starts(number: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(number)[:-1]))


def _p(values: Floats, number: Ints, seed: int, shuffles: int) -> float:
    """Return the share of shuffles that spread the weeks at least as far, the observed one included.

    Where `ENOUGH` shuffles have done so the drawing stops: their share so far is a valid P as well
    (Besag & Clifford 1991, Sequential Monte Carlo p-values), and most annotators do not drift.
    """
    centred = values - values.mean()
    starts, reached = _starts(number), 0
    observed = float((np.square(np.add.reduceat(centred, starts)) / number).sum())
    for first in range(0, shuffles, _AT_ONCE):
        if first % _OF_A_SEED == 0:
            stream = np.random.PCG64(seed + first)
        copies = shuffled_copies(stream, centred, min(_AT_ONCE, shuffles - first))
        drawn = np.add.reduceat(copies, starts, axis=1)
        spread = (np.square(drawn) / number).sum(axis=1)
        hits = np.flatnonzero(spread >= observed - SAME)
        if reached + len(hits) >= ENOUGH:
            return ENOUGH / (first + int(hits[ENOUGH - reached - 1]) + 1)
        reached += len(hits)
    return (1 + reached) / (1 + shuffles)
