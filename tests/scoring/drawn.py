"""What Hypothesis draws: collections of a few queries, with unjudged documents and short lists.

Grades are drawn as steps above the lowest grade, so that they fit every scale; ``made_of`` makes grades of them.
"""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from app.scoring.choices import DISCOUNTS, GAINS
from app.scoring.consensus import Consensus
from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection

UNJUDGED = -1
DOCUMENTS = [f"d{n}" for n in range(9)]
SCALES = [(0, 3), (1, 5)]
BOUNDED = ["judged", "pool", "maximum"]
"""The ideals that bounds are known for."""
WHOLE_LISTS = len(DOCUMENTS)


def rulers_of(gains=GAINS, ideals=("judged",)):
    """Return a strategy for rulers on both usual scales."""
    return st.builds(
        lambda scale, **chosen: ScoringRuler(lowest=scale[0], highest=scale[1], **chosen),
        scale=st.sampled_from(SCALES),
        gain=st.sampled_from(gains),
        discount=st.sampled_from(DISCOUNTS),
        base=st.sampled_from([2.0, 3.0]),
        ideal=st.sampled_from(ideals),
    )


rulers = rulers_of()
cutoffs = st.integers(1, 12)


@st.composite
def judgments(draw, queries=("q1", "q2"), lowest=UNJUDGED, steps=3):
    """Draw steps from ``lowest`` up for some documents of each query; -1 is pooled and not judged."""
    grades = st.sampled_from([None, *range(lowest, steps + 1)])
    drawn = draw(
        st.lists(st.tuples(*[grades] * len(DOCUMENTS)), min_size=len(queries), max_size=len(queries))
    )
    found = [
        {name: grade for name, grade in zip(DOCUMENTS, row, strict=True) if grade is not None}
        for row in drawn
    ]
    return {query: row or {DOCUMENTS[0]: 0} for query, row in zip(queries, found, strict=True)}


@st.composite
def ranked(draw, queries=("q1", "q2"), names=tuple(DOCUMENTS), shortest=0):
    """Draw one run: a list without ties for each query, sometimes short, sometimes silent."""
    run = {}
    for query in queries:
        order = draw(st.permutations(names))[: draw(st.integers(shortest, len(names)))]
        run[query] = scored(order)
    return run


def scored(order):
    """Return a list of documents as a run that ranks them in this order."""
    return {name: -float(rank) for rank, name in enumerate(order)}


def made_of(steps, runs, ruler, **how):
    """Return the coded collection of judgments drawn as steps of the ruler's scale."""
    qrels = {query: {name: step + ruler.lowest for name, step in row.items()} for query, row in steps.items()}
    return collection(qrels, runs, ruler, **how)


@st.composite
def projects(draw, runs=2, lowest=UNJUDGED, ideals=BOUNDED, gains=GAINS, pools=(0, WHOLE_LISTS)):
    """Draw judgments, runs and a ruler as one coded collection.

    Some consensus lies between two grades. The pool is what is drawn as judged or not, or what the runs
    return, so that judged documents stand outside it.
    """
    ruler = draw(rulers_of(gains, ideals))
    steps = draw(judgments(lowest=lowest, steps=ruler.highest - ruler.lowest))
    lists = [draw(ranked()) for _ in range(runs)]
    made = made_of(steps, lists, ruler, pool_depth=draw(st.sampled_from(pools)))
    made.judged = replace(made.judged, consensus=_between(draw, made.judged.consensus, ruler))
    return made


def _between(draw, consensus, ruler):
    """Return a consensus of which some lie between two grades, as medians of two annotators do."""
    size = len(consensus.low)
    above = np.array(
        draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=size, max_size=size)), dtype=int
    )
    high = np.minimum(consensus.low + above, ruler.highest - ruler.lowest)
    return Consensus(consensus.low, np.where(consensus.judged, high, consensus.low), consensus.tied)
