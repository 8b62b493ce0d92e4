"""Dealing by the open race: the rule of the scoring floor, applied to a project's ledger."""

import threading
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select, update

from app.jobs.dealing import deal_next_ahead, find_next_batch
from app.models import Assignment, AssignmentCandidate, Candidate, Judgment, Origin, Project, Run, now_utc
from app.scoring.priority import candidates_of, openness_of, race_priority
from app.scoring.priority_estimate import estimated_gains, ndcg_table
from app.services.assignment import deal_batch, proposals_for, race, race_of, wanted_ratings
from app.services.assignment.draw_log import draw_log
from app.services.evidence import evidence_of, forget_evidence
from app.services.rulers import scoring_ruler
from tests.furniture.contest import make_contest, rate_next
from tests.furniture.factories import making_in


@pytest.fixture
def contest(database):
    def make(**values):
        with making_in(database)() as maker:
            return make_contest(maker, **values)

    return make


def rows_of(database, *columns):
    with database.read() as session:
        return session.execute(select(*columns)).all()


def proposed(database, shop, person, **values):
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        evidence = evidence_of(database, project.id)
        return proposals_for(session, evidence, project, person.id, now_utc(), **values)


def test_batches_take_their_turns_and_log_why(database, contest):
    shop = contest(queries=12, answers=10)

    while rate_next(database, shop, shop.ada, lambda card: card.place % 4) is not None:
        pass

    dealt = rows_of(database, Assignment.batch, Assignment.kind, Assignment.drawable, Assignment.share)
    assert {row.kind for row in dealt if row.batch % 10 in {4, 8}} == {"drawn"}
    assert {row.kind for row in dealt if row.batch % 2} == {"milestone"}
    assert {row.kind for row in dealt if row.batch % 10 in {2, 6, 0}} == {"race"}
    drawn = [row for row in dealt if row.kind == "drawn"]
    assert all(row.drawable >= 1 and 0 < row.share <= 1 for row in drawn)
    assert {(row.drawable, row.share) for row in dealt if row.kind != "drawn"} == {(None, None)}
    first = min(drawn, key=lambda row: row.batch)
    assert (first.drawable, first.share) == (90, 10 / 90), "three batches of ten are taken already"


def test_a_drawn_batch_keeps_which_answers_the_draw_could_give(database, contest):
    shop = contest(queries=12, answers=10)
    graded: list[set[int]] = []

    while rate_next(database, shop, shop.ada, lambda card: card.place % 4) is not None:
        batches = rows_of(database, Assignment.id, Assignment.kind, Assignment.drawable, Assignment.draw)
        (last,) = [row for row in batches if row.id == max(one.id for one in batches)]
        dealt = {row[0] for row in rows_of(database, AssignmentCandidate.candidate_id)}
        mine = {
            one
            for one, of in rows_of(
                database, AssignmentCandidate.candidate_id, AssignmentCandidate.assignment_id
            )
            if of == last.id
        }
        # One annotator rates batch after batch: what could be drawn is what was in none before.
        if last.kind == "drawn":
            could = {row[0] for row in rows_of(database, Candidate.id)} - (dealt - mine)
            log = last.draw
            assert log["revision"] > 0
            assert set(log["could"]) == could if "could" in log else log["could_not"] == []
            assert last.drawable == len(could)
            graded.append(could)
        else:
            assert last.draw is None
    assert graded


def test_a_draw_keeps_whichever_are_fewer(database, contest):
    shop = contest(queries=4, answers=10)
    evidence = evidence_of(database, shop.project.id)
    unjudged = np.arange(40) != 7
    pooled = np.flatnonzero(evidence.pooled() & unjudged)
    ids = evidence.structure.candidate_id

    few, most = draw_log(evidence, unjudged, pooled[:3]), draw_log(evidence, unjudged, pooled[2:])

    assert few == {"revision": evidence.revision, "could": sorted(ids[pooled[:3]].tolist())}
    assert most == {"revision": evidence.revision, "could_not": sorted(ids[pooled[:2]].tolist())}


def test_one_slot_in_five_is_left_to_chance(database, contest):
    shop = contest(queries=4, answers=10)

    while rate_next(database, shop, shop.ada, lambda card: 1) is not None:
        pass

    arms = Counter(rows_of(database, AssignmentCandidate.assignment_id, AssignmentCandidate.arm))
    sizes = Counter(row.assignment_id for row in arms.elements())
    for assignment_id, size in sizes.items():
        assert arms[assignment_id, "uniform"] == max(1, round(size / 5))


