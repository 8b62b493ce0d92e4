"""Measures that read only whether a document is relevant. R is the number of relevant judged ones.

Each takes the lists as a sheet, one list to a column, and the cutoff k (None: the whole list). It returns
float64 (columns,), 0 to 1 unless noted otherwise.
"""

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.sheet import EvaluationMatrix

INFAP_EPSILON = 1e-5


def precision(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return the share of the top k that is relevant; a short list is filled up with non-relevant documents.

    Formula: ``relevant in the top k / k`` (trec_eval, P).
    """
    return sheet.hits_at(cutoff) / cutoff


def recall(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return the share of all known relevant documents that are in the top k, 0 where R is 0.

    Formula: ``relevant in the top k / R``, R = relevant among all judged (trec_eval, recall).
    """
    return _per_relevant(sheet, sheet.hits_at(cutoff))


def success(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return 1 where anything relevant is in the top k, else 0.

    Formula: ``1 if relevant in the top k > 0 else 0`` (trec_eval, success).
    """
    return (sheet.hits_at(cutoff) > 0).astype(np.float64)


def reciprocal_rank(sheet: EvaluationMatrix, cutoff: int | None) -> Floats:
    """Return how far up the first relevant document is, 0 where there is none within the cutoff.

    Formula: ``1 / min of the relevant ranks i <= k`` (trec_eval, recip_rank).
    """
    cells = sheet.relevant_cells.within(cutoff)
    first = sheet.hits.ravel().take(cells.flat) == 1
    found = np.zeros(sheet.columns, dtype=np.float64)
    found[cells.column[first]] = 1.0 / (cells.rank[first] + 1)
    return found


def average_precision(sheet: EvaluationMatrix, cutoff: int | None) -> Floats:
    """Return the precision at every relevant rank within the cutoff, averaged over all R.

    Formula: ``sum over relevant ranks i <= k of (relevant in the top i / i) / R``, 0 where R is 0
    (trec_eval, map and map_cut).
    """
    cells = sheet.relevant_cells.within(cutoff)
    precisions = sheet.hits.ravel().take(cells.flat) / (cells.rank + 1)
    return _per_relevant(sheet, sheet.summed(cells, precisions))


def r_precision(sheet: EvaluationMatrix, _: None) -> Floats:
    """Return the precision at rank R, at which a perfect list would have shown everything relevant.

    Formula: ``relevant in the top R / R``, 0 where R is 0 (trec_eval, Rprec).
    """
    wanted = sheet.judged.relevant_counts.take(sheet.query)
    if sheet.depth == 0:
        return np.zeros(sheet.columns, dtype=np.float64)
    row = np.clip(wanted, 1, sheet.depth) - 1
    return _per_relevant(sheet, sheet.hits[row, np.arange(sheet.columns)])


def bpref(sheet: EvaluationMatrix, _: None) -> Floats:
    """Return how seldom judged non-relevant documents stand above relevant ones.

    Formula: ``1/R sum over returned relevant r of 1 - min(judged non-relevant above r, R) / min(R, N)``, the
    term being 1 where none is above, so also where N = 0; 0 where R = 0 (Buckley & Voorhees 2004, in the
    form that trec_eval computes).
    """
    cells = sheet.relevant_cells
    wanted = sheet.judged.relevant_counts.take(sheet.query)
    least = np.minimum(wanted, sheet.judged.nonrelevant_counts.take(sheet.query))
    above = np.minimum(sheet.nonrelevant_hits.ravel().take(cells.flat), wanted.take(cells.column))
    lost = above / np.maximum(least, 1).take(cells.column)
    return _per_relevant(sheet, sheet.summed(cells, 1.0 - lost))


def inferred_ap(sheet: EvaluationMatrix, _: None) -> Floats:
    """Return AP with the precision at each relevant rank estimated from a random sample of judgments.

    Formula: ``1/R sum over relevant ranks i of 1/i + (i-1)/i * (pooled above / (i-1)) * (relevant above + e)
    / (judged above + 2e)``, the term being 1 at i = 1 and e = 1e-5; pooled counts judged and unjudged
    documents (Yilmaz & Aslam 2006).
    """
    cells = sheet.relevant_cells
    above = cells.rank
    relevant = sheet.hits.ravel().take(cells.flat) - 1
    judged = relevant + sheet.nonrelevant_hits.ravel().take(cells.flat)
    pooled = judged + sheet.pooled_hits.ravel().take(cells.flat)
    share = (relevant + INFAP_EPSILON) / (judged + 2 * INFAP_EPSILON)
    some = np.maximum(above, 1)
    expected = 1.0 / (above + 1) + (above / (above + 1.0)) * (pooled / some) * share
    return _per_relevant(sheet, sheet.summed(cells, np.where(above == 0, 1.0, expected)))


def _per_relevant(sheet: EvaluationMatrix, amount: Floats | Ints) -> Floats:
    """Return the amount of each column divided by R, 0 where R is 0."""
    wanted = sheet.judged.relevant_counts.take(sheet.query)
    return np.divide(amount, wanted, out=np.zeros(sheet.columns), where=wanted > 0)
