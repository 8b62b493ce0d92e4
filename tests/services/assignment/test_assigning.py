"""Assigning by the rule of the scoring floor, applied to a project's ledger."""

import threading
import time
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select, update

from app.jobs import assignment
from app.jobs.assignment import assign_next_ahead, find_next_batch
from app.models import Assignment, AssignmentCandidate, Candidate, Judgment, Origin, Project, Run, now_utc
from app.services.assignment.requests import request_question
from app.services.assignment.selection import (
    assignment_state_of,
    best_ranks,
    next_numbers,
    proposals_for,
    proposals_for_all,
)
from app.services.assignment.wanted import BatchRequest, spread_of, wanted_ratings
from app.services.evidence.store import evidence_of
from tests.furniture.assigning import assign_best_batch
from tests.furniture.contest import make_contest, rate_next
from tests.furniture.databases import made_in
from tests.furniture.evidence import forget_evidence
from tests.furniture.factories import making_in


@pytest.fixture
def contest(database):
    def make(**values):
        return made_in(database, make_contest, **values)

    return make


def rows_of(database, *columns):
    with database.read() as session:
        return session.execute(select(*columns).order_by(columns[0])).all()


def proposed(database, shop, person, **values):
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        evidence = evidence_of(database, project.id)
        return proposals_for(session, evidence, BatchRequest(project, person.id, now_utc()), **values)


def in_turn(database):
    """Return number, kind and query of every batch, in the order in which they were assigned."""
    with database.read() as session:
        wanted = select(Assignment).order_by(Assignment.id)
        return [(one.batch, one.kind, one.query_id) for one in session.scalars(wanted)]


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_odd_numbers_finish_questions_in_the_drawn_order_and_even_ones_go_front_first(database, contest):
    shop = contest(queries=8, answers=20, pool_depth=20)
    evidence = evidence_of(database, shop.project.id)
    drawn = evidence.structure.query_id[evidence.structure.drawn].tolist()

    while rate_next(database, shop, shop.ada, lambda card: card.place % 4) is not None:
        pass

    batches = in_turn(database)
    assert [row[1] for row in batches[:4]] == ["finish", "finish", "front", "front"]
    assert {row[1] for row in batches if row[0] % 2 == 0} == {"front"}
    finished = list(dict.fromkeys(query for _, kind, query in batches if kind == "finish"))
    assert finished == [query for query in drawn if query in finished]
    assert finished[0] == drawn[0]


@pytest.mark.thorough
def test_the_parts_of_a_question_follow_one_another(database, contest):
    shop = contest(queries=4, answers=30, pool_depth=30)

    for _ in range(3):
        rate_next(database, shop, shop.ada, lambda card: 1)
    rate_next(database, shop, shop.bo, lambda card: 1)

    batches = in_turn(database)
    assert [row[0] for row in batches] == [1, 3, 5, 2]
    assert len({row[2] for row in batches[:3]}) == 1, "all parts of one question"
    assert batches[3][1] == "front"


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_an_answer_without_a_rating_comes_before_any_second_rating(database, contest):
    shop = contest(queries=6, answers=10, overlap=2)
    pool = len(rows_of(database, Candidate.id))

    for turn in range(100):
        rate_next(database, shop, (shop.ada, shop.bo)[turn % 2], lambda card: 1)
        rated = [row.candidate_id for row in rows_of(database, Judgment.candidate_id)]
        if len(set(rated)) == pool:
            break

    # A batch holds one question: the last one of each may be filled up.
    assert len(rated) <= pool + 6 * 2
    assert len(set(rated)) == pool


def test_what_is_rated_a_second_time_is_logged_as_such(database, contest):
    shop = contest(queries=1, answers=10, overlap=2)

    rate_next(database, shop, shop.ada, lambda card: 1)
    rate_next(database, shop, shop.bo, lambda card: 1)

    arms = rows_of(database, AssignmentCandidate.assignment_id, AssignmentCandidate.arm)
    numbers = sorted({row.assignment_id for row in arms})
    assert [{row.arm for row in arms if row.assignment_id == number} for number in numbers] == [
        {"answer"},
        {"second"},
    ]


