"""Every measure of every run on every query."""

from collections.abc import Sequence

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.judged import Judged
from app.scoring.lists import Lists
from app.scoring.measures.measure import Asked
from app.scoring.sheet import EvaluationMatrix

BLOCK = 8192
"""Lists scored side by side: enough to keep NumPy busy, few enough to stay in the processor's cache."""


def evaluate(
    asked: Sequence[Asked], lists: Lists, judged: Judged, queries: Ints | None = None
) -> dict[str, Floats]:
    """Return the values of the measures asked for.

    Parameters
    ----------
    asked
        From :func:`app.scoring.measures.parse_measures`.
    lists
        Loaded as deep as the measures look.
    judged
        Of the items the lists point to, with the ruler.
    queries
        integers (queries of the lists,): which queries of ``judged`` the lists are of; all, if not given.

    Returns
    -------
    dict of label to float64 (runs, queries)
        Of all queries, scored or not; NaN where nDCG is undefined. ``means.means_of`` leaves those out.

    Raises
    ------
    ValueError
        A measure looks further down than the lists are loaded, or its ideal is a list of highest grades
        without an end (:meth:`app.scoring.measures.measure.Asked.is_endless`).
    """
    depth = _depth_for(asked, lists, judged)
    columns = lists.runs * lists.queries
    positions = lists.positions[:depth].reshape(depth, columns)
    lengths = lists.lengths.reshape(columns)
    query = np.tile(np.arange(lists.queries) if queries is None else queries, lists.runs)
    values = {one.label: np.empty(columns, dtype=np.float64) for one in asked}
    for start in range(0, columns, BLOCK):
        block = slice(start, start + BLOCK)
        sheet = EvaluationMatrix(positions[:, block], lengths[block], query[block], judged)
        for one in asked:
            values[one.label][block] = one.values(_read_by(one, sheet))
    return {label: flat.reshape(lists.runs, lists.queries) for label, flat in values.items()}


def _read_by(one: Asked, sheet: EvaluationMatrix) -> EvaluationMatrix:
    """Return the lists as the ruler wants them read."""
    return sheet.condensed if sheet.judged.ruler.unjudged == "condensed" and _is_reread(one) else sheet


def _is_reread(one: Asked) -> bool:
    """Return whether a measure reads lists as the ruler wants; coverage is about what was returned."""
    return one.measure.reads != "coverage"


def _depth_for(asked: Sequence[Asked], lists: Lists, judged: Judged) -> int:
    """Return the ranks to look at, or raise where they are not loaded."""
    loaded = len(lists.positions)
    whole = judged.ruler.unjudged == "condensed" or judged.ruler.ideal == "returned"
    depths = [
        one.depth if one.depth is not None and not (whole and _is_reread(one)) else loaded + 1
        for one in asked
    ]
    if max(depths, default=0) <= loaded:
        return max(depths, default=0)
    longest = int(lists.lengths.max(initial=0))
    for one, depth in zip(asked, depths, strict=True):
        if loaded < min(depth, longest):
            raise ValueError(f"{one.label} looks further down than the {loaded} ranks that are loaded")
    return loaded
