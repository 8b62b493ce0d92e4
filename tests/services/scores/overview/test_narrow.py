"""Who keeps the questions few that all rankers are compared on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.scores.context import scoring_context
from app.services.scores.overview_parts import narrow_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small


def test_the_ranker_that_was_not_run_on_later_questions_is_named(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    old = small.run("Old", dict.fromkeys(small.queries, small.documents))
    with small.making() as make:
        small.queries += [make.query(small.project, f"later {number}") for number in range(3)]
    for ranker in small.rankers:
        small.run(ranker, dict.fromkeys(small.queries, small.documents))

    found = narrow_of(scoring_context(evidence_now()))

    assert found is not None
    assert (found.run.id, found.common, found.without) == (old.id, 2, 5)


def test_nobody_is_named_where_all_cover_the_same(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    small.run("Third", dict.fromkeys(small.queries, small.documents))

    assert narrow_of(scoring_context(evidence_now())) is None


def test_of_two_rankers_none_is_left_out(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    with small.making() as make:
        later = [make.query(small.project, f"later {number}") for number in range(3)]
    small.run(small.rankers[0], dict.fromkeys([*small.queries, *later], small.documents))

    assert narrow_of(scoring_context(evidence_now())) is None
