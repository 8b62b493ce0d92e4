"""What a comparison of files says is certain, against every grade that the unjudged documents could have."""

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.gains import gain_table
from tests.cli.score_files.conftest import Files
from tests.furniture.properties import tried

HIGHEST = 2
QUERIES = ("q1", "q2")
IDEALS = ("judged", "maximum")
DOCUMENTS = tuple("abcde")

lists = st.permutations(DOCUMENTS).flatmap(lambda order: st.integers(0, 4).map(lambda n: order[:n]))
grades = st.fixed_dictionaries(
    {document: st.sampled_from([None, None, 0, 1, 2]) for document in DOCUMENTS},
)


@st.composite
def cases(draw):
    """Draw grades and two runs; the cutoff is often beyond the longest list, some queries have no gain."""
    qrels = {query: {d: g for d, g in draw(grades).items() if g is not None} for query in QUERIES}
    if not any(qrels.values()):
        qrels["q1"] = {"a": 1}
    runs = [{query: dict.fromkeys(draw(lists), 0.0) for query in QUERIES} for _ in range(2)]
    for run in runs:
        for of in run.values():
            of.update({document: -float(rank) for rank, document in enumerate(of)})
        if not any(run.values()):
            run["q1"] = {"a": 1.0}
    return qrels, runs, draw(st.integers(1, 9)), draw(st.sampled_from(["linear", "exponential"]))


def ndcg(ranked, grade, cutoff, gains, ideal):
    """Return nDCG by its definition; 0 where nothing has gain."""
    worth = [gains[grade.get(document, 0)] for document in ranked][:cutoff]
    perfect = sorted((gains[one] for one in grade.values()), reverse=True)[:cutoff]
    if ideal == "maximum":
        perfect = [gains[HIGHEST]] * cutoff
    best = discounted(perfect)
    return discounted(worth) / best if best else 0.0


def discounted(worth):
    return sum(one / np.log2(rank + 2) for rank, one in enumerate(worth))


def completed(qrels, runs, cutoff, query):
    """Yield the grades of a query with every grade that its unjudged pooled documents could have."""
    pooled = {d for run in runs for d in ranked_of(run, query)[:cutoff]}
    left = sorted(pooled - set(qrels[query]))
    for chosen in itertools.product(range(HIGHEST + 1), repeat=len(left)):
        yield qrels[query] | dict(zip(left, chosen, strict=True))


def ranked_of(run, query):
    return sorted(run[query], key=lambda document: -run[query][document]) if query in run else []


@pytest.mark.thorough
@pytest.mark.parametrize("ideal", IDEALS)
@settings(max_examples=tried(60))
@given(case=cases())
def test_bounds_of_a_comparison_are_the_ends_of_all_completions_at_any_cutoff(ideal, case):
    qrels, runs, cutoff, gain = case
    with TemporaryDirectory() as folder:
        files = Files(Path(folder))
        paths = [files.run(name, run) for name, run in zip(("one", "two"), runs, strict=True)]
        found = files.score(
            files.qrels(qrels), *paths, compare=[("one", "two")], measures=f"nDCG@{cutoff}",
            highest=HIGHEST, gain=gain, ideal=ideal,
        )  # fmt: skip

    gains = gain_table(0, HIGHEST, gain).tolist()
    (compared,) = found.comparisons
    ends = {}
    for query in QUERIES:
        apart = []
        for grade in completed(qrels, runs, cutoff, query):
            first, second = (ndcg(ranked_of(run, query), grade, cutoff, gains, ideal) for run in runs)
            apart.append(second - first)
        ends[query] = (min(apart), max(apart))
    scored = [query for query in QUERIES if any(gains[one] for one in qrels[query].values())]
    if not scored:
        assert compared["bounds"] is None
        return
    low, high = (np.mean([ends[query][side] for query in scored]) for side in (0, 1))
    assert compared["bounds"][0] == pytest.approx(low, abs=1e-9)
    assert compared["bounds"][1] == pytest.approx(high, abs=1e-9)
    assert compared["bounds"][0] <= compared["difference"] <= compared["bounds"][1]
    assert compared["verdict"] == "too early"
    ahead = compared["stays_ahead_whatever_is_unjudged"]
    if ahead:
        low, high = (sum(one[side] for one in ends.values()) for side in (0, 1))
        assert low > 0 if ahead == "two" else high < 0
    assert compared["certificate"][0] >= sum(one[0] for one in ends.values()) - 1e-9
    assert compared["certificate"][1] <= sum(one[1] for one in ends.values()) + 1e-9
