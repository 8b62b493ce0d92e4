"""Consensus and nDCG of the demo's plan, in the plainest arithmetic: a second opinion on the product's."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import mean, median

from app.demo.settings import CUTOFF


def grades_until(plan, week):
    """Return the median of each pair's latest grades, by question and document."""
    latest = {}
    for each in plan.weeks[:week]:
        for judgment in each.judgments:
            latest[judgment.query_id, judgment.doc_id, judgment.annotator] = judgment.grade
    ratings = defaultdict(lambda: defaultdict(list))
    for (query_id, doc_id, _), grade in latest.items():
        if grade is not None:
            ratings[query_id][doc_id].append(grade)
    return {q: {d: median(grades) for d, grades in docs.items()} for q, docs in ratings.items()}


def dcg(gains):
    """Return the DCG@5 of gains in the order found."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:CUTOFF], start=1))


def ndcg(found, grades):
    """Return nDCG@5 with linear gains, None when nothing that was rated helps."""
    ideal = dcg(sorted(grades.values(), reverse=True))
    return dcg([grades.get(doc_id, 0) for doc_id in found]) / ideal if ideal else None


def mean_ndcg(lists, grades):
    """Return the mean over the questions that can be scored; a question without a list scores 0."""
    scores = [ndcg([doc_id for doc_id, _ in lists.get(q, [])], docs) for q, docs in grades.items()]
    return mean(score for score in scores if score is not None)


def run_of(plan, week, ranker):
    """Return the run of a ranker in a week."""
    return next(run for run in plan.weeks[week - 1].runs if run.ranker == ranker)
