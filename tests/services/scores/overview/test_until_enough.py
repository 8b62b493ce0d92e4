"""Whoever does what an overview advises comes to a comparison, and adds and imports no more than it takes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from app.models import EventKind, Run
from app.services.evidence.store import evidence_of
from app.services.ledger import record_event
from app.services.scores.leaderboard import leaderboard_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.scores.leaderboard import Leaderboard
    from tests.furniture.rankers import TwoRankers

STEPS = re.compile(
    r"Add at least (?P<add>\d+) question"
    r"|Rate answers for (?P<rate>\d+) more question"
    r"|Import (?P<older>\w+ v\d+), then (?P<newer>v\d+) again as new versions"
    r"|Import a new version of (?P<each>each ranker)"
    r"|Import (?P<one>it again as a new version|a new version of it)"
    r"|(?P<more>\w+ v\d+) has more results: mark it as in production"
    r"|Mark (?P<other>\w+ v\d+) as in production to compare"
    r"|Then mark the new version of (?P<marked>\w+ v\d+) as in production"
)


@dataclass
class Owner:
    """An owner who does what the overview says: all of it, or one step before reading again."""

    rankers: TwoRankers
    runs: dict[str, Run]
    good_first: dict[str, bool]
    patient: bool
    newest: dict[str, str] = field(default_factory=dict)
    imported: int = 0

    def board(self) -> Leaderboard:
        return leaderboard_of(evidence_of(self.rankers.database, self.rankers.project.id))

    def version(self, ranker: str, *, good_first: bool) -> str:
        """Import a version with results for all questions."""
        run = self.rankers.add_run(ranker, good_first=good_first)
        name = f"{ranker} {run.version}"
        self.runs[name], self.good_first[name] = run, good_first
        return name

    def again(self, name: str) -> None:
        self.imported += 1
        self.newest[name] = self.version(name.split(maxsplit=1)[0], good_first=self.good_first[name])

    def rate(self) -> None:
        known = {number for number, _ in self._pool()}
        self.rankers.rate([query for query in self.rankers.queries if query.id in known])

    def _pool(self) -> list[tuple[int, int]]:
        structure = evidence_of(self.rankers.database, self.rankers.project.id).structure
        return [(int(structure.query_id[place]), int(place)) for place in structure.query]

    def follow(self) -> list[str]:
        """Return what the overview says until the two can be compared."""
        told: list[str] = []
        while self.board().early:
            line = " ".join(map(str, self.board().answer.lines))
            told.append(line)
            assert len(told) < 8, told
            steps = list(STEPS.finditer(line))
            assert steps, line
            for step in steps if self.patient else steps[:1]:
                self.do(step, line)
            self.rate()
        return told

    def do(self, step: re.Match[str], line: str) -> None:
        found = step.groupdict()
        if found["add"]:
            self.rankers.add_queries(int(found["add"]), prefix=f"more{len(self.rankers.queries)}")
        if found["older"]:
            self.again(found["older"])
            if self.patient:
                self.again(f"{found['older'].split()[0]} {found['newer']}")
        if found["each"]:
            pair = self.board().main
            assert pair is not None
            for run in (pair.first, pair.second):
                self.again(f"{run.ranker} {run.version}")
        if found["one"]:
            lacking = re.search(r"(\w+ v\d+) has no results", line)
            assert lacking, line
            self.again(lacking[1])
        if found["more"] or found["other"]:
            self.rankers.put_in_production(self.runs[found["more"] or found["other"]])
        if found["marked"]:
            self.rankers.put_in_production(self.runs[self.newest[found["marked"]]])


def line_of(rankers: TwoRankers) -> str:
    """Return the last line of the overview's answer."""
    return str(leaderboard_of(evidence_of(rankers.database, rankers.project.id)).answer.lines[-1])


@pytest.fixture(params=[True, False], ids=["all steps", "one step at a time"])
def owner_of(request: pytest.FixtureRequest, make_rankers: Callable[..., TwoRankers]) -> Callable[..., Owner]:
    """Return what makes an owner of six rated questions, with one ranker in two versions, or two rankers."""

    def make(*, others: bool = False) -> Owner:
        rankers = make_rankers(6)
        ahead, behind = rankers.runs
        owner = Owner(
            rankers,
            {"Ahead v1": ahead, "Behind v1": behind},
            {"Ahead v1": True, "Behind v1": False},
            patient=request.param,
        )
        rankers.rate(rankers.queries)
        if not others:
            with rankers.database.write() as session:
                session.get_one(Run, behind.id).state = "withdrawn"
                record_event(session, rankers.project.id, EventKind.RUN_WITHDRAWN, {"run_id": behind.id})
        return owner

    return make


