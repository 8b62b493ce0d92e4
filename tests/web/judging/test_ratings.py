"""All of one's own ratings: searched, filtered, by pages, and never anybody else's."""

import re
from datetime import UTC, datetime
from functools import partial

import pytest
from sqlalchemy import select

from app.models import (
    AssignmentCandidate,
    Candidate,
    Disclosure,
    Document,
    Flag,
    Input,
    Judgment,
    JudgmentNote,
    Origin,
    Reason,
)
from app.services.judging.own_ratings import own_ratings
from app.services.projects.assignment_settings import Quality, change_quality
from tests.furniture.assigning import assign_best_batch
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, open_batch
from tests.web.judging.test_rating_page import answers_of, press


@pytest.fixture
def shop(stored):
    """Return a workshop in which Ada has rated four answers of two questions; Bo and the owner rate too."""
    return made_in(stored, make_shop)


def make_shop(make):
    shop = make_workshop(make, queries=2, answers=3, overlap=3)
    session, ada = make.session, shop.ada
    first, second = (
        candidates_of(session, assign_best_batch(session, shop.project.id, ada.id)) for _ in range(2)
    )
    for batch, candidates in enumerate((first, second), start=1):
        for place, candidate in enumerate(candidates, start=1):
            session.get_one(Document, candidate.document_id).title = f"Way {batch}-{place}"
    make.judgment(first[0], ada, 3, batch=1, place=1)
    make.judgment(first[0], ada, 1, batch=1, place=1)
    make.judgment(first[1], ada, None, reason=Reason.LANGUAGE, batch=1, place=2)
    make.judgment(first[2], ada, 2, batch=1)
    make.judgment(first[2], ada, None, reason=Reason.CLEARED, batch=1)
    make.judgment(second[0], ada, 3)
    make.judgment(second[1], ada, 3, batch=2, role=Origin.GOLD)
    make.judgment(second[2], shop.bo, 0)
    make.judgment(second[2], ada, 2, role=Origin.ADJUDICATION)
    named = {"project_id": shop.project.id, "candidate_id": first[0].id}
    make._added(JudgmentNote(**named, annotator_id=ada.id, text="50 % of it is right"))
    make._added(JudgmentNote(**named, annotator_id=shop.bo.id, text="Nothing is right"))
    make._added(Flag(**named, person_id=ada.id, query_id=first[0].query_id))
    return shop


def candidates_of(session, assigned):
    return session.scalars(
        select(Candidate)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(AssignmentCandidate.assignment_id == assigned.id)
        .order_by(AssignmentCandidate.place)
    ).all()


def titles(page):
    return re.findall(r'#answer-[^"]+" dir="auto">([^<]+)</a>', page)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["Way 2-2", "Way 2-1", "Way 1-2", "Way 1-1"]),
        ("?show=3", ["Way 2-2", "Way 2-1"]),
        ("?show=1", ["Way 1-1"]),
        ("?show=2", []),
        ("?show=pass", ["Way 1-2"]),
        ("?show=flag", ["Way 1-1"]),
        ("?show=note", ["Way 1-1"]),
        ("?q=WAY+2", ["Way 2-2", "Way 2-1"]),
        ("?q=50+%25", ["Way 1-1"]),
        ("?q=%25", ["Way 1-1"]),
        ("?q=Nothing+is+right", []),
        ("?q=way&show=pass", ["Way 1-2"]),
        ("?show=nonsense&page=-4", ["Way 2-2", "Way 2-1", "Way 1-2", "Way 1-1"]),
        ("?page=99999999", ["Way 2-2", "Way 2-1", "Way 1-2", "Way 1-1"]),
    ],
)
def test_ones_own_ratings_as_they_stand_are_found(client_of, shop, query, found):
    """A gold answer is one like any other; what was cleared, decided or rated by others is not among them."""
    page = client_of(shop.ada).get(f"/p/{shop.project.slug}/rate/ratings{query}").text

    assert titles(page) == found
    assert bool(found) != ("No rated answer matches." in page)


