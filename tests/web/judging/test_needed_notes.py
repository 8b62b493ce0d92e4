"""Notes that a grade needs, without scripts: asked for beside the stars, and saved with them."""

import pytest
from sqlalchemy import select

from app.models import Judgment, JudgmentNote, Project
from app.services.projects.notes import NoteRule, note_rule_of
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, open_batch
from tests.web.judging.test_rating_page import answers_of, press


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=1, answers=2, slug="shop")


@pytest.fixture
def owner(client_of, shop):
    client = client_of(shop.owner)
    client.post("/p/shop/settings/notes", data={"grades": ["0", "3"], "reasons": "Off topic\r\n<b>Wrong</b>"})
    return client


def test_an_owner_chooses_grades_and_quick_reasons(owner, shop, stored):
    with stored.read() as session:
        rule = note_rule_of(session.get_one(Project, shop.project.id))

    assert rule == NoteRule((0, 3), ("Off topic", "<b>Wrong</b>"))
    page = owner.get("/p/shop/settings/notes").text
    assert page.count("checked") == 2
    assert "Off topic" in page
    assert "/p/shop/settings/notes" in owner.get("/p/shop/settings").text
    refused = owner.post("/p/shop/settings/notes", data={"reasons": "x" * 81})
    assert "Give at most 9 reasons" in refused.text


def test_without_scripts_a_rating_and_its_note_are_one_press(owner, client_of, shop, stored):
    ada = client_of(shop.ada)
    page = open_batch(ada, "/p/shop/rate").text
    assert "Why? A note is needed for 0, 3." in page
    assert "&lt;b&gt;Wrong&lt;/b&gt;" in page
    answer = answers_of(page)[0]

    press(ada, page, f"answers/{answer}", grade="0")
    assert "A grade of 0 needs a note" in ada.get("/p/shop/rate/1").text
    press(ada, page, f"answers/{answer}", grade="0", note="Off topic")

    with stored.read() as session:
        assert [row.grade for row in session.scalars(select(Judgment))] == [0]
        assert [row.text for row in session.scalars(select(JudgmentNote))] == ["Off topic"]
