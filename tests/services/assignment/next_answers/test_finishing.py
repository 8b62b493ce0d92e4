"""The price of finishing against pools that are really formed, and against hand-made numbers."""

import pytest

from app.jobs.settings import change_settings
from app.models import Project, now_utc
from app.services.assignment.cost import finishing_of
from app.services.assignment.eligibility import eligibility_for
from app.services.assignment.wanted import BatchRequest
from app.services.evidence.store import evidence_of
from app.services.projects.settings import SettingChanges
from tests.furniture.contest import make_contest, rate_next
from tests.furniture.factories import making_in


def finishing(database, shop):
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        return finishing_of(session, evidence_of(database, project.id), project)


def missing(database, shop, stranger):
    """Return what the assignment itself still wants of everybody together."""
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        free = eligibility_for(session, evidence, BatchRequest(project, stranger.id, now_utc()))
    open_ones = free.shown & evidence.pooled()
    left = (free.wanted - free.ratings).clip(0)[open_ones]
    return int(open_ones.sum()), int((free.ratings == 0)[open_ones].sum()), int(left.sum())


@pytest.mark.parametrize("share_twice", [0.0, 0.3])
@pytest.mark.thorough
def test_every_price_is_what_dealing_wants_once_it_is_in_force(database, share_twice):
    with making_in(database)() as make:
        shop = make_contest(make, queries=4, answers=12, k=2, pool_depth=4, share_twice=share_twice)
        make.document(shop.project, "empty", title="", text="")
    for person in (shop.ada, shop.bo, shop.ada):
        rate_next(database, shop, person, lambda card: card.place % 4)
    stranger = shop.owner
    # Every pair is a candidate already, so that the share rated twice is known of all.
    change_settings(database, shop.project.id, SettingChanges(pool_depth=12))

    prices = finishing(database, shop)

    for depth, overlap in ((4, 1), (2, 1), (9, 2), (12, 3), (3, 2)):
        change_settings(database, shop.project.id, SettingChanges(pool_depth=depth, overlap=overlap))
        price = prices.at(depth, overlap)
        assert (price.answers, price.unrated, price.ratings) == missing(database, shop, stranger), depth
        assert finishing(database, shop).at(depth, overlap) == price


def test_the_price_of_a_hand_made_pool(database):
    with making_in(database)() as make:
        shop = make_contest(make, rankers=1, queries=2, answers=6, k=1, pool_depth=2)

    prices = finishing(database, shop)

    assert prices.answers.tolist() == [2, 4, 6, 8, 10, 12]
    assert prices.at(3, 2).ratings == 12
    assert prices.at(99, 0) == prices.at(6, 1), "held within what is priced"


def test_new_answers_cost_the_share_that_may_be_expected_to_be_rated_twice(database):
    with making_in(database)() as make:
        shop = make_contest(make, rankers=1, queries=2, answers=6, k=1, pool_depth=1, share_twice=0.5)

    prices = finishing(database, shop)

    known = prices.at(1, 1).ratings
    assert known in {2, 3, 4}
    assert prices.at(6, 1).ratings == known + 10 * 1.5


def test_half_a_rating_is_rounded_once_for_the_words_and_the_table_alike(database):
    with making_in(database)() as make:
        shop = make_contest(make, rankers=1, queries=1, answers=6, k=1, pool_depth=1, share_twice=0.5)

    prices = finishing(database, shop)

    shown = [prices.at(depth, 1).ratings for depth in range(1, 7)]
    assert prices.ratings[:, 0].tolist() == shown
    assert all(isinstance(one, int) for one in prices.ratings[:, 0].tolist())
