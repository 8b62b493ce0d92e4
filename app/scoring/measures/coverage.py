"""How much of what a ranker returned has been judged."""

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.sheet import Sheet
from app.scoring.states import NONRELEVANT


def judged_share(sheet: Sheet, cutoff: int) -> Floats:
    """Return judged documents in the top k / min(k, returned); an empty list has 1."""
    seen = np.minimum(sheet.lengths, cutoff)
    judged = np.count_nonzero(sheet.state[:cutoff] >= NONRELEVANT, axis=0)
    return np.asarray(np.divide(judged, seen, out=np.ones(sheet.columns), where=seen > 0))


def judged_weight(sheet: Sheet, cutoff: int) -> Floats:
    """Return the sum of the discounts at judged ranks / at all returned ranks, within the top k."""
    weights = sheet.judged.ruler.discounts(min(cutoff, sheet.depth)).weights
    judged = np.zeros(sheet.columns, dtype=np.float64)
    returned = np.zeros(sheet.columns, dtype=np.float64)
    for rank in range(min(cutoff, sheet.depth)):
        judged += (sheet.state[rank] >= NONRELEVANT) * weights[rank]
        returned += (rank < sheet.lengths) * weights[rank]
    return np.divide(judged, returned, out=np.ones(sheet.columns), where=returned > 0)
