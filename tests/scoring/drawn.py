"""What Hypothesis draws: collections of a few queries, with unjudged documents and short lists."""

from hypothesis import strategies as st

from app.scoring.discounts import DISCOUNTS
from app.scoring.ruler import Ruler
from tests.scoring.made import collection

UNJUDGED = -1
DOCUMENTS = [f"d{n}" for n in range(7)]

rulers = st.builds(
    Ruler,
    lowest=st.just(0),
    highest=st.just(3),
    gain=st.sampled_from(["linear", "exponential"]),
    discount=st.sampled_from(DISCOUNTS),
    base=st.sampled_from([2.0, 3.0]),
)
cutoffs = st.integers(1, 8)


@st.composite
def judgments(draw, queries=("q1", "q2"), lowest=UNJUDGED):
    """Draw grades from ``lowest`` to 3 for some documents of each query; -1 is pooled and not judged."""
    grades = st.sampled_from([None, *range(lowest, 4)])
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


@st.composite
def projects(draw, runs=2, lowest=UNJUDGED, ruler=rulers):
    """Draw judgments, runs and a ruler as one coded collection."""
    held = draw(ruler)
    return collection(draw(judgments(lowest=lowest)), [draw(ranked()) for _ in range(runs)], held)
