"""What to rate next in the browser: for owners and viewers, and what an owner can do from it."""

import re

import pytest
from sqlalchemy import select

from app.models import Assignment, Project
from tests.furniture.contest import make_contest
from tests.furniture.race import race_in

PAGE = "/p/contest/next"


@pytest.fixture
def shop(making):
    with making() as make:
        return make_contest(make, queries=5, answers=12, slug="contest", k=2, pool_depth=4)


@pytest.fixture
def viewer(making, shop):
    with making() as make:
        return make.member(shop.project, "viewer", name="Vera Viewer")


def batches(stored):
    with stored.read() as session:
        return session.scalars(select(Assignment).order_by(Assignment.batch)).all()


def project(stored, shop):
    with stored.read() as session:
        return session.get_one(Project, shop.project.id)


def test_owners_read_which_race_an_answer_can_move_and_rate_a_question(client_of, shop, stored):
    client = client_of(shop.owner)

    page = client.get(PAGE).text

    assert "Dealt to you next" in page
    assert "not in its first 2" in page
    query = re.findall(r'name="query" value="(\d+)"', page)[0]
    answer = client.post("/p/contest/next/rate", data={"query": query})
    (batch,) = batches(stored)
    assert (batch.kind, str(batch.query_id)) == ("chosen", query)
    assert answer.headers["Location"] == f"/p/contest/rate/{batch.batch}"
    rating = client.get(answer.headers["Location"]).text
    assert "Rival" not in rating
    assert "Canarius" not in rating
    assert "You have begun" in client.get(PAGE).text


@pytest.mark.parametrize("query", ["", "x", "-1", "²", "9" * 30])
def test_a_question_that_is_no_number_is_refused(client_of, shop, stored, query):
    assert client_of(shop.owner).post("/p/contest/next/rate", data={"query": query}).status_code == 422
    assert batches(stored) == []


def test_a_question_of_which_nothing_is_left_is_said(client_of, shop, stored):
    client = client_of(shop.owner)

    answer = client.post("/p/contest/next/rate", data={"query": "999999"}, follow_redirects=True)

    assert "Nothing of that question is left for you" in answer.text
    assert batches(stored) == []


def test_viewers_read_the_page_and_can_do_nothing(client_of, shop, viewer):
    client = client_of(viewer)

    page = client.get(PAGE).text

    assert "Dealt next" in page
    assert '<form method="post" action="/p/contest/next' not in page
    assert "/p/contest/rate" not in page
    assert client.post("/p/contest/next/rate", data={"query": "1"}).status_code == 404


def test_the_price_is_shown_for_what_the_address_says_and_put_into_force(client_of, shop, stored):
    client = client_of(shop.owner)

    page = client.get(f"{PAGE}?depth=12&overlap=2").text

    assert '<dd data-ref="ratings">120</dd>' in page, "five questions of twelve answers, each rated twice"
    assert '<dd data-ref="time">about 40 minutes</dd>' in page
    assert "at 20 s each, as long as fewer than 50 ratings here were timed" in page
    sent = client.post(
        "/p/contest/next/finishing", data={"depth": "12", "overlap": "2"}, follow_redirects=True
    )
    assert "Depth 12 and 2 ratings per answer are in force." in sent.text
    assert "In force: depth 12, 2 ratings per answer; 120 still to give" in sent.text
    assert (project(stored, shop).pool_depth, project(stored, shop).overlap) == (12, 2)


def test_a_depth_above_which_the_score_reads_is_refused_in_words(client_of, shop, stored):
    client = client_of(shop.owner)

    answer = client.post("/p/contest/next/finishing", data={"depth": "1"}, follow_redirects=True)

    assert "depth" in answer.text
    assert project(stored, shop).pool_depth == 4
    assert client.get(f"{PAGE}?depth=x&overlap=").status_code == 200


def test_the_replay_is_asked_for_and_hidden_below_the_sample_rule(client_of, shop, stored):
    page = client_of(shop.owner).get(PAGE).text

    assert "Shown from 3 rankers and 10 completely rated questions" in page
    race = race_in(stored, 12, slug="race")
    race.add_run("Third", good_first=False)
    race.rate(race.queries[:11])
    with race.making() as make:
        olga = make.member(race.project, "owner")
    client = client_of(olga)
    assert "Measure it now" in client.get("/p/race/next").text
    measured = client.get("/p/race/next?replay=1").text
    assert "20 replays of the 11 complete questions, 3 rankers" in measured
    assert "never a promise" in measured
    assert "Measure it now" not in client.get("/p/race/next").text


def test_the_milestone_is_told_with_its_answers_and_its_time(client_of, stored):
    race = race_in(stored, 12, slug="race")
    with race.making() as make:
        olga = make.member(race.project, "owner")

    page = client_of(olga).get("/p/race/next").text

    assert re.search(r'<span class="big">20</span> answers of 10 questions to rate', page)
    assert "About 7 minutes for one person, at 20 s each" in page
    assert "This test spends 2.50 % of the 5 %" in page


def test_after_the_last_test_no_other_is_promised(client_of, stored):
    race = race_in(stored, 12, slug="race")
    with race.making() as make:
        olga = make.member(race.project, "owner")
    race.rate(race.queries)

    page = client_of(olga).get("/p/race/next").text

    assert "No test of these versions is left to be taken" in page
    assert "Once two rankers" not in page


def test_of_one_ranker_no_disagreement_is_told(client_of, making):
    with making() as make:
        shop = make_contest(make, rankers=1, queries=5, answers=12, slug="contest", k=2, pool_depth=4)
    client = client_of(shop.owner)

    for address in (PAGE, "/p/contest/"):
        page = client.get(address).text
        assert "near the top" in page
        assert "disagree" not in page
    assert "Once two rankers are imported, a test" in client.get(PAGE).text


def test_a_project_without_rankers_and_a_paused_one_say_so(client_of, making, shop, stored):
    with making() as make:
        bare = make.project(slug="bare")
        olga = make.member(bare, "owner")
    page = client_of(olga).get("/p/bare/next").text
    assert "Nothing is left for you" in page

    with stored.write() as session:
        session.get_one(Project, shop.project.id).state = "paused"
    assert "Rating is paused: nothing is dealt to anybody" in client_of(shop.owner).get(PAGE).text


def test_the_overview_leads_there_and_names_the_same_question_first(client_of, shop):
    client = client_of(shop.owner)

    overview, page = client.get("/p/contest/").text, client.get(PAGE).text

    assert f'href="{PAGE}"' in overview
    card = overview[overview.index('id="next-h"') :]
    coming = page[page.index('class="coming"') :]
    link = r'href="(/p/contest/questions/\d+)"'
    assert re.search(link, card)[1] == re.search(link, coming)[1]


def test_rate_now_on_the_overview_opens_the_question_beside_it(client_of, shop, viewer, stored):
    client = client_of(shop.owner)
    overview = client.get("/p/contest/").text
    card = overview[overview.index('id="next-h"') : overview.index('id="cover-h"')]
    listed = re.findall(r'href="/p/contest/questions/(\d+)"', card)

    offered = re.findall(r'name="query" value="(\d+)"', card)
    reply = client.post("/p/contest/next/rate", data={"query": offered[1]})

    assert offered == listed
    (batch,) = batches(stored)
    assert str(batch.query_id) == listed[1]
    assert reply.location == f"/p/contest/rate/{batch.batch}"
    assert "where rankers disagree" in card
    assert 'name="query"' not in client_of(viewer).get("/p/contest/").text