def test_each_leads_to_the_page_on_which_it_can_be_changed(client_of, shop):
    ada = client_of(shop.ada)
    page = ada.get(f"/p/{shop.project.slug}/rate/ratings").text

    links = re.findall(r'href="(/p/[^"]+/rate/\d+)#(answer-[^"]+)"', page)

    assert len(links) == 4
    for address, anchor in links:
        assert f'id="{anchor}"' in ada.get(address).text
    assert f"/p/{shop.project.slug}/rate/ratings" in ada.get("/").text
    assert f"/p/{shop.project.slug}/rate/ratings" in ada.get(f"/p/{shop.project.slug}/rate/done").text


def test_reports_are_counted_alike_where_rating_ends_and_in_the_list(client_of, shop, making):
    with making() as make:
        session = make.session
        flags = session.scalars(select(Flag).where(Flag.person_id == shop.ada.id)).all()
        (query, *_) = shop.queries
        session.add(
            Flag(project_id=shop.project.id, person_id=shop.ada.id, query_id=query.id, candidate_id=None)
        )
        many = len(flags) + 1
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"

    end = ada.get(f"{home}/done").text
    listed = ada.get(f"{home}/ratings?show=flag").text

    assert re.search(rf"<dt>Problems you reported, still open</dt>\s*<dd>{many}</dd>", end)
    assert "<dt>Questions with answers done</dt>" in end
    assert re.search(rf'<h2 id="n-h">{many} reports?</h2>', listed)
    assert "The whole question" in listed
    assert '<option value="flag" selected>Reported</option>' in listed
    assert listed.count(">Reported</span>") == many
    assert "The whole question" not in ada.get(f"{home}/ratings?show=flag&q=no+such+words").text


def test_a_note_on_an_unrated_answer_is_found_as_a_report_is(client_of, shop, making):
    with making() as make:
        session = make.session
        unrated = session.scalars(
            select(Candidate).join(Document).where(Document.title.in_(["Way 1-3", "Way 2-3"]))
        ).all()
        for person, text in ((shop.ada, "Ask a native speaker"), (shop.bo, "Nobody else reads this")):
            for one in unrated:
                note = JudgmentNote(
                    project_id=shop.project.id, candidate_id=one.id, annotator_id=person.id, text=text
                )
                session.add(note)
        session.add(
            Flag(
                project_id=shop.project.id,
                person_id=shop.ada.id,
                query_id=unrated[0].query_id,
                candidate_id=unrated[0].id,
            )
        )
    ada, address = client_of(shop.ada), f"/p/{shop.project.slug}/rate/ratings"

    listed = ada.get(f"{address}?show=note").text

    assert sorted(titles(listed)) == ["Way 1-1", "Way 1-3", "Way 2-3"]
    assert '<h2 id="n-h">3 answers</h2>' in listed
    assert listed.count("Ask a native speaker") == 2
    assert "Nobody else reads this" not in listed
    # The rated one alone was reported; a note is no report.
    assert listed.count(">Reported</span>") == 1
    assert len(titles(ada.get(f"{address}?show=flag").text)) == 2
    assert len(titles(ada.get(f"{address}?show=note&q=NATIVE").text)) == 2
    assert "No answer matches." in ada.get(f"{address}?show=note&q=no+such+words").text


def test_whoever_has_rated_nothing_is_told_what_will_be_there(client_of, shop, making):
    with making() as make:
        cy = make.member(shop.project, "annotator", name="Cy")

    page = client_of(cy).get(f"/p/{shop.project.slug}/rate/ratings").text

    assert "No rating yet" in page
    assert "Start rating" in page


def test_pages_hold_a_part_each(stored, shop):
    with stored.read() as session:
        parts = [
            own_ratings(session, shop.project.id, shop.ada.id, page=number, each=3) for number in (1, 2, 3)
        ]

    assert [(one.total, one.page, one.pages, len(one.answers)) for one in parts] == [
        (4, 1, 2, 3),
        (4, 2, 2, 1),
        (4, 2, 2, 1),
    ]


def test_pages_are_turned_in_the_annotator_s_language(client_of, shop, monkeypatch):
    monkeypatch.setattr("app.web.judging.ratings.own_ratings", partial(own_ratings, each=1))
    ada = client_of(shop.ada)
    ada.post("/language", data={"language": "de"})

    page = ada.get(f"/p/{shop.project.slug}/rate/ratings?page=2").text

    pager = re.search(r'<nav class="pager.*?</nav>', page, re.DOTALL)[0]
    assert 'aria-label="Seiten"' in pager
    assert re.findall(r">([^<>]*\w[^<>]*)<", pager) == ["Zurück", "Seite 2 von 4", "Weiter"]


