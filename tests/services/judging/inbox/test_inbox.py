"""What annotators say beside their grades, in one list; and what owners do about it."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.models import (
    Candidate,
    EventKind,
    Flag,
    JudgmentNote,
    Origin,
    PersonKind,
    Query,
    Reason,
    RemarkResolution,
)
from app.models.base import now_utc
from app.models.event import Event
from app.services.assignment.batch_lifecycle import decline_query
from app.services.errors import InvalidError
from app.services.judging.adjudication import AnnotatorGrade, grades_given
from app.services.judging.inbox import (
    RemarkFilter,
    count_open,
    count_remarks,
    handle_remarks,
    mark_replies_seen,
    people_of,
    remarks_of,
    replies_to,
)
from app.services.judging.rating import Annotator, find_current
from app.services.judging.remarks import flag_answer, flag_query, write_note
from tests.furniture.assigning import assign_best_batch


@pytest.fixture
def shop(session, make):
    """Return a project in which Ada has flagged, noted and passed on, and Bo has passed on a question."""
    project = make.project(overlap=3, k=3, pool_depth=3)
    queries = [make.query(project, name, text=f"Question {name}?") for name in ("q1", "q2")]
    documents = [make.document(project, name) for name in ("d1", "d2", "d3")]
    make.run(make.ranker(project), dict.fromkeys(queries, documents))
    ada, bo = (make.member(project, "annotator", name=name) for name in ("Ada", "Bo"))
    owner = make.member(project, "owner", name="Olga")
    first, second = (assign_best_batch(session, project.id, ada.id) for _ in range(2))
    other = assign_best_batch(session, project.id, bo.id, query_id=second.query_id)
    answers = list(
        session.scalars(select(Candidate).where(Candidate.query_id == queries[0].id).order_by(Candidate.id))
    )
    who = Annotator(project, ada.id, blind=True)
    flag_answer(session, who, answers[0].public_id, flagged=True)
    flag_query(session, who, second, flagged=True)
    write_note(session, who, answers[1].public_id, "Half of it is missing.")
    make.judgment(answers[2], ada, None, reason=Reason.LANGUAGE, batch=first.batch, place=2)
    decline_query(session, project.id, bo.id, other.batch, Reason.EXPERTISE)

    class Shop:
        pass

    shop = Shop()
    shop.__dict__.update(project=project, ada=ada, bo=bo, owner=owner, who=who, answers=answers, other=other)
    return shop


def kinds(session, shop, **wanted):
    rows = remarks_of(session, shop.project.id, RemarkFilter(**wanted))
    return sorted((row.kind, row.person, bool(row.public_id), row.text or row.reason) for row in rows)


ALL = [
    ("flag", "Ada", False, ""),
    ("flag", "Ada", True, ""),
    ("note", "Ada", True, "Half of it is missing."),
    ("pass", "Ada", True, "language"),
    ("pass", "Bo", False, "expertise"),
]


def do(session, shop, turn, reply="", **wanted):
    return handle_remarks(
        session, shop.project, RemarkFilter(**wanted), turn, actor_id=shop.owner.id, reply=reply
    )


def test_everything_is_in_one_list_and_filtered(session, shop, make):
    make.judgment(
        make.candidate(make.query(make.project())), shop.ada, None, reason=Reason.OTHER
    )  # next door

    assert kinds(session, shop) == ALL
    assert kinds(session, shop, kind="pass", person=shop.bo.public_id) == ALL[4:]
    assert kinds(session, shop, state="resolved") == []
    assert [row[1:] for row in people_of(session, shop.project.id, RemarkFilter(kind="pass"))] == [
        ("Ada", 1),
        ("Bo", 1),
    ]
    assert count_remarks(session, shop.project.id, RemarkFilter()) == 5
    assert len(remarks_of(session, shop.project.id, RemarkFilter(), first=4, most=2)) == 1


def test_what_is_taken_back_or_cleared_leaves_the_list(session, shop, make):
    flag_answer(session, shop.who, shop.answers[0].public_id, flagged=False)
    write_note(session, shop.who, shop.answers[1].public_id, "")
    make.judgment(shop.answers[2], shop.ada, 2)

    assert kinds(session, shop) == [ALL[0], ALL[4]]


def test_a_reply_resolves_and_is_read_by_whoever_asked(session, shop):
    note = remarks_of(session, shop.project.id, RemarkFilter(kind="note"))[0]

    assert do(session, shop, "reply", " Rate what is there. ", keys=(note.key,)).done == 1

    assert kinds(session, shop, state="resolved") == [ALL[2]]
    assert count_open(session, shop.project.id) == 4
    (reply,) = replies_to(session, shop.ada.id, [shop.project.id])
    assert (reply.reply, reply.about, reply.title) == ("Rate what is there.", "note", "Answer d2")
    assert reply.batch == 1
    assert replies_to(session, shop.bo.id, [shop.project.id]) == []
    mark_replies_seen(session, shop.project.id, shop.ada.id)
    assert replies_to(session, shop.ada.id, [shop.project.id]) == []
    assert remarks_of(session, shop.project.id, RemarkFilter(kind="note"))[0].seen


def test_a_report_and_the_note_on_the_same_answer_are_one_remark(session, shop):
    write_note(session, shop.who, shop.answers[0].public_id, "It is about cars.")
    one = ("flag", "Ada", True, "It is about cars.")

    assert kinds(session, shop) == sorted([ALL[0], one, *ALL[2:]])
    assert kinds(session, shop, kind="note") == [one, ALL[2]]
    assert count_open(session, shop.project.id) == 5
    noted = remarks_of(session, shop.project.id, RemarkFilter(kind="note"))
    keys = tuple(row.key for row in noted if row.kind == "flag")

    do(session, shop, "resolve", keys=keys)
    assert kinds(session, shop, state="resolved") == [one]
    write_note(session, shop.who, shop.answers[0].public_id, "About cars, all of it.")
    again = ("flag", "Ada", True, "About cars, all of it.")
    assert kinds(session, shop, state="resolved") == []
    do(session, shop, "resolve", keys=keys)
    flag_answer(session, shop.who, shop.answers[0].public_id, flagged=True)
    assert kinds(session, shop, state="resolved") == [(*one[:3], "")]
    assert again in kinds(session, shop, state="open")


def test_a_note_under_a_report_is_erased_with_the_reply_and_the_report_stays(session, shop):
    do(session, shop, "reply", "An old reply.", kind="note")
    flag_answer(session, shop.who, shop.answers[1].public_id, flagged=True)
    do(session, shop, "reply", "A new reply.", kind="note")

    assert do(session, shop, "erase", kind="note").done == 1

    assert kinds(session, shop, state="resolved") == [ALL[1]]
    assert replies_to(session, shop.ada.id, [shop.project.id]) == []


def test_a_note_is_a_remark_again_once_the_report_is_taken_back(session, shop):
    write_note(session, shop.who, shop.answers[0].public_id, "It is about cars.")
    flag_answer(session, shop.who, shop.answers[0].public_id, flagged=False)

    assert ("note", "Ada", True, "It is about cars.") in kinds(session, shop, kind="note")


def test_something_new_about_the_same_answer_is_open_again(session, shop):
    do(session, shop, "resolve")
    assert count_open(session, shop.project.id) == 0

    write_note(session, shop.who, shop.answers[1].public_id, "Now I see a third of it.")
    flag_answer(session, shop.who, shop.answers[0].public_id, flagged=True)

    assert kinds(session, shop, state="open") == [
        ("flag", "Ada", True, ""),
        ("note", "Ada", True, "Now I see a third of it."),
    ]


def test_resolved_flags_are_off_the_page_and_reopened_ones_on_it(session, shop):
    do(session, shop, "resolve", kind="flag")
    assert set(session.scalars(select(Flag.state))) == {"resolved"}

    do(session, shop, "reopen", kind="flag")
    assert set(session.scalars(select(Flag.state))) == {"open"}
    assert kinds(session, shop, state="open") == ALL


def test_a_release_asks_the_same_people_again_and_the_ledger_keeps_both(session, shop):
    done = do(session, shop, "release")

    assert (done.meant, done.done) == (5, 2)
    assert kinds(session, shop, kind="pass") == []
    current = find_current(session, shop.ada.id, shop.answers[2].id)
    assert (current.grade, current.reason, current.place) == (None, Reason.CLEARED, 2)
    event = session.scalars(select(Event).order_by(Event.revision.desc())).first()
    assert (event.kind, event.payload) == (EventKind.DECLINES_RELEASED, {"reason": "chosen", "count": 1})
    assert event.revision == current.revision + 1
    with pytest.raises(InvalidError, match="is only for “can’t judge”"):
        do(session, shop, "release", kind="flag")


def test_a_decided_answer_is_not_asked_again_and_others_are(session, shop, make):
    make.judgment(shop.answers[2], shop.owner, 1, role=Origin.ADJUDICATION)

    handled = do(session, shop, "release")

    asked = handled.asked
    assert (asked.answers, asked.queries, asked.people, asked.refused) == (0, 1, 1, {"decided": 1})
    assert (handled.meant, handled.done) == (5, 1)
    assert kinds(session, shop, kind="pass") == [ALL[3]]
    assert find_current(session, shop.ada.id, shop.answers[2].id).reason is Reason.LANGUAGE


def test_what_is_rated_often_enough_or_retired_is_not_asked_again(session, shop, make):
    for number in range(3):
        make.judgment(shop.answers[2], make.member(shop.project, "annotator", name=f"Cy {number}"), 2)
    session.get_one(Query, shop.other.query_id).retired_revision = 99
    session.flush()

    handled = do(session, shop, "release")

    assert (handled.done, handled.asked.refused) == (0, {"rated": 1, "query": 1})
    assert kinds(session, shop, kind="pass") == ALL[3:]


def test_simulations_are_asked_nothing(session, shop, make):
    shop.bo.kind, shop.bo.password_hash = PersonKind.SIMULATED.value, None
    session.flush()

    assert do(session, shop, "release", person=shop.bo.public_id).done == 0


def test_an_erased_note_is_gone_with_its_reply(session, shop):
    do(session, shop, "reply", "Look again.", kind="note")

    assert do(session, shop, "erase").done == 1

    assert session.scalars(select(JudgmentNote)).all() == []
    assert session.scalars(select(RemarkResolution)).all() == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("turn", "wanted", "says"),
    [
        ("delete", {}, "cannot be done"),
        ("reply", {}, "1 to 2000 characters"),
        ("resolve", {"keys": ()}, "at least one"),
        ("resolve", {"keys": ("flag-x", "flag-99999999999999999999", "-1", "note")}, "at least one"),
        ("erase", {"kind": "flag"}, "Only notes"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(session, shop, turn, wanted, says):
    with pytest.raises(InvalidError, match=says):
        do(session, shop, turn, **wanted)
    assert kinds(session, shop) == ALL


@pytest.mark.parametrize("state", ["open", "done", "parked"])
def test_a_question_passed_on_has_the_time_of_that_not_of_its_batch(session, make, shop, state):
    session.refresh(shop.other)
    shop.other.assigned_at = now_utc() - timedelta(minutes=30)
    shop.other.lease_end, shop.other.state = now_utc() + timedelta(hours=5), state

    decline_query(session, shop.project.id, shop.bo.id, shop.other.batch, Reason.EXPERTISE)

    (told,) = remarks_of(session, shop.project.id, RemarkFilter(person=shop.bo.public_id))
    assert abs(now_utc() - told.at) < timedelta(minutes=1)


def test_ratings_of_an_answer_name_who_cannot_judge_its_whole_question(session, shop):
    (answer, *_) = session.scalars(select(Candidate).where(Candidate.query_id == shop.other.query_id)).all()

    named, unnamed = (
        grades_given(session, [answer.id], with_names=with_names)[answer.id] for with_names in (True, False)
    )

    assert named == (AnnotatorGrade("Bo", None, "expertise", "", whole=True),)
    assert unnamed == (AnnotatorGrade("", None, "expertise", "", whole=True),)
