"""Gold answers and repeats: assigned as any other answer, rated beside what counts, and never seen as checks."""

from collections import Counter

import numpy as np
import pytest
from sqlalchemy import select

from app.jobs.assignment import find_next_batch
from app.models import Assignment, AssignmentCandidate, Candidate, Judgment, Origin, Project, Reason
from app.services.assignment.batch_lifecycle import finish_batch
from app.services.assignment.batches import count_unsettled
from app.services.assignment.checks import declare_gold, gold_of
from app.services.assignment.selection import Proposal
from app.services.evidence.store import evidence_of
from app.services.exports.judgments import export_judgments
from app.services.judging.feedback import record_disclosure
from app.services.judging.no_good_answer import record_no_good_answer
from app.services.judging.own_ratings import last_ratings
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from app.services.judging.remarks import write_note
from app.services.projects.assignment_settings import Quality, change_quality
from tests.furniture.assigning import assign_best_batch, progress_of
from tests.furniture.contest import rate_next
from tests.furniture.databases import made_in
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop, rating


@pytest.fixture
def database_kind():
    """Return SQLite, where a test names no other: the same rows are read and written on both."""
    return "sqlite"


@pytest.fixture
def workshop(database):
    def make(**values):
        return made_in(database, make_workshop, **values)

    return make


def quality(database, shop, **values):
    with database.write() as session:
        change_quality(session, session.get_one(Project, shop.project.id), Quality(**values))


def gold(database, shop, candidate_ids, grade=3):
    with database.write() as session:
        project = session.get_one(Project, shop.project.id)
        for number in candidate_ids:
            public_id = session.get_one(Candidate, number).public_id
            declare_gold(session, project, public_id, grade, actor_id=shop.owner.id)


def candidates_in(database, query):
    with database.read() as session:
        wanted = select(Candidate.id).where(Candidate.query_id == query.id).order_by(Candidate.id)
        return list(session.scalars(wanted))


def asked_before(database, shop, others=0):
    """Return the question that somebody was given first, or after so many others."""
    with database.read() as session:
        asked = select(Assignment.query_id).order_by(Assignment.id)
        number = session.scalars(asked.offset(others).limit(1)).one()
    return next(query for query in shop.queries if query.id == number)


def rate_everything(database, shop, person, grade=2):
    while rate_next(database, shop, person, lambda card: grade) is not None:
        pass


def arms_of(database, person):
    with database.read() as session:
        rows = session.execute(
            select(AssignmentCandidate.arm, AssignmentCandidate.candidate_id)
            .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
            .where(Assignment.person_id == person.id)
        )
        return [tuple(row) for row in rows]


def roles_of(database, person):
    with database.read() as session:
        return Counter(session.scalars(select(Judgment.role).where(Judgment.annotator_id == person.id)))


@pytest.mark.thorough
def test_gold_answers_come_with_one_answer_in_twenty_and_count_nowhere(database, workshop):
    shop = workshop(queries=17, answers=4)
    # What Ada has rated is known; Bo has new questions with no gold, so that it comes in batches of its own.
    rate_next(database, shop, shop.ada, lambda card: 3)
    known = candidates_in(database, asked_before(database, shop))
    gold(database, shop, known)

    rate_everything(database, shop, shop.bo, grade=0)

    met = [number for arm, number in arms_of(database, shop.bo) if arm == "gold"]
    assert len(met) == len(set(met)) == 3 and set(met) <= set(known)
    assert roles_of(database, shop.bo) == {Origin.PLANNED: 64, Origin.GOLD: 3}
    evidence = evidence_of(database, shop.project.id)
    assert evidence.counts().sum(axis=1).max() == 1
    at = evidence.structure.indexes_of(np.array(known))
    assert (evidence.judged().gain[at] == 3).all(), "Bo's gold ratings moved nothing"


@pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
)
@pytest.mark.thorough
def test_one_gold_answer_of_each_end_opens_the_first_rating_and_is_part_of_the_share(database, workshop):
    shop = workshop(queries=17, answers=4)
    rate_next(database, shop, shop.ada, lambda card: 3)
    known = candidates_in(database, asked_before(database, shop))
    gold(database, shop, known[:3], grade=3)
    gold(database, shop, known[3:], grade=0)

    first = find_next_batch(database, shop.project.id, shop.bo.id)
    with database.read() as session:
        page = batch_page(session, shop.project.id, shop.bo.id, first)
        numbers = set(
            session.scalars(
                select(Candidate.id).where(Candidate.public_id.in_([card.public_id for card in page.answers]))
            )
        )
    assert len(numbers) == 2
    assert known[3] in numbers
    assert page.query == asked_before(database, shop).text
    rate_everything(database, shop, shop.bo, grade=0)

    # Whoever had begun before there was gold of both ends is not asked it first.
    assert "gold" not in {arm for arm, _ in arms_of(database, shop.ada)}
    # A third one is due by now, and waits for a batch of its question.
    assert roles_of(database, shop.bo) == {Origin.PLANNED: 64, Origin.GOLD: 2}
    evidence = evidence_of(database, shop.project.id)
    assert (evidence.judged().gain[evidence.structure.indexes_of(np.array(known))] == 3).all()


