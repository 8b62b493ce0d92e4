"""Who rates which answers in which week.

Amara opens: week by week she takes batches of one question from the pool until her week is full, and
stops for good when twelve answers are left. Joonas and Priya rate part of what she has opened, as
the product assigns it: an opened answer goes to others before a new one opens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.demo.annotators import DemoAnnotator
from app.demo.answer_key import Pair
from app.demo.draws import draw

BATCH_SIZE = 12
LEFT_TO_RATE = 12
LAST_WEEK = 8
# How many answers Amara rates in each week before the last, in which she clears all but twelve.
WEEKLY = (80, 60, 50, 40, 35, 25, 20)
# Joonas and Priya rate an answer at most two weeks after it was opened, or after they joined.
FOLLOWS_WITHIN = 2


@dataclass(frozen=True, slots=True)
class DemoBatch:
    """At most twelve answers of one question, in the order in which they are shown."""

    query_id: str
    doc_ids: tuple[str, ...]


def opened_by_week(pools: Sequence[Iterable[Pair]]) -> list[list[Pair]]:
    """Return the pairs that Amara rates in each week, given the pairs that join the pool in each.

    Questions already begun come first, those with the fewest answers left before others; then new ones
    in a fixed random order.
    """
    total = sum(len(list(pool)) for pool in pools)
    waiting: set[Pair] = set()
    opened: list[list[Pair]] = []
    for week, pool in enumerate(pools):
        waiting |= set(pool)
        done = sum(map(len, opened))
        capacity = WEEKLY[week] if week < len(WEEKLY) else total - LEFT_TO_RATE - done
        taken = _in_turn(waiting, begun={query_id for pairs in opened for query_id, _ in pairs})[:capacity]
        waiting -= set(taken)
        opened.append(taken)
    return opened


def followed_by_week(annotator: DemoAnnotator, opened: Sequence[Sequence[Pair]]) -> list[list[Pair]]:
    """Return the pairs that Joonas or Priya rates in each week, from those opened until then.

    Their share is one of the whole pool, the answers that nobody has rated included.
    """
    drawn = sorted(
        (draw("takes part", annotator.name, *pair), pair, week)
        for week, pairs in enumerate(opened, start=1)
        for pair in pairs
    )
    wanted = round(annotator.coverage * (len(drawn) + LEFT_TO_RATE))
    weeks: list[list[Pair]] = [[] for _ in opened]
    for _, pair, week in drawn[:wanted]:
        weeks[_week_of(annotator, pair, week) - 1].append(pair)
    return weeks


def batches_of(annotator: DemoAnnotator, week: int, pairs: Iterable[Pair]) -> list[DemoBatch]:
    """Return the pairs of one annotator's week as shuffled batches of one question each."""
    by_query: dict[str, list[str]] = {}
    for query_id, doc_id in pairs:
        by_query.setdefault(query_id, []).append(doc_id)
    batches = []
    for query_id, doc_ids in by_query.items():
        shown = sorted(doc_ids, key=lambda doc_id: draw("order", annotator.name, week, query_id, doc_id))
        batches += [
            DemoBatch(query_id, tuple(shown[start : start + BATCH_SIZE]))
            for start in range(0, len(shown), BATCH_SIZE)
        ]
    return batches


def _in_turn(waiting: set[Pair], begun: set[str]) -> list[Pair]:
    left: dict[str, int] = {}
    for query_id, _ in waiting:
        left[query_id] = left.get(query_id, 0) + 1

    def turn(pair: Pair) -> tuple[bool, int, float, float]:
        query_id, _ = pair
        remainder = left[query_id] if query_id in begun else 0
        return query_id not in begun, remainder, draw("question", query_id), draw("answer", *pair)

    return sorted(waiting, key=turn)


def _week_of(annotator: DemoAnnotator, pair: Pair, opened: int) -> int:
    first = max(opened, annotator.since)
    last = min(LAST_WEEK, first + FOLLOWS_WITHIN)
    return first + int(draw("week", annotator.name, *pair) * (last - first + 1))
