"""What to rate next in the browser: for owners and viewers, and what an owner can do from it."""

import re

import pytest
from sqlalchemy import select

from app.models import Assignment, Candidate, Document, Project, Ranker, Reason, Run
from app.services.assignment.batch_lifecycle import park_batch
from app.services.assignment.query_assignments import assign_queries
from app.services.collection.rankers import set_production
from app.services.projects.settings import change_ruler
from tests.furniture.contest import make_contest
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop
from tests.furniture.words import shown_by

PAGE = "/p/contest/next"


@pytest.fixture
def shop(stored):
    return made_in(stored, make_contest, queries=5, answers=12, slug="contest", k=2, pool_depth=4)


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


@pytest.mark.thorough
def test_owners_read_what_comes_and_why_and_rate_a_question(client_of, making, shop, stored):
    client = client_of(shop.owner)

    page = client.get(PAGE).text

    assert "Next for you" in page
    assert "put an unrated answer first." in page
    assert batches(stored) == [], "looking takes nothing"
    query = re.findall(r'name="query" value="(\d+)"', page)[0]
    answer = client.post("/p/contest/next/rate", data={"query": query})
    (batch,) = batches(stored)
    assert (batch.kind, str(batch.query_id)) == ("chosen", query)
    assert answer.headers["Location"] == f"/p/contest/rate/{batch.batch}"
    rating = client.get(answer.headers["Location"]).text
    assert "Rival" not in rating
    assert "Canarius" not in rating
    assert "Reserved for you: " in client.get(PAGE).text

    with making() as make:
        first = re.findall(r'data-answer="([^"]+)"', rating)[0]
        make.judgment(
            make.session.scalars(select(Candidate).where(Candidate.public_id == first)).one(), shop.owner, 1
        )
    assert "You have started" in client.get(PAGE).text

    with stored.write() as session:
        park_batch(session, shop.project.id, shop.owner.id, batch.batch)
    page = client.get(PAGE).text
    assert "You have started" not in page
    assert re.search(r'href="/p/contest/rate/done">1 page that you left for later<', page)


@pytest.mark.thorough
def test_an_owner_whose_ratings_are_left_out_is_told_so_before_and_while_rating(client_of, making, shop):
    client = client_of(shop.owner)
    with making() as make:
        change_ruler(make.session, make.session.get_one(Project, shop.project.id), {"only_blind": True})

    told = "Your ratings do not count: the settings leave out those of people who can see rankers."
    assert told in client.get(PAGE).text
    rating = client.post("/p/contest/rate", follow_redirects=True).text
    assert f"The answers are in random order. {told}" in " ".join(rating.split())
    theirs = client_of(shop.ada).post("/p/contest/rate", follow_redirects=True).text
    assert "do not count" not in theirs


def test_a_question_with_a_first_rating_everywhere_is_not_said_to_be_rated_in_full(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=2, slug="twice", overlap=2)
        for candidate in make.session.scalars(
            select(Candidate).where(Candidate.project_id == shop.project.id)
        ):
            make.judgment(candidate, shop.ada, 1)

    page = client_of(shop.owner).get("/p/twice/next").text

    assert "A second rating is needed." in page
    assert "unrated answer" not in page


def test_rate_now_takes_the_next_batch_and_goes_there(client_of, shop, stored):
    client = client_of(shop.owner)

    reply = client.post("/p/contest/rate")

    (batch,) = batches(stored)
    assert (batch.kind, reply.location) == ("finish", f"/p/contest/rate/{batch.batch}")
    assert client.post("/p/contest/rate").location == reply.location, "the batch at hand goes on"


