"""An owner chooses the fields that answers show; annotators and owners read them in that order."""

import pytest
from sqlalchemy import select

from app.models import Document, Project
from app.services.collection.answer_fields import AnswerFields
from tests.furniture.rating import make_workshop, open_batch

CHOSEN = {"title": "name", "link": "page", "line_1": "price", "line_3": "brand"}


@pytest.fixture
def shop(making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=2, slug="shop")
        for number, document in enumerate(make.session.scalars(select(Document)), start=1):
            document.extra = {
                "name": f"Pen {number}",
                "price": number + 0.5,
                "brand": "<b>Lamy</b>",
                "page": f"https://shop.example/{number}",
                "hidden": "secret-shelf",
            }
        return shop


@pytest.fixture
def owner(client_of, shop):
    return client_of(shop.owner)


def test_an_owner_chooses_title_link_and_lines(owner, shop, stored):
    assert owner.post("/p/shop/settings/answers", data=CHOSEN).status_code == 302

    with stored.read() as session:
        fields = AnswerFields.of(session.get_one(Project, shop.project.id).options)
    assert fields == AnswerFields(title="name", link="page", lines=("price", "brand"))
    page = owner.get("/p/shop/settings/answers").text
    assert '<option selected value="price">price (such as: 1.5)</option>' in page
    assert "/p/shop/settings/answers" in owner.get("/p/shop/settings").text


def test_annotators_see_the_chosen_fields_as_text_and_no_other(owner, client_of, shop):
    ada = client_of(shop.ada)
    assert "Lamy" not in open_batch(ada, "/p/shop/rate").text

    owner.post("/p/shop/settings/answers", data=CHOSEN)

    page = ada.get("/p/shop/rate/1").text
    for number in (1, 2):
        assert f">Pen {number}</bdi>" in page
        assert f'href="https://shop.example/{number}"' in page
    assert page.index('<dt dir="auto">price</dt>') < page.index('<dt dir="auto">brand</dt>')
    assert "&lt;b&gt;Lamy&lt;/b&gt;" in page
    assert "secret-shelf" not in page


def test_owners_read_the_fields_beside_the_question(owner, shop, stored):
    owner.post("/p/shop/settings/answers", data=CHOSEN)

    page = owner.get(f"/p/shop/questions/{shop.queries[0].id}").text

    assert 'price <span class="chip">shown</span>' in page
    assert "secret-shelf" in page


def test_a_field_that_names_a_ranker_is_warned_of(owner, shop, making):
    with making() as make:
        make.ranker(make.session.get_one(Project, shop.project.id), "lamy b")
        for document in make.session.scalars(select(Document)):
            document.extra = {**document.extra, "brand": "Lamy-B"}

    owner.post("/p/shop/settings/answers", data=CHOSEN)

    assert "The field “brand” names lamy b." in owner.get("/p/shop/settings/answers").text


def test_a_line_chosen_twice_is_named(owner, shop):
    answer = owner.post("/p/shop/settings/answers", data={"line_1": "price", "line_2": "price"})

    assert answer.status_code == 200
    assert "Choose each line once" in answer.text