@pytest.mark.parametrize(("grade", "share"), [(3, 0.05), (0, 0.0)])
def test_without_gold_of_both_ends_or_of_a_share_nothing_opens_the_first_rating(
    database, workshop, grade, share
):
    shop = workshop(queries=3, answers=4)
    rate_next(database, shop, shop.ada, lambda card: 3)
    known = candidates_in(database, asked_before(database, shop))
    gold(database, shop, known[:2], grade=3)
    gold(database, shop, known[2:], grade=grade)
    quality(database, shop, gold=share)

    rate_next(database, shop, shop.bo, lambda card: 1)

    assert roles_of(database, shop.bo) == {Origin.PLANNED: 4}


def test_gold_waits_for_its_own_ratings_and_for_somebody_new_to_it(database, workshop):
    shop = workshop(queries=2, answers=6)
    gold(database, shop, candidates_in(database, shop.queries[0]) + candidates_in(database, shop.queries[1]))

    rate_everything(database, shop, shop.ada)

    assert {arm for arm, _ in arms_of(database, shop.ada)} == {"answer"}
    assert roles_of(database, shop.ada) == {Origin.PLANNED: 12}


def test_gold_is_agreed_by_two_owners_where_there_are_two(database, workshop):
    shop = workshop(queries=1)
    first, second, _ = candidates_in(database, shop.queries[0])
    gold(database, shop, [first, second])
    with database.read() as session:
        assert gold_of(session, shop.project.id) == {first: 3, second: 3}

    with making_in(database)() as make:
        other = make.member(shop.project, "owner")
        project = make.session.get_one(Project, shop.project.id)
        assert gold_of(make.session, shop.project.id) == {}
        one, two = (make.session.get_one(Candidate, number).public_id for number in (first, second))
        declare_gold(make.session, project, one, 3, actor_id=other.id)
        declare_gold(make.session, project, two, 0, actor_id=other.id)
        assert gold_of(make.session, shop.project.id) == {first: 3}
        declare_gold(make.session, project, one, None, actor_id=other.id)
        assert gold_of(make.session, shop.project.id) == {}


@pytest.mark.thorough
def test_three_in_a_hundred_are_asked_again_after_fifty_others(database, workshop):
    shop = workshop(queries=21, answers=5)
    quality(database, shop, repeats=0.03)

    rate_everything(database, shop, shop.ada)

    again = [number for arm, number in arms_of(database, shop.ada) if arm == "repeat"]
    assert len(again) == len(set(again)) == 3
    assert roles_of(database, shop.ada) == {Origin.PLANNED: 105, Origin.REPEAT: 3}
    with database.read() as session:
        for number in again:
            rows = session.execute(
                select(Judgment.revision, Judgment.role).where(Judgment.candidate_id == number)
            ).all()
            (planned,) = [row.revision for row in rows if row.role == Origin.PLANNED]
            (repeat,) = [row.revision for row in rows if row.role == Origin.REPEAT]
            between = select(Judgment.candidate_id).where(
                Judgment.revision > planned, Judgment.revision < repeat, Judgment.role == Origin.PLANNED
            )
            assert len(session.scalars(between).all()) >= 50
    assert evidence_of(database, shop.project.id).counts().sum() == 105


@pytest.mark.thorough
def test_an_answer_with_a_note_or_of_which_the_others_grades_are_known_is_not_asked_again(database, workshop):
    shop = workshop(queries=20, answers=5)
    quality(database, shop, repeats=0.5)
    for _ in range(10):
        rate_next(database, shop, shop.ada, lambda card: 2)
    noted = candidates_in(database, asked_before(database, shop))[:4]
    told = candidates_in(database, asked_before(database, shop, others=1))[:4]
    with database.write() as session:
        for number in noted:
            write_note(
                session, shop.annotator(), session.get_one(Candidate, number).public_id, "I know this."
            )
        record_disclosure(session, shop.project, shop.ada.id, told)

    for _ in range(8):
        rate_next(database, shop, shop.ada, lambda card: 2)

    again = {number for arm, number in arms_of(database, shop.ada) if arm == "repeat"}
    assert again and not again & {*noted, *told}


@pytest.fixture
def hidden(database, workshop):
    """A batch of Ada's with a repeat and a gold answer among ordinary ones."""
    shop = workshop(queries=1, answers=10)
    (query,) = shop.queries
    numbers = candidates_in(database, query)
    with making_in(database)() as make:
        session = make.session
        first = assign_best_batch(session, shop.project.id, shop.ada.id, proposal=_of(query, numbers[:2]))
        for card in batch_page(session, shop.project.id, shop.ada.id, first.batch).answers:
            record_judgment(session, shop.annotator(), card.public_id, rating(1, batch=1))
        make.judgment(session.get_one(Candidate, numbers[9]), shop.bo, 3)
        finish_batch(session, shop.project.id, shop.ada.id, 1)
        checks = {numbers[0]: "repeat", numbers[9]: "gold"}
        mixed = _of(query, numbers[2:6], checks)
        assert assign_best_batch(session, shop.project.id, shop.ada.id, proposal=mixed).batch == 2
    return shop, numbers


