"""The verdict on any two versions: one rule for the overview, Compare and the gate."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from app.services.collection.rankers import set_production
from app.services.evidence.store import evidence_of
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.overview_parts import verdict_between

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.models import Run
    from app.services.scores.verdicts import PairVerdict
    from tests.furniture.rankers import TwoRankers


def plain(pair: PairVerdict) -> tuple[object, ...]:
    """Return everything that is said about a pair, without the rows it was worked out on."""
    return (
        pair.first,
        pair.second,
        pair.verdict,
        pair.queries.tolist(),
        pair.bounds,
        pair.safe_leader,
        pair.missing,
        pair.provisional,
        pair.complete,
    )


def mark(rankers: TwoRankers, run: Run) -> None:
    with rankers.database.write() as session:
        set_production(session, session.merge(rankers.project), session.merge(run))


def uneven(make_rankers: Callable[..., TwoRankers]) -> TwoRankers:
    rankers = make_rankers(40, behind_wins=13)
    rankers.add_run("Third")
    rankers.add_run("Behind", good_first=False)
    rankers.rate(rankers.ordered()[:11])
    rankers.rate(rankers.ordered()[11:20], (2, 1))
    return rankers


def test_with_a_version_in_production_it_says_what_the_overview_says(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = uneven(make_rankers)
    mark(rankers, rankers.runs[0])
    evidence = evidence_of(rankers.database, rankers.project.id)
    board = leaderboard_of(evidence)

    assert board.reference is not None
    for entry in board.rankers:
        if entry.gap is not None:
            found = verdict_between(evidence, entry.place, board.reference.place)
            assert plain(found.pair) == plain(entry.gap)
            assert found.together
            assert found.pair.verdict.family == 2


def test_without_one_it_says_what_the_overview_says_of_all_pairs(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = uneven(make_rankers)
    evidence = evidence_of(rankers.database, rankers.project.id)
    board = leaderboard_of(evidence)

    assert board.reference is not None
    assert board.main is not None
    for entry in board.rankers:
        if entry.gap is not None:
            found = verdict_between(evidence, entry.place, board.reference.place)
            assert plain(found.pair) == plain(entry.gap)
            assert found.pair.verdict.family == 3


def test_an_older_version_is_asked_about_alone_and_so_is_a_pair_without_the_reference(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = uneven(make_rankers)
    mark(rankers, rankers.runs[0])
    evidence = evidence_of(rankers.database, rankers.project.id)
    since = {entry.run.id: entry.since for entry in leaderboard_of(evidence).rankers}

    before = verdict_between(evidence, 3, 1)
    assert (before.together, before.pair.verdict.family) == (False, 1)
    known = since[rankers.runs[3].id]
    assert known is not None
    assert plain(before.pair) == plain(known)
    others = verdict_between(evidence, 2, 3)
    assert (others.together, others.pair.verdict.family) == (False, 1)


def test_whoever_asks_the_numbers_are_the_same_to_the_last_bit(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = uneven(make_rankers)
    for marked in (False, True):
        if marked:
            mark(rankers, rankers.runs[1])
        evidence = evidence_of(rankers.database, rankers.project.id)
        for first, second in permutations(range(4), 2):
            forward = verdict_between(evidence, first, second).pair
            assert (forward.first.id, forward.second.id) == (rankers.runs[first].id, rankers.runs[second].id)
            backward = verdict_between(evidence, second, first).pair
            assert plain(backward.turned()) == plain(forward)
