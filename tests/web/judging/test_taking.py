"""Opening a page takes no answer away from others: a button does."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.models import Assignment, Candidate, now_utc
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, open_batch


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=4, answers=3)


@pytest.fixture
def leases(stored):
    """Return what tells every lease: whose it is, its state, and how long it runs."""

    def leases():
        with stored.read() as session:
            rows = session.scalars(select(Assignment).order_by(Assignment.id)).all()
        return [(one.person_id, one.batch, one.state, one.lease_end) for one in rows]

    return leases


@pytest.fixture
def addresses(app, shop):
    """Return the address of every page of rating, with the pages that lead to it."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("judging.")]
    pages = [rule.rule for rule in rules if "GET" in rule.methods]
    assert len(pages) >= 7
    slug = shop.project.slug
    found = [page.replace("<slug>", slug).replace("<int:batch>", "1") for page in pages]
    return [*found, f"/p/{slug}/rate/1?ahead=1", "/", f"/p/{slug}/"]


@pytest.mark.parametrize("who", ["ada", pytest.param("owner", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("begun", ["nothing", "soon over", "for later", "done", "others idle"])
@pytest.mark.thorough
def test_no_page_that_is_opened_takes_or_keeps_an_answer(
    client_of, shop, leases, addresses, stored, who, begun
):
    person = getattr(shop, who)
    client, home = client_of(person), f"/p/{shop.project.slug}/rate"
    if begun != "nothing":
        open_batch(client_of(shop.bo) if begun == "others idle" else client, home)
        with stored.write() as session:
            batch = session.scalars(select(Assignment)).one()
            batch.state = {"for later": "parked", "done": "done"}.get(begun, "open")
            batch.lease_end = now_utc() + timedelta(minutes=30)
            batch.assigned_at = now_utc() - timedelta(hours=23)
    before = leases()

    for address in addresses * 2:
        assert client.get(address, follow_redirects=True).status_code in {200, 404}

    assert leases() == before


@pytest.mark.parametrize("who", ["ada", "owner"])
def test_one_press_takes_the_next_question_and_the_page_leads_back_to_it(client_of, shop, leases, who):
    client, home = client_of(getattr(shop, who)), f"/p/{shop.project.slug}/rate"

    page = client.get(home).text
    form = rf'<form method="post" action="{home}"><input[^>]+name="csrf_token"[^>]*> ?<button[^>]* autofocus>Start rating'
    assert "<h1>Rate answers</h1>" in page
    assert len(re.findall(form, page)) == 1
    taken = client.post(home)

    assert taken.location == f"{home}/1"
    assert len(leases()) == 1
    assert client.get(home).location == taken.location, "what is begun goes on"
    assert client.post(home).location == taken.location
    assert len(leases()) == 1


def test_home_starts_by_a_button_and_goes_on_by_a_link(client_of, making, shop):
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    with making() as make:
        person = make.session.merge(shop.ada)
        person.preferences = {**person.preferences, "introduced": {str(shop.project.id): True}}

    assert re.search(
        rf'<form method="post" action="{home}">.*?btn--gold[^>]*>Start rating', client.get("/").text
    )
    client.post(home)

    page = client.get("/").text
    assert re.search(rf'<a class="btn btn--gold" href="{home}">Start rating', page)
    assert f'action="{home}"' not in page


def test_a_question_of_which_everything_is_rated_does_not_stop_the_next_one(client_of, shop, making):
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    client.post(home)
    client.post(f"/api/v1/projects/{shop.project.slug}/batches", json={"after": 1})
    with making() as make:
        batch = make.session.scalars(select(Assignment).where(Assignment.batch == 1)).one()
        for candidate in make.session.scalars(select(Candidate).where(Candidate.query_id == batch.query_id)):
            make.judgment(candidate, shop.ada, 2)

    assert client.get(home).location == f"{home}/2"


def test_whoever_looks_at_an_old_question_is_given_none_ahead(client_of, shop, stored, leases):
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    ahead = f"/api/v1/projects/{shop.project.slug}/batches"
    client.post(home)
    with stored.write() as session:
        session.scalars(select(Assignment)).one().state = "done"

    assert told_ahead(client, ahead, 1) == ([], False)
    assert told_ahead(client, ahead, 0) == ([], False)
    assert len(leases()) == 1
    client.post(home)
    assert client.post(ahead, json={"after": 2}).get_json()["batches"]


def test_where_nothing_else_is_waiting_the_last_page_is_not_offered_for_later(client_of, stored):
    shop = made_in(stored, make_workshop, queries=2, answers=3)
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    ahead = f"/api/v1/projects/{shop.project.slug}/batches"
    first, second = (client.post(where).location for where in (home, f"{home}/1/later"))
    assert (first, second) == (f"{home}/1", f"{home}/2")

    # What was left for later comes next.
    page = client.get(f"{second}?ask=later").text
    assert "3 left. Leave this page for later?" in page
    assert '<span data-ref="reserved">The other answers stay reserved for you for a day.</span>' in page
    assert client.post(ahead, json={"after": 2}).get_json()["is_last"] is False
    rate_page(client, home, 1)

    assert told_ahead(client, ahead, 2) == ([], True)
    page = client.get(f"{second}?ask=later").text
    assert "3 left, and nothing else waits in this project. Stop here?" in page
    assert re.search(r'<button[^>]*data-ref="leave" hidden>', page)
    assert '<span data-ref="reserved" hidden>' in page
    assert re.search(
        r'<a class="btn btn--s leave" href="[^"]*/done"\s+data-ref="stop">Done for now</a>', page
    )


def test_the_last_page_ends_with_finish_whenever_it_is_opened(client_of, stored):
    shop = made_in(stored, make_workshop, queries=2, answers=3)
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"

    def word_on(page):
        return re.search(r'<span data-ref="next-word">([^<]*)</span>', client.get(page).text)[1]

    first = client.post(home).location
    assert word_on(first) == "Next question"
    rate_page(client, home, 1)
    last = client.post(f"{first}/next").location
    assert word_on(last) == "Finish"
    rate_page(client, home, 2)
    assert word_on(last) == "Finish"
    assert client.post(f"{last}/next").location.endswith("/done")

    assert [word_on(page) for page in (first, last)] == ["Finish", "Finish"]


def told_ahead(client, address, after):
    """Return the batches that are assigned ahead of need, and whether nothing else is left."""
    told = client.post(address, json={"after": after}).get_json()
    return told["batches"], told["is_last"]


@pytest.fixture
def long_shop(stored):
    """Return a workshop whose questions have more answers than a page."""
    return made_in(stored, make_workshop, queries=4, answers=14)


def rate_page(client, home, batch):
    """Rate every answer of a page, without its script."""
    page = client.get(f"{home}/{batch}").text
    for answer in re.findall(r'data-answer="([^"]+)"', page):
        rated = {"id": str(uuid4()), "grade": "1", "place": "1", "of": "12", "guidelines": "1"}
        assert client.post(f"{home}/{batch}/answers/{answer}", data=rated).status_code == 302


@pytest.mark.parametrize("prefetches", [False, True])
@pytest.mark.thorough
def test_next_goes_to_the_oldest_open_page_so_parts_of_a_question_follow_one_another(
    client_of, long_shop, stored, prefetches
):
    client, home = client_of(long_shop.ada), f"/p/{long_shop.project.slug}/rate"
    ahead = f"/api/v1/projects/{long_shop.project.slug}/batches"
    batch = int(client.post(home).location.rsplit("/", 1)[-1])
    seen = [batch]
    while len(seen) < 8:
        coming = client.post(ahead, json={"after": batch}).get_json()["batches"] if prefetches else []
        rate_page(client, home, batch)
        batch = int(client.post(f"{home}/{batch}/next").location.rsplit("/", 1)[-1])
        assert not coming or coming[0] == batch, "the script opens the page that Next leads to"
        seen.append(batch)

    with stored.read() as session:
        rows = session.scalars(select(Assignment).order_by(Assignment.id)).all()
    assert [one.batch for one in rows][:8] == seen
    assert seen != sorted(seen), "numbers are not the order"
    finished = [one.query_id for one in rows if one.kind == "finish"]
    assert [rows[0].query_id, rows[1].query_id] == finished[:1] * 2
    assert {rows[number].state for number in range(7)} == {"done"}


def test_what_was_opened_before_comes_before_what_is_new(client_of, shop, making):
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    ahead = f"/api/v1/projects/{shop.project.slug}/batches"
    client.post(home)
    assert told_ahead(client, ahead, 1) == ([2, 3], False)

    assert told_ahead(client, ahead, 3) == ([1, 2], False)
    with making() as make:
        batch = make.session.scalars(select(Assignment).where(Assignment.batch == 1)).one()
        for candidate in make.session.scalars(select(Candidate).where(Candidate.query_id == batch.query_id)):
            make.judgment(candidate, shop.ada, 2)
    assert told_ahead(client, ahead, 3) == ([2, 4], True)


def test_an_owner_hears_how_many_of_the_answers_have_no_rating_yet(making, client_of):
    with making() as make:
        shop = make_workshop(make, queries=2, answers=3, overlap=2)
        first = make.session.scalars(select(Candidate)).first()
        make.judgment(first, shop.bo, 2)
    home = f"/p/{shop.project.slug}/rate"

    told = client_of(shop.owner).get(home).text

    assert "6 answers are left for you." in told
    assert "5 of them have no rating yet." in told
    assert "have no rating yet" not in client_of(shop.ada).get(home).text


def test_parts_of_one_question_are_told_apart_where_they_are_left_for_later(client_of, stored):
    shop = made_in(stored, make_workshop, queries=1, answers=24)
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    for _ in range(2):
        client.post(f"{client.post(home).location}/later")
    # After the last part the first one is taken up again.
    with stored.write() as session:
        for batch in session.scalars(select(Assignment)):
            batch.state = "parked"

    for page in (client.get(f"{home}/done").text, client.get("/").text):
        assert sorted(re.findall(r"Part ([12]):\s+12 answers\s+left", page)) == ["1", "2"]


def test_a_page_whose_answers_others_have_is_not_called_reserved(client_of, stored):
    shop = made_in(stored, make_workshop, queries=2, answers=3)
    client, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    client.post(home)
    client.post(f"{home}/1/later")

    def reserved():
        page = client.get(f"{home}/1?ask=later").text
        return re.search(r'<span data-ref="reserved">([^<]*)</span>', page)[1]

    # Nobody else has them yet: left for later, the page is reserved again.
    release(stored, 1)
    assert reserved() == "The other answers stay reserved for you for a day."
    client.post(home)
    client.post(f"{home}/1/later")
    with stored.read() as session:
        assert session.scalar(select(Assignment.state).where(Assignment.batch == 1)) == "parked"
    release(stored, 1)
    client_of(shop.bo).post(home)

    assert reserved() == "The other answers are no longer reserved for you."
    client.post(f"{home}/1/later")
    assert f'{home}/1"' not in client.get(f"{home}/done").text


def release(stored, number):
    with stored.write() as session:
        session.scalars(select(Assignment).where(Assignment.batch == number)).one().state = "released"
