"""Machines are a kind of their own: kept apart, compared with people, and counted only where the ruler says so."""

from dataclasses import replace

import numpy as np
import pytest

from app.models import Event, EventKind, Origin, PersonKind, Project
from app.scoring.agreement import Ratings, agreement_of
from app.services.evidence.store import evidence_of
from app.services.projects.settings import change_ruler
from app.services.quality.annotator_grades import annotators_of
from app.services.quality.annotators import compare_sources, scores_with_and_without_machines
from app.services.scoring_settings import ScoringSettings
from tests.furniture.evidence import forget_evidence
from tests.furniture.factories import Make


@pytest.fixture
def machine(panel):
    with panel.database.write() as session:
        return Make(session).member(panel.project, "annotator", name="A model", kind=PersonKind.MACHINE)


def compared(panel, rated):
    with panel.database.read() as session:
        return compare_sources(rated, annotators_of(session, rated.evidence))


def let_machines_count(panel, wanted):
    with panel.database.write() as session:
        project = session.get_one(Project, panel.project.id)
        return change_ruler(session, project, {"machines": wanted}).fingerprint


def scores(rated):
    return {one.run.ranker: (one.score, one.without) for one, _ in scores_with_and_without_machines(rated)}


def disagree(panel, machine):
    """Ada finds the first answer of each question good, the machine the last."""
    for query in range(12):
        for answer in range(4):
            panel.say(panel.ada, query, answer, 3 * (answer == 0))
            panel.say(machine, query, answer, 3 * (answer == 3), role=Origin.MACHINE)


def test_a_machine_moves_nothing_until_the_ruler_counts_it(panel, machine):
    disagree(panel, machine)
    rated = panel.rated()

    assert machine.id not in rated.profiles
    assert int(rated.evidence.counts().sum()) == 48
    assert rated.agreements.overall.items == 0
    # With it each good answer has the grades 0 and 3, in either list.
    assert scores(rated) == {
        "Up": (1.0, pytest.approx(0.6131, abs=1e-4)),
        "Down": (0.0, pytest.approx(0.6131, abs=1e-4)),
    }


def test_counting_it_is_an_event_under_a_fingerprint_of_its_own_and_can_be_taken_back(panel, machine):
    disagree(panel, machine)
    plain = panel.rated().evidence.ruler_at().fingerprint

    counting = let_machines_count(panel, True)
    rated = panel.rated()
    assert counting != plain
    assert scores(rated) == {
        "Up": (pytest.approx(0.6131, abs=1e-4), 1.0),
        "Down": (pytest.approx(0.6131, abs=1e-4), 0.0),
    }
    assert let_machines_count(panel, False) == plain
    assert scores(panel.rated())["Up"][0] == 1.0
    with panel.database.read() as session:
        kinds = [event.kind for event in session.query(Event).filter_by(project_id=panel.project.id)]
    assert kinds.count(EventKind.RULER_SET.value) == 3


def test_the_ten_values_keep_the_fingerprint_they_had():
    """Worked out before rulers knew of machines: points of older exports stay joined with those of today."""
    plain = ScoringSettings(scale_low=0, scale_high=3, threshold=1)
    other = ScoringSettings(scale_low=1, scale_high=5, threshold=3, gain="exponential", k=8, only_blind=True)

    assert plain.fingerprint == "72d9286da6ba65ec8684aa1c2027eb6c5dd0d617d3632584499b48720de72b63"
    assert other.fingerprint == "a0b6d6e43e346f369200722700ca7cc0a42384e3bd2b73a76713f830a748f3b8"
    assert replace(plain, machines=True).fingerprint != plain.fingerprint


@pytest.mark.parametrize("counting", [False, True])
def test_what_arrives_later_counts_as_if_it_had_been_read_at_once(panel, machine, counting):
    let_machines_count(panel, counting)
    disagree(panel, machine)
    panel.rated().evidence.judged()
    panel.say(machine, 0, 0, 2, role=Origin.MACHINE)
    panel.say(machine, 0, 1, None, reason=1, role=Origin.MACHINE)
    panel.say(panel.ada, 0, 2, 1)

    grown = panel.rated().evidence
    counts = grown.counts(machines=counting)
    assert int(counts.sum()) == (95 if counting else 48)
    forget_evidence(panel.database, panel.project.id)
    anew = evidence_of(panel.database, panel.project.id)
    assert counts.tolist() == anew.counts(machines=counting).tolist()


