"""Asking for something to be rated first, from any page, and taking it back."""

import re

import pytest
from sqlalchemy import select

from app.models import Candidate, Query, Request
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop

ASK = "/p/shop/next/requests"


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=2, answers=3, slug="shop", k=2, pool_depth=3)


def requests_in(stored):
    with stored.read() as session:
        return session.scalars(select(Request).order_by(Request.id)).all()


def test_a_question_is_asked_for_and_the_page_comes_back(client_of, shop, stored):
    client = client_of(shop.owner)
    back = f"/p/shop/questions/{shop.queries[0].id}"

    reply = client.post(ASK, data={"query": str(shop.queries[0].id), "next": back})

    assert reply.location == back
    page = client.get(back).text
    assert "3 answers will be rated first." in page
    assert "Requested: 3 answers left." in page
    assert "Have it rated first" not in page, "each of its answers is requested with it"
    (request,) = requests_in(stored)
    assert (request.query_id, request.answers, request.person_id) == (shop.queries[0].id, 3, shop.owner.id)


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["Why is the sky blue?", "The sky is blue .", "The sky is blue."])
def test_no_full_stop_follows_a_question_that_has_its_own_end(client_of, shop, making, text):
    with making() as make:
        query = make.session.get_one(Query, shop.queries[0].id)
        query.text = text
        answer = make.session.scalars(
            select(Candidate.public_id).where(Candidate.query_id == query.id)
        ).first()
    client = client_of(shop.owner)
    client.post(ASK, data={"answer": answer})

    pages = [client.get("/p/shop/next"), client.get(f"/p/shop/quality/probes?query={query.id}")]

    for page in pages:
        told = " ".join(re.sub(r"<[^>]+>", "", page.text).split())
        assert text in told
        assert not re.search(re.escape(text) + r"[”’]?\.", told)
    assert "1 answer left." in pages[0].text


def test_an_answer_is_asked_for_once(client_of, shop, stored):
    with stored.read() as session:
        answer = session.scalars(select(Candidate.public_id)).first()
    client = client_of(shop.owner)

    assert (
        "1 answer will be rated first."
        in client.post(ASK, data={"answer": answer}, follow_redirects=True).text
    )
    assert "requested already" in client.post(ASK, data={"answer": answer}, follow_redirects=True).text
    assert len(requests_in(stored)) == 1


def test_what_two_versions_asked_for_is_offered_and_counted_no_second_time(client_of, shop, stored):
    with stored.read() as session:
        candidates = session.scalars(select(Candidate).where(Candidate.query_id == shop.queries[0].id)).all()
    client, page = client_of(shop.owner), f"/p/{shop.project.slug}/questions/{shop.queries[0].id}"
    offered = client.get(page).text.count(">Have it rated first<")
    client.post(ASK, data={"answer": candidates[0].public_id})
    partly = client.get(page).text
    client.post(ASK, data={"query": shop.queries[0].id})
    wholly = client.get(page).text

    again = client.post(ASK, data={"answer": candidates[1].public_id}, follow_redirects=True).text
    listed = [int(one) for one in re.findall(r"(\d+) answers? left", again)]

    assert offered == 1 + len(candidates)
    # The button of the whole question now asks for the rest.
    assert partly.count(">Have it rated first<") == offered - 2
    assert partly.count(">Have the rest rated first<") == 1
    assert "Requested: 1 answer left." in partly
    assert "rated first<" not in wholly
    assert "requested already" in again
    assert (len(listed), sum(listed)) == (2, len(candidates))


def test_a_request_is_withdrawn(client_of, shop, stored):
    client = client_of(shop.owner)
    client.post(ASK, data={"query": str(shop.queries[0].id)})
    (request,) = requests_in(stored)

    reply = client.post(f"{ASK}/{request.id}/withdraw", follow_redirects=True)

    assert "Request withdrawn" in reply.text
    assert requests_in(stored)[0].withdrawn_revision is not None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "data", [{}, {"query": "x"}, {"run": "1"}, {"run": ["1", "2", "3"]}, {"query": "²"}, {"query": "9" * 30}]
)
def test_what_names_nothing_is_refused(client_of, shop, stored, data):
    assert client_of(shop.owner).post(ASK, data=data).status_code == 422
    assert requests_in(stored) == []


def test_nobody_is_sent_away_from_the_site(client_of, shop):
    data = {"query": str(shop.queries[0].id), "next": "https://elsewhere.example/"}

    assert client_of(shop.owner).post(ASK, data=data).location == "/p/shop/next"
