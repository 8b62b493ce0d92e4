"""The pages about annotators: what they show from which sample rule on, and that owners alone see them."""

import pytest

from app.models import Origin, Reason
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop
from tests.furniture.words import shown_by


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=8, answers=8, slug="shop", k=5)


@pytest.fixture
def judge(making, shop):
    """Return what lets somebody judge answers by their number."""
    from sqlalchemy import select

    from app.models import Candidate

    def judge(person, grades, **values):
        with making() as make:
            found = make.session.scalars(select(Candidate).order_by(Candidate.id)).all()
            for number, grade in grades.items():
                make.judgment(found[number], person, grade, **values)

    return judge


def test_agreement_is_hidden_below_thirty_shared_answers_then_early(client_of, shop, judge):
    client = client_of(shop.owner)
    assert "No answer has ratings by two annotators yet" in shown_by(client.get("/p/shop/quality/annotators"))

    judge(shop.ada, {n: n % 4 for n in range(40)})
    judge(shop.bo, {n: n % 4 for n in range(29)})
    page = shown_by(client.get("/p/shop/quality/annotators"))
    assert "29 answers have ratings by two annotators so far: agreement needs 30." in page
    assert "alpha" not in page

    judge(shop.bo, {29: 1})
    page = shown_by(client.get("/p/shop/quality/annotators"))
    assert "Few answers so far" in page
    assert "1.00 1 is full agreement" in page
    assert "over 30 answers that at least two of 2 annotators rated" in page


def test_the_list_counts_what_each_did_and_says_who_was_quick(client_of, shop, judge):
    judge(shop.ada, dict.fromkeys(range(11), 3), active_ms=20_000)
    judge(shop.ada, {11: None}, reason=Reason.LANGUAGE)
    judge(shop.bo, dict.fromkeys(range(3), 0), active_ms=900)

    page = shown_by(client_of(shop.owner).get("/p/shop/quality/annotators"))

    assert "Ada Example 11 20 s 8 % 3.0" in page
    assert "Bo Example 3 very fast 3 – 0 %" in page


def test_one_annotator_is_shown_with_every_rule_of_small_samples(client_of, shop, judge):
    judge(shop.ada, {n: n % 4 for n in range(49)}, active_ms=8_000, place=1, length=8, batch=1)
    judge(shop.bo, {n: n % 4 for n in range(49)}, active_ms=900)
    judge(shop.bo, {n: n % 4 for n in range(14)}, role=Origin.REPEAT)
    client = client_of(shop.owner)

    page = shown_by(client.get(f"/p/shop/quality/annotators/{shop.bo.public_id}"))

    assert "Ada Example 49 needs 50" in page
    assert "No gold answer rated yet. 14 repeats rated; results show from 15." in page
    assert "49 of 49 ratings were unusually fast; these are the last 20:" in page
    judge(shop.bo, {49: 1, 14: 1})
    judge(shop.bo, {14: 2}, role=Origin.REPEAT)
    judge(shop.ada, {49: 1})
    page = shown_by(client.get(f"/p/shop/quality/annotators/{shop.bo.public_id}"))
    # 49 equal grades and one a step apart.
    assert "Ada Example 50 0.99" in page
    assert "14 of 15 repeats got the same grade, 15 at most one star different." in page
    page = shown_by(client.get(f"/p/shop/quality/annotators/{shop.ada.public_id}"))
    assert "1 49 1.47" in page


def test_no_week_tells_the_mean_that_is_hidden_below_thirty_shared_answers(client_of, shop, judge):
    judge(shop.ada, dict.fromkeys(range(24), 3))
    judge(shop.bo, dict.fromkeys(range(24), 1))

    page = shown_by(client_of(shop.owner).get(f"/p/shop/quality/annotators/{shop.bo.public_id}"))

    assert "Shared answers 24" in page
    assert "Shown when at least two weeks each have 20 answers" in page
    assert "2.00" not in page


