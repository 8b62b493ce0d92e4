"""The paired verdict on two runs for `score-files`: the object that is printed as JSON, and its sentence.

Every comparison that was asked for is one of a family: its P is adjusted for all of them (Holm).
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from app.cli.score_files_scores import compared_of, reach_of
from app.cli.score_files_text import style_of
from app.scoring.bounds import ndcg_bounds, pair_bounds
from app.scoring.evaluate import evaluate
from app.scoring.holm import holm
from app.scoring.lists import Lists
from app.scoring.means import mean_of
from app.scoring.measures import parse_measure
from app.scoring.seeds import seed_of
from app.scoring.significance import SAME, compare_rankers, unit_of
from app.scoring.significance_power import LEAST_TARGET
from app.scoring.verdict import LEAST_QUERIES, is_provisional, may_be_final, sample_of, verdict_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.cli.score_files_scores import FileScores
    from app.scoring.arrays import Flags, Floats
    from app.scoring.judged import Judged
    from app.scoring.significance import PairTests

LEAST_LARGEST = 1e-4
"""Scores whose largest lies from here to 1 are tested as they are, others as shares of their size."""


def compare_runs(scores: FileScores, pairs: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return the verdict on each pair of rows with the numbers behind its word; differences are b minus a."""
    tests = [_test(scores, pair) for pair in pairs]
    adjusted = holm(np.array([1.0 if test is None else test.raw[0] for test in tests]))
    return [
        _compared(scores, pair, test, float(p), len(pairs))
        for pair, test, p in zip(pairs, tests, adjusted, strict=True)
    ]


def _values(scores: FileScores, pair: tuple[int, int]) -> tuple[Flags, Floats]:
    """Return the queries that count for both runs, and the scores of both there."""
    queries = np.asarray(scores.counted[list(pair)].all(axis=0))
    return queries, scores.values[compared_of(scores.asked).label][list(pair)][:, queries]


def _test(scores: FileScores, pair: tuple[int, int]) -> PairTests | None:
    """Return the sign-flip test, the same for the same files in either order; None without a query."""
    _, values = _values(scores, pair)
    if not values.size:
        return None
    names = sorted(scores.runs[row].name for row in pair)
    label = compared_of(scores.asked).label
    return compare_rankers(
        values, seed=seed_of(*map(str, asdict(scores.ruler).values()), label, *names, values.shape[1])
    )


def _compared(
    scores: FileScores, pair: tuple[int, int], test: PairTests | None, adjusted: float, family: int
) -> dict[str, Any]:
    queries, values = _values(scores, pair)
    covered = _covered(scores, pair)
    missing, plain, closed = _missing(scores, pair, queries, covered)
    waiting = covered & scores.collection.in_qrels & ~closed
    finished, decided = not waiting.any(), _drawn(scores.collection.query_ids, waiting)[queries]
    difference = values[1] - values[0]
    largest = float(np.abs(values).max(initial=0.0))
    unit = 1.0 if not largest or LEAST_LARGEST <= largest <= 1 else unit_of(values)
    sampled = sample_of(difference[decided] / unit, finished=finished)
    ready = may_be_final(len(difference), plain, finished=finished, complete=False)
    verdict = verdict_of(difference / unit, sampled, family=family, final=adjusted if ready else None)
    mean, low, high = (
        None if one is None else one * unit
        for one in (verdict.interval.mean, verdict.interval.low, verdict.interval.high)
    )
    same = SAME * unit_of(values)
    a, b = (scores.runs[row].name for row in pair)
    told = {
        "a": a,
        "b": b,
        "measure": compared_of(scores.asked).label,
        "queries": verdict.interval.n,
        "means": {"a": mean_of(values[0]), "b": mean_of(values[1])},
        "difference": mean,
        "interval": None if low is None else [low, high],
        "p": None if test is None else float(test.raw[0]),
        "p_adjusted": None if test is None else adjusted,
        "test": {
            "name": "paired sign-flip",
            "patterns": 0 if test is None else test.resamples,
            "exact": test is not None and test.exact,
            "adjusted_for": family,
        },
        "b_wins": int((difference > same).sum()),
        "ties": int((np.abs(difference) <= same).sum()),
        "b_losses": int((difference < -same).sum()),
        **missing,
        "sample": {
            "queries": sampled.n,
            "all_judged": finished,
            "mean": None if sampled.mean is None else sampled.mean * unit,
            "t_test_p": sampled.p,
            "log_e_value": sampled.log_e,
        },
        "final_p": verdict.final,
        "queries_to_add": verdict.to_add,
        "verdict": verdict.word,
        "ahead": {1: b, -1: a}.get(verdict.ahead),
    }
    target = max(abs(mean_of(difference) or 0.0), LEAST_TARGET * unit)
    return told | {"sentence": _sentence(told, target)}


def _covered(scores: FileScores, pair: tuple[int, int]) -> Flags:
    """Return which queries both cover: all, but in trec_eval's way those that both list."""
    listed = scores.listed[list(pair)].all(axis=0)
    return np.asarray(listed | (not scores.ruler.trec))


