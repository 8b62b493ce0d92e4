"""Measures that read how good a document is: CG and the DCG family, ERR and RBP.

Each takes the lists as a sheet, one list to a column, and the cutoff k (None: the whole list), or the
patience p. It returns float64 (columns,), 0 to 1 unless noted otherwise.
"""

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.dcg import ndcg
from app.scoring.sheet import EvaluationMatrix
from app.scoring.states import NONRELEVANT


def cumulated_gain(sheet: EvaluationMatrix, cutoff: int | None) -> Floats:
    """Return the gain of every list, whatever its order; missing ranks count 0.

    Formula: ``sum over ranks i <= k of gain_i`` (Järvelin & Kekäläinen 2002).

    In units of gain.
    """
    total = np.zeros(sheet.columns, dtype=np.float64)
    for rank in range(sheet.depth if cutoff is None else min(cutoff, sheet.depth)):
        total += sheet.judged.gain.take(sheet.positions[rank])
    return total


def dcg(sheet: EvaluationMatrix, cutoff: int | None) -> Floats:
    """Return the gain of every list, each rank discounted.

    Formula: ``sum over ranks i <= k of gain_i * c_i`` (Järvelin & Kekäläinen 2002).

    In units of gain.
    """
    return sheet.dcg(cutoff)


def ideal_dcg(sheet: EvaluationMatrix, cutoff: int | None) -> Floats:
    """Return the DCG of the best possible list, which nDCG divides by.

    Formula: ``DCG@k of the ideal list`` (Järvelin & Kekäläinen 2002); the ruler says what the ideal list is
    made of.

    In units of gain.
    """
    return sheet.ideal(cutoff)


def normalised_dcg(sheet: EvaluationMatrix, cutoff: int | None) -> Floats:
    """Return DCG over its ideal.

    It is 0 in trec_eval's way, and for a list without gain where the ideal is the list's own.

    Formula: ``DCG@k / DCG@k of the ideal list`` (Järvelin & Kekäläinen 2002); the ruler says what the ideal
    list is made of.

    NaN where the ideal is 0.
    """
    ruler = sheet.judged.ruler
    undefined = 0.0 if ruler.trec or ruler.ideal == "returned" else np.nan
    return ndcg(sheet.dcg(cutoff), sheet.ideal(cutoff), undefined=undefined)


def condensed_ndcg(sheet: EvaluationMatrix, cutoff: int | None) -> Floats:
    """Return nDCG after dropping unjudged documents from the list.

    Formula: ``nDCG@k`` of the judged documents of the list in their order (Sakai 2007).

    NaN where the ideal is 0.
    """
    return normalised_dcg(sheet.condensed, cutoff)


def maximum_ndcg(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return DCG over the DCG of a list of nothing but the highest grade.

    Formula: ``DCG@k / (Gmax * sum over ranks i <= k of c_i)``, Gmax the gain of the highest grade (nDCG
    with another ideal; defined here).
    """
    return sheet.dcg(cutoff) / sheet.maximum(cutoff)


def mean_gain(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return the mean gain of the first ranks over the largest gain; missing ranks count 0.

    Formula: ``sum over ranks i <= k of gain_i / (k * Gmax)`` (defined here).
    """
    return cumulated_gain(sheet, cutoff) / (cutoff * sheet.judged.ruler.largest_gain)


def f1_of_gain_and_ndcg(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return the harmonic mean of mean gain and nDCG: how good, and how well ordered.

    Formula: ``2 * MNG@k * nDCG@k / (MNG@k + nDCG@k)``, 0 where both are 0 (defined here).

    NaN where nDCG is.
    """
    good, ordered = mean_gain(sheet, cutoff), normalised_dcg(sheet, cutoff)
    both = good + ordered
    return np.divide(2.0 * good * ordered, both, out=np.where(np.isnan(both), np.nan, 0.0), where=both > 0)


def expected_reciprocal_rank(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return the expectation of 1 / (rank at which the reader stops).

    Formula: ``sum over ranks i <= k of (1/i) R_i prod over j < i of (1 - R_j)``, ``R = (2^g - 1) / 2^gmax``
    with grades counted from 0 (Chapelle, Metzler, Zhang & Grinspan 2009).
    """
    total = np.zeros(sheet.columns, dtype=np.float64)
    reading = np.ones(sheet.columns, dtype=np.float64)
    for rank in range(min(cutoff, sheet.depth)):
        stop = sheet.judged.stop.take(sheet.positions[rank])
        total += reading * stop / (rank + 1)
        reading *= 1.0 - stop
    return total


def rank_biased_precision(sheet: EvaluationMatrix, patience: float) -> Floats:
    """Return the share of the largest gain that a reader of this patience meets.

    Formula: ``(1 - p) * sum over ranks i of gain_i / Gmax * p^(i-1)`` (Moffat & Zobel 2008).
    """
    total = np.zeros(sheet.columns, dtype=np.float64)
    for rank in range(sheet.depth):
        total += sheet.judged.gain.take(sheet.positions[rank]) * patience**rank
    return total * ((1.0 - patience) / sheet.judged.ruler.largest_gain)


def rbp_residual(sheet: EvaluationMatrix, patience: float) -> Floats:
    """Return what unjudged documents and everything below the list could still add to RBP.

    Formula: ``(1 - p) * sum over unjudged ranks i <= n of p^(i-1) + p^n``, n documents returned (Moffat &
    Zobel 2008).
    """
    total = np.zeros(sheet.columns, dtype=np.float64)
    for rank in range(sheet.depth):
        unjudged = (sheet.state[rank] < NONRELEVANT) & (rank < sheet.lengths)
        total += unjudged * patience**rank
    return total * (1.0 - patience) + patience**sheet.lengths