@pytest.mark.parametrize(("state", "is_shut"), [("paused", False), ("closed", True), ("archived", True)])
def test_the_list_says_whether_a_rating_can_still_be_changed(client_of, making, shop, state, is_shut):
    with making() as make:
        make.session.get_one(type(shop.project), shop.project.id).state = state

    page = client_of(shop.ada).get(f"/p/{shop.project.slug}/rate/ratings").text

    assert ("Open an answer to change its rating." in page) != is_shut
    assert ("Rating is closed: your ratings can no longer be changed." in page) == is_shut


@pytest.mark.parametrize("allowed", [False, True])
def test_what_others_gave_stands_there_where_an_owner_allows_it(client_of, making, allowed):
    with making() as make:
        shop = make_workshop(make, queries=2, answers=1, overlap=2)
        change_quality(make.session, shop.project, Quality(feedback=allowed))
        for person, grades in ((shop.ada, (3, 1)), (shop.bo, (2, None))):
            for grade in grades:
                (answer,) = candidates_of(
                    make.session, assign_best_batch(make.session, shop.project.id, person.id)
                )
                reason = Reason.LANGUAGE if grade is None else None
                make.judgment(answer, person, grade, reason=reason, batch=1)

    page = client_of(shop.ada).get(f"/p/{shop.project.slug}/rate/ratings").text

    # The second question waits for another rating: nothing is told of it.
    assert re.findall(r"The others: (\d)", page) == (["2"] if allowed else [])
    assert ("A question is finished once" in page) == allowed
    assert shop.bo.name not in page
    with making() as make:
        told = make.session.scalars(select(Disclosure)).all()
        assert [one.person_id for one in told] == ([shop.ada.id] if allowed else [])


def test_a_rating_is_told_with_the_servers_time_however_wrong_the_device_is(making, stored):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=1)
        [candidate] = candidates_of(
            make.session, assign_best_batch(make.session, shop.project.id, shop.ada.id)
        )
        late = datetime(2036, 1, 1, tzinfo=UTC)
        arrived = datetime(2026, 11, 2, 9, tzinfo=UTC)
        made = make.judgment(candidate, shop.ada, 2, judged_at=late, received_at=arrived, input=Input.TOUCH)

    with stored.read() as session:
        [own] = own_ratings(session, shop.project.id, shop.ada.id).answers
        row = session.get_one(Judgment, (shop.project.id, made.revision))

    assert own.judged_at == arrived
    assert (row.judged_at, row.received_at) == (late, arrived), "both are kept"


def test_the_home_page_writes_its_numbers_as_the_language_does(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=11, answers=100)

    page = client_of(shop.ada).get("/").text

    assert "1,100 waiting for all annotators" in page
    assert 'aria-label="0 done, 1,100 waiting"' in page


def test_a_question_that_one_cannot_judge_is_found_where_it_can_be_taken_back(client_of, stored):
    shop = made_in(stored, lambda make: make_workshop(make, queries=2, answers=3))
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    page = open_batch(ada, home).text
    assert "Marked “can’t judge”" not in ada.get(f"{home}/done").text
    press(ada, page, "/decline", reason="expertise")

    done, found = ada.get(f"{home}/done").text, ada.get(f"{home}/ratings?show=pass").text

    assert re.search(r"Marked “can’t judge”</dt>\s*<dd>\s*<a [^>]+>1 question</a>", done)
    assert "1 marked “can’t judge”" in found
    assert f'href="{home}/1#declined" dir="auto">Question number 0?</a>' in " ".join(found.split())
    assert "The whole question" in found
    press(ada, ada.get(f"{home}/1").text, "/decline", number=0)
    assert "No rated answer matches." in ada.get(f"{home}/ratings?show=pass").text


def test_answers_and_questions_that_one_cannot_judge_are_told_apart(client_of, stored):
    shop = made_in(stored, lambda make: make_workshop(make, queries=2, answers=3))
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    press(ada, open_batch(ada, home).text, "/decline", reason="expertise")
    page = open_batch(ada, home).text
    for answer in answers_of(page)[:2]:
        press(ada, page, f"/answers/{answer}", reason="unclear")

    done = " ".join(ada.get(f"{home}/done").text.split())

    assert ">2 answers, 1 question</a>" in done
