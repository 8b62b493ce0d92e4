"""Merging documents that are one and the same: scores by hand, replay, assignment, exports, and the way back."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import select

from app.models import Candidate, Document, EventKind, Project, Reason, now_utc
from app.services.collection.duplicates import merge_documents, merges_in_force, undo_merge
from app.services.collection.files import ImportFile
from app.services.collection.near_duplicates import similar_page
from app.services.collection.pool import merged_documents
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.exports.judgments import export_qrels
from app.services.scores.history import Moment, history_as_of, history_of_version
from app.services.scores.jumps import score_change_between
from app.services.scores.question_page import question_sheet
from app.services.scores.scoreboard import score_runs
from tests.furniture.assigning import open_candidates
from tests.furniture.evidence import bounds_of, forget_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small


@pytest.fixture
def twins(small: Small) -> Small:
    """Let the first ranker return d1 d2 d3, the second d3 d4, on both queries; d1 and d2 are the same.

    On the first query Ann grades d1 1 and then d2 3, Ben grades d1 2; d3 is 1.
    """
    ben = small.member("annotator", name="Ben")
    small.rate(0, 0, 1)
    small.rate(0, 1, 3)
    small.rate(0, 0, 2, annotator=ben)
    small.rate(0, 2, 1)
    return small


def merge(small: Small, *places: int) -> int:
    with small.database.write() as session:
        project = session.get_one(Project, small.project.id)
        return merge_documents(session, project, [small.documents[place].id for place in places]).revision


def part(small: Small, revision: int) -> int:
    with small.database.write() as session:
        return undo_merge(session, session.get_one(Project, small.project.id), revision).revision


def numbers(evidence: Evidence) -> list[object]:
    """Return everything that must be the same to the last bit."""
    board = score_runs(evidence, evidence.current_runs(), measures="P@2 RR@2 judged@2 weight-judged@2")
    values = {label: rows.tobytes() for label, rows in board.values.items()}
    return [values, [one.measures for one in board.runs], bounds_of(evidence, board), board.unjudged.tolist()]


def pool_of(small: Small) -> dict[tuple[str, str], int]:
    with small.database.read() as session:
        rows = session.execute(
            select(Candidate, Document.external_id)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.project_id == small.project.id, Candidate.in_pool)
        )
        names = {query.id: query.external_id for query in small.queries}
        return {(names[one.query_id], name): one.best_rank for one, name in rows}


def test_a_merged_answer_counts_once_at_its_first_place(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    merge(twins, 0, 1)

    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())

    # Ann's latest is 3, Ben's 2: their middle is 2.5. The list d1 d2 | d3 holds it at place 1; place 2 is
    # the same again, worth 0. The ideal is 2.5 and then the 1 of d3.
    ideal = 2.5 + 1 / log2(3)
    first, second = board.values["nDCG@2"][:, 0]
    assert first == pytest.approx(2.5 / ideal, abs=1e-15)
    assert second == pytest.approx(1 / ideal, abs=1e-15)
    # d1 at place 1, d2 (the same) at place 2: both judged. The second list: d3 judged, d4 not.
    assert board.values["judged@2"][:, 0].tolist() == [1.0, 0.5]


def test_bounds_hold_every_grade_that_the_open_answers_could_get(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    merge(twins, 0, 1)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())
    (_, second) = bounds_of(evidence, board)

    # Only d4 of the first query is open, at place 2 of the second list.
    def value(grade: float) -> float:
        best = sorted([2.5, 1.0, grade], reverse=True)
        return (1 + grade / log2(3)) / (best[0] + best[1] / log2(3))

    assert second == pytest.approx((min(map(value, (0, 3))), max(map(value, (0, 1, 2, 2.5, 3)))))


def test_23_merge_then_undo_restores_every_number_and_the_past_stays_what_it_was(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    before = evidence_now()
    shown, pool = numbers(before), pool_of(twins)
    revision = merge(twins, 0, 1)
    merged = evidence_now()
    shown_merged = numbers(merged)
    assert shown_merged != shown

    undone = part(twins, revision)

    after = evidence_now()
    assert numbers(after) == shown
    assert pool_of(twins) == pool
    for then, kept in ((before, before.revision), (merged, revision)):
        board = score_runs(after, after.current_runs(), revision=kept)
        fresh = score_runs(then, then.current_runs())
        assert [rows.tobytes() for rows in board.values.values()] == [
            rows.tobytes() for rows in fresh.values.values()
        ]
    moments = [Moment(number, now_utc()) for number in (before.revision, revision, undone)]
    points = history_as_of(after, moments).points[twins.rankers[0].id]
    assert points[0].score == points[2].score != points[1].score
    jump = score_change_between(after, points[0], points[1])
    assert jump is not None
    assert {one.kind: one.count for one in jump.parts if one.count and one.kind != "ranker"} == {"revised": 2}
    assert sum(one.moved for one in jump.parts) == pytest.approx(jump.moved, abs=1e-12)
    growth = history_of_version(after, 0, moments).points[twins.rankers[0].id]
    assert [one.score for one in growth] == [one.score for one in points]


@pytest.mark.parametrize("seed", range(4))
def test_23_merge_then_undo_restores_every_score_whatever_was_rated(
    small: Small, evidence_now: Callable[[], Evidence], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    people = [small.annotator, small.member("annotator", name="Ben")]
    for _ in range(8):
        query, document, grade = int(rng.integers(2)), int(rng.integers(4)), int(rng.integers(4))
        small.rate(query, document, grade, annotator=people[int(rng.integers(2))])
    before = evidence_now()
    shown, pool = numbers(before), pool_of(small)

    revision = merge(small, *rng.choice(4, size=2 + seed % 2, replace=False).tolist())
    assert pool_of(small) != pool
    part(small, revision)

    assert numbers(evidence_now()) == shown
    assert pool_of(small) == pool


def test_23_equal_hashes_merge_nothing_by_themselves(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    shown, pool = numbers(evidence_now()), pool_of(twins)

    with twins.database.write() as session:
        of_both = [session.get_one(Document, one.id) for one in twins.documents[:2]]
        of_both[1].content_hash = of_both[0].content_hash
    forget_evidence(twins.database, twins.project.id)

    assert numbers(evidence_now()) == shown
    assert pool_of(twins) == pool
    with twins.database.read() as session:
        assert list(merges_in_force(session, twins.project.id)) == []
        # They are shown to the owner, who alone may merge them.
        (group,) = similar_page(session, twins.project.id).groups
        assert {one.external_id for one in group.documents} == {"d1", "d2"}


def test_evidence_that_catches_up_equals_evidence_read_anew(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    evidence_now()
    merge(twins, 0, 1)
    evidence_now()
    twins.rate(0, 1, 0)
    twins.rate(1, 0, 2)
    twins.rate(1, 1, None, reason=Reason.CLEARED)
    caught_up = numbers(evidence_now())

    forget_evidence(twins.database, twins.project.id)

    assert numbers(evidence_now()) == caught_up


def test_an_edit_ends_the_grades_of_its_own_text_only(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    merge(twins, 0, 1)

    twins.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [twins.documents[1].id]})

    evidence = evidence_now()
    candidate_index = evidence.candidate_index[0]
    # Ann's 3 was given to the older text of d2; her 1 for d1 counts, and so does Ben's 2.
    assert evidence.counts()[candidate_index].tolist() == [0, 1, 1, 0]
    assert evidence.outdated.tolist() == [False, True, False, False]
    twins.rate(0, 1, 0)
    assert evidence_now().counts()[candidate_index].tolist() == [1, 0, 1, 0]


def test_the_pool_holds_one_of_them_at_the_better_place(twins: Small) -> None:
    twins.run(twins.rankers[1], {twins.queries[0]: [twins.documents[1], twins.documents[3]]})

    merge(twins, 0, 1)

    pool = pool_of(twins)
    assert pool["qa", "d1"] == 1
    assert ("qa", "d2") not in pool
    assert len([one for one in pool if one[0] == "qa"]) == 3


def test_a_run_that_comes_later_pools_the_one_that_stands(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    fifth = twins.member("owner")
    with twins.making() as make:
        lone = make.document(twins.project, "d5")
    twins.documents.append(lone)
    merge(twins, 0, 4)
    with twins.database.write() as session:
        project = session.get_one(Project, twins.project.id)
        file = ImportFile(
            content=b"qb 0 d5 1 2.0 third\nqb 0 d3 2 1.0 third\n", name="third.run", format="trec"
        )
        import_run(session, project, file, RunOptions(ranker="Third"), actor_id=fifth.id)

    assert ("qb", "d5") not in pool_of(twins)
    twins.rate(1, 0, 3)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())
    assert board.values["nDCG@2"][2, 1] == 1.0


def test_what_was_said_of_any_of_them_is_asked_of_nobody_again(twins: Small) -> None:
    """In the database as on the evidence: an answer with all its ratings, under any id, is not assigned."""
    cara = twins.member("annotator", name="Cara")
    twins.rate(1, 1, 2)
    merge(twins, 0, 1)
    with twins.database.read() as session:
        project = session.get_one(Project, twins.project.id)
        slots = open_candidates(session, project, cara.id, now_utc())
        mine = open_candidates(session, project, twins.annotator.id, now_utc())

    names = {document.id: document.external_id for document in twins.documents}
    asked = {(slot.query_id, names[slot.document_id]) for slot in slots}
    assert asked == {(twins.queries[0].id, "d4"), (twins.queries[1].id, "d3"), (twins.queries[1].id, "d4")}
    assert {slot.candidate_id for slot in mine} <= {slot.candidate_id for slot in slots}


def test_the_page_of_a_question_shows_it_once_and_names_the_other_place(
    twins: Small, evidence_now: Callable[[], Evidence]
) -> None:
    merge(twins, 0, 1)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())
    with twins.database.read() as session:
        sheet = question_sheet(session, evidence, board, twins.queries[0].id)

    rows = sheet.lists[0].rows
    assert [(row.external_id, row.low, row.high, row.repeats) for row in rows] == [
        ("d1", 2, 3, None),
        ("d2", None, None, 1),
        ("d3", 1, 1, None),
    ]
    assert (sheet.pooled, sheet.rated) == (3, 2)
    assert sorted(rating.title for rating in sheet.ratings) == ["Answer d1", "Answer d3"]


def test_the_document_with_most_current_ratings_represents_all(twins: Small) -> None:
    for grade in (0, 1, 2):
        twins.rate(0, 2, grade)

    merge(twins, 2, 0)

    with twins.database.read() as session:
        ids = [document.id for document in twins.documents]
        assert merged_documents(session, twins.project.id) == {ids[2]: ids[0]}


def test_qrels_hold_a_merged_answer_once(twins: Small) -> None:
    merge(twins, 1, 0)
    with twins.database.read() as session:
        export = export_qrels(session, session.get_one(Project, twins.project.id))
        lines = [line.split() for line in "".join(export.lines).splitlines()]

    assert [[line[0], *line[2:]] for line in lines] == [["qa", "d1", "2"], ["qa", "d3", "1"]]
    assert any("1 document is merged with another document" in note for note in export.notes)


def test_merges_that_share_a_document_are_one(twins: Small, evidence_now: Callable[[], Evidence]) -> None:
    first = merge(twins, 0, 1)
    merge(twins, 1, 2)

    structure = evidence_now().structure
    assert len(set(structure.heads.values())) == 1
    assert np.unique(structure.merged_places).tolist() == [0, 3, 4, 7]

    part(twins, first)
    assert evidence_now().structure.heads == {twins.documents[2].id: twins.documents[1].id}


def test_nonsense_is_refused(twins: Small) -> None:
    revision = merge(twins, 0, 1)
    with pytest.raises(ConflictError, match="merged already"):
        merge(twins, 1, 0)
    with pytest.raises(InvalidError, match="2 to"):
        merge(twins, 2)
    with pytest.raises(NotFoundError):
        part(twins, revision + 1)
    part(twins, revision)
    with pytest.raises(ConflictError, match="undone already"):
        part(twins, revision)
    with twins.making() as make:
        twins.documents.append(make.document(twins.project, "d9", title="", text=""))
        twins.documents.append(make.document(make.project(), "elsewhere"))
    with pytest.raises(InvalidError, match="d9 has no text"):
        merge(twins, 0, 4)
    with pytest.raises(NotFoundError):
        merge(twins, 0, 5)
    with twins.database.read() as session:
        assert merges_in_force(session, twins.project.id) == []
