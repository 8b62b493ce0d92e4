"""A project's ledger as arrays: complete, in step, and the same whether read anew or caught up."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.models import EventKind, Input, Origin, Reason
from app.services.errors import NotFoundError
from app.services.evidence.columns import Ledger
from app.services.evidence.grades import Void, extended_changes, grade_changes
from app.services.evidence.state import consensus_at
from app.services.evidence.store import evidence_of
from app.services.scores.scoreboard import score_runs
from tests.furniture.evidence import forget_evidence
from tests.furniture.properties import tried

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.database import Database
    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small

pytestmark = pytest.mark.everyday


def grades_of(evidence: Evidence) -> dict[tuple[str, int], list[int]]:
    """The counted grades of each candidate, as lists of how many gave each grade."""
    counts = evidence.counts()
    return {
        (evidence.structure.query_name[query], int(document)): row.tolist()
        for query, document, row in zip(
            evidence.structure.query, evidence.structure.document, counts, strict=True
        )
        if row.any()
    }


@pytest.mark.thorough
def test_a_grade_counts_once_and_the_latest_one_stands(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 1)
    small.rate(0, 0, 3)

    assert grades_of(evidence_now()) == {("qa", small.documents[0].id): [0, 0, 0, 1]}


@pytest.mark.thorough
def test_clearing_withdraws_and_does_not_revive_the_grade_before(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 1)
    small.rate(0, 0, 3)
    small.rate(0, 0, None, reason=Reason.CLEARED)

    assert grades_of(evidence_now()) == {}


def test_repeats_and_gold_never_count(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    small.rate(0, 0, 2)
    small.rate(0, 0, 0, role=Origin.REPEAT)
    small.rate(0, 1, 3, role=Origin.GOLD)

    assert grades_of(evidence_now()) == {("qa", small.documents[0].id): [0, 0, 1, 0]}


@pytest.mark.thorough
def test_ratings_by_people_who_saw_rankers_can_be_left_out(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 2, blind=False)
    small.rate(0, 1, 1)
    evidence = evidence_now()

    assert int(evidence.counts().sum()) == 2
    assert int(evidence.counts(only_blind=True).sum()) == 1


@pytest.mark.thorough
def test_an_edited_document_loses_its_older_grades_only(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 3)
    small.rate(0, 1, 2)
    edited = small.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [small.documents[0].id]})
    evidence = evidence_now()

    assert grades_of(evidence) == {("qa", small.documents[1].id): [0, 0, 1, 0]}
    assert int(evidence.counts(edited.revision - 1).sum()) == 2


@pytest.mark.thorough
def test_an_edit_does_not_void_what_was_graded_after_it(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 3)
    small.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [small.documents[0].id]})
    small.rate(0, 0, 1)

    assert grades_of(evidence_now()) == {("qa", small.documents[0].id): [0, 1, 0, 0]}


@pytest.mark.thorough
def test_an_adjudicator_decides_alone(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    small.rate(0, 0, 3)
    small.rate(0, 0, 0, role=Origin.ADJUDICATION, annotator=small.member("owner"))
    evidence = evidence_now()

    judged = evidence.judged()
    index = int(evidence.candidate_index[0])
    assert judged.judged[index]
    assert judged.gain[index] == 0


def decided(evidence: Evidence, *, only_blind: bool = False) -> list[int]:
    """The middle grades of the first candidate that was ever rated, lower and upper."""
    values = replace(evidence.ruler_at(), only_blind=only_blind)
    consensus = consensus_at(evidence, values)
    return [int(consensus.low[evidence.candidate_index[0]]), int(consensus.high[evidence.candidate_index[0]])]


@pytest.mark.thorough
def test_an_adjudication_of_an_edited_document_decides_no_more(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    owner = small.member("owner")
    small.rate(0, 0, 0, role=Origin.ADJUDICATION, annotator=owner)
    small.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [small.documents[0].id]})
    small.rate(0, 0, 3)
    evidence = evidence_now()
    assert decided(evidence) == [3, 3]
    assert (
        int(
            consensus_at(evidence, evidence.ruler_at(), evidence.revision - 2).low[
                evidence.candidate_index[0]
            ]
        )
        == 0
    )

    small.rate(0, 0, 1, role=Origin.ADJUDICATION, annotator=owner)
    assert decided(evidence_now()) == [1, 1]


@pytest.mark.thorough
def test_the_newest_decision_stands_and_taking_it_back_revives_none(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    first, second = small.member("owner"), small.member("owner")
    small.rate(0, 0, 2)
    small.rate(0, 0, 0, role=Origin.ADJUDICATION, annotator=first)
    small.rate(0, 0, 3, role=Origin.ADJUDICATION, annotator=second)
    assert decided(evidence_now()) == [3, 3]

    small.rate(0, 0, None, reason=Reason.CLEARED, role=Origin.ADJUDICATION, annotator=second)
    assert decided(evidence_now()) == [2, 2]


@pytest.mark.thorough
def test_a_ruler_that_leaves_out_who_saw_rankers_leaves_out_their_decisions(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 2)
    small.rate(0, 0, 0, role=Origin.ADJUDICATION, annotator=small.member("owner"), blind=False)

    assert decided(evidence_now()) == [0, 0]
    assert decided(evidence_now(), only_blind=True) == [2, 2]


@pytest.mark.thorough
def test_caught_up_evidence_equals_evidence_read_anew(database: Database, small: Small) -> None:
    small.rate(0, 0, 3)
    evidence_of(database, small.project.id)
    small.rate(1, 2, 2)
    small.rate(0, 0, 1)
    small.run("Third", {small.queries[1]: small.documents[:2]})
    small.rate(1, 3, 1)

    caught_up = evidence_of(database, small.project.id)
    forget_evidence(database, small.project.id)
    anew = evidence_of(database, small.project.id)

    assert caught_up.revision == anew.revision
    assert np.array_equal(caught_up.counts(), anew.counts())
    assert np.array_equal(caught_up.structure.positions, anew.structure.positions)


@pytest.mark.parametrize("consensus", ["median", "mean", "majority"])
def test_grades_and_scores_kept_up_equal_those_of_evidence_read_anew(
    database: Database, small: Small, monkeypatch: pytest.MonkeyPatch, consensus: str
) -> None:
    monkeypatch.setattr("app.services.scores.scoreboard.LARGEST_SHARE", 1)
    second = small.member("annotator")
    small.rate(0, 0, 3)
    small.rate(0, 1, 1)
    held = evidence_of(database, small.project.id)
    ruler = replace(held.ruler_at(), consensus=consensus)
    runs = held.current_runs()
    steps = [
        lambda: small.rate(0, 0, 1, annotator=second),
        lambda: small.rate(1, 2, 2),
        lambda: small.rate(0, 0, 0, role=Origin.ADJUDICATION, annotator=small.member("owner")),
        lambda: small.rate(0, 1, None, reason=Reason.CLEARED),
        lambda: small.rate(0, 0, None, reason=Reason.CLEARED, role=Origin.ADJUDICATION),
    ]
    score_runs(held, runs, ruler=ruler)
    for step in steps:
        step()
        kept_up = evidence_of(database, small.project.id)
        board = score_runs(kept_up, runs, ruler=ruler)
        forget_evidence(database, small.project.id)
        anew = evidence_of(database, small.project.id)

        score_runs(anew, runs, ruler=ruler)  # kept for the next step
        again = score_runs(anew, runs, ruler=ruler, judged=anew.judged(ruler=ruler))
        assert np.array_equal(board.judged.gain, again.judged.gain)
        assert np.array_equal(board.judged.state, again.judged.state)
        for label, values in again.values.items():
            assert np.array_equal(board.values[label], values, equal_nan=True)
        assert [one.measures for one in board.runs] == [one.measures for one in again.runs]


def test_nothing_new_returns_the_evidence_that_is_held(database: Database, small: Small) -> None:

    assert evidence_of(database, small.project.id) is evidence_of(database, small.project.id)


@pytest.mark.thorough
def test_a_missing_row_makes_the_evidence_be_read_anew(
    database: Database, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence_of(database, small.project.id)
    small.rate(0, 0, 3)
    from app.services.evidence import store

    honest = store.read_ledger
    monkeypatch.setattr(
        store,
        "read_ledger",
        lambda session, project_id, head, after=0: honest(
            session, project_id, head=head, after=after + (after > 0)
        ),
    )

    assert int(evidence_of(database, small.project.id).counts().sum()) == 1


@pytest.mark.thorough
def test_many_threads_see_one_evidence(database: Database, small: Small) -> None:
    small.rate(0, 0, 3)
    seen: list[Evidence] = []

    threads = [
        threading.Thread(target=lambda: seen.append(evidence_of(database, small.project.id)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({id(one) for one in seen}) == 1
    assert len(seen[0].ledger) == 1


def test_an_unknown_project_has_no_evidence(database: Database) -> None:
    with pytest.raises(NotFoundError):
        evidence_of(database, 999_999)


def test_another_projects_rows_stay_out(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    evidence = evidence_now()

    assert evidence.structure.query_name == ("qa", "qb")
    assert len(evidence.ledger) == 0


def test_the_pool_is_the_union_of_the_active_lists_to_the_depth_of_the_moment(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    withdrawn = small.event(EventKind.RUN_WITHDRAWN, {"run_id": small.runs[1].id})
    evidence = evidence_now()

    assert int(evidence.pooled(withdrawn.revision - 1).sum()) == 8
    assert int(evidence.pooled().sum()) == 6


def test_positions_point_to_the_candidates_of_their_own_query(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    evidence = evidence_now()
    structure = evidence.structure

    for run, listed in enumerate((small.documents[:3], small.documents[2:])):
        for query in range(len(structure.query_id)):
            indexes = structure.positions[:, run, query]
            assert structure.query[indexes].tolist() == [query, query]
            assert structure.document[indexes].tolist() == [document.id for document in listed[:2]]


@pytest.mark.thorough
def test_a_rating_from_a_file_counts_like_any_other(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    source = small.member("annotator", kind="imported", email=None)
    small.rate(0, 0, 2, annotator=source, input=Input.FILE)

    assert grades_of(evidence_now()) == {("qa", small.documents[0].id): [0, 0, 1, 0]}


@settings(max_examples=tried(60), deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(1, 3),
            st.integers(-1, 3),
            st.sampled_from([1, 1, 1, 2, 4]),
            st.booleans(),
        ),
        min_size=1,
        max_size=30,
    ),
    known=st.integers(0, 29),
    void_at=st.integers(0, 31),
    merged=st.booleans(),
)
def test_changes_that_are_extended_equal_changes_that_are_folded_anew(
    rows: list[tuple[int, int, int, int, bool]], known: int, void_at: int, merged: bool
) -> None:
    table = np.array(rows, dtype=np.int64)
    number = np.arange(1, len(rows) + 1) * 2
    ledger = Ledger(number, table[:, 0], table[:, 1], table[:, 2], table[:, 3], table[:, 4].astype(bool))
    own = table[:, 0]
    # The documents of places 0 and 1 are one, or every place is its own.
    candidate_index = np.where(own == 1, 0, own) if merged else own
    known = min(known, len(rows))
    # An edit re-lays the arrays, so it lies before the rows that are added one by one.
    voids = [Void(2 * min(void_at, known) + 1, np.array([0, 2]))] if known else []
    first = Ledger(*(getattr(ledger, name)[:known] for name in Ledger.__annotations__))
    for only_blind in (False, True):
        rules = {"lowest": 0, "only_blind": only_blind, "voids": voids}
        anew = grade_changes(ledger, candidate_index, own, **rules)
        extended = extended_changes(
            grade_changes(first, candidate_index[:known], own[:known], **rules),
            ledger,
            candidate_index,
            own,
            known=known,
            **rules,
        )
        assert np.array_equal(extended.counts(4, 4), anew.counts(4, 4))
        assert extended.counts(4, 4).min(initial=0) >= 0
