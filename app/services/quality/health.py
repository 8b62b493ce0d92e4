"""How well a project's questions, texts and rankers serve its scores.

Pool bias: a ranker whose answers nobody else returns is rated on them because it was there when the pool was
made. A ranker that comes later has no such luck: its own answers count 0 until they are rated. So each ranker
is scored once as if it had come later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import EventKind
from app.models.query import Query
from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.judged import RELEVANT, judged_of
from app.scoring.means import mean_of
from app.scoring.verdict import LEAST_JUDGED
from app.services.evidence.state import Evidence, consensus_at
from app.services.evidence.structure import RunFact
from app.services.scores.context import ScoringContext
from app.services.scores.scoreboard import Scoreboard, score_runs
from app.services.scoring_settings import scoring_ruler

EARLY = 10
"""Fewer scored queries than this say nothing about an order."""
MOST = 40
"""Rankers that are left out one by one; each of them costs a scoring of all."""
KEPT = "left out"


@dataclass(frozen=True)
class LeftOut:
    """What becomes of one ranker without what only it brought into the pool.

    Attributes
    ----------
    only, relevant
        Pool answers that only its versions return, and those of them known to be relevant.
    queries
        Queries that all rankers cover and that are scored with and without these answers: the scores are
        over them.
    score, without
        The ranker's mean nDCG@k as it is, and without them; None without a query.
    moved
        The versions whose place changes, those of other rankers included.
    """

    run: RunFact
    only: int
    relevant: int
    queries: int
    score: float | None
    without: float | None
    moved: tuple[RunFact, ...]

    @property
    def change(self) -> float | None:
        """What it would lose."""
        if self.score is None or self.without is None:
            return None
        return self.without - self.score

    @property
    def early(self) -> bool:
        """Whether too few queries are scored to say anything."""
        return self.queries < EARLY


def left_out(evidence: Evidence, board: Scoreboard) -> list[LeftOut]:
    """Return this for each ranker of a board of the current runs, in its order; kept for the revision.

    Of more than `MOST` rankers, for those that brought most answers of their own.
    """
    kept = evidence.memory.kept.get(KEPT)
    key = (evidence.revision, board.ruler.fingerprint, tuple(scored.run.id for scored in board.runs))
    if kept is None or kept[0] != key:
        own = [only_of(evidence, scored.run.ranker_id) for scored in board.runs]
        most = sorted(range(len(own)), key=lambda row: -int(own[row].sum()))[:MOST]
        kept = (key, [_left_out(evidence, board, row, own[row]) for row in sorted(most)])
        evidence.memory.kept[KEPT] = kept
    found: list[LeftOut] = kept[1]
    return found


def _left_out(evidence: Evidence, board: Scoreboard, row: int, only: Flags) -> LeftOut:
    relevant = only & (board.judged.state[: board.judged.absent] == RELEVANT)
    other = _board_without(evidence, board, only)
    queries = board.common & other.common
    before = _means(board, queries)
    after = _means(other, queries)
    known = bool(queries.any())
    return LeftOut(
        run=board.runs[row].run,
        only=int(only.sum()),
        relevant=int(relevant.sum()),
        queries=int(queries.sum()),
        score=float(before[row]) if known else None,
        without=float(after[row]) if known else None,
        moved=tuple(
            scored.run
            for place, scored in enumerate(board.runs)
            if known and _rank(before, place) != _rank(after, place)
        ),
    )


def only_of(evidence: Evidence, ranker_id: int) -> Flags:
    """Return which pool answers of active queries only the active versions of a ranker return."""
    runs = evidence.structure.runs
    others = [place for place in evidence.active_runs() if runs[place].ranker_id != ranker_id]
    elsewhere = (
        evidence.structure.pooled_by(others, evidence.depth_at())
        if others
        else np.zeros(evidence.structure.candidate_count, dtype=np.bool_)
    )
    return evidence.active_pool() & ~elsewhere


def _board_without(evidence: Evidence, board: Scoreboard, only: Flags) -> Scoreboard:
    judged = judged_of(
        consensus_at(evidence, board.ruler).without(only),
        evidence.structure.query,
        scoring_ruler(board.ruler),
        queries=len(evidence.structure.query_id),
        pooled=board.judged.pooled & ~only,
    )
    return score_runs(evidence, [scored.place for scored in board.runs], ruler=board.ruler, judged=judged)


def _means(board: Scoreboard, queries: Flags) -> Floats:
    means = [mean_of(row[queries]) for row in board.values[board.headline]]
    return np.array([np.nan if mean is None else mean for mean in means])


def _rank(means: Floats, row: int) -> int:
    return int(np.count_nonzero(means > means[row] + 1e-12)) + 1


FEWEST_ANSWERS = 5
"""One grade for fewer judged answers than this says nothing about a question."""


@dataclass(frozen=True)
class QuestionHealth:
    """Active questions by what is known about their answers; each array holds places, in byte order of ids.

    Attributes
    ----------
    active, answered
        How many there are, and how many have a relevant answer.
    weak, none_found, unknown, empty
        Some gain, but nothing relevant; a pool judged to the end without gain; no gain and something open;
        no answers in the pool.
    one_level
        Scored questions of which at least `FEWEST_ANSWERS` answers are judged, all with the same grade: any
        order of these scores alike.
    enough
        How many scored questions have that many judged answers.
    """

    active: int
    answered: int
    weak: Ints
    none_found: Ints
    unknown: Ints
    empty: Ints
    one_level: Ints
    enough: int

    @property
    def without(self) -> int:
        """How many have no relevant answer."""
        return self.active - self.answered


def question_health(evidence: Evidence, board: Scoreboard) -> QuestionHealth:
    """Return what is known about the answers of all active questions."""
    active, judged = evidence.active_queries(), board.judged
    answered = active & judged.answered
    enough, same = _levels(evidence, board)
    return QuestionHealth(
        active=int(active.sum()),
        answered=int(answered.sum()),
        weak=np.flatnonzero(active & judged.weak),
        none_found=np.flatnonzero(active & judged.no_relevant),
        unknown=np.flatnonzero(active & judged.undecided & (judged.pooled_counts > 0)),
        empty=np.flatnonzero(active & judged.undecided & (judged.pooled_counts == 0)),
        one_level=np.flatnonzero(board.scored & enough & same),
        enough=int((board.scored & enough).sum()),
    )


def _levels(evidence: Evidence, board: Scoreboard) -> tuple[Flags, Flags]:
    """Return which queries have enough judged answers, and which have one grade only: bool (queries,)."""
    consensus = consensus_at(evidence, board.ruler, board.revision)
    indexes = np.flatnonzero(consensus.judged)
    query, size = evidence.structure.query[indexes], len(evidence.structure.query_id)
    # In half grades: the sum of the two middle ones.
    level = consensus.low[indexes].astype(np.int64) + consensus.high[indexes]
    lowest, highest = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(lowest, query, level)
    np.maximum.at(highest, query, level)
    enough = np.bincount(query, minlength=size) >= FEWEST_ANSWERS
    return enough, np.asarray(lowest == highest)


@dataclass(frozen=True)
class RankerHealth:
    """The coverage of one ranker's newest version.

    Attributes
    ----------
    scored
        Over how many questions its score is.
    rated, answers
        How many answers in its top k somebody has rated, and how many there are, over all questions that it
        covers.
    weighted
        weight-judged@k over its scored questions; None without any.
    provisional
        Too much of what the score rests on is missing.
    """

    run: RunFact
    scored: int
    rated: int
    answers: int
    weighted: float | None
    provisional: bool

    @property
    def missing(self) -> int:
        """How many of its top answers nobody has rated."""
        return self.answers - self.rated

    @property
    def is_only_wide(self) -> bool:
        """Whether it is provisional though enough is rated: its bounds are too far apart."""
        return self.provisional and (self.weighted or 0.0) >= LEAST_JUDGED


def ranker_health(context: ScoringContext) -> list[RankerHealth]:
    """Return the coverage of the rankers of a board, in its order."""
    board, k = context.board, context.board.ruler.k
    rated, answers = top_answers(context.evidence, board)
    return [
        RankerHealth(
            run=scored.run,
            scored=scored.scored,
            rated=int(some),
            answers=int(every),
            weighted=scored.judged[f"weight-judged@{k}"],
            provisional=provisional,
        )
        for scored, some, every, provisional in zip(
            board.runs, rated, answers, context.provisional, strict=True
        )
    ]


def top_answers(evidence: Evidence, board: Scoreboard) -> tuple[Ints, Ints]:
    """Return of each run how many answers in its top k are rated, and how many there are: integers (runs,).

    Over all active queries that it covers.
    """
    runs = [scored.place for scored in board.runs]
    positions = evidence.lists(runs, board.ruler.k).positions
    covered = evidence.covered(runs) & evidence.active_queries()
    returned = (positions < evidence.structure.candidate_count) & covered
    # Two more: places without an answer, and answers that a list returns again.
    rated = returned & np.append(board.judged.judged, [False, False])[positions]
    return rated.sum(axis=(0, 2)), returned.sum(axis=(0, 2))


@dataclass(frozen=True)
class OpenAnswers:
    """Answers in today's pool without a rating: others than these lack a text."""

    ratable: int
    undecided: int


