"""Scores over time: today's ratings compare versions fairly, the other view is the audit trail."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from app.models import Bookmark, EventKind, Project, Reason
from app.services.evidence.store import evidence_of
from app.services.scores.history import Moment, history_as_of
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.scoreboard import score_runs
from app.services.scores.timeline import history_with_current_ratings, moments_of, thinned
from app.services.scoring_settings import get_ruler, set_ruler, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_every_version_is_held_to_todays_ratings(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    small.rate(0, 0, 1)
    small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents[::-1]))
    small.rate(0, 3, 3)

    history = history_with_current_ratings(evidence_now())

    first, second = history.points[small.rankers[0].id]
    assert first.score < second.score
    assert first.fingerprint == second.fingerprint
    assert history.common == 1


def test_a_version_that_keeps_the_comparison_empty_is_named(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    with small.making() as make:
        added = make.query(small.project, "added later")
    small.queries.append(added)
    small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents))
    small.run(small.rankers[1], dict.fromkeys(small.queries, small.documents))
    assert history_with_current_ratings(evidence_now()).apart is None
    small.rate(2, 0, 3)

    history = history_with_current_ratings(evidence_now())

    assert history.common == 0
    assert history.apart == (history.points[small.rankers[0].id][0].run, 0)


def test_the_past_is_shown_with_the_ratings_and_versions_of_then(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 1)
    then = evidence_now()
    shown = {run.run.ranker_id: run.measures["nDCG@2"] for run in score_runs(then, then.current_runs()).runs}
    small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents[::-1]))
    small.rate(0, 3, 3)
    small.rate(0, 0, 0)

    history = history_as_of(evidence_now(), [Moment(then.revision, NOON)])

    assert {ranker: points[0].score for ranker, points in history.points.items()} == shown


def test_a_withdrawn_run_is_omitted_today_and_kept_then(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 2, 3)
    before = evidence_now().revision
    small.event(EventKind.RUN_WITHDRAWN, {"run_id": small.runs[1].id})
    evidence = evidence_now()

    assert small.rankers[1].id not in history_with_current_ratings(evidence).points
    assert small.rankers[1].id in history_as_of(evidence, [Moment(before, NOON)]).points


def test_points_of_another_ruler_carry_another_fingerprint(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 3)
    before = evidence_now().revision
    with small.database.write() as session:
        project = session.get_one(Project, small.project.id)
        set_ruler(session, project, replace(settings_of(get_ruler(session, project.id)), gain="exponential"))
    evidence = evidence_now()

    history = history_as_of(evidence, [Moment(before, NOON), Moment(evidence.revision, NOON)])

    first, second = history.points[small.rankers[0].id]
    assert first.fingerprint != second.fingerprint


def test_a_moment_per_day_and_per_run_or_ruler_event(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for day in range(3):
        small.rate(0, 0, day, received_at=NOON + timedelta(days=day))
    evidence = evidence_now()

    with small.database.read() as session:
        moments = moments_of(session, evidence)

    days = [moment.at.date() for moment in moments if moment.at.year == 2026 and moment.at.month == 3]
    assert [day.day for day in days][-3:] == [1, 2, 3]
    published = {event.revision for event in evidence.structure.events if event.kind == "run_published"}
    # Both versions came in one go: they are one moment, that of the second.
    assert published & {moment.revision for moment in moments} == {max(published)}
    assert [moment.revision for moment in moments] == sorted(moment.revision for moment in moments)


def test_what_a_ruler_an_undone_import_or_a_version_replaced_is_a_moment_of_its_own(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    shown = []

    def remember() -> None:
        evidence = evidence_now()
        headlines = {one.run.ranker_id: one.score for one in leaderboard_of(evidence).rankers}
        shown.append((evidence.revision, headlines))

    small.rate(0, 0, 1)
    small.rate(0, 2, 3)
    remember()
    with small.database.write() as session:
        project = session.get_one(Project, small.project.id)
        set_ruler(session, project, replace(settings_of(get_ruler(session, project.id)), gain="exponential"))
    small.rate(1, 1, 2)
    small.rate(1, 3, 3)
    imported = small.event(EventKind.JUDGMENTS_IMPORTED, {"count": 2})
    remember()
    small.rate(1, 1, None, reason=Reason.CLEARED)
    small.rate(1, 3, None, reason=Reason.CLEARED)
    small.event(EventKind.JUDGMENTS_UNDONE, {"of": imported.revision, "count": 2})
    small.rate(0, 1, 2)
    remember()
    small.run(small.rankers[0], {small.queries[0]: small.documents[2:]})
    evidence = evidence_now()

    with small.database.read() as session:
        moments = moments_of(session, evidence)
    history = history_as_of(evidence, moments)

    kept = {moment.revision: moment for moment in moments}
    assert all(kept[revision].before for revision, _ in shown)
    assert [moment.revision for moment in moments] == sorted(moment.revision for moment in moments)
    assert sorted(moments, key=lambda one: one.at) == moments
    for revision, headlines in shown:
        assert {
            ranker: point.score
            for ranker, points in history.points.items()
            for point in points
            if point.moment.revision == revision
        } == headlines


def test_a_request_is_no_moment_and_the_last_one_of_today_is_now(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 1)
    rated = evidence_now().revision
    small.event(EventKind.REQUESTED, {"request_id": 1, "answers": 1})
    evidence = evidence_now()

    with small.database.read() as session:
        newest = moments_of(session, evidence)[-1]

    assert evidence.revision == rated + 1
    assert (newest.revision, newest.is_now) == (rated, True)


def test_labelled_weeks_stand_for_everything_before_the_last_of_them(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 3)
    week = evidence_now().revision
    with small.database.write() as session:
        session.add(Bookmark(project_id=small.project.id, revision=week, label="Week 1"))
    small.rate(0, 1, 1)
    evidence = evidence_of(small.database, small.project.id)

    with small.database.read() as session:
        moments = moments_of(session, evidence)

    assert [(moment.revision, moment.label) for moment in moments] == [
        (week, "Week 1"),
        (evidence.revision, None),
    ]


def test_thinning_keeps_the_last_moment_and_the_number_asked_for() -> None:
    moments = [Moment(revision, NOON) for revision in range(1, 1001)]

    kept = thinned(moments, 200)

    assert len(kept) == 200
    assert kept[-1].revision == 1000
    assert thinned(kept[:3], 200) == kept[:3]