def test_effects_stand_beside_the_official_scores(client_of, shop, judge):
    client = client_of(shop.owner)
    judge(shop.ada, dict.fromkeys(range(0, 64, 8), 3))
    judge(shop.bo, dict.fromkeys(range(7, 64, 8), 3), active_ms=900)

    page = shown_by(client.get("/p/shop/quality/effects"))

    assert "8 ratings were unusually fast, by Bo Example (8)." in page
    assert "Real score Without them Points" in page
    assert "100.0" in page
    assert "8 of 8" in page
    # Both tables ask for as many questions before they compare.
    fast = page.partition("Real score")[2]
    needed = "Comparing the rankers needs 10 scored questions"
    assert needed in page.partition("Real score")[0]
    assert needed in fast
    assert not [words for words in ("Tau", "would lead", "stay as they are") if words in fast]


@pytest.mark.parametrize(
    ("active_ms", "said"),
    [
        (0, "It is not known how long these ratings took."),
        (8_000, "No rating with a known time was unusually fast."),
    ],
)
def test_speed_is_said_to_be_unknown_where_no_rating_has_a_time(client_of, shop, judge, active_ms, said):
    judge(shop.ada, {n: n % 4 for n in range(0, 64, 8)}, active_ms=active_ms)

    assert said in shown_by(client_of(shop.owner).get("/p/shop/quality/effects"))


def test_a_project_without_rankers_or_ratings_says_what_is_missing(client_of, making):
    with making() as make:
        project = make.project(slug="bare")
        owner = make.member(project, "owner")
        idle = make.member(project, "annotator", name="Idle Person")
    client = client_of(owner)

    assert "Idle Person 0 – – – – – 0 not yet" in shown_by(client.get("/p/bare/quality/annotators"))
    assert "This shows once a ranker is imported." in shown_by(client.get("/p/bare/quality/effects"))
    assert "Has not rated yet." in shown_by(client.get(f"/p/bare/quality/annotators/{idle.public_id}"))


def test_owners_alone_see_annotators_and_only_their_own(client_of, shop, making):
    with making() as make:
        stranger = make.member(make.project(), "annotator")
        viewer = make.member(shop.project, "viewer")
    for person in (shop.ada, viewer, stranger):
        client = client_of(person)
        for path in ("/annotators", "/effects", "/order", f"/annotators/{shop.ada.public_id}"):
            assert client.get(f"/p/shop/quality{path}").status_code == 404
    owner = client_of(shop.owner)
    assert owner.get(f"/p/shop/quality/annotators/{stranger.public_id}").status_code == 404
    assert 'href="/p/shop/quality"' in owner.get("/p/shop/settings").text


def test_p_is_explained_only_beside_a_table_that_has_one(client_of, shop, judge):
    judge(shop.ada, {0: 1})

    page = shown_by(client_of(shop.owner).get(f"/p/shop/quality/annotators/{shop.ada.public_id}"))

    assert "Shown when at least two weeks each have 20 answers" in page
    assert "P is adjusted" not in page


def test_order_says_what_is_missing_before_it_finds_anything(client_of, shop, judge):
    for number in range(8):
        judge(shop.ada, {number: number % 4}, place=8 - number, length=8, batch=1)

    page = shown_by(client_of(shop.owner).get("/p/shop/quality/order"))

    assert "Not enough ratings yet." in page
    assert "So far: 8 ratings on 1 page with two or more ratings." in page
    assert "Carry-over" not in page
    assert "needs 100 ratings" in page


@pytest.mark.thorough
def test_order_says_which_small_p_is_a_sign(stored, making, client_of):
    from sqlalchemy import select

    from app.models import Candidate

    shop = made_in(stored, make_workshop, queries=25, answers=8, slug="long", k=5)
    with making() as make:
        found = make.session.scalars(select(Candidate).order_by(Candidate.id)).all()
        for number, candidate in enumerate(found):
            place = number % 8
            # Later places get higher grades, and the middle ones do not stand out.
            make.judgment(candidate, shop.ada, place // 2, place=place + 1, length=8, batch=number // 8 + 1)

    page = shown_by(client_of(shop.owner).get("/p/long/quality/order"))

    assert "A trend from the first to the last place Yes 0.00" in page
    assert "as large: 0.05 or less is a sign." in page
    assert "Middle places differ from first and last No" in page