@pytest.mark.thorough
def test_requests_are_listed_with_what_is_left_and_can_be_withdrawn(client_of, shop, viewer):
    client = client_of(shop.owner)
    assert "No requests." in client.get(PAGE).text
    client.post("/p/contest/next/requests", data={"query": str(shop.queries[1].id)})

    page = client.get(PAGE).text

    asked = page[page.index('id="asked-h"') : page.index('id="coming-h"')]
    assert "Question number 1?" in asked
    assert " left." in asked
    assert "Olga Owner" in asked
    assert page.index("Requested.") > page.index('id="coming-h"')
    assert "Withdraw" not in client_of(viewer).get(PAGE).text
    withdraw = re.search(r'action="(/p/contest/next/requests/\d+/withdraw)"', asked)[1]
    assert "No requests." in client.post(withdraw, follow_redirects=True).text


@pytest.mark.parametrize("query", ["", "x", "-1", "²", "9" * 30])
def test_a_question_that_is_no_number_is_refused(client_of, shop, stored, query):
    assert client_of(shop.owner).post("/p/contest/next/rate", data={"query": query}).status_code == 422
    assert batches(stored) == []


def test_a_question_that_is_for_others_is_not_said_to_be_at_work(client_of, shop, stored):
    with stored.write() as session:
        project = session.get_one(Project, shop.project.id)
        assign_queries(session, project, shop.owner.id, queries=[shop.queries[0].external_id])
    client = client_of(shop.owner)

    other = {"query": str(shop.queries[1].id)}
    answer = client.post("/p/contest/next/rate", data=other, follow_redirects=True)

    assert "Under “Who rates what” you get other questions, or you have reached your target." in answer.text
    assert "others are rating it now" not in answer.text
    assert batches(stored) == []


def test_a_question_of_which_nothing_is_left_is_said(client_of, shop, stored):
    client = client_of(shop.owner)

    answer = client.post("/p/contest/next/rate", data={"query": "999999"}, follow_redirects=True)

    assert "That question has nothing left for you, or others are rating it now." in answer.text
    assert batches(stored) == []


def test_viewers_read_the_page_and_can_do_nothing(client_of, shop, viewer):
    client = client_of(viewer)

    page = client.get(PAGE).text

    assert 'id="coming-h">Next<' in page
    assert '<form method="post" action="/p/contest/' not in page
    assert "/p/contest/rate" not in page
    assert client.post("/p/contest/next/rate", data={"query": "1"}).status_code == 404


def test_the_price_is_shown_for_what_the_address_says_and_put_into_force(client_of, shop, stored):
    client = client_of(shop.owner)

    page = client.get(f"{PAGE}?depth=12&overlap=2").text

    assert '<dd data-ref="ratings">120</dd>' in page, "five questions of twelve answers, each rated twice"
    assert '<dd data-ref="time">about 40 minutes</dd>' in page
    assert "At 20 seconds for each rating" in page
    sent = client.post(
        "/p/contest/next/finishing", data={"depth": "12", "overlap": "2"}, follow_redirects=True
    )
    assert "Saved: depth 12, 2 ratings per answer." in sent.text
    assert "assumes 20 seconds for each rating, the top 12 of each list and 2 ratings per answer" in sent.text
    assert (project(stored, shop).pool_depth, project(stored, shop).overlap) == (12, 2)


def test_a_depth_above_which_the_score_reads_is_refused_in_words(client_of, shop, stored):
    client = client_of(shop.owner)

    answer = client.post("/p/contest/next/finishing", data={"depth": "1"}, follow_redirects=True)

    assert "depth" in answer.text
    assert project(stored, shop).pool_depth == 4
    assert client.get(f"{PAGE}?depth=x&overlap=").status_code == 200


def test_a_project_without_rankers_and_a_paused_one_say_so(client_of, making, shop, stored):
    with making() as make:
        bare = make.project(slug="bare")
        olga = make.member(bare, "owner")
    page = client_of(olga).get("/p/bare/next").text
    assert "Nothing is left for you" in page
    assert "The pool has no answers yet." in page
    assert "The time assumes" not in page

    with stored.write() as session:
        session.get_one(Project, shop.project.id).state = "paused"
    assert "Rating is paused: nobody gets new answers" in client_of(shop.owner).get(PAGE).text


