"""The demo in a database: what the product computes is what the plan says."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from app.demo import load_demo, remove_demo, reset_demo
from app.demo.settings import SLUG
from app.models import Bookmark, Candidate, Judgment, Membership, Person, Project, Role, Run
from app.services.accounts.memberships import give_role
from app.services.errors import ConflictError
from app.services.evidence.store import evidence_of
from app.services.projects.projects import NewProject, create_project, get_project
from app.services.scores.chart_notes import marked_of
from app.services.scores.history import history_as_of
from app.services.scores.scoreboard import score_runs
from app.services.scores.timeline import history_with_current_ratings
from tests.demo.arithmetic import grades_until, mean_ndcg
from tests.furniture.factories import making_in

RULER = {"gain": "linear", "discount": "log2", "k": 5, "threshold": 1}


@pytest.fixture
def evidence(loaded, demo_id):
    return evidence_of(loaded, demo_id)


@pytest.fixture
def weeks(loaded, evidence):
    with loaded.read() as session:
        return marked_of(session, evidence.project_id).weeks


def live_scores(evidence):
    board = score_runs(evidence, evidence.current_runs())
    return {score.run.ranker: score.measures["nDCG@5"] for score in board.runs}


def by_week(history, weeks):
    """Return {week: {ranker: score}} of a history."""
    found = {moment.label: {} for moment in weeks}
    for points in history.points.values():
        for point in points:
            found[point.moment.label][point.run.ranker] = point.score
    return found


def test_the_live_scores_are_those_of_plain_arithmetic(plan, evidence):
    grades = grades_until(plan, 8)

    expected = {run.ranker: mean_ndcg(run.lists, grades) for run in plan.weeks[-1].runs}

    assert live_scores(evidence) == pytest.approx(expected, abs=1e-12)


def test_each_week_is_replayed_as_plain_arithmetic_has_it(plan, evidence, weeks):
    replayed = by_week(history_as_of(evidence, weeks), weeks)

    for number, week in enumerate(plan.weeks, start=1):
        grades = grades_until(plan, number)
        expected = {run.ranker: mean_ndcg(run.lists, grades) for run in week.runs}
        assert replayed[week.label] == pytest.approx(expected, abs=1e-12), week.label


def test_the_last_week_of_both_replays_equals_the_live_score(evidence, weeks):
    now = live_scores(evidence)

    assert by_week(history_as_of(evidence, weeks), weeks)["Week 8"] == now
    assert by_week(history_with_current_ratings(evidence, weeks), weeks)["Week 8"] == pytest.approx(
        now, abs=1e-12
    )


def test_there_are_eight_weeks_and_the_last_one_ends_the_ledger(evidence, weeks):
    assert [moment.label for moment in weeks] == [f"Week {number}" for number in range(1, 9)]
    assert weeks[-1].revision == evidence.revision


def test_questions_without_an_answer_are_counted_beside_the_mean(evidence):
    board = score_runs(evidence, evidence.current_runs())
    names = [board.query_name[at] for at, gap in enumerate(board.no_relevant) if gap]

    assert names == ["q23", "q24"]
    assert all(score.scored + score.no_relevant + score.unjudged == 24 for score in board.runs)


def test_twelve_answers_are_left_to_rate(loaded, demo_id):
    rated = select(Judgment.candidate_id).where(Judgment.project_id == demo_id)
    left = select(func.count()).where(
        Candidate.project_id == demo_id, Candidate.in_pool, Candidate.id.not_in(rated)
    )

    with loaded.read() as session:
        assert session.scalar(left) == 12


def test_the_ruler_is_the_one_of_the_demo(evidence):
    ruler = evidence.ruler_at()

    assert {name: getattr(ruler, name) for name in RULER} == RULER
    assert evidence.depth_at() == 5


def test_every_run_keeps_its_label_and_its_note(plan, loaded, demo_id):
    expected = {(run.version, run.note) for week in plan.weeks for run in week.runs}

    with loaded.read() as session:
        stored = session.execute(select(Run.version, Run.note).where(Run.project_id == demo_id)).all()

    assert len(stored) == 31
    assert {tuple(row) for row in stored} == expected


def test_annotators_of_the_demo_are_simulated_and_cannot_sign_in(loaded, demo_id):
    with loaded.read() as session:
        people = session.execute(
            select(Person, Membership.role)
            .join(Membership, Membership.person_id == Person.id)
            .where(Membership.project_id == demo_id)
        ).all()

        assert {person.name for person, _ in people} == {"Amara (demo)", "Joonas (demo)", "Priya (demo)"}
        for person, role in people:
            assert (person.kind, person.email, person.password_hash, role) == (
                "simulated",
                None,
                None,
                "annotator",
            )


def test_the_project_is_marked_as_a_demo(loaded):
    with loaded.read() as session:
        project = get_project(session, SLUG)

    assert project.is_demo
    assert project.name == "Workshop help centre"


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_a_demo_loaded_anew_keeps_the_roles_of_people_and_touches_no_other_project(database):
    with database.write() as session:
        other = create_project(session, NewProject(slug="other", name="Other")).id

    load_demo(database)
    with pytest.raises(ConflictError, match="--reset"):
        load_demo(database)
    first = live_scores(evidence_of(database, demo_of(database)))
    with making_in(database)() as make:
        owner, left = make.person().id, make.person().id
        give_role(make.session, demo_of(database), owner, Role.OWNER)
        give_role(make.session, demo_of(database), left, Role.ANNOTATOR).role = None
    reset_demo(database)
    again = live_scores(evidence_of(database, demo_of(database)))
    with database.read() as session:
        members = session.scalars(select(Membership).where(Membership.project_id == demo_of(database))).all()
        roles = {member.person_id: (member.role, member.saw_rankers) for member in members}
    remove_demo(database)

    assert again == first
    assert roles[owner] == ("owner", True)
    assert left not in roles
    assert len(roles) == 4
    with database.read() as session:
        assert [project.id for project in session.scalars(select(Project))] == [other]
        assert set(session.scalars(select(Person.id))) == {owner, left}
        assert not session.scalar(select(func.count()).select_from(Bookmark))
    with pytest.raises(ConflictError, match="no demo project"):
        remove_demo(database)


@pytest.mark.thorough
@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_project_of_somebody_else_with_the_same_short_name_is_left_alone(database):
    with database.write() as session:
        create_project(session, NewProject(slug=SLUG, name="Mine"))

    with pytest.raises(ConflictError):
        load_demo(database)
    with pytest.raises(ConflictError):
        reset_demo(database)
    with pytest.raises(ConflictError):
        remove_demo(database)
    with database.read() as session:
        assert get_project(session, SLUG).name == "Mine"


def demo_of(database):
    with database.read() as session:
        return get_project(session, SLUG).id