def _missing(
    scores: FileScores, pair: tuple[int, int], queries: Flags, covered: Flags
) -> tuple[dict[str, Any], tuple[float, float], Flags]:
    """Return what unjudged documents could do, the judged share of each run, where nothing is unjudged."""
    asked, both = compared_of(scores.asked), list(pair)
    cutoff = reach_of(asked, scores.ruler.ideal)
    top = scores.top if cutoff is None else scores.top.cut(cutoff)
    judged = scores.collection.judged(None if cutoff is None else top)
    # Queries that count for both or could still do so.
    decisive = queries | (covered & judged.undecided)
    documents = int(judged.open_counts[decisive].sum())
    plain, weighed, closed = _shares(scores, judged, cutoff, both, queries)
    bounds, certificate, widths = None, None, [0.0, 0.0]
    if asked.label in scores.bounds and cutoff is not None:
        lists = Lists(np.ascontiguousarray(top.positions[:, both]), top.lengths[both])
        found = pair_bounds(lists, judged, cutoff, np.array([0]), np.array([1]))
        bounds = found.means(queries)[0]
        certificate = tuple(math.fsum(side[0, decisive]) for side in (found.low, found.high))
        single = ndcg_bounds(lists, judged, cutoff)
        widths = [mean_of(row[queries]) or 0.0 for row in single.high - single.low]
    low, high = certificate or (-1.0, 1.0)
    # Only where something is unjudged it is worth a note that this cannot change the order.
    ahead = pair[1] if low > SAME else pair[0] if high < -SAME else None
    told = {
        "bounds": bounds,
        "certificate": certificate,
        "unjudged_documents": documents,
        "provisional": any(map(is_provisional, weighed, widths)),
        "stays_ahead_whatever_is_unjudged": scores.runs[ahead].name
        if documents and ahead is not None
        else None,
    }
    return told, plain, closed


def _shares(
    scores: FileScores, judged: Judged, cutoff: int | None, pair: list[int], queries: Flags
) -> tuple[tuple[float, float], tuple[float, float], Flags]:
    """Return how much is judged of what two runs return as far down as the measure reads.

    The mean shares of their documents, and of their discounts, and of which queries all is judged.
    """
    lengths = scores.collection.lengths
    deepest = max(int(lengths.max(initial=1)) if cutoff is None else cutoff, 1)
    asked = [parse_measure(f"{name}@{deepest}") for name in ("judged", "weight-judged")]
    values = np.ones((2, *lengths.shape))
    for part, lists in scores.collection.parts(cutoff):
        found = evaluate(asked, lists, judged, part)
        values[:, :, part] = [found[one.label] for one in asked]
    shares = values[:, pair]
    closed = ((shares[0] == 1.0) | (lengths[pair] == 0)).all(axis=0)
    means = [mean_of(row[queries]) for two in shares for row in two]
    first, second, *weights = [1.0 if mean is None else mean for mean in means]
    return (first, second), (weights[0], weights[1]), closed


def _drawn(query_ids: Sequence[str], waiting: Flags) -> Flags:
    """Return which queries come before the first one that waits, in an order that a hash of ids gives.

    Whatever runs have found already, the beginning of this order is a random sample.
    """
    order = np.array(sorted(range(len(query_ids)), key=lambda one: seed_of(query_ids[one])), dtype=np.intp)
    before = np.zeros(len(order), dtype=np.bool_)
    before[order[: int(waiting[order].argmax()) if waiting.any() else len(order)]] = True
    return before


def _sentence(told: dict[str, Any], target: float) -> str:
    """Return a comparison as one sentence, with the numbers that decided it."""
    first, second, measure, queries = (told[key] for key in ("a", "b", "measure", "queries"))
    if told["verdict"] == "too early":
        there = "there is 1" if queries == 1 else f"there are {queries or 'none'}"
        needed = f"a verdict needs {LEAST_QUERIES} queries that count for both; {there} so far"
        return f"Too early to compare {first} and {second}: {needed}."
    better = f"better than {first if told['ahead'] == second else second} in {measure}"
    said = {
        "sure": f"{told['ahead']} is surely {better}",
        "probably better": f"{told['ahead']} is probably {better}",
        "too close to call": f"{first} and {second} are too close to call in {measure}",
        "not sure yet": f"Not sure yet whether {first} or {second} is better in {measure}",
    }[told["verdict"]]
    style = f"+{style_of(told['means'].values())}"
    low, high = told["interval"]
    counted = f"{queries:,} {'query' if queries == 1 else 'queries'}"
    numbers = f"{told['difference']:{style}} (95% {low:{style}} to {high:{style}}, {counted})"
    said = f"{said}: {second} minus {first} is {numbers}"
    if told["verdict"] in {"sure", "too close to call"}:
        return f"{said}."
    if not told["sample"]["all_judged"]:
        return (
            f"{said}; the first {told['sample']['queries']} in a random order are judged in full and decide."
        )
    if told["queries_to_add"] is None:
        return f"{said}."
    return f"{said}; about {told['queries_to_add']} more queries would show {target:{style_of([target])}}."
