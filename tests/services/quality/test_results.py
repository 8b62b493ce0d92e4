"""What the checks show: gold against the known grade, repeats against what was said before."""

import pytest
from sqlalchemy import select

from app.models import Candidate, Origin, Reason
from app.services.assignment.checks import declare_gold
from app.services.evidence.store import evidence_of
from app.services.quality.check_results import CheckResult, check_results
from tests.furniture.databases import made_in
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop


@pytest.fixture
def shop(database):
    return made_in(database, make_workshop, queries=1, answers=6)


def results(database, shop):
    with database.read() as session:
        return check_results(session, evidence_of(database, shop.project.id))


def test_gold_and_repeats_are_compared_with_what_is_known(database, shop):
    with making_in(database)() as make:
        session = make.session
        found = session.scalars(select(Candidate).order_by(Candidate.id)).all()
        for candidate, grade in zip(found[:3], (3, 0, 3), strict=True):
            declare_gold(session, shop.project, candidate.public_id, grade, actor_id=shop.owner.id)
        for candidate, grade in zip(found[:3], (3, 1, 0), strict=True):
            make.judgment(candidate, shop.ada, grade, role=Origin.GOLD)
        make.judgment(found[2], shop.ada, 3, role=Origin.GOLD)
        for candidate, first, again in zip(found[3:], (1, 1, 0), (1, 2, 3), strict=True):
            make.judgment(candidate, shop.bo, first)
            make.judgment(candidate, shop.bo, again, role=Origin.REPEAT)
        make.judgment(found[3], shop.bo, None, reason=Reason.OTHER)
        make.judgment(found[4], shop.bo, 2)

    assert results(database, shop) == [
        CheckResult(name="Ada Example", gold=3, right=2, repeats=0, same=0, near=0),
        CheckResult(name="Bo Example", gold=0, right=0, repeats=3, same=1, near=2),
    ]


def test_somebody_is_looked_into_only_where_chance_is_no_excuse():
    def result(right, gold):
        return CheckResult(name="", gold=gold, right=right, repeats=15, same=1, near=1)

    assert [result(right, 10).is_doubtful for right in (2, 3, 4, 5, 10)] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert not result(0, 9).is_doubtful
    assert result(0, 9).has_enough_repeats and not result(0, 9).has_enough_gold
