"""Random probes: who may be drawn, that the draw follows from a seed, that it is assigned, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import select

from app.models import Candidate, Document, Judgment, Project, Reason, Run, now_utc
from app.services.collection.withdrawal import withdraw_run
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.projects.activity import activity_of
from app.services.quality.probes import draw, draw_probe, probes_of, turn_probe
from app.services.scores.scoreboard import score_runs
from app.web.dashboard.event_labels import event_text
from tests.furniture.assigning import open_candidates

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from app.services.quality.probes import Probe
    from tests.services.conftest import Small


@pytest.fixture
def wide(small: Small) -> Small:
    """Add 40 documents that no run returns, one of them without a text."""
    with small.making() as make:
        small.documents += [make.document(small.project, f"far{number}") for number in range(40)]
        make.document(small.project, "silent", title="", text="")
    return small


def probe(small: Small, query: int | None, size: int) -> int:
    with small.database.write() as session:
        project = session.get_one(Project, small.project.id)
        return draw_probe(session, project, query and small.queries[query].id, size)


def shown(small: Small, evidence: Evidence) -> list[Probe]:
    with small.database.read() as session:
        return probes_of(session, evidence, score_runs(evidence, evidence.current_runs()))


def names_in_pool(small: Small) -> dict[int, set[str]]:
    with small.database.read() as session:
        rows = session.execute(
            select(Candidate.query_id, Document.external_id)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.in_pool, Candidate.project_id == small.project.id)
        ).all()
    return {
        query.id: {row.external_id for row in rows if row.query_id == query.id} for query in small.queries
    }


def test_the_rest_is_what_stands_in_no_pool_and_nobody_judged(wide: Small) -> None:
    with wide.making() as make:
        outside = make.candidate(wide.queries[0], wide.documents[4], in_pool=False)
        make.judgment(outside, wide.annotator, 1)

    with wide.database.read() as session:
        numbers = [query.id for query in wide.queries]
        one, both, again, other = (
            draw(session, wide.project.id, queries, 1000, seed)
            for queries, seed in ((numbers[:1], 1), (numbers, 1), (numbers, 1), (numbers, 2))
        )

    far = {document.id for document in wide.documents[4:]}
    assert one.rest == 39
    assert set(one.document.tolist()) == far - {wide.documents[4].id}
    assert both.rest == len(both.query) == 79
    assert np.array_equal(both.document, again.document)
    assert not np.array_equal(both.document, other.document)


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize("small_rest", [True, False])
@pytest.mark.thorough
def test_every_pair_of_the_rest_is_equally_likely(
    wide: Small, small_rest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small_rest:
        monkeypatch.setattr("app.services.quality.probes.SMALL", 0)
    numbers = [query.id for query in wide.queries]
    times: dict[tuple[int, int], int] = {}
    with wide.database.read() as session:
        for seed in range(800):
            found = draw(session, wide.project.id, numbers, 5, seed)
            pairs = set(zip(found.query.tolist(), found.document.tolist(), strict=True))
            assert len(pairs) == 5
            for pair in pairs:
                times[pair] = times.get(pair, 0) + 1

    # 80 pairs, 50 draws of each expected; chi-square with 79 degrees of freedom is below 130 but for 1 in 4000.
    assert len(times) == 80
    assert sum((count - 50) ** 2 / 50 for count in times.values()) < 130


def test_a_probe_joins_the_pool_is_dealt_and_scored_by_nothing(
    wide: Small, evidence_now: Callable[[], Evidence]
) -> None:
    before = evidence_now()
    rankers = before.current_runs()
    pool = names_in_pool(wide)

    assert probe(wide, 1, 30) == 30

    after = names_in_pool(wide)
    added = after[wide.queries[1].id] - pool[wide.queries[1].id]
    assert len(added) == 30
    assert all(name.startswith("far") for name in added)
    assert after[wide.queries[0].id] == pool[wide.queries[0].id]
    assert evidence_now().current_runs() == rankers
    with wide.database.read() as session:
        project = session.get_one(Project, wide.project.id)
        slots = open_candidates(session, project, wide.annotator.id, now_utc())
    assert len(slots) == 8 + 30
    (one,) = shown(wide, evidence_now())
    assert (one.number, one.drawn, one.rest, one.rated, one.bound) == (1, 30, 40, 0, None)
    assert (one.query_id, one.query) == (wide.queries[1].id, wide.queries[1].text)


@pytest.mark.thorough
def test_a_probe_without_a_relevant_answer_bounds_the_rest(
    wide: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for document in range(4):
        wide.rate(1, document, 0)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())
    assert board.no_relevant.tolist() == [False, True]
    probe(wide, 1, 30)
    evidence = evidence_now()
    # The pool has grown: whether an answer exists is unknown again.
    assert score_runs(evidence, evidence.current_runs()).unjudged.tolist() == [True, True]
    place = len(evidence.structure.runs) - 1
    drawn = evidence.structure.document[
        evidence.structure.positions[:, evidence.active_runs()[2:], 1].ravel()
    ].tolist()
    assert place == 2 + 30 // 2 - 1
    assert len(drawn) == 30

    by_id = {document.id: number for number, document in enumerate(wide.documents)}
    for document in drawn[:20]:
        wide.rate(1, by_id[document], 0)
    wide.rate(1, by_id[drawn[20]], None, reason=Reason.UNCLEAR)

    (one,) = shown(wide, evidence_now())
    assert (one.rated, one.relevant, one.declined, one.waiting) == (20, 0, 1, 10)
    assert one.bound == pytest.approx(1 - 0.05 ** (1 / 20))

    for document in drawn[20:]:
        wide.rate(1, by_id[document], 0)

    evidence = evidence_now()
    (one,) = shown(wide, evidence)
    assert (one.rated, one.waiting) == (30, 0)
    assert round(one.bound, 3) == 0.095
    assert score_runs(evidence, evidence.current_runs()).no_relevant.tolist() == [False, True]

    wide.rate(1, by_id[drawn[0]], 2)
    (one,) = shown(wide, evidence_now())
    # The exact one-sided bound for 1 of 30, as tabled: 14.9 %.
    assert one.relevant == 1
    assert round(one.bound, 3) == 0.149


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_probes_are_numbered_and_never_draw_the_same_again(
    wide: Small, evidence_now: Callable[[], Evidence]
) -> None:
    assert probe(wide, None, 60) == 60
    assert probe(wide, None, 60) == 20
    with pytest.raises(ConflictError, match="Nothing is left"):
        probe(wide, None, 60)

    second, first = shown(wide, evidence_now())
    assert [(one.number, one.drawn, one.rest, one.query_id) for one in (first, second)] == [
        (1, 60, 80, None),
        (2, 20, 20, None),
    ]
    assert all(len(names) == 44 for names in names_in_pool(wide).values())


def test_a_probe_that_is_withdrawn_keeps_what_it_has_shown(
    wide: Small, evidence_now: Callable[[], Evidence]
) -> None:
    probe(wide, 1, 5)
    with wide.database.write() as session:
        for run in session.scalars(select(Run).where(Run.stats["probe"].is_not(None))).all():
            if "probe" in run.stats and run.state == "published":
                withdraw_run(session, run)

    (one,) = shown(wide, evidence_now())
    assert one.withdrawn
    assert len(names_in_pool(wide)[wide.queries[1].id]) == 4


def test_withdrawing_a_probe_leaves_the_scores_that_its_relevant_answers_lowered(
    wide: Small, evidence_now: Callable[[], Evidence]
) -> None:
    def scores() -> list[float]:
        evidence = evidence_now()
        board = score_runs(evidence, evidence.current_runs())
        return [round(float(score), 6) for score in board.values[board.headline][:, 1]]

    wide.rate(1, 0, 1)
    before = scores()
    probe(wide, 1, 5)
    new = names_in_pool(wide)[wide.queries[1].id]
    for number, document in enumerate(wide.documents):
        if number >= 4 and document.external_id in new:
            wide.rate(1, number, 3)
    lowered = scores()
    (one,) = shown(wide, evidence_now())
    with wide.database.write() as session:
        turn_probe(session, session.get_one(Project, wide.project.id), 1, withdraw=True)

    assert max(lowered) < max(before)
    assert scores() == lowered
    assert (one.relevant, one.rated) == (5, 5)
    assert one.bound is None, "at most all of the others says nothing"


def test_nonsense_is_refused(wide: Small) -> None:
    for size in (0, 4, 101):
        with pytest.raises(InvalidError, match="5 to 100"):
            probe(wide, 0, size)
    with wide.database.write() as session, pytest.raises(NotFoundError):
        draw_probe(session, session.get_one(Project, wide.project.id), 999_999, 30)
    with wide.database.read() as session:
        assert (
            session.scalars(select(Judgment.revision).where(Judgment.project_id == wide.project.id)).all()
            == []
        )


def test_a_probe_is_called_one_where_happenings_are_told(
    wide: Small, evidence_now: Callable[[], Evidence]
) -> None:
    probe(wide, 1, 5)
    evidence = evidence_now()
    told = [event_text(evidence, event) for event in evidence.structure.events]

    assert any("random probe" in words for words in told)
    with wide.database.read() as session:
        happened = [one.text for one in activity_of(session, [wide.project.id])]
    assert happened.count("A random probe drawn") == 1
