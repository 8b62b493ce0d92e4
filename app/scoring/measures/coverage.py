"""How much of what a ranker returned has been judged: measures like the others, shares of 0 to 1."""

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.sheet import EvaluationMatrix
from app.scoring.states import NONRELEVANT


def judged_share(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return the share of the top k that is judged; an empty list has 1.

    Formula: ``judged in the top k / min(k, returned)`` (Judged@k of ir_measures).
    """
    seen = np.minimum(sheet.lengths, cutoff)
    judged = np.count_nonzero(sheet.state[:cutoff] >= NONRELEVANT, axis=0)
    return np.asarray(np.divide(judged, seen, out=np.ones(sheet.columns), where=seen > 0))


def judged_weight(sheet: EvaluationMatrix, cutoff: int) -> Floats:
    """Return the share of the discounts of the top k that falls on judged documents; an empty list has 1.

    Formula: ``sum of c_i over judged ranks i <= k / sum of c_i over returned ranks i <= k``, c_i the
    ruler's discount (defined here: the share of a list that the bounds of nDCG do not depend on).
    """
    weights = sheet.judged.ruler.discounts(min(cutoff, sheet.depth)).weights
    judged = np.zeros(sheet.columns, dtype=np.float64)
    returned = np.zeros(sheet.columns, dtype=np.float64)
    for rank in range(min(cutoff, sheet.depth)):
        judged += (sheet.state[rank] >= NONRELEVANT) * weights[rank]
        returned += (rank < sheet.lengths) * weights[rank]
    return np.divide(judged, returned, out=np.ones(sheet.columns), where=returned > 0)