@pytest.mark.thorough
def test_requests_go_before_everything_else_until_they_are_rated(database, contest):
    shop = contest(queries=6, answers=14, pool_depth=14)
    wanted = [shop.queries[4].id, shop.queries[1].id]
    for query in wanted:
        evidence = evidence_of(database, shop.project.id)
        with database.write() as session:
            request_question(session, shop.project, query, evidence=evidence, actor_id=shop.owner.id)

    for _ in range(5):
        rate_next(database, shop, shop.ada, lambda card: 1)

    batches = in_turn(database)
    assert [row[2] for row in batches[:4]] == [wanted[0], wanted[0], wanted[1], wanted[1]]
    assert {row[1] for row in batches[:4]} == {"requested"}
    assert batches[4][1] in {"finish", "front"}


@pytest.mark.thorough
def test_the_seed_of_a_project_makes_its_order(database, contest):
    shop = contest(queries=6, answers=10)

    once, again = (proposed(database, shop, shop.ada, most=9) for _ in range(2))
    assert once == again
    orders = set()
    for secret in range(5):
        with database.write() as session:
            session.get_one(Project, shop.project.id).shuffle_secret = bytes([secret]) * 32
        orders.add(tuple(one.query_id for one in proposed(database, shop, shop.ada, most=9)))
    # Two of the 720 orders are the same now and then, all five never.
    assert len(orders) > 1


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_a_project_can_have_everything_in_random_order(database, contest):
    shop = contest(queries=6, answers=14, dealing="random")

    while rate_next(database, shop, shop.ada, lambda card: 1) is not None:
        pass

    assert {row[1] for row in in_turn(database)} == {"random"}


@pytest.mark.thorough
def test_what_waited_over_fourteen_days_comes_with_the_tenth_batch(database, contest):
    shop = contest(queries=12, answers=4)
    for _ in range(9):
        rate_next(database, shop, shop.ada, lambda card: 1)
    with database.write() as session:
        session.execute(update(Run).values(registered_at=now_utc() - timedelta(days=15)))
    forget_evidence(database, shop.project.id)

    rate_next(database, shop, shop.ada, lambda card: 1)

    assert in_turn(database)[-1][:2] == (10, "waiting")


def test_the_desk_holds_the_best_ranks_and_the_questions_to_finish(database, contest):
    shop = contest(queries=6, answers=8)
    rate_next(database, shop, shop.ada, lambda card: 1)
    evidence = evidence_of(database, shop.project.id)
    structure = evidence.structure
    ranks = best_ranks(evidence, evidence.current_runs())
    expected = np.full(structure.candidate_count, len(structure.positions) + 1)
    for rank in reversed(range(len(structure.positions))):
        here = structure.positions[rank]
        expected[here[here < structure.candidate_count]] = rank + 1
    assert ranks.tolist() == expected.tolist(), "what is pooled below the lists that are held comes next"

    with database.read() as session:
        state = assignment_state_of(
            session,
            evidence,
            shop.project,
            now_utc(),
            eligible=np.ones(structure.candidate_count, dtype=bool),
            touched=np.zeros(structure.candidate_count, dtype=int),
        )
        assert next_numbers(session, shop.project.id, now_utc()).next == 2
    rated = in_turn(database)[0][2]
    assert (np.diff(ranks[np.argsort(state.place)]) >= 0).all()
    assert structure.query_id[~state.unfinished].tolist() == [rated]


def test_a_proposal_that_was_overtaken_is_not_assigned(database, contest):
    shop = contest(queries=3, answers=5)
    mine, _ = proposed(database, shop, shop.ada, most=2)
    rate_next(database, shop, shop.bo, lambda card: 1)

    with database.write() as session:
        assert assign_best_batch(session, shop.project.id, shop.ada.id, proposal=mine) is None
        again = next(iter(proposed(database, shop, shop.ada)))
        assigned = assign_best_batch(session, shop.project.id, shop.ada.id, proposal=again)
        assert (assigned.batch, assigned.kind) == (2, again.kind)


def test_what_is_proposed_to_several_is_what_they_are_assigned_one_after_another(database, contest):
    shop = contest(queries=4, answers=14, overlap=2)
    people = [shop.ada, shop.bo, shop.owner]
    with database.read() as session:
        requests = [BatchRequest(shop.project, person.id, now_utc()) for person in people]
        together = proposals_for_all(session, evidence_of(database, shop.project.id), requests)

    for person in people:
        alone = next(iter(proposed(database, shop, person)))
        assert together.pop(person.id) == alone
        with database.write() as session:
            assert assign_best_batch(session, shop.project.id, person.id, proposal=alone) is not None


