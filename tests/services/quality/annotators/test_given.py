"""What stands today of what annotators said, how long it took, and what each did in all."""

from datetime import timedelta

import numpy as np
import pytest

from app.models import EventKind, Input, Origin, Project, Reason
from app.services.collection.duplicates import merge_documents, undo_merge
from app.services.evidence import columns
from app.services.ledger import record_event
from tests.furniture.evidence import forget_evidence
from tests.services.quality.annotators.conftest import MONDAY, at


def rows(rated, person):
    mine = rated.given.annotator == person.id
    return list(
        zip(rated.given.candidate_index[mine].tolist(), rated.given.column[mine].tolist(), strict=True)
    )


def test_the_latest_word_stands_in_the_order_of_the_first(panel):
    panel.say(panel.ada, 0, 1, 2, active_ms=4_000)
    panel.say(panel.ada, 0, 0, 1, active_ms=3_000)
    panel.say(panel.ada, 0, 1, 3, active_ms=500)
    panel.say(panel.ada, 0, 2, None, reason=Reason.LANGUAGE)
    panel.say(panel.ada, 0, 3, 2)
    panel.say(panel.ada, 0, 3, None, reason=Reason.CLEARED)
    for role in (Origin.REPEAT, Origin.GOLD, Origin.ADJUDICATION, Origin.MACHINE):
        panel.say(panel.ada, 1, 0, 0, role=role)

    rated = panel.rated()

    assert rows(rated, panel.ada) == [(1, 3), (0, 1), (2, -1)]
    assert rated.given.ms.tolist() == [4_500, 3_000, 0]


def test_very_many_rows_are_read_as_few_are(panel, monkeypatch):
    panel.say(panel.ada, 0, 1, 2, active_ms=4_000, place=3, batch=7, blind=False)
    panel.say(panel.bo, 0, 0, None, reason=Reason.LANGUAGE)
    panel.say(panel.ada, 0, 2, None, reason=Reason.CLEARED)
    panel.say(panel.cy, 1, 0, 0, role=Origin.MACHINE, **at(1, 5))
    few = panel.rated().evidence.ledger
    forget_evidence(panel.database, panel.project.id)
    for name, value in (("FEW", 0), ("CHUNK", 2)):
        monkeypatch.setattr(columns, name, value)

    many = panel.rated()

    for name in few.__annotations__:
        assert getattr(many.evidence.ledger, name).tolist() == getattr(few, name).tolist()
        assert getattr(many.evidence.ledger, name).dtype == getattr(few, name).dtype
    assert (many.sheet.place[0], many.sheet.batch[0], many.sheet.active_ms[0]) == (3, 7, 4_000)
    assert many.sheet.second[3] == int(at(1, 5)["received_at"].timestamp())


def test_a_file_says_when_its_ratings_were_given(panel):
    rated_at = MONDAY - timedelta(weeks=9)
    panel.say(panel.ada, 0, 1, 2, input=Input.FILE, judged_at=rated_at, **at(1))
    panel.say(panel.bo, 0, 1, 2, judged_at=rated_at, **at(1))

    profiles = panel.rated().profiles

    assert profiles[panel.ada.id].last_second == int(rated_at.timestamp())
    assert profiles[panel.bo.id].last_second == int(at(1)["received_at"].timestamp())


def test_what_was_said_before_an_edit_is_void(panel):
    panel.say(panel.ada, 0, 0, 2, active_ms=9_000)
    panel.say(panel.ada, 0, 1, 2)
    panel.write()
    with panel.database.write() as session:
        edited = {"document_ids": [panel.answers[0][0].document_id]}
        record_event(session, panel.project.id, EventKind.DOCUMENTS_EDITED, edited)
    assert rows(panel.rated(), panel.ada) == [(1, 2)]

    panel.say(panel.ada, 0, 0, 1, active_ms=2_000)
    rated = panel.rated()
    assert rows(rated, panel.ada) == [(1, 2), (0, 1)]
    assert rated.given.ms.tolist() == [0, 2_000]


