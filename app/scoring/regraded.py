"""Judged items after a few of them got other grades: what is known of all the others is kept.

Every array has the same bits as if it were computed for all items again, which a test compares.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from app.scoring.arrays import Flags, Ints
from app.scoring.consensus import Consensus
from app.scoring.dcg import ideal_dcg
from app.scoring.judged import Judged
from app.scoring.states import levels_of, states_of


def regraded(judged: Judged, items: Ints, consensus: Consensus) -> Judged:
    """Return the items' values with another consensus about some of them.

    Parameters
    ----------
    judged
        Of all items; what it has computed so far is carried over.
    items
        integers (changed,): which items, each once.
    consensus
        Of these items, by the rule of the others.
    """
    old = judged.consensus
    if old.counts is not None or consensus.counts is not None:
        return replace(judged, consensus=_all_of(old, items, consensus))
    new = replace(judged, consensus=_all_of(old, items, consensus))
    if _has(judged, "levelled"):
        level, levels = judged.levelled
        changed = levels_of(consensus, judged.ruler.gains())[0][: len(items)]
        new.levelled = (_with(level, items, changed), levels)
        if _has(judged, "gain"):
            new.gain = _with(judged.gain, items, levels.take(changed))
    if _has(judged, "state"):
        states = states_of(consensus, judged.pooled.take(items), judged.ruler)[: len(items)]
        new.state = _with(judged.state, items, states)
    if _has(judged, "pooled_counts"):
        new.pooled_counts = judged.pooled_counts
    _carry_open(judged, new, items, consensus.judged)
    _carry_ideals(judged, new, items)
    return new


def _has(judged: Judged, name: str) -> bool:
    """Return whether a value was computed already."""
    return name in judged.__dict__


def _all_of(old: Consensus, items: Ints, consensus: Consensus) -> Consensus:
    """Return the consensus of all items."""
    counts = None
    if old.counts is not None and consensus.counts is not None:
        counts = _with(old.counts, items, consensus.counts)
    return Consensus(
        _with(old.low, items, consensus.low),
        _with(old.high, items, consensus.high),
        _with(old.tied, items, consensus.tied),
        counts,
    )


def _carry_open(old: Judged, new: Judged, items: Ints, judged: Flags) -> None:
    """Carry over which items are open, and how many of each query."""
    if not _has(old, "open") or new.ruler.unjudged == "complete":
        return
    before, after = old.open.take(items), new.pooled.take(items) & ~judged
    new.open = _with(old.open, items, after)
    if _has(old, "open_cells"):
        new.open_cells = _with(old.open_cells, items, after)
    if _has(old, "open_counts"):
        counts = old.open_counts.copy()
        np.add.at(counts, new.query.take(items), after.astype(np.int64) - before)
        new.open_counts = counts


def _carry_ideals(old: Judged, new: Judged, items: Ints) -> None:
    """Carry over how many items have each level, and the ideals of queries that were not touched."""
    if not _has(old, "levelled") or not _has(old, "level_table"):
        return
    query = new.query.take(items)
    pooled = new.pooled.take(items) | (new.ruler.ideal != "pool")
    table = old.level_table.copy()
    np.subtract.at(table, _at(query, old.level.take(items), old.judged.take(items) & pooled), 1)
    np.add.at(table, _at(query, new.level.take(items), new.judged.take(items) & pooled), 1)
    new.level_table = table
    touched = np.unique(query)
    # A copy: other threads may add to it meanwhile.
    for depth, ideal in old.known_ideals.copy().items():
        wanted = new.longest_ideal if depth is None else min(depth, new.longest_ideal)
        again = ideal_dcg(new.level_counts[touched], new.levels, new.ruler.discounts(wanted))
        new.known_ideals[depth] = _with(ideal, touched, again)


def _at(query: Ints, level: Ints, kept: Flags) -> tuple[Ints, Ints]:
    return query[kept], level[kept]


def _with(array: Any, places: Ints, values: Any) -> Any:
    """Return a copy with other values at some places."""
    found = array.copy()
    found[places] = values
    return found
