"""Eight weeks of the demo, computed at each load: rankers really run, ratings are really drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.demo.annotators import ANNOTATORS
from app.demo.answer_key import Pair
from app.demo.assignment import LAST_WEEK
from app.demo.corpus import Article, articles, articles_until, questions
from app.demo.guidelines import GUIDELINES, version_in
from app.demo.rankers.versions import DemoCollection, Version, lists_of, versions_in
from app.demo.ratings import DemoRatings
from app.demo.records import DemoPlan, DemoRun, DemoWeek
from app.demo.settings import POOL_DEPTH

WEEKS = range(1, LAST_WEEK + 1)


def build_plan() -> DemoPlan:
    """Return the demo project as plain data, the same in every build."""
    runs = [runs_in(week) for week in WEEKS]
    ratings = DemoRatings(pools_by_week(runs))
    return DemoPlan(
        documents=articles(),
        queries=questions(),
        guidelines=GUIDELINES,
        annotators=ANNOTATORS,
        weeks=tuple(_week(week, runs[week - 1], ratings) for week in WEEKS),
    )


def runs_in(week: int) -> list[DemoRun]:
    """Return the run of each ranker over the articles of a week."""
    collection = DemoCollection(articles_until(week), questions())
    return [_run(version, collection, week) for version in versions_in(week)]


def pools_by_week(runs: Sequence[Sequence[DemoRun]]) -> list[list[Pair]]:
    """Return the pairs that join the pool in each week: in the top five of a run, not pooled before."""
    seen: set[Pair] = set()
    pools = []
    for week in runs:
        top = set().union(*map(_top_pairs, week))
        pools.append(sorted(top - seen))
        seen |= top
    return pools


def _week(week: int, runs: Iterable[DemoRun], ratings: DemoRatings) -> DemoWeek:
    return DemoWeek(
        number=week,
        label=f"Week {week}",
        documents=tuple(_added_in(week)),
        queries=questions() if week == 1 else (),
        guideline_version=version_in(week),
        runs=tuple(runs),
        judgments=tuple(ratings.given_in(week)),
    )


def _top_pairs(run: DemoRun) -> set[Pair]:
    return {(query_id, doc_id) for query_id, found in run.lists.items() for doc_id, _ in found[:POOL_DEPTH]}


def _added_in(week: int) -> Iterable[Article]:
    return (article for article in articles() if article.added_week == week)


def _run(version: Version, collection: DemoCollection, week: int) -> DemoRun:
    age = week - version.since
    return DemoRun(
        ranker=version.ranker,
        version=f"{version.label}.{age}" if age else version.label,
        algorithm=version.label,
        note="" if age else version.note,
        lists=lists_of(version, collection),
    )