def open_answers(context: ScoringContext) -> OpenAnswers:
    """Return what becomes of the answers without a rating; of none where they count as not relevant."""
    found = context.board.judged.open & context.evidence.active_pool()
    passed = found & context.unratable & ~context.evidence.structure.textless
    return OpenAnswers(int((found & ~context.unratable).sum()), int(passed.sum()))


@dataclass(frozen=True)
class TextHealth:
    """Edited and missing texts.

    Attributes
    ----------
    edited
        Documents whose text was edited at least once.
    outdated
        Answers that somebody graded before an edit: those grades stay in the ledger and count no more.
    waiting
        Places of those of them that are pooled, of an active question, and not judged since.
    textless
        Documents without a text that stand in a pool.
    """

    edited: int
    outdated: int
    waiting: Ints
    textless: int

    @property
    def again(self) -> int:
        """How many of the outdated answers wait for nobody any more."""
        return self.outdated - len(self.waiting)


@dataclass(frozen=True)
class EditedAnswer:
    """An answer whose grades were given to an older text, with its question."""

    query_id: int
    query: str
    external_id: str
    title: str


@dataclass(frozen=True)
class TextlessDocument:
    """A pooled document without a text, the number of its questions and one of them."""

    external_id: str
    title: str
    questions: int
    query_id: int
    query: str