def test_what_the_only_annotator_could_not_judge_is_said_to_wait_for_a_decision(client_of, making):
    with making() as make:
        small = make.project(slug="small", overlap=1)
        owner, anna = (make.member(small, role) for role in ("owner", "annotator"))
        make.run(make.ranker(small), {make.query(small): [make.document(small), make.document(small)]})
        first, _ = make.session.scalars(select(Candidate)).all()
        make.judgment(first, anna, None, reason=Reason.UNCLEAR)

    page = shown_by(client_of(owner).get("/p/small/next"))

    assert "1 answer waits for a first rating. 1 rating is still needed" in page
    assert "1 answer could not be rated: decide it in Review, or retire its question." in page
    assert "Waiting for a rating 1 Ratings still needed 1" in page


@pytest.mark.thorough
def test_what_waits_for_a_decision_is_not_offered_to_an_owner(client_of, making):
    with making() as make:
        small = make.project(slug="small", overlap=1)
        owner, anna = (make.member(small, role) for role in ("owner", "annotator"))
        queries = [make.query(small) for _ in range(2)]
        make.run(make.ranker(small), {query: [make.document(small)] for query in queries})
        first, second = make.session.scalars(select(Candidate).order_by(Candidate.id)).all()
        make.judgment(first, anna, None, reason=Reason.UNCLEAR)
    client = client_of(owner)
    before = shown_by(client.get("/p/small/next"))
    with making() as make:
        make.judgment(second, anna, 2)

    page, home, rating = (shown_by(client.get(path)) for path in ("/p/small/next", "/", "/p/small/rate"))

    assert "waiting in" not in home
    assert "Nothing left to rate" in rating
    assert "Nothing is left for you" not in before
    assert "Nothing is left for you" in page
    assert "What is left waits for a decision in Review, or is for other people." in page
    assert (
        "1 answer could not be rated: decide it in Review, or retire its question. All other answers" in page
    )


def test_an_owner_reads_why_nothing_of_what_waits_is_for_them(client_of, making):
    with making() as make:
        small = make.project(slug="small", overlap=1)
        owner, anna = (make.member(small, role) for role in ("owner", "annotator"))
        make.run(make.ranker(small), {make.query(small): [make.document(small), make.document(small)]})
    client_of(anna).post("/p/small/rate")

    page = shown_by(client_of(owner).get("/p/small/next"))

    assert "2 answers wait for a first rating." in page
    assert "The answers that wait are reserved for other people" in page


@pytest.mark.thorough
def test_the_overview_leads_there_and_names_the_same_question_first(client_of, shop):
    client = client_of(shop.owner)

    overview, page = client.get("/p/contest/").text, client.get(PAGE).text

    assert f'href="{PAGE}"' in overview
    card = overview[overview.index('id="next-h"') :]
    coming = page[page.index('id="coming-h"') :]
    link = r'href="(/p/contest/questions/\d+)"'
    assert re.search(link, card)[1] == re.search(link, coming)[1]


def test_rate_now_on_the_overview_opens_the_question_beside_it(client_of, shop, viewer, stored):
    client = client_of(shop.owner)
    overview = client.get("/p/contest/").text
    card = overview[overview.index('id="next-h"') :].split("</section>")[0]
    listed = re.findall(r'href="/p/contest/questions/(\d+)"', card)

    offered = re.findall(r'name="query" value="(\d+)"', card)
    reply = client.post("/p/contest/next/rate", data={"query": offered[1]})

    assert offered == listed
    (batch,) = batches(stored)
    assert str(batch.query_id) == listed[1]
    assert reply.location == f"/p/contest/rate/{batch.batch}"
    assert 'name="query"' not in client_of(viewer).get("/p/contest/").text


