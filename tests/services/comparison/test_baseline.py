"""A declared baseline: tested by Holm from the first look on, and never chosen after one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.models import EventKind, Project, Run
from app.scoring.seeds import seed_of
from app.scoring.significance import compare_with_baseline
from app.services.baseline import find_baseline, set_baseline
from app.services.errors import InvalidError
from app.services.overview import standing_of
from app.services.runs import withdraw_run

if TYPE_CHECKING:
    from tests.furniture.race import Race


def declare(race: Race, run: int | None) -> None:
    ranker = None if run is None else race.runs[run].ranker_id
    with race.database.write() as session:
        set_baseline(session, session.get_one(Project, race.project.id), ranker)


def words(race: Race) -> dict[str, tuple[str | None, str]]:
    found = standing_of(race.basis.evidence)
    return {one.run.ranker: (one.word, one.sentence) for one in found.rankers}


def test_a_look_tests_the_others_against_the_baseline_by_holm(race: Race) -> None:
    race.add_run("Third", good_first=False)
    declare(race, 1)
    race.rate(race.ordered()[:20])
    race.look()

    (event,) = race.events(EventKind.LOOK)
    said = event.payload
    assert said["baseline"] == race.runs[1].id
    basis = race.basis
    walked = race.plan.walked
    scores = basis.values[[basis.rows[number] for number in said["run_ids"]]][:, walked]
    seed = seed_of(basis.board.ruler.fingerprint, *said["run_ids"], len(walked))
    tests = compare_with_baseline(scores, 1, seed=seed)
    assert [pair["p"] for pair in said["pairs"]] == tests.adjusted.tolist()
    assert race.verdict(0, 1).verdict.word == "sure"
    assert race.verdict(1, 0).verdict.ahead == -1
    # The pair without the baseline was not tested, and nothing is claimed of it.
    assert race.verdict(0, 2).verdict.word != "sure"
    assert race.verdict(0, 2).looks == ()


def test_the_overview_holds_everybody_against_the_baseline(race: Race) -> None:
    race.add_run("Third", good_first=False)
    declare(race, 1)
    race.rate(race.ordered()[:20])
    race.look()

    found = standing_of(race.basis.evidence)
    assert found.sentence == (
        "Against Behind, the baseline: Ahead is surely ahead; about Third it could still be luck."
    )
    assert words(race) == {
        "Ahead": ("Sure: ahead", "37 points above Behind."),
        "Behind": (None, "The baseline: the others are held against it."),
        "Third": ("Not sure yet", "Level with Behind; could be luck."),
    }


def test_after_a_look_another_baseline_changes_words_but_no_test(race: Race) -> None:
    race.rate(race.ordered()[:10])
    race.look()
    declare(race, 1)
    race.rate(race.ordered()[10:20])
    race.look()

    looks = [event.payload for event in race.events(EventKind.LOOK)]
    assert [(look["number"], look["baseline"]) for look in looks] == [(1, None), (2, None)]
    assert len(race.events(EventKind.PLAN)) == 1
    assert words(race)["Ahead"] == ("Sure: ahead", "37 points above Behind.")


def test_before_the_first_look_a_baseline_opens_a_plan_of_its_own(race: Race) -> None:
    race.look()
    declare(race, 1)
    race.look()
    declare(race, None)
    race.rate(race.ordered()[:10])
    race.look()

    assert [event.payload["baseline"] for event in race.events(EventKind.PLAN)] == [None, race.runs[1].id]
    assert [event.payload["baseline"] for event in race.events(EventKind.LOOK)] == [None]


def test_a_withdrawn_baseline_leaves_the_words_against_the_best(race: Race) -> None:
    race.add_run("Third")
    declare(race, 2)
    race.rate(race.queries)
    with race.database.write() as session:
        withdraw_run(session, session.get_one(Run, race.runs[2].id))

    assert words(race)["Ahead"][0] == "Leaning: ahead"


def test_the_same_baseline_twice_is_one_event_and_a_stranger_is_refused(race: Race) -> None:
    declare(race, 1)
    declare(race, 1)

    assert len(race.events(EventKind.BASELINE_SET)) == 1
    with race.database.write() as session:
        assert find_baseline(session, race.project.id) == race.runs[1].ranker_id
        with pytest.raises(InvalidError, match="no ranker of this project"):
            set_baseline(session, session.get_one(Project, race.project.id), 10_000)
