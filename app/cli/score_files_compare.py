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
    asked, collection, both = compared_of(scores.asked), scores.collection, list(pair)
    cutoff = reach_of(asked, scores.ruler.ideal)
    top = scores.top if cutoff is None else scores.top.cut(cutoff)
    judged = collection.judged(None if cutoff is None else top)
    queries, values = _values(scores, pair)
    covered = scores.listed[both].all(axis=0) if scores.ruler.trec else np.ones_like(queries)
    # Those that count for both or could still do so.
    decisive = queries | (covered & judged.undecided)
    open_documents = int(judged.open_counts[decisive].sum())
    plain, weighed, closed = _shares(scores, judged, cutoff, both, queries)
    bounds, certificate, widths = None, None, [0.0, 0.0]
    if asked.label in scores.bounds and cutoff is not None:
        lists = Lists(np.ascontiguousarray(top.positions[:, both]), top.lengths[both])
        found = pair_bounds(lists, judged, cutoff, np.array([0]), np.array([1]))
        bounds = found.means(queries)[0]
        certificate = tuple(math.fsum(side[0, decisive]) for side in (found.low, found.high))
        single = ndcg_bounds(lists, judged, cutoff)
        widths = [mean_of(row[queries]) or 0.0 for row in single.high - single.low]
    lowest, highest = certificate or (-1.0, 1.0)
    certain = int(lowest > SAME) - int(highest < -SAME)

    difference = values[1] - values[0]
    largest = float(np.abs(values).max(initial=0.0))
    unit = 1.0 if not largest or LEAST_LARGEST <= largest <= 1 else unit_of(values)
    waiting = covered & collection.in_qrels & ~closed
    finished = not waiting.any()
    sampled = sample_of(difference[_drawn(collection.query_ids, waiting)[queries]] / unit, finished=finished)
    ready = may_be_final(len(difference), plain, finished=finished, complete=False)
    verdict = verdict_of(difference / unit, sampled, family=family, final=adjusted if ready else None)
    interval, sample = verdict.interval, verdict.sample
    same = SAME * unit_of(values)
    names = [scores.runs[row].name for row in pair]
    told = {
        "a": names[0],
        "b": names[1],
        "measure": asked.label,
        "queries": interval.n,
        "means": {"a": mean_of(values[0]), "b": mean_of(values[1])},
        "difference": _times(interval.mean, unit),
        "interval": None
        if interval.low is None
        else [_times(interval.low, unit), _times(interval.high, unit)],
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
        "bounds": bounds,
        "certificate": certificate,
        "unjudged_documents": open_documents,
        "provisional": any(map(is_provisional, weighed, widths)),
        # Only where something is unjudged it is worth a note.
        "stays_ahead_whatever_is_unjudged": {1: names[1], -1: names[0]}.get(certain if open_documents else 0),
        "sample": {
            "queries": sample.n,
            "all_judged": sample.finished,
            "mean": _times(sample.mean, unit),
            "t_test_p": sample.p,
            "log_e_value": sample.log_e,
        },
        "final_p": verdict.final,
        "queries_to_add": verdict.to_add,
        "verdict": verdict.word,
        "ahead": {1: names[1], -1: names[0]}.get(verdict.ahead),
    }
    target = max(abs(mean_of(difference) or 0.0), LEAST_TARGET * unit)
    return told | {"sentence": _sentence(told, target)}


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


def _times(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit


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