@pytest.mark.thorough
def test_answers_of_older_versions_alone_say_that_no_newest_one_has_them(client_of, making, rated):
    with making() as make:
        documents = {one.query_id: [] for one in rated.candidates[:-3]}
        for one in rated.candidates[:-3]:
            documents[one.query_id].append(make.session.get_one(Document, one.document_id))
        lists = {query: documents[query.id] for query in rated.queries[:-1]}
        for run in rated.runs:
            make.run(make.session.get_one(Ranker, run.ranker_id), lists)
    client = client_of(rated.owner)

    overview, following = (client.get(f"/p/help-centre/{page}").text for page in ("", "next"))

    for page in (overview, following):
        assert "In no current top 3." in page


def test_what_the_version_in_production_puts_first_is_not_called_old(client_of, making, rated):
    with making() as make:
        documents = {one.query_id: [] for one in rated.candidates[:-3]}
        for one in rated.candidates[:-3]:
            documents[one.query_id].append(make.session.get_one(Document, one.document_id))
        lists = {query: documents[query.id] for query in rated.queries[:-1]}
        for run in rated.runs:
            make.run(make.session.get_one(Ranker, run.ranker_id), lists)
        run = make.session.get_one(Run, rated.runs[0].id)
        set_production(make.session, rated.project, run)
    overview, following = (client_of(rated.owner).get(f"/p/help-centre/{page}").text for page in ("", "next"))

    for page in (overview, following):
        assert "In no current top 3." not in page
        assert re.search(r"\w+ puts an unrated answer", page)


def test_the_overview_and_what_next_give_a_question_the_same_reason(client_of, rated):
    client = client_of(rated.owner)
    overview = client.get("/p/help-centre/").text
    following = client.get("/p/help-centre/next").text

    reason = re.compile(
        r'/questions/(\d+)" dir="auto">[^<]*</a>.*?<p class="small(?: muted)?">(.*?)</p>', re.DOTALL
    )
    card = overview[overview.index('id="next-h"') : overview.index('id="hard-h"')]
    short, whole = dict(reason.findall(card)), dict(reason.findall(following))
    assert short
    assert short == {number: whole[number] for number in short}


def test_a_text_that_answers_many_questions_is_missing_once(client_of, making):
    with making() as make:
        project = make.project(k=1, slug="silent", name="Silent")
        owner = make.member(project, "owner")
        shared = make.document(project, title="", text="")
        lists = {
            make.query(project, f"q{number}"): [shared, make.document(project, title="", text="")]
            for number in range(10)
        }
        make.run(make.ranker(project, "Alpha"), lists)
        make.run(make.ranker(project, "Beta"), {query: found[::-1] for query, found in lists.items()})
    client = client_of(owner)

    pages = {page: client.get(f"/p/silent/{page}").text for page in ("", "next", "quality", "compare")}

    for page in ("", "next", "quality"):
        assert (
            "11 texts are missing, so 20 answers cannot be rated yet (one text can answer several questions)."
            in " ".join(pages[page].split())
        ), page
    assert "Among their top answers, 11 texts are missing" in pages["compare"]


def test_answers_without_a_text_take_no_time_at_any_depth(client_of, making):
    with making() as make:
        project = make.project(k=1, slug="silent", name="Silent")
        owner = make.member(project, "owner")
        lists = {
            make.query(project, f"q{number}"): [make.document(project, title="", text="") for _ in range(3)]
            for number in range(10)
        }
        make.run(make.ranker(project, "Alpha"), lists)
        make.run(make.ranker(project, "Beta"), {query: found[::-1] for query, found in lists.items()})
    client = client_of(owner)

    page = client.get("/p/silent/next?depth=3").text
    overview, compare = client.get("/p/silent/").text, client.get("/p/silent/compare").text

    assert re.findall(r'data-ref="(answers|ratings)">(\d+)<', page) == [("answers", "0"), ("ratings", "0")]
    assert "20 texts are missing, so 20 answers cannot be rated yet. Import the texts." in overview
    assert "Then add" not in compare
