"""A project of several rankers, and people who rate in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from app.jobs.assignment import find_next_batch
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from tests.furniture.rating import Workshop, make_workshop, rating

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.database import Database
    from app.models import Person
    from app.services.judging.pages import RatedAnswer
    from tests.furniture.factories import Make


def make_contest(make: Make, *, rankers: int = 3, **values: Any) -> Workshop:
    """Return a workshop whose answers are found by several rankers, each in an order of its own."""
    shop = make_workshop(make, **{"k": 5, "pool_depth": 10, **values})
    for number in range(1, rankers):
        chance = np.random.default_rng(number)
        lists = {
            query: [
                shop.documents[query.id][place] for place in chance.permutation(len(shop.documents[query.id]))
            ]
            for query in shop.queries
        }
        make.run(make.ranker(shop.project, f"Rival {number}"), lists)
    return shop


def rate_next(
    database: Database, shop: Workshop, person: Person, grade_of: Callable[[RatedAnswer], int]
) -> int | None:
    """Let somebody rate all of their next batch, as pages do it, and return its number."""
    batch = find_next_batch(database, shop.project.id, person.id)
    if batch is None:
        return None
    with database.write() as session:
        for card in batch_page(session, shop.project.id, person.id, batch).answers:
            if card.is_settled:
                continue
            given = rating(grade_of(card), batch=batch, place=card.place, base=card.last_id)
            record_judgment(session, shop.annotator(person), card.public_id, given)
    return batch