def test_those_who_wait_are_assigned_to_in_one_go_and_hear_if_nothing_is_left(database, contest, monkeypatch):
    shop = contest(queries=4, answers=5, overlap=1)
    with making_in(database)() as make:
        crew = [shop.ada, shop.bo, *(make.member(shop.project, "annotator") for _ in range(3))]
    together, groups = assignment._assign_together, []

    def assign_together(database, project_id, asked):
        groups.append(len(asked))
        together(database, project_id, asked)

    monkeypatch.setattr(assignment, "_assign_together", assign_together)
    turn, found = assignment._turn_of(database, shop.project.id), []
    threads = [
        threading.Thread(
            target=lambda one: found.append(find_next_batch(database, shop.project.id, one)), args=[one.id]
        )
        for one in crew
    ]
    with turn.lock:
        for thread in threads:
            thread.start()
        while len(turn.waiting) < len(crew):
            time.sleep(0.01)
    for thread in threads:
        thread.join(30)

    assert groups == [5]
    assert sorted(found, key=str) == [1, 2, 3, 4, None]
    given = rows_of(database, AssignmentCandidate.candidate_id)
    assert len(given) == len(set(given)) == 20, "no answer is given twice"
    assert turn.waiting == []


def test_how_far_grades_lie_apart_is_the_same_as_grade_by_grade():
    counts = np.random.default_rng(3).poisson(0.4, (300, 5))

    columns = [np.flatnonzero(row) for row in counts]

    assert spread_of(counts).tolist() == [max(one) - min(one) if len(one) else 0 for one in columns]


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_batches_ahead_of_need_take_the_next_turns(database, contest):
    shop = contest(queries=12, answers=10)
    assert find_next_batch(database, shop.project.id, shop.ada.id) == 1

    assert assign_next_ahead(database, shop.project.id, shop.ada.id, after=1) == [2, 3]
    assert assign_next_ahead(database, shop.project.id, shop.ada.id, after=1) == [2, 3]

    assert [row[:2] for row in in_turn(database)] == [(1, "finish"), (2, "front"), (3, "finish")]


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_the_parts_of_a_question_come_ahead_of_others(database, contest):
    shop = contest(queries=3, answers=30, pool_depth=30)
    assert find_next_batch(database, shop.project.id, shop.ada.id) == 1

    assert assign_next_ahead(database, shop.project.id, shop.ada.id, after=1) == [3, 5]
    assert len({row[2] for row in in_turn(database)}) == 1


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize(
    "values", [{"overlap": 1, "share_twice": 0.5}, {"overlap": 2}, {"dealing": "random", "overlap": 2}]
)
@pytest.mark.thorough
def test_nothing_is_ever_dealt_beyond_the_ratings_it_wants_and_all_get_them(database, contest, values):
    """Property 30 of EVALUATION.md section 8 on the whole path, the extra rating of a wide spread included."""
    shop = contest(queries=3, answers=14, **values)
    with making_in(database)() as make:
        crew = [
            shop.ada,
            shop.bo,
            make.member(shop.project, "annotator"),
            make.member(shop.project, "annotator"),
        ]
    chance = np.random.default_rng(5)
    started, failures = threading.Barrier(len(crew)), []
    grades = {person.id: chance.integers(0, 4, 1000) for person in crew}

    def work(person):
        started.wait()
        try:
            given = iter(grades[person.id].tolist())
            while rate_next(database, shop, person, lambda card: next(given)) is not None:
                pass
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(person,)) for person in crew]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    # Whoever stopped while another was still at work comes back.
    for person in crew:
        while rate_next(database, shop, person, lambda card: 1) is not None:
            pass

    assert failures == []
    rows = rows_of(database, Judgment.candidate_id, Judgment.annotator_id, Judgment.role, Judgment.grade)
    assert len({row[:2] for row in rows}) == len(rows), "nobody was asked twice"
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        for number in {row.candidate_id for row in rows}:
            mine = [row for row in rows if row.candidate_id == number]
            planned = [row.grade for row in mine if row.role == Origin.PLANNED]
            wide = max(planned) - min(planned) >= 2
            assert len(planned) == wanted_ratings(project, number)
            assert len(mine) == len(planned) + wide
    assert {row.role for row in rows} == {Origin.PLANNED, Origin.EXTRA}
    batches = [row.batch for row in rows_of(database, Assignment.batch)]
    assert len(set(batches)) == len(batches), "no number is given twice"
