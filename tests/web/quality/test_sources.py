"""The page about files and machines: its sample rule, and the switch that lets machines count."""

import pytest
from sqlalchemy import select

from app.models import Candidate, Event, EventKind, Origin, PersonKind
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop
from tests.furniture.words import shown_by


@pytest.fixture
def shop(stored):
    return made_in(stored, make_shop)


def make_shop(make):
    shop = make_workshop(make, queries=8, answers=8, slug="shop", k=5)
    machine = make.member(shop.project, "annotator", name="A model", kind=PersonKind.MACHINE)
    found = make.session.scalars(select(Candidate).order_by(Candidate.id)).all()
    for number, candidate in enumerate(found[:40]):
        make.judgment(candidate, shop.ada, number % 4)
        if number < 30:
            make.judgment(candidate, machine, 3, role=Origin.MACHINE)
    return shop


def test_a_machine_is_held_against_people(client_of, shop):
    page = shown_by(client_of(shop.owner).get("/p/shop/quality/sources"))

    assert "A model Machine 30 answers graded, 30 of them by people too." in page
    assert "Few answers so far" in page
    assert "Equal in 23 % of 30 answers." in page
    assert "Machines count in no score" in page
    assert "A model" not in shown_by(client_of(shop.owner).get("/p/shop/quality/annotators"))


def test_an_owner_lets_machines_count_and_takes_it_back(client_of, shop, stored):
    client = client_of(shop.owner)

    assert client.post("/p/shop/quality/machines", data={"count": "y"}).status_code == 302
    page = shown_by(client.get("/p/shop/quality/sources"))
    assert "Machines count in scores" in page
    assert "The official score is with machines." in page
    client.post("/p/shop/quality/machines", data={})
    assert "Machines count in no score" in shown_by(client.get("/p/shop/quality/sources"))

    with stored.read() as session:
        kinds = session.scalars(select(Event.kind).where(Event.project_id == shop.project.id)).all()
    assert kinds.count(EventKind.RULER_SET.value) == 3


def test_without_sources_the_page_says_where_they_come_from(client_of, making):
    with making() as make:
        project = make.project(slug="bare")
        owner = make.member(project, "owner")

    page = shown_by(client_of(owner).get("/p/bare/quality/sources"))
    assert "No ratings have been imported yet." in page
    assert "Machines count" not in page


def test_a_machine_is_held_against_imported_grades_of_people(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=8, answers=8, slug="shop", k=5)
        machine = make.member(shop.project, "annotator", name="A model", kind=PersonKind.MACHINE)
        file = make.member(shop.project, "annotator", name="A file", kind=PersonKind.IMPORTED)
        for number, candidate in enumerate(make.session.scalars(select(Candidate).order_by(Candidate.id))):
            make.judgment(candidate, file, number % 4)
            make.judgment(candidate, machine, number % 4, role=Origin.MACHINE)

    page = shown_by(client_of(shop.owner).get("/p/shop/quality/sources"))

    assert "64 of them by people too, some of those in an imported file." in page
    assert "Equal in 100 % of 64 answers." in page
    assert "A file From a file 64 answers graded, 0 of them also by people who rate here." in page
