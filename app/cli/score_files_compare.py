"""The paired verdicts on runs for `score-files`: the objects that are printed as JSON, and their sentences.

Every comparison that was asked for is one of a family: its P is adjusted for all of them (Holm).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from app.cli.layout import style_of
from app.cli.score_files_scores import ChoiceError, FileScores, compared_of, reach_of
from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.bounds import pair_bounds, settled, sums_of
from app.scoring.evaluate import evaluate
from app.scoring.holm import holm
from app.scoring.lists import Lists
from app.scoring.means import SAME, mean_of
from app.scoring.measures import parse_measure
from app.scoring.seeds import seed_of
from app.scoring.significance import FamilyTests, compare_pairs, unit_of
from app.scoring.significance_power import LEAST_TARGET
from app.scoring.verdict import (
    LEAST_QUERIES,
    is_provisional,
    may_be_final,
    pair_queries,
    samples_of,
    verdicts_of,
)

LEAST_LARGEST = 1e-4
"""Scores whose largest lies from here to 1 are tested as they are, others as shares of their size."""


def compare_runs(scores: FileScores, named: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the verdict on each pair of runs with the numbers behind its word; differences are b minus a.

    :raise ChoiceError: A run to compare is not among those given, or two have its name.
    """
    pairs = [_rows_of(pair, [run.name for run in scores.runs]) for pair in named]
    return _Comparisons(scores, pairs).told()


def _rows_of(pair: tuple[str, str], names: list[str]) -> tuple[int, int]:
    """Return the places of two runs among those given."""
    for name in pair:
        if names.count(name) != 1:
            known = f"use two of {', '.join(names)}" if name not in names else "rename one of the files"
            found = "none of the runs has" if name not in names else "several runs have"
            raise ChoiceError(f"Cannot compare: {found} the name {name!r}; {known}.")
    if pair[0] == pair[1]:
        raise ChoiceError(f"Cannot compare {pair[0]!r} with itself: name two runs.")
    return names.index(pair[0]), names.index(pair[1])


