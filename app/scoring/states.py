"""From a consensus to what measures gather: the level of each item's gain, and its state."""

import numpy as np

from app.scoring.arrays import Codes, Flags, Floats, Ints
from app.scoring.consensus import Consensus
from app.scoring.ruler import ScoringRuler

UNKNOWN, POOLED, NONRELEVANT, RELEVANT = range(4)
"""States of an item: neither pooled nor judged, pooled only, judged and not relevant, judged relevant."""
MANY = 64
"""Grades from which on it pays to leave out those that nobody gave."""


def levels_of(consensus: Consensus, table: Floats) -> tuple[Ints, Floats]:
    """Return the level of every cell, and the gain of each level, ascending.

    Parameters
    ----------
    consensus
        Of the items.
    table
        float64 (grades,): the gain of each grade.

    Returns
    -------
    small integers (items + 2,) and float64 (levels,)
        The two extra cells, and items that nobody has judged, stand at the level of gain 0. Of many
        grades, one to an item, only those that occur have a level.
    """
    if consensus.counts is None:
        cells = consensus.by_code(table)
        codes = np.append(consensus.codes(len(table)), [len(cells) - 1] * 2)
        if consensus.single and len(cells) > MANY:
            cells, codes = _occurring(cells, codes)
        levels, of_code = np.unique(cells, return_inverse=True)
        return _narrow(of_code).take(codes), levels
    levels, level = np.unique(np.append(consensus.values(table), [0.0, 0.0]), return_inverse=True)
    return _narrow(level), levels


def states_of(consensus: Consensus, pooled: Flags, ruler: ScoringRuler) -> Codes:
    """Return the state of every cell: int8 (items + 2,).

    An item is relevant if its consensus, a midpoint included, reaches the ruler's threshold. The cell of
    repeated documents counts as judged and not relevant.

    Parameters
    ----------
    consensus, pooled
        Of the items; pooled is bool (items,).
    ruler
        Its scale and threshold are used.
    """
    grades = np.arange(ruler.lowest, ruler.highest + 1, dtype=np.float64)
    relevant = consensus.values(grades) >= ruler.relevant_from
    unjudged = np.where(pooled, np.int8(POOLED), np.int8(UNKNOWN))
    judged = np.where(relevant, np.int8(RELEVANT), np.int8(NONRELEVANT))
    state = np.where(consensus.judged, judged, unjudged)
    return np.append(state, np.array([UNKNOWN, NONRELEVANT], dtype=np.int8))


def _occurring(cells: Floats, codes: Ints) -> tuple[Floats, Ints]:
    """Return the cells that any code points to, and the codes into these."""
    met = np.zeros(len(cells), dtype=np.bool_)
    met[codes] = True
    return cells[met], (np.cumsum(met) - 1).take(codes)


def _narrow(level: Ints) -> Ints:
    """Return level numbers in as few bytes as they need."""
    return level.astype(np.int8 if level.max(initial=0) < 128 else np.int32)