def text_health(session: Session, evidence: Evidence, board: Scoreboard) -> TextHealth:
    """Return how many texts were edited after they were rated, and how many are missing."""
    structure = evidence.structure
    edits = [event for event in structure.turning if event.kind == EventKind.DOCUMENTS_EDITED]
    edited = {number for event in edits for number in event.payload["document_ids"]}
    outdated = np.zeros(structure.candidate_count, dtype=np.bool_)
    outdated[evidence.candidate_index[evidence.outdated & (evidence.ledger.grade >= 0)]] = True
    wanted = evidence.active_pool()
    unjudged = ~board.judged.judged[: structure.candidate_count]
    return TextHealth(
        edited=len(edited),
        outdated=int(outdated.sum()),
        waiting=np.flatnonzero(outdated & wanted & unjudged),
        textless=session.scalar(_textless(evidence.project_id)) or 0,
    )


def edited_answers(session: Session, evidence: Evidence, indexes: Ints) -> list[EditedAnswer]:
    """Return the answers of some places, in their order."""
    candidates = evidence.structure.candidate_id[indexes].tolist()
    rows = session.execute(
        select(Candidate.id, Query.id, Query.text, Document.external_id, Document.title)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id.in_(candidates))
    )
    found = {row[0]: EditedAnswer(row[1], row[2], row[3], row[4]) for row in rows}
    return [found[number] for number in candidates]


def textless_documents(session: Session, project_id: int, *, first: int, most: int) -> list[TextlessDocument]:
    """Return some pooled documents without a text, those of most questions first."""
    many = func.count(Candidate.id)
    rows = session.execute(
        select(Document.external_id, Document.title, many, func.min(Candidate.query_id))
        .join(Document, Document.id == Candidate.document_id)
        .where(*_is_textless(project_id))
        .group_by(Document.id)
        .order_by(many.desc(), Document.id)
        .offset(first)
        .limit(most)
    ).all()
    texts = dict(
        session.execute(select(Query.id, Query.text).where(Query.id.in_({row[3] for row in rows}))).all()
    )
    return [TextlessDocument(*row, texts[row[3]]) for row in rows]


def _textless(project_id: int) -> Select[int]:
    return select(func.count(Candidate.document_id.distinct())).where(*_is_textless(project_id))


def _is_textless(project_id: int) -> tuple[ColumnElement[bool], ...]:
    return (
        Candidate.project_id == project_id,
        Candidate.in_pool.is_(True),
        # Few have no text: found by their index, and the candidates by theirs.
        Candidate.document_id.in_(
            select(Document.id).where(Document.project_id == project_id, Document.content_hash.is_(None))
        ),
        Candidate.query_id.in_(
            select(Query.id).where(Query.project_id == project_id, Query.retired_revision.is_(None))
        ),
    )