class _Comparisons:
    """What the comparisons of one call share: the measure, and what is judged down to where it reads."""

    def __init__(self, scores: FileScores, pairs: list[tuple[int, int]]) -> None:
        self._scores, self._pairs = scores, pairs
        self._asked = compared_of(scores.asked)
        self._cutoff = reach_of(self._asked, scores.ruler.ideal)
        self._top = scores.top if self._cutoff is None else scores.top.cut(self._cutoff)
        self._judged = scores.collection.judged(None if self._cutoff is None else self._top)
        self._shares = self._judged_shares()
        # In trec_eval's way a pair covers what both list, else everything.
        self._covered = np.asarray(scores.listed | (not scores.ruler.trec))
        self._queries = pair_queries(
            scores.counted,
            self._covered & scores.collection.in_qrels,
            (self._shares[0] == 1.0) | (scores.collection.lengths == 0),
            pairs,
            _drawn(scores.collection.query_ids),
        )

    def told(self) -> list[dict[str, Any]]:
        """Return what is said of each pair."""
        tests = [self._test(number) for number in range(len(self._pairs))]
        adjusted = holm(np.array([1.0 if test is None else test.raw[0] for test in tests])).tolist()
        return [self._compared(number, test, adjusted[number]) for number, test in enumerate(tests)]

    def _judged_shares(self) -> Floats:
        """Return how much of what is read is judged, by documents and by discounts: (2, runs, queries)."""
        lengths = self._scores.collection.lengths
        deepest = max(int(lengths.max(initial=1)) if self._cutoff is None else self._cutoff, 1)
        asked = [parse_measure(f"{name}@{deepest}") for name in ("judged", "weight-judged")]
        shares = np.ones((2, *lengths.shape))
        for part, lists in self._scores.collection.parts(self._cutoff):
            found = evaluate(asked, lists, self._judged, part)
            shares[:, :, part] = [found[one.label] for one in asked]
        return shares

    def _values(self, number: int) -> Floats:
        """Return the scores of both runs on the queries that count for both: float64 (2, n)."""
        values = self._scores.values[self._asked.label][list(self._pairs[number])]
        return np.asarray(values[:, self._queries.compared[number]])

    def _test(self, number: int) -> FamilyTests | None:
        """Return the sign-flip test, the same for the same files in either order; None without a query."""
        values = self._values(number)
        if not values.size:
            return None
        names = sorted(self._scores.runs[row].name for row in self._pairs[number])
        ruler = map(str, asdict(self._scores.ruler).values())
        seed = seed_of(*ruler, self._asked.label, *names, values.shape[1])
        return compare_pairs(values, np.ones(values.shape, dtype=np.bool_), np.array([[0, 1]]), seed=seed)

    def _compared(self, number: int, test: FamilyTests | None, adjusted: float) -> dict[str, Any]:
        pair, family, values = self._pairs[number], len(self._pairs), self._values(number)
        queries, finished = self._queries.compared[number], bool(self._queries.finished[number])
        difference = values[1] - values[0]
        largest = float(np.abs(values).max(initial=0.0))
        unit = 1.0 if not largest or LEAST_LARGEST <= largest <= 1 else unit_of(values)
        row, everything = difference[None] / unit, np.ones((1, len(difference)), dtype=np.bool_)
        (sampled,) = samples_of(row, self._queries.sampled[[number]][:, queries], [finished])
        documents, weights = [
            [_mean_share(one[queries]) for one in kind[list(pair)]] for kind in self._shares
        ]
        ready = may_be_final(len(difference), (documents[0], documents[1]), finished=finished, complete=False)
        final = adjusted if ready else None
        (verdict,) = verdicts_of(row, everything, [sampled], family=family, final=[final])
        mean, low, high = (
            None if one is None else one * unit
            for one in (verdict.interval.mean, verdict.interval.low, verdict.interval.high)
        )
        same = SAME * unit_of(values)
        a, b = (self._scores.runs[row].name for row in pair)
        told = {
            "a": a,
            "b": b,
            "measure": self._asked.label,
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
            **self._missing(pair, queries, weights),
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

    def _missing(self, pair: tuple[int, int], queries: Flags, weights: list[float]) -> dict[str, Any]:
        """Return what unjudged documents could do."""
        # Queries that count for both or could still do so.
        decisive = queries | (self._covered[list(pair)].all(axis=0) & self._judged.undecided)
        documents = int(self._judged.open_counts[decisive].sum())
        bounds, certificate, ahead, widths = None, None, 0, [0.0, 0.0]
        single = self._scores.bounds.get(self._asked.label)
        if single is not None and self._cutoff is not None:
            both = list(pair)
            lists = Lists(np.ascontiguousarray(self._top.positions[:, both]), self._top.lengths[both])
            found = pair_bounds(lists, self._judged, self._cutoff, np.array([0]), np.array([1]))
            bounds = found.means(queries)[0]
            certificate = tuple(float(side[0]) for side in sums_of(found, decisive))
            # Only where something is unjudged it is worth a note that this cannot change the order.
            ahead = int(settled(found, decisive)[0]) if documents else 0
            widths = [mean_of((single.high - single.low)[run, queries]) or 0.0 for run in pair]
        return {
            "bounds": bounds,
            "certificate": certificate,
            "unjudged_documents": documents,
            "unjudged_where_counted": int(self._judged.open_counts[queries].sum()),
            "provisional": any(map(is_provisional, weights, widths)),
            "stays_ahead_whatever_is_unjudged": self._scores.runs[pair[ahead > 0]].name if ahead else None,
        }


def _mean_share(shares: Floats) -> float:
    """Return the mean of the judged shares, 1 without a query."""
    mean = mean_of(shares)
    return 1.0 if mean is None else mean


def _drawn(query_ids: Sequence[str]) -> Ints:
    """Return the place of each query in the order of a hash of the ids, which no run has chosen."""
    place = np.empty(len(query_ids), dtype=np.int64)
    place[sorted(range(len(query_ids)), key=lambda one: seed_of(query_ids[one]))] = np.arange(len(query_ids))
    return place


def _sentence(told: dict[str, Any], target: float) -> str:
    """Return a comparison as one sentence, with the numbers that decided it."""
    first, second, measure, queries = (told[key] for key in ("a", "b", "measure", "queries"))
    if told["verdict"] == "too early":
        there = "there is 1" if queries == 1 else f"there are {queries or 'none'}"
        needed = f"a verdict needs {LEAST_QUERIES} queries that count for both; {there} so far"
        return f"Too early to compare {first} and {second}: {needed}."
    better = f"better than {first if told['ahead'] == second else second} in {measure}"
    text = {
        "sure": f"{told['ahead']} is surely {better}",
        "probably better": f"{told['ahead']} is probably {better}",
        "too close to call": f"{first} and {second} are too close to call in {measure}",
        "not sure yet": f"Not sure yet whether {first} or {second} is better in {measure}",
    }[told["verdict"]]
    style = f"+{style_of(told['means'].values())}"
    low, high = told["interval"]
    counted = f"{queries:,} {'query' if queries == 1 else 'queries'}"
    numbers = f"{told['difference']:{style}} (95% {low:{style}} to {high:{style}}, {counted})"
    text = f"{text}: {second} minus {first} is {numbers}"
    if told["verdict"] in {"sure", "too close to call"}:
        return f"{text}."
    if not told["sample"]["all_judged"]:
        judged = told["sample"]["queries"]
        if not judged:
            return f"{text}; no query counts yet: the first in a random order is not judged in full."
        first_ones = "the first one in random order counts"
        if judged > 1:
            first_ones = f"the first {judged} in random order count"
        return f"{text}; only {first_ones}: the next lacks judgments."
    if told["queries_to_add"] is None:
        return f"{text}."
    least = f"{target:{style_of([target])}}"
    more = f"about {told['queries_to_add']} more queries"
    return f"{text}; to be sure of a difference of {least}, {more} are needed."