def test_the_item_that_waited_over_fourteen_days_comes_with_the_tenth_batch(database, contest):
    shop = contest(queries=12, answers=4)
    for _ in range(9):
        rate_next(database, shop, shop.ada, lambda card: 1)
    with database.write() as session:
        session.execute(update(Run).values(registered_at=now_utc() - timedelta(days=15)))
    forget_evidence(database, shop.project.id)

    rate_next(database, shop, shop.ada, lambda card: 1)

    assert max(rows_of(database, Assignment.batch, Assignment.kind)) == (10, "waiting")


def test_the_priorities_are_those_of_the_rule(database, contest, monkeypatch):
    shop = contest(queries=6, answers=8)
    for turn in range(3):
        rate_next(database, shop, (shop.ada, shop.bo)[turn % 2], lambda card: card.place % 4)
    evidence = evidence_of(database, shop.project.id)
    monkeypatch.setattr(race, "PART", 30)

    found = race_of(evidence, now_utc() + timedelta(days=8)).priority

    structure, k = evidence.structure, 5
    ranks = np.zeros((3, structure.cells + 1), dtype=int)
    for rank in range(len(structure.positions)):
        for run in range(3):
            ranks[run, structure.positions[rank, run]] = rank + 1
    discounts = scoring_ruler(evidence.ruler_at()).discounts(k)
    current = np.ones(3, bool)
    candidates = candidates_of(structure.query, ranks[:, :-1], discounts, current=current, depth=10)
    judged = evidence.judged()
    gains = np.where(judged.judged, judged.gain[:-2], np.nan)
    # Beyond the cutoff the lists of the evidence end, but not the pool.
    popularity = structure.times_pooled([0, 1, 2], 10)
    candidates = type(candidates)(structure.query, candidates.weights, judged.pooled, current, popularity)
    table = ndcg_table(candidates, estimated_gains(candidates, gains, 3.0), discounts, 6)
    rated = np.unique(structure.query[judged.judged])
    expected = race_priority(candidates, openness_of(table[:, rated]))
    assert len(rated) >= 2
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_races_are_worked_out_anew_after_25_ratings_and_while_a_version_is_fresh(database, contest):
    shop = contest(queries=6, answers=8)
    later = now_utc() + timedelta(days=8)
    first = race_of(evidence_of(database, shop.project.id), later)

    rated = 0
    while rated < 24:
        rate_next(database, shop, shop.ada, lambda card: 3)
        rated = len(rows_of(database, Judgment.revision))
        if rated < 25:
            assert race_of(evidence_of(database, shop.project.id), later) is first
    rate_next(database, shop, shop.ada, lambda card: 3)

    assert race_of(evidence_of(database, shop.project.id), later) is not first
    fresh = race_of(evidence_of(database, shop.project.id), now_utc())
    assert fresh is not race_of(evidence_of(database, shop.project.id), later)


def test_a_proposal_that_was_overtaken_is_not_dealt(database, contest):
    shop = contest(queries=3, answers=5)
    mine, _ = proposed(database, shop, shop.ada, most=2)
    rate_next(database, shop, shop.bo, lambda card: 1)

    with database.write() as session:
        assert deal_batch(session, shop.project.id, shop.ada.id, proposal=mine) is None
        again = next(iter(proposed(database, shop, shop.ada)))
        dealt = deal_batch(session, shop.project.id, shop.ada.id, proposal=again)
        assert (dealt.batch, dealt.kind) == (2, again.kind)


def test_batches_ahead_of_need_take_the_next_turns(database, contest):
    shop = contest(queries=12, answers=10)
    assert find_next_batch(database, shop.project.id, shop.ada.id) == 1

    assert deal_next_ahead(database, shop.project.id, shop.ada.id, after=1) == [2, 3]
    assert deal_next_ahead(database, shop.project.id, shop.ada.id, after=1) == [2, 3]

    kinds = dict(tuple(row) for row in rows_of(database, Assignment.batch, Assignment.kind))
    assert kinds == {1: "milestone", 2: "race", 3: "milestone"}


@pytest.mark.parametrize(
    "values", [{"overlap": 1, "share_twice": 0.5}, {"overlap": 2}, {"dealing": "depth", "overlap": 2}]
)
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
    assert sorted(batches) == list(range(1, len(batches) + 1))