def test_the_past_is_told_under_the_ruler_of_its_time(panel, machine):
    disagree(panel, machine)
    panel.write()
    before = panel.rated().evidence.revision
    let_machines_count(panel, True)
    evidence = panel.rated().evidence

    assert evidence.judged(before).gain.tolist() != evidence.judged().gain.tolist()
    assert not evidence.ruler_at(before).machines
    assert evidence.ruler_at().machines


def test_a_source_is_compared_with_the_people_and_hidden_below_thirty(panel, machine):
    grade = {number: (number * 7) % 4 for number in range(48)}
    said = {number: min(3, grade[number] + (number % 5 == 0)) for number in range(48)}
    for number in range(48):
        panel.say(panel.ada, *divmod(number, 4), grade[number])
        if number < 29:
            panel.say(machine, *divmod(number, 4), said[number], role=Origin.MACHINE)
    (few,) = compared(panel, panel.rated())
    assert (few.graded, few.shared, few.confusion, few.agreement.alpha, few.equal) == (
        29,
        29,
        None,
        None,
        None,
    )

    for number in range(29, 48):
        panel.say(machine, *divmod(number, 4), said[number], role=Origin.MACHINE)
    (found,) = compared(panel, panel.rated())

    pairs = [(grade[number], said[number]) for number in range(48)]
    assert [list(row) for row in found.confusion] == [
        [pairs.count((people, source)) for source in range(4)] for people in range(4)
    ]
    assert found.equal == sum(a == b for a, b in pairs) / 48
    people, source = np.array(pairs).T
    by_hand = Ratings(np.tile(np.arange(48), 2), np.repeat([0, 1], 48), np.concatenate([people, source]), 4)
    assert found.agreement.alpha == pytest.approx(agreement_of(by_hand, seed=1).alpha)
    assert (found.agreement.stage, found.kappa) == ("early", None)


def test_people_are_the_middle_grade_and_kappa_needs_fifty(panel, machine):
    with panel.database.write() as session:
        file = Make(session).member(panel.project, "annotator", name="A file", kind=PersonKind.IMPORTED)
    for number in range(48):
        query, answer = divmod(number, 4)
        panel.say(panel.ada, query, answer, number % 3)
        panel.say(panel.bo, query, answer, number % 3 + 1)
        panel.say(file, query, answer, 3)
        panel.say(machine, query, answer, number % 3 + 1, role=Origin.MACHINE)

    by_name = {one.who.name: one for one in compared(panel, panel.rated())}

    # Of three grades the middle one: Bo's.
    assert (by_name["A model"].equal, by_name["A model"].kappa) == (1.0, None)
    # Of two the lower one, Ada's. Of the file's own grades nothing enters what it is compared with.
    assert [row[3] for row in by_name["A file"].confusion] == [16, 16, 16, 0]


def test_a_machine_is_held_against_imported_grades_as_well_and_a_file_against_people_here_alone(
    panel, machine
):
    with panel.database.write() as session:
        file = Make(session).member(panel.project, "annotator", name="A file", kind=PersonKind.IMPORTED)
    for number in range(48):
        query, answer = divmod(number, 4)
        panel.say(file, query, answer, number % 3)
        panel.say(machine, query, answer, number % 3, role=Origin.MACHINE)
    alone = {one.who.name: one for one in compared(panel, panel.rated())}
    for number in range(40):
        panel.say(panel.ada, *divmod(number, 4), number % 3 + 1)

    both = {one.who.name: one for one in compared(panel, panel.rated())}

    assert (alone["A model"].shared, alone["A model"].files, alone["A model"].equal) == (48, 1, 1.0)
    assert (alone["A file"].shared, alone["A file"].files) == (0, 0)
    # The lower of the two middle grades is the file's.
    assert (both["A model"].shared, both["A model"].equal) == (48, 1.0)
    assert (both["A file"].shared, both["A file"].files, both["A file"].equal) == (40, 0, 0.0)
