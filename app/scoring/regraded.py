"""Judged items after a few of them got other grades: what is known of all the others is kept.

Every array has the bits of working it out for all items again; a test holds both side by side.
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
    known, carried = vars(judged), vars(new)
    if "_levelled" in known:
        level, levels = known["_levelled"]
        changed = levels_of(consensus, judged.ruler.gains())[0][: len(items)]
        carried["_levelled"] = (_with(level, items, changed), levels)
        if "gain" in known:
            carried["gain"] = _with(known["gain"], items, levels.take(changed))
    if "state" in known:
        states = states_of(consensus, judged.pooled.take(items), judged.ruler)[: len(items)]
        carried["state"] = _with(known["state"], items, states)
    if "pooled_counts" in known:
        carried["pooled_counts"] = known["pooled_counts"]
    _carry_open(known, new, items, consensus.judged)
    _carry_ideals(known, new, items, old.judged.take(items))
    return new


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


def _carry_open(known: dict[str, Any], new: Judged, items: Ints, judged: Flags) -> None:
    """Carry over which items are open, and how many of each query."""
    if "open" not in known or new.ruler.unjudged == "complete":
        return
    carried, before = vars(new), known["open"].take(items)
    after = new.pooled.take(items) & ~judged
    carried["open"] = _with(known["open"], items, after)
    if "open_cells" in known:
        carried["open_cells"] = _with(known["open_cells"], items, after)
    if "open_counts" in known:
        counts = known["open_counts"].copy()
        np.add.at(counts, new.query.take(items), after.astype(np.int64) - before)
        carried["open_counts"] = counts


def _carry_ideals(known: dict[str, Any], new: Judged, items: Ints, judged_before: Flags) -> None:
    """Carry over how many items stand at each level, and the ideals of the queries that were not touched."""
    if "_levelled" not in known or "level_table" not in known:
        return
    carried, query = vars(new), new.query.take(items)
    pooled = new.pooled.take(items) | (new.ruler.ideal != "pool")
    table = known["level_table"].copy()
    np.subtract.at(table, _at(query, known["_levelled"][0].take(items), judged_before & pooled), 1)
    np.add.at(table, _at(query, new.level.take(items), new.judged.take(items) & pooled), 1)
    carried["level_table"] = table
    touched = np.unique(query)
    ideals = {}
    for depth, ideal in known.get("_ideals", {}).copy().items():
        wanted = new.longest_ideal if depth is None else min(depth, new.longest_ideal)
        again = ideal_dcg(new.level_counts[touched], new.levels, new.ruler.discounts(wanted))
        ideals[depth] = _with(ideal, touched, again)
    carried["_ideals"] = ideals


def _at(query: Ints, level: Ints, kept: Flags) -> tuple[Ints, Ints]:
    return query[kept], level[kept]


def _with(array: Any, places: Ints, values: Any) -> Any:
    """Return a copy with other values at some places."""
    found = array.copy()
    found[places] = values
    return found
