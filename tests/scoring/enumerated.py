"""Every score that the unjudged documents of one query could lead to, one completion after the other."""

import itertools

import numpy as np


def completions(judged, q):
    """Return the query's items and their gains under every completion: (items,) and (completions, items)."""
    mine = np.flatnonzero(judged.query == q)
    levels = sorted({0.0, *judged.ruler.gains(), *judged.gain[mine]})
    choices = [levels if judged.open[item] else [judged.gain[item]] for item in mine]
    return mine, np.array(list(itertools.product(*choices)))


def enumerated(lists, judged, q, cutoff):
    """Return the nDCG of every run under every completion: (runs, completions)."""
    mine, gains = completions(judged, q)
    weights = judged.ruler.discounts(cutoff).weights
    # An unjudged document of the pool joins the ideal; of the judged ones those that the ruler lets in.
    best = -np.sort(-gains[:, judged.in_ideal[mine] | judged.open[mine]], axis=1)[:, :cutoff]
    ideal = best @ weights[: best.shape[1]]
    if judged.ruler.ideal == "maximum":
        ideal = np.full(len(gains), judged.ruler.largest_dcg(cutoff))
    values = []
    for run in range(lists.runs):
        placed = np.zeros(len(mine))
        for rank, item in enumerate(lists.positions[:cutoff, run, q]):
            if item < len(judged.query):
                placed[mine.tolist().index(item)] = weights[rank]
        values.append(np.divide(gains @ placed, ideal, out=np.zeros(len(gains)), where=ideal > 0))
    return np.array(values)