def _of(query, numbers, checks=None):
    return Proposal(query_id=query.id, arms=dict.fromkeys(numbers, "answer"), checks=checks or {})


@pytest.mark.thorough
def test_checks_look_like_any_other_answer_before_and_after_they_are_rated(database, hidden):
    shop, numbers = hidden
    with database.write() as session:
        place = (session, shop.project.id, shop.ada.id)
        before = batch_page(*place, 2).answers
        assert len(before) == 6
        assert {(card.grade, card.reason, card.last_id, card.note) for card in before} == {
            (None, None, None, "")
        }
        waiting, rated = progress_of(*place).waiting, progress_of(*place).done
        for done, card in enumerate(before, start=1):
            assert (
                count_unsettled(session, session.scalars(select(Assignment).filter_by(batch=2)).one())
                == 7 - done
            )
            said = record_judgment(
                session, shop.annotator(), card.public_id, rating(2, batch=2, place=card.place)
            )
            assert (said.progress.settled, said.progress.of) == (done, 6)
            assert set(said.rating.facts) == {"id", "grade", "reason", "at", "saved_at"}
            assert progress_of(*place).waiting == waiting - done
            assert progress_of(*place).done == rated + done
        after = batch_page(*place, 2).answers
        assert {(card.grade, card.is_settled) for card in after} == {(2, True)}
        assert [one.public_id for one in last_ratings(*place, limit=6)] == [
            card.public_id for card in reversed(before)
        ]
        first = {card.public_id: card.grade for card in batch_page(*place, 1).answers}
        assert set(first.values()) == {1}, "the rating that counts stands as it was"
        finish_batch(*place, 2)
    with database.read() as session:
        roles = dict(
            tuple(row)
            for row in session.execute(
                select(Judgment.candidate_id, Judgment.role).where(Judgment.batch == 2)
            )
        )
    assert roles[numbers[0]] == Origin.REPEAT
    assert roles[numbers[9]] == Origin.GOLD
    assert {roles[number] for number in numbers[2:6]} == {Origin.PLANNED}


def test_a_check_can_be_changed_cleared_and_passed_on_beside_what_counts(database, hidden):
    shop, numbers = hidden
    with database.write() as session:
        again = session.get_one(Candidate, numbers[0]).public_id
        rated = rating(3, batch=2)
        record_judgment(session, shop.annotator(), again, rated)
        cleared = rating(None, reason=Reason.CLEARED, batch=2, base=rated.id)
        record_judgment(session, shop.annotator(), again, cleared)
        pages = [batch_page(session, shop.project.id, shop.ada.id, batch).answers for batch in (1, 2)]
        grades = [{card.public_id: card.grade for card in page}[again] for page in pages]
        assert grades == [1, None]
        step = rating(None, batch=2)
        record_no_good_answer(session, shop.annotator(), step)
        page = batch_page(session, shop.project.id, shop.ada.id, 2)
        assert {card.grade for card in page.answers} == {0}
    rows = {}
    with database.read() as session:
        for row in session.execute(select(Judgment.candidate_id, Judgment.role, Judgment.grade)):
            rows.setdefault(row.candidate_id, []).append((row.role, row.grade))
    assert rows[numbers[0]] == [
        (Origin.PLANNED, 1),
        (Origin.REPEAT, 3),
        (Origin.REPEAT, None),
        (Origin.REPEAT, 0),
    ]
    assert (Origin.GOLD, 0) in rows[numbers[9]]


def test_what_was_met_as_gold_is_not_dealt_again_when_more_ratings_are_wanted(database, hidden):
    shop, numbers = hidden
    with database.write() as session:
        for card in batch_page(session, shop.project.id, shop.ada.id, 2).answers:
            record_judgment(session, shop.annotator(), card.public_id, rating(2, batch=2))
        session.get_one(Project, shop.project.id).overlap = 2

    with database.write() as session:
        assigned = assign_best_batch(session, shop.project.id, shop.ada.id)
        left = set(
            session.scalars(select(AssignmentCandidate.candidate_id).filter_by(assignment_id=assigned.id))
        )
    assert left == set(numbers[6:9])


def test_checks_are_in_no_export(database, hidden):
    shop, _ = hidden
    with database.write() as session:
        for card in batch_page(session, shop.project.id, shop.ada.id, 2).answers:
            record_judgment(session, shop.annotator(), card.public_id, rating(2, batch=2))

    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        text = "".join(str(part) for part in export_judgments(session, project).lines)
    assert text.count('"Ada Example",1') == 2
    assert text.count('"Ada Example",2') == 4
    assert text.count('"Bo Example",3') == 1