def test_two_versions_of_one_ranker_with_the_older_in_production(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of()
    owner.rankers.put_in_production(owner.runs["Ahead v1"])
    owner.version("Ahead", good_first=False)
    owner.rankers.add_queries(2)

    told = owner.follow()

    assert told[0] == (
        "2 questions lack results of Ahead v2 and of Ahead v1. Add at least 2 questions. "
        "Import Ahead v1, then v2 again as new versions, with results for all questions. "
        "Then mark the new version of Ahead v1 as in production."
    )
    assert (len(owner.rankers.queries), owner.imported) == (10, 2)


def test_both_imported_again_without_the_mark_the_new_version_is_to_be_marked(
    owner_of: Callable[..., Owner],
) -> None:
    owner = owner_of()
    owner.rankers.put_in_production(owner.runs["Ahead v1"])
    owner.version("Ahead", good_first=False)
    owner.rankers.add_queries(4)
    owner.again("Ahead v1")
    owner.again("Ahead v2")

    board = owner.board()

    assert board.answer.lines == [
        "Ahead v1 has no results for 4 questions. Ahead v3 has more results: mark it as in production."
    ]
    assert board.answer.action == "rankers"
    assert len(owner.follow()) == 1


def test_a_version_that_returns_others_is_named_too(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of()
    owner.rankers.put_in_production(owner.runs["Ahead v1"])
    owner.rankers.add_queries(4)
    owner.version("Ahead", good_first=False)
    owner.version("Ahead", good_first=False)
    owner.rate()

    told = owner.follow()

    assert told == [
        "Ahead v1 has no results for 4 questions. Mark Ahead v2 as in production to compare on these too."
    ]


def test_two_versions_of_one_ranker_without_a_mark(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of()
    owner.version("Ahead", good_first=False)
    owner.rankers.add_queries(4)

    told = owner.follow()

    assert told[0] == (
        "4 questions lack results of Ahead v2 and of Ahead v1. "
        "Import Ahead v1, then v2 again as new versions, with results for all questions."
    )
    assert (len(owner.rankers.queries), owner.imported) == (10, 2)


@pytest.mark.parametrize("marked", [True, False])
def test_a_version_that_has_all_results_is_not_asked_for_again(
    owner_of: Callable[..., Owner], *, marked: bool
) -> None:
    owner = owner_of()
    if marked:
        owner.rankers.put_in_production(owner.runs["Ahead v1"])
    owner.rankers.add_queries(4)
    owner.version("Ahead", good_first=False)
    owner.rate()

    told = owner.follow()

    assert told[0].startswith(
        "Ahead v1 has no results for 4 questions. "
        "Import it again as a new version, with results for all questions."
    )
    assert (len(owner.rankers.queries), owner.imported) == (10, 1)


def test_beside_another_ranker_the_newer_version_stays_its_newest(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of(others=True)
    owner.rankers.put_in_production(owner.runs["Behind v1"])
    owner.version("Behind", good_first=True)
    owner.rankers.add_queries(2)
    owner.rankers.add_queries(2, prefix="later")
    owner.rate()

    owner.follow()

    assert len(owner.rankers.queries) == 10


@pytest.mark.parametrize("marked", ["", "Ahead v1", "Behind v1"])
@pytest.mark.parametrize("late", [0, 2, 4])
def test_two_rankers(owner_of: Callable[..., Owner], marked: str, late: int) -> None:
    owner = owner_of(others=True)
    if marked:
        owner.rankers.put_in_production(owner.runs[marked])
    owner.rankers.add_queries(late)

    told = owner.follow()

    assert told[0].endswith(
        "Import a new version of each ranker, with results for all questions."
        + (f" Then mark the new version of {marked} as in production." if marked else "")
    )
    assert len(owner.rankers.queries) == 10
    assert owner.imported == 2


def test_where_more_questions_help_the_new_version_is_to_be_marked_too(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(24, behind_wins=8)
    rankers.put_in_production(rankers.runs[1])
    rankers.rate(rankers.queries)
    steps = (
        "Add at least {} questions. Import a new version of each ranker, with results for all questions. "
        "Then mark the new version of Behind v1 as in production."
    )
    needed = rankers.verdict().verdict.to_add
    assert needed is not None
    assert line_of(rankers) == steps.format(needed)

    rankers.add_queries(8)
    lack = "8 questions lack results of Ahead v1 and of Behind v1."
    assert line_of(rankers) == f"{lack} {steps.format(needed - 8)}"


@pytest.mark.parametrize("marked", ["", "Ahead v1", "Behind v1"])
def test_only_the_ranker_that_lacks_results_is_imported_again(
    owner_of: Callable[..., Owner], marked: str
) -> None:
    owner = owner_of(others=True)
    if marked:
        owner.rankers.put_in_production(owner.runs[marked])
    owner.rankers.add_queries(4)
    owner.version("Ahead", good_first=True)
    owner.rate()

    owner.follow()

    assert len(owner.rankers.queries) == 10
    assert owner.imported == 1
