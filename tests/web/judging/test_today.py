"""Today, the goal, one's own share and the questions left for later, on the pages of who rates."""

import pytest
from sqlalchemy import select

from app.models import Candidate
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, open_batch
from tests.furniture.words import text_of
from tests.web.judging.test_rating_page import answers_of, press


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=3, answers=4)


@pytest.fixture
def ada(client_of, shop):
    return client_of(shop.ada)


@pytest.fixture
def home(shop):
    return f"/p/{shop.project.slug}/rate"


def test_today_counts_what_was_rated_and_the_goal_is_one_s_own(ada, home, client_of, shop):
    page = open_batch(ada, home).text
    assert "Today, in all projects: 0 answers done" in text_of(page)
    press(ada, page, f"answers/{answers_of(page)[0]}", grade="2")

    ada.post("/account", data={"name": "Ada", "keys": "y", "goal": "3", "language": "en"})

    assert "Today, in all projects: 1 answer done, goal 3" in text_of(ada.get(f"{home}/1").text)
    for address in ("/", f"{home}/done"):
        message = text_of(ada.get(address).text)
        assert "Today, in all projects 1 answer done, goal 3" in message
    assert "of 3 answers" not in text_of(client_of(shop.bo).get("/").text)


def test_the_home_page_names_the_project_of_one_s_own_work(ada, home, shop):
    page = open_batch(ada, home).text
    first = answers_of(page)[0]
    press(ada, page, f"answers/{first}", grade="2")
    press(ada, page, f"answers/{first}/flag", flagged="y")
    press(ada, page, "/later")

    main, done = text_of(ada.get("/").text), text_of(ada.get(f"{home}/done").text)

    for title in ("Not finished", "Your last answer", "Reported by you"):
        assert f"{title} in {shop.project.name} " in main
        assert title in done and f"{title} in {shop.project.name}" not in done


def test_today_is_counted_alike_on_every_page(ada, home, shop, making):
    open_batch(ada, home)
    with making() as make:
        answer = make.session.scalars(select(Candidate).limit(1)).one()
        make.judgment(answer, shop.ada, 2)

    for address in ("/", f"{home}/done"):
        assert "1 answer done" in text_of(ada.get(address).text)
    page = text_of(ada.get(f"{home}/1").text)
    assert "Today, in all projects: 1 answer done" in page


def test_a_goal_that_cannot_be_is_named(ada):
    page = ada.post("/account", data={"name": "Ada", "goal": "-1", "language": "en"}).text

    assert "Choose 0 to 5000 answers a day." in page


def test_a_time_zone_that_is_none_counts_as_utc(ada, home):
    for zone in ("Mars/Base", "../etc/passwd", "x" * 500, "Europe/Berlin"):
        ada.set_cookie("zone", zone)
        assert ada.get(f"{home}/done").status_code == 200


def test_annotators_are_told_their_share_of_what_is_left(ada, home):
    # Twelve answers for two annotators.
    assert "You may get about 6 answers in Workshop help" in text_of(ada.get("/").text)
    assert "You may get about 6 of the answers that are left." in text_of(ada.get(f"{home}/done").text)


def test_questions_left_for_later_can_be_chosen(ada, home):
    page = open_batch(ada, home).text
    press(ada, page, "/later")

    for address in ("/", f"{home}/done"):
        found = ada.get(address).text
        assert "4 answers left" in text_of(found)
        assert f'href="{home}/1"' in found
