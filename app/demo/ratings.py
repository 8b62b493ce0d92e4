"""The ratings of each week, from who rates what and what they make of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count

from app.demo.annotators import AMARA, ANNOTATORS, JOONAS, PRIYA, DemoAnnotator, DemoRater
from app.demo.answer_key import Pair, answer_key
from app.demo.assignment import DemoBatch, batches_of, followed_by_week, opened_by_week
from app.demo.guidelines import version_in
from app.demo.records import DemoJudgment


class DemoRatings:
    """Returns the ratings week by week, batches numbered in the order of assignment."""

    def __init__(self, pools: Sequence[Sequence[Pair]]) -> None:
        opened = opened_by_week(pools)
        self._numbers = count(1)
        self._pairs = {
            AMARA.name: opened,
            JOONAS.name: followed_by_week(JOONAS, opened),
            PRIYA.name: followed_by_week(PRIYA, opened),
        }
        self._minds = {a.name: DemoRater(a, chain(*self._pairs[a.name]), answer_key()) for a in ANNOTATORS}

    def given_in(self, week: int) -> Iterator[DemoJudgment]:
        """Yield the ratings of a week by annotator: second thoughts about old ones, then new ones."""
        for annotator in ANNOTATORS:
            yield from self._judged(annotator, week, self._reconsidered(annotator, week))
            yield from self._judged(annotator, week, self._pairs[annotator.name][week - 1])

    def _judged(self, annotator: DemoAnnotator, week: int, pairs: Iterable[Pair]) -> Iterator[DemoJudgment]:
        for batch in batches_of(annotator, week, pairs):
            yield from self._batch(annotator, batch, week)

    def _batch(self, annotator: DemoAnnotator, batch: DemoBatch, week: int) -> Iterator[DemoJudgment]:
        number, guideline = next(self._numbers), version_in(week)
        for place, doc_id in enumerate(batch.doc_ids, start=1):
            verdict = self._minds[annotator.name].verdict((batch.query_id, doc_id), guideline)
            yield DemoJudgment(
                annotator=annotator.name,
                query_id=batch.query_id,
                doc_id=doc_id,
                grade=verdict.grade,
                reason=verdict.reason,
                batch=number,
                place=place,
                of=len(batch.doc_ids),
                guideline_version=guideline,
            )

    def _reconsidered(self, annotator: DemoAnnotator, week: int) -> list[Pair]:
        """Return the pairs rated before that new guidelines make the annotator see differently."""
        before, now = version_in(week - 1), version_in(week)
        mind = self._minds[annotator.name]
        rated = chain(*self._pairs[annotator.name][: week - 1])
        return [pair for pair in rated if mind.verdict(pair, before) != mind.verdict(pair, now)]
