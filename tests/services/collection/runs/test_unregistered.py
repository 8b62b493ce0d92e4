"""A run that is scored without being registered: the arrays and the scores of a real import."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import update

from app.models import Document, Project
from app.services.collection.duplicates import merge_documents
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import import_run, plan_run
from app.services.evidence.store import evidence_of
from app.services.evidence.trial_run import evidence_with
from app.services.scores.context import scoring_context
from app.services.scores.overview_parts import verdict_between
from tests.furniture.files import file_of, run_text

if TYPE_CHECKING:
    from app.services.collection.files import ImportFile
    from app.services.evidence.state import Evidence
    from tests.furniture.rankers import TwoRankers

NAMES = [f"q{number:03}" for number in range(25)]


def planned(rankers: TwoRankers, file: ImportFile, options: RunOptions) -> Evidence:
    """Return the evidence with the run of a file that is not registered."""
    with rankers.database.read() as session:
        project = session.get_one(Project, rankers.project.id)
        plan = plan_run(session, project, read_run_file(file), options)
    return evidence_with(evidence_of(rankers.database, rankers.project.id), plan)


def imported(rankers: TwoRankers, file: ImportFile, options: RunOptions) -> Evidence:
    """Return the evidence after importing it."""
    with rankers.database.write() as session:
        import_run(session, session.get_one(Project, rankers.project.id), file, options)
    return evidence_of(rankers.database, rankers.project.id)


def with_spare_answers(rankers: TwoRankers) -> None:
    """Add three documents that no run returned, and one of them that somebody rated all the same."""
    with rankers.making() as make:
        for name in ("spare1", "spare2", "spare3"):
            document = make.document(rankers.project, name)
            if name == "spare2":
                candidate = make.candidate(rankers.queries[4], document)
                make.judgment(candidate, rankers.annotator, 2)


LISTS = {
    **{name: f"{name}-good {name}-bad" for name in NAMES[:8]},
    **{name: f"spare1 {name}-good spare3" for name in NAMES[8:15]},
    NAMES[4]: "spare2 spare1 q004-bad q004-good",
    NAMES[16]: "new2 new1 q016-good",
    NAMES[17]: "q017-bad",
    "unheard": "new3 spare1",
}


def options_of(ranker: str) -> RunOptions:
    return RunOptions(ranker=ranker, unknown_documents="add", unknown_queries="skip")


@pytest.mark.thorough
@pytest.mark.parametrize("ranker", ["Ahead", "Newcomer"])
@pytest.mark.parametrize("merged", [False, True])
def test_its_arrays_and_scores_are_those_of_a_real_import(
    rankers: TwoRankers, ranker: str, merged: bool
) -> None:
    rankers.rate(rankers.ordered()[:14])
    rankers.rate(rankers.ordered()[14:18], (1, 2))
    with_spare_answers(rankers)
    with rankers.database.write() as session:
        # What has a text can be rated, so its questions stay open.
        session.execute(
            update(Document).where(Document.external_id.like("%d")).values(content_hash=b"t" * 32)
        )
    if merged:
        with rankers.database.write() as session:
            documents = [one.id for one in rankers.answers[rankers.queries[9].id]]
            merge_documents(session, session.get_one(Project, rankers.project.id), documents)
    file, options = file_of(run_text(LISTS), "new.run"), options_of(ranker)

    before = planned(rankers, file, options)
    after = imported(rankers, file, options)

    first, second = before.structure, after.structure
    for name in ("query", "lengths", "positions"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    assert first.pools.keys() == second.pools.keys()
    for depth, bits in first.pools.items():
        assert np.array_equal(bits, second.pools[depth])
    assert len(first.without_text) == len(second.without_text)
    assert before.current_runs() == after.current_runs()
    one, two = scoring_context(before, [0, 1, 2]), scoring_context(after, [0, 1, 2])
    for label, values in one.board.values.items():
        assert np.array_equal(values, two.board.values[label], equal_nan=True), label
    assert np.array_equal(one.closed, two.closed)
    assert len(np.unique(one.closed)) == 2
    for other in (0, 1):
        found, real = (verdict_between(state, 2, other).pair for state in (before, after))
        assert (found.verdict, found.bounds, found.missing) == (real.verdict, real.bounds, real.missing)


def test_nothing_is_written_and_the_evidence_that_pages_read_stays_as_it_was(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    evidence = evidence_of(rankers.database, rankers.project.id)
    held = evidence.structure.positions.copy()

    planned(rankers, file_of(run_text(LISTS)), options_of("Ahead"))

    assert evidence_of(rankers.database, rankers.project.id) is evidence
    assert np.array_equal(evidence.structure.positions, held)
    assert len(evidence.structure.runs) == 2


def test_an_answer_outside_the_pool_is_unrated_and_one_that_was_rated_has_its_grade(
    rankers: TwoRankers,
) -> None:
    rankers.rate(rankers.queries)
    with_spare_answers(rankers)
    lists = {name: f"{name}-good {name}-bad" for name in NAMES} | {
        NAMES[4]: "spare2 q004-good",
        NAMES[5]: "spare1 q005-good",
    }

    context = scoring_context(planned(rankers, file_of(run_text(lists)), RunOptions(ranker="Ahead")), [0, 2])
    assert context.board.values["judged@2"][1, 4:6].tolist() == [1.0, 0.5]
    assert 0 < context.values[1, 5] < context.values[1, 4] < 1
