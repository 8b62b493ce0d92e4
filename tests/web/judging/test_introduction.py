"""A first visit: examples, a question to practise on, five keys; and nothing of it in the ledger."""

import re

import pytest
from sqlalchemy import func, select

from app.models import Assignment, Candidate, Document, Event, Judgment, Person, Project
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, open_batch
from tests.furniture.words import text_of

SENT = {"grade-A": "2", "grade-B": "3"}


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=1, answers=3)


@pytest.fixture
def start(shop):
    return f"/p/{shop.project.slug}/rate/start"


def counts(stored):
    with stored.read() as session:
        return [
            session.scalar(select(func.count()).select_from(table)) for table in (Judgment, Event, Assignment)
        ]


def test_every_grade_has_an_example_and_the_practice_shows_three_grades(client_of, shop, start):
    page = client_of(shop.ada).get(start).text

    assert page.count("<q dir") == 4
    assert len(re.findall(r'name="grade-[ABC]" value="\d"', page)) == 12
    assert "checked" not in page


def test_guidelines_are_named_only_where_there_are_some(client_of, making, shop, start):
    with making() as make:
        project = make.project(slug="bare")
        newcomer = make.member(project, "annotator")
    bare, full = (
        text_of(client_of(newcomer).get("/p/bare/rate/start").text),
        client_of(shop.ada).get(start).text,
    )

    assert "guidelines" not in bare.lower()
    assert "Between two grades, take the lower one." in bare
    assert "Between two grades, look in the guidelines;" in full
    assert f'href="{start.removesuffix("start")}guidelines"' in full


def test_what_is_tried_gets_an_answer_and_reaches_no_ledger(client_of, shop, start, stored):
    before = counts(stored)

    page = client_of(shop.ada).post(start, data=SENT | {"grade-C": "99"}).text

    assert "We agree: 2, Mostly." in page
    assert "We would give 0: No help." in page
    assert "You did not rate this one. We would give 3: Solves it." in page
    assert counts(stored) == before


def test_the_practice_gives_what_the_words_of_the_scale_say(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=3, scale="1-5")

    page = client_of(shop.ada).post(f"/p/{shop.project.slug}/rate/start", data={"grade-A": "4"}).text

    assert "<b>Good.</b> Useful, with something missing." in page
    assert "We agree: 4, Good." in page


def test_home_leads_a_newcomer_there_once_and_the_page_can_be_seen_again(client_of, shop, start, stored):
    ada = client_of(shop.ada)
    assert f'btn--gold" href="{start}"' in ada.get("/").text
    assert "New here?" in open_batch(ada, start.removesuffix("/start")).text

    reply = ada.post(f"{start}/done")

    assert reply.location.endswith("/rate/1")
    assert f'btn--gold" href="{start.removesuffix("/start")}"' in ada.get("/").text
    assert "New here?" not in open_batch(ada, start.removesuffix("/start")).text
    assert ada.get(start).status_code == 200
    with stored.read() as session:
        assert session.get_one(Person, shop.ada.id).preferences["introduced"] == {str(shop.project.id): True}


def test_an_owner_s_examples_and_practice_take_the_place_of_the_built_in_ones(client_of, shop, start, stored):
    olga, slug = client_of(shop.owner), shop.project.slug
    olga.post(
        f"/p/{slug}/settings/words",
        data={
            "name": "Help",
            "headline": "",
            "example-3": "<b>Best</b>",
            "answer_format": "markdown",
            "language": "en",
        },
    )
    practice = {"query": "How high is the saddle?"}
    for number, grade in enumerate(("0", "1", "3")):
        practice |= {
            f"text-{number}": f"Text {number}",
            f"grade-{number}": grade,
            f"why-{number}": f"Why {number}",
        }
    assert olga.post(f"/p/{slug}/practice/edit", data=practice).status_code == 302

    page = client_of(shop.ada).post(start, data={"grade-C": "3"}).text

    assert "&lt;b&gt;Best&lt;/b&gt;</q>" in page
    assert page.count("<q dir") == 1
    assert "How high is the saddle?" in page
    assert "Why 2" in page
    with stored.read() as session:
        options = session.get_one(Project, shop.project.id).options
    assert (options["answer_format"], options["language"]) == ("markdown", "en")


@pytest.mark.parametrize(
    ("change", "message", "fields"),
    [
        ({"grade-1": "0"}, "three different grades", ["grade-1"]),
        ({"why-2": " "}, "Fill in what is missing", ["why-2"]),
        ({"query": "", "text-0": ""}, "Fill in what is missing", ["query", "text-0"]),
    ],
)
def test_a_practice_question_that_teaches_nothing_is_refused(client_of, shop, change, message, fields):
    sent = {"query": "Q"}
    for number, grade in enumerate(("0", "1", "3")):
        sent |= {f"text-{number}": "T", f"grade-{number}": grade, f"why-{number}": "W"}

    page = client_of(shop.owner).post(f"/p/{shop.project.slug}/practice/edit", data=sent | change).text

    assert message in page
    wrong = re.findall(r'<(?:input|select|textarea)[^>]*aria-invalid="true"[^>]*', page)
    assert [re.search(r' id="([^"]*)"', one)[1] for one in wrong] == fields


def test_a_language_that_is_no_tag_is_refused_with_its_remedy(client_of, shop):
    reply = client_of(shop.owner).post(
        f"/p/{shop.project.slug}/settings/words",
        data={"name": "Help", "headline": "", "answer_format": "text", "language": "Deutsch, bitte"},
    )

    assert reply.status_code == 422
    assert "is not a language tag" in reply.text


LOOKUP = "https://example.org/find?q={question}"


def test_owners_choose_a_search_and_words_that_are_marked(making, client_of):
    with making() as make:
        shop = make_workshop(make, queries=1)
        document = make.session.get_one(Document, shop.documents[shop.queries[0].id][0].id)
        document.text, document.title = "An oil can, number one.", "Oil can <1>"
    form = {"name": "Help", "headline": "", "answer_format": "text", "language": ""}
    chosen = {"marked": "oil can, ", "unmarked": "Number", "search": LOOKUP}

    client_of(shop.owner).post(f"/p/{shop.project.slug}/settings/words", data=form | chosen)
    page = client_of(shop.ada).post(f"/p/{shop.project.slug}/rate", follow_redirects=True).text

    assert "<mark>oil can</mark>" in page
    assert "<mark>Oil can</mark> &lt;1&gt;" in page
    assert "<mark>number</mark>" not in page
    assert (
        'href="https://example.org/find?q=Question%20number%200%3F" target="_blank" rel="noreferrer' in page
    )


@pytest.mark.parametrize(
    "address", ["javascript:{question}", "https://{question}/", "https://example.org/", "{question}"]
)
def test_a_search_needs_an_address_with_a_place_for_the_question(making, client_of, address):
    with making() as make:
        shop = make_workshop(make, queries=1)
    form = {"name": "Help", "headline": "", "answer_format": "text", "language": "", "search": address}

    reply = client_of(shop.owner).post(f"/p/{shop.project.slug}/settings/words", data=form)

    assert reply.status_code == 422
    assert "is not a search address" in reply.text


def test_where_nothing_is_left_the_introduction_offers_no_start(client_of, shop, start, making):
    ada = client_of(shop.ada)
    assert ada.get(start).text.count("tart rating") == 2
    with making() as make:
        for candidate in make.session.scalars(select(Candidate)):
            make.judgment(candidate, shop.ada, 2)

    assert "tart rating" not in ada.get(start).text