def test_one_step_for_all_answers_that_are_left_is_no_haste(panel):
    panel.say(panel.ada, 0, 0, 0, active_ms=1_000)
    panel.say(panel.ada, 0, 1, 0, active_ms=1_200)
    panel.say(panel.ada, 0, 2, 0, active_ms=1_200)
    panel.write()
    with panel.database.write() as session:
        record_event(session, panel.project.id, EventKind.NO_GOOD_ANSWER, {"query_id": 1, "count": 2})
    panel.say(panel.ada, 1, 0, 3, active_ms=1_100)

    rated = panel.rated()

    assert rated.given.ms.tolist() == [1_000, 0, 0, 1_100]
    assert rated.hasty.tolist() == [True, False, False, True]
    assert rated.profiles[panel.ada.id].hasty == 2


def test_a_profile_counts_by_hand(panel):
    for query in range(12):
        panel.say(panel.ada, query, 0, query % 2 * 3, active_ms=10_000 + query * 1_000)
    panel.say(panel.ada, 0, 1, None, reason=Reason.UNCLEAR, active_ms=5_000)
    panel.say(panel.bo, 0, 0, 1, blind=False)
    panel.say(panel.bo, 1, 0, 2)

    profiles = panel.rated().profiles
    ada, bo = profiles[panel.ada.id], profiles[panel.bo.id]

    assert (ada.rated, ada.outside, ada.declined, ada.grades) == (12, 0, 1, (6, 0, 0, 6))
    assert ada.declined_share == 1 / 13
    assert (ada.timed, ada.pace_ms, ada.total_ms) == (13, 15_000, 191_000)
    assert (ada.shared, ada.apart, ada.mean) == (2, 0.0, 1.5)
    assert (bo.shared, bo.apart, bo.pace_ms, bo.could_see_rankers) == (2, 0.0, None, 1)
    assert panel.cy.id not in profiles


def test_what_is_read_later_joins_what_was_read_before(panel):
    panel.say(panel.ada, 0, 0, 2, place=3, length=4, batch=9)
    first = panel.rated()
    panel.say(panel.bo, 0, 0, 2, place=1, length=2, batch=10)

    grown = panel.rated()

    assert len(first.sheet) == 1
    assert (grown.sheet.place.tolist(), grown.sheet.batch.tolist()) == ([3, 1], [9, 10])
    forget_evidence(panel.database, panel.project.id)
    anew = panel.rated()
    for name in ("place", "batch", "active_ms", "second"):
        assert getattr(anew.sheet, name).tolist() == getattr(grown.sheet, name).tolist()


def folded(rated):
    """Return how often each grade was given to each answer, counted from what is given."""
    counts = np.zeros((rated.evidence.structure.candidate_count, rated.levels), dtype=int)
    graded = rated.given.only(rated.given.graded)
    np.add.at(counts, (graded.candidate_index, graded.column), 1)
    return counts.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_the_scores_count_through_edits_and_merges(panel, seed):
    """Leaving ratings out subtracts them from what the engine counts: both must hold the same."""
    chance = np.random.default_rng(seed)

    def judge_some(number):
        for _ in range(number):
            query, answer = int(chance.integers(3)), int(chance.integers(4))
            person = (panel.ada, panel.bo, panel.cy)[chance.integers(3)]
            grade = int(chance.integers(-2, 4))
            role = Origin(int(chance.choice([1, 1, 1, 2, 4, 5, 6])))
            reason = None if grade >= 0 else (Reason.CLEARED, Reason.OTHER)[grade]
            panel.say(person, query, answer, grade if grade >= 0 else None, reason=reason, role=role)
        panel.write()

    documents = [candidate.document_id for candidate in panel.answers[0]]
    judge_some(40)
    with panel.database.write() as session:
        record_event(session, panel.project.id, EventKind.DOCUMENTS_EDITED, {"document_ids": documents[1:2]})
    judge_some(15)
    with panel.database.write() as session:
        project = session.get_one(Project, panel.project.id)
        merged = merge_documents(session, project, documents[:2])
    judge_some(15)
    rated = panel.rated()
    assert folded(rated) == rated.evidence.counts().tolist()
    # A list that holds a merged answer twice names a candidate_index beyond all candidates.
    assert [run.ranker for run, _ in rated.order.proofs] == ["Up", "Down"]

    with panel.database.write() as session:
        undo_merge(session, session.get_one(Project, panel.project.id), merged.revision)
    rated = panel.rated()
    assert folded(rated) == rated.evidence.counts().tolist()
