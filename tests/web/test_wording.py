"""A project's own words for questions and answers, where annotators and owners read of them."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from app.models import Role
from app.services.accounts.memberships import give_role
from app.services.projects.projects import NewProject
from app.services.projects.templates import PAPERS
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, open_batch

# What the page says of itself, without what people wrote.
NOUN = re.compile(r"\b(?:questions?|answers?)\b", re.IGNORECASE)
GERMAN = {"Accept-Language": "de"}


@pytest.fixture
def papers(stored):
    return made_in(stored, make_workshop, name="Papers", wording=PAPERS.wording, guidelines="Rate the fit.")


def said_on(page):
    """Return all that a page says, its accessible names included, without addresses and names of fields."""
    text = re.sub(r"data-words=\"[^\"]*\"", "", page.text)
    shown = re.findall(r">([^<>]+)<", text) + re.findall(
        r"(?:aria-label|title|placeholder)=\"([^\"]*)\"", text
    )
    said = unescape(" | ".join(each.strip() for each in shown if each.strip()))
    return said.replace("Question number", "").replace("Question is", "")


def test_the_rating_page_speaks_of_them_throughout(papers, client_of):
    page = open_batch(client_of(papers.ada), f"/p/{papers.project.slug}/rate")
    said = said_on(page)

    assert "Target paper 1" in said
    assert "How well does recommended paper A help?" in said
    assert "0 of 3 recommended papers done" in said
    assert "Next target paper" in said
    assert NOUN.findall(said) == []


def test_a_long_intent_is_folded_below_its_question(making, client_of):
    with making() as make:
        shop = make_workshop(make, queries=1, wording=PAPERS.wording)
        shop.queries[0].intent = "We placed forty microphones on roofs along a coast. " * 4
    page = open_batch(client_of(shop.ada), f"/p/{shop.project.slug}/rate").text

    assert "<summary>Aim of this target paper</summary>" in page
    assert page.index("</h1>") < page.index("forty microphones")


@pytest.mark.parametrize("length", [1, 4])
def test_what_stands_beside_a_target_paper_is_called_its_abstract(making, client_of, length):
    with making() as make:
        shop = make_workshop(make, queries=1, wording=PAPERS.wording)
        shop.project.options = {**shop.project.options, "template": PAPERS.key}
        shop.queries[0].intent = "We placed forty microphones on roofs along a coast. " * length
    page = open_batch(client_of(shop.ada), f"/p/{shop.project.slug}/rate").text
    edit = client_of(shop.owner).get(f"/p/{shop.project.slug}/questions/{shop.queries[0].id}/edit").text

    assert "<summary>Abstract</summary>" in page
    assert ("Abstract: <span" in page) == (length == 1)
    assert "Abstract <span" in edit
    assert not re.search("Aim|What the person wants", page + edit)


@pytest.mark.thorough
def test_words_are_shown_as_written_and_never_taken_for_markup(making, client_of):
    own = '<b onclick="x">R&D</b>'
    wording = {"query": own, "queries": f"{own}s", "document": "it's", "documents": "100 % good"}
    with making() as make:
        shop = make_workshop(make, wording=wording)
    pages = [
        open_batch(client_of(shop.ada), f"/p/{shop.project.slug}/rate"),
        client_of(shop.ada).get("/", headers=GERMAN),
        *(
            client_of(shop.owner).get(f"/p/{shop.project.slug}{part}")
            for part in ("/", "/import", "/questions")
        ),
    ]

    assert [page.status_code for page in pages] == [200] * 5
    found = [
        page.text[max(page.text.lower().find("<b onclick") - 150, 0) :][:220]
        for page in pages
        if "<b onclick" in page.text.lower()
    ]
    assert found == []
    assert "&lt;b onclick=&#34;x&#34;&gt;R&amp;D&lt;/b&gt; 1</b>" in pages[0].text.replace("&lt;B", "&lt;b")


def test_scripts_say_them_too(papers, client_of):
    page = open_batch(client_of(papers.ada), f"/p/{papers.project.slug}/rate")
    words = json.loads(unescape(re.search(r"data-words=\"([^\"]*)\"", page.text)[1]))

    assert words["The question is reported"] == "The target paper is reported"
    assert words["%(n)s of %(of)s answer done"] == [
        "%(n)s of %(of)s recommended paper done",
        "%(n)s of %(of)s recommended papers done",
    ]


@pytest.mark.thorough
def test_german_pages_take_labels_as_they_were_written_and_keep_their_sentences(papers, client_of):
    page = open_batch(client_of(papers.ada), f"/p/{papers.project.slug}/rate", headers=GERMAN)
    said = said_on(page)

    assert "Target paper 1" in said
    assert "Recommended paper A" in said
    assert "Nächste Frage" in said
    assert not re.search(r"(?:Nächste|Diese) target", said)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("/questions", ["Target papers"]),
        ("/import", ["1. Target papers", "2. Recommended papers"]),
        ("/import/queries", ["Import target papers"]),
        ("/import/documents", ["Import recommended papers"]),
        ("/", ["All 2 target papers", "6 unrated recommended papers"]),
    ],
)
def test_owners_read_them_where_they_look_first(papers, client_of, address, wanted):
    said = said_on(client_of(papers.owner).get(f"/p/{papers.project.slug}{address}"))

    assert all(each in said for each in wanted), said
    assert "Questions" not in said


@pytest.mark.thorough
def test_home_speaks_of_each_project_in_its_own_words(papers, client_of, making):
    with making() as make:
        other = make_workshop(make, name="Shop")
        give_role(make.session, other.project.id, papers.ada.id, Role.ANNOTATOR)
    said = said_on(client_of(papers.ada).get("/"))
    owned = said_on(client_of(papers.owner).get("/"))

    assert "You may get about 3 recommended papers in Papers" in said
    assert "6 recommended papers are waiting for you in Papers" in owned
    assert "For 2 target papers." in owned
    assert "2 target papers · 1 ranker" in owned


def test_the_usual_words_are_as_they_were(making, client_of):
    with making() as make:
        shop = make_workshop(make, name="Shop")
    page = open_batch(client_of(shop.ada), f"/p/{shop.project.slug}/rate")

    assert "data-words" not in page.text
    assert "How well does answer A help?" in said_on(page)
    assert NewProject(slug="s", name="S").wording == {}
