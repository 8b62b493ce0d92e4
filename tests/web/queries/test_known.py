"""The page on which an owner enters an answer that nobody found."""

import re

import pytest
from sqlalchemy import select

from app.models import Ranker, Run
from app.services.collection.known_answers import KNOWN_ANSWERS
from app.services.collection.withdrawal import withdraw_run
from app.services.evidence.store import evidence_of
from app.services.scores.leaderboard import leaderboard_of

URL = "/p/help-centre/questions"


@pytest.fixture
def extra(making, rated):
    with making() as make:
        return make.document(
            rated.project, "extra", title="The forgotten answer", text="Turn it <b>left</b>."
        )


@pytest.mark.thorough
def test_an_owner_finds_an_answer_and_enters_it(client_of, rated, extra):
    client, address = client_of(rated.owner), f"{URL}/{rated.queries[0].id}"

    found = client.get(f"{address}/known?q=forgotten")
    number = re.search(r'name="document" value="(\d+)"', found.text)[1]
    done = client.post(f"{address}/known", data={"document": number}, follow_redirects=True)
    again = client.post(
        f"{address}/known", data={"document": number, "q": "forgotten"}, follow_redirects=True
    )

    assert "Add an answer that no ranker found" in client.get(address).text
    assert "The forgotten answer" in found.text
    assert "Turn it &lt;b&gt;left" in found.text
    assert "waits to be rated" in done.text
    assert "3 of 4 answers in the pool rated" in done.text
    assert "in the pool of the question already" in again.text
    assert "In the pool already" in again.text


@pytest.mark.parametrize("number", ["", "x", "0", "-1", "99999999999999999999", "1e3"])
def test_an_answer_that_nobody_offered_is_not_found(client_of, rated, number):
    address = f"{URL}/{rated.queries[0].id}/known"

    assert client_of(rated.owner).post(address, data={"document": number}).status_code == 404


def test_a_question_of_nobody_has_no_such_page(client_of, rated):
    for number in (999_999, 10**18):
        assert client_of(rated.owner).get(f"{URL}/{number}/known?q=x").status_code == 404


def test_the_answer_is_an_event_on_the_chart_and_no_ranker_anywhere(client_of, rated, extra, stored):
    owner, address = client_of(rated.owner), f"{URL}/{rated.queries[0].id}"
    before = leaderboard_of(evidence_of(stored, rated.project.id))

    owner.post(f"{address}/known", data={"document": extra.id})

    overview, question = owner.get("/p/help-centre/").text, owner.get(address).text
    board = leaderboard_of(evidence_of(stored, rated.project.id))
    assert "An answer added by hand" in overview
    # Not yet rated it moves no score; it only widens what the scores could still become.
    assert [one.score for one in board.rankers] == [one.score for one in before.rankers]
    assert all(
        now.bounds[0] < then.bounds[0] for now, then in zip(board.rankers, before.rankers, strict=True)
    )
    assert question.count('class="rl') == overview.count('class="lb__row') == 2
    assert KNOWN_ANSWERS not in overview + question


def test_the_event_can_be_undone_like_every_import(client_of, rated, extra, stored):
    owner = client_of(rated.owner)
    before = [one.bounds for one in leaderboard_of(evidence_of(stored, rated.project.id)).rankers]
    owner.post(f"{URL}/{rated.queries[0].id}/known", data={"document": extra.id})

    with stored.write() as session:
        run = session.scalars(select(Run).join(Ranker).where(Ranker.kind == "manual")).one()
        withdraw_run(session, run)

    board = leaderboard_of(evidence_of(stored, rated.project.id))
    assert [one.bounds for one in board.rankers] == before
