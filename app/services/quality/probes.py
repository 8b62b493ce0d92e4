"""Random probes: answers that no ranker returned, drawn at random and rated like any other.

The rest are the answers that are in no pool and that nobody has judged. A probe bounds how much of it is
relevant; it never proves that nothing is (EVALUATION.md section 2.6). Its answers stand in manual runs: they
join the pool, are rated blind, and nothing scores or compares them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import Judgment
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import PROBE_KEY as KEY
from app.models.ranker import PROBES, Ranker
from app.models.run import Run
from app.scoring.arrays import Ints
from app.scoring.judged import RELEVANT
from app.scoring.proportions import highest_share
from app.scoring.seeds import hash_words, random_words, seed_of, unit_floats
from app.sentences import message
from app.services.bulk import read_integers
from app.services.collection.files import ImportFile, refuse_archived
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.collection.withdrawal import restore_run, withdraw_run
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.evidence.columns import DECLINED
from app.services.evidence.state import Evidence
from app.services.scores.scoreboard import Scoreboard
from app.services.scoring_settings import get_ruler

SMALL = 2_000_000
"""Up to this many pairs the rest is listed; beyond, pairs are drawn until enough are in the rest."""
FEW = 20_000
"""Up to this many pairs of all questions a page counts the rest: of more there is enough for every size."""


@dataclass(frozen=True)
class Drawn:
    """Pairs drawn from the rest, as numbers of queries and documents, integers (pairs,); and its size."""

    query: Ints
    document: Ints
    rest: int


def draw(session: Session, project_id: int, query_ids: Sequence[int], size: int, seed: int) -> Drawn:
    """Return some pairs of the rest of some queries, each equally likely; all of them where they are few.

    Only documents with a text are drawn: others could not be rated.
    """
    queries = np.array(sorted(query_ids), dtype=np.int64)
    documents = read_integers(
        session,
        select(Document.id)
        .where(
            Document.project_id == project_id,
            Document.content_hash.is_not(None),
            Document.retired_revision.is_(None),
            Document.merged_into.is_(None),
        )
        .order_by(Document.id),
        1,
    )[:, 0]
    known = _known(session, project_id, queries, documents)
    every = len(queries) * len(documents)
    rest = every - len(known)
    chosen = _chosen(every, known, min(size, rest), seed)
    wide = max(len(documents), 1)
    return Drawn(queries[chosen // wide], documents[chosen % wide], rest)


def rest_of(session: Session, query: Query) -> int:
    """Return how many answers with a text are neither in the pool of a question nor judged for it."""
    return draw(session, query.project_id, [query.id], 0, 0).rest


def rest_of_few(session: Session, project_id: int) -> int | None:
    """Return the same of all questions of a small project; None of others, where counting takes a while."""
    queries = _active(session, project_id)
    texts = select(func.count()).where(Document.project_id == project_id)
    if len(queries) * (session.scalar(texts) or 0) > FEW:
        return None
    return draw(session, project_id, queries, 0, 0).rest


def _active(session: Session, project_id: int) -> list[int]:
    wanted = select(Query.id).where(Query.project_id == project_id, Query.retired_revision.is_(None))
    return list(session.scalars(wanted))


def _known(session: Session, project_id: int, queries: Ints, documents: Ints) -> Ints:
    """Return the pairs that are pooled or judged, as places in a table of queries by documents, ascending."""
    # Also what was taken back since, or cannot be judged: a new draw would ask for it again.
    judged = select(Judgment.revision).where(Judgment.candidate_id == Candidate.id).exists()
    wanted = select(Candidate.query_id, Candidate.document_id).where(
        Candidate.project_id == project_id, or_(Candidate.in_pool, judged)
    )
    if len(queries) == 1:
        wanted = wanted.where(Candidate.query_id == int(queries[0]))
    rows = read_integers(session, wanted, 2)
    rows = rows[np.isin(rows[:, 0], queries) & np.isin(rows[:, 1], documents)]
    place = np.searchsorted(queries, rows[:, 0]) * len(documents) + np.searchsorted(documents, rows[:, 1])
    return np.unique(place)


def _chosen(every: int, known: Ints, size: int, seed: int) -> Ints:
    if every <= SMALL:
        rest = np.setdiff1d(np.arange(every), known, assume_unique=True)
        return rest[np.argsort(hash_words(seed, rest), kind="stable")[:size]]
    found = np.zeros(0, dtype=np.int64)
    count = 2 * size
    while len(found) < size:
        # The same words and more of them: what was drawn before is drawn again, in the same order.
        drawn = (unit_floats(random_words(seed, count)) * every).astype(np.int64)
        _, first = np.unique(drawn, return_index=True)
        drawn = drawn[np.sort(first)]
        found = drawn[~np.isin(drawn, known)][:size]
        count *= 2
    return found


LEAST, MOST, USUAL = 5, 100, 30


@dataclass(frozen=True)
class Probe:
    """One probe and what it has shown so far.

    Attributes
    ----------
    number
        1, 2, 3, ... within the project.
    query_id, query
        Of which question; None for all of them together.
    drawn, rest
        How many answers were drawn, and from how many.
    rated, relevant, declined
        How many of the drawn ones are judged; relevant; and not judged, but passed on by somebody.
    withdrawn
        It was taken out of the pool, or a part of it.
    """

    number: int
    query_id: int | None
    query: str
    at: datetime
    drawn: int
    rest: int
    rated: int
    relevant: int
    declined: int
    withdrawn: bool

    @property
    def bound(self) -> float | None:
        """The largest share of relevant answers in the rest, at 95 %; None where that says nothing.

        So it is before the first rating, where every rated answer is relevant, and where no other is left.
        """
        if self.relevant == self.rated or self.drawn == self.rest:
            return None
        return highest_share(self.relevant, self.rated)

    @property
    def waiting(self) -> int:
        """How many of the drawn answers are not judged yet."""
        return self.drawn - self.rated


def draw_probe(
    session: Session, project: Project, query_id: int | None, size: int, *, actor_id: int | None = None
) -> int:
    """Draw answers from the rest of one question, or of all, put them into the pool, and return their number.

    The draw follows from the project's secret and the number of the probe: nobody chooses what is drawn.

    :raise InvalidError: The size is none that can be drawn.
    :raise NotFoundError: The project has no such active question.
    :raise ConflictError: There is no rest, or the project is archived.
    """
    refuse_archived(project)
    if not LEAST <= size <= MOST:
        raise InvalidError(
            message("Draw %(least)s to %(most)s answers, not %(size)s.", least=LEAST, most=MOST, size=size),
            code="probe_size",
        )
    queries = _active(session, project.id)
    if query_id is not None:
        if query_id not in queries:
            raise NotFoundError("There is no such question.")
        queries = [query_id]
    number = 1 + max((stats[KEY]["number"] for stats in _stats(session, project.id)), default=0)
    drawn = draw(session, project.id, queries, size, seed_of(KEY, project.shuffle_secret.hex(), number))
    if not len(drawn.query):
        raise ConflictError(
            "Nothing is left to draw from: every answer with a text is in the pool or judged.", code="no_rest"
        )
    about = {"number": number, "query_id": query_id, "drawn": len(drawn.query), "rest": drawn.rest}
    for content in _files(session, project, drawn):
        file = ImportFile(content=content, name="the probe", format="jsonl")
        options = RunOptions(ranker=PROBES, kind="manual")
        done = import_run(session, project, file, options, actor_id=actor_id)
        run = session.get_one(Run, done.run_id)
        if done.already and done.withdrawn:
            restore_run(session, run, actor_id=actor_id)
        run.stats = {**run.stats, KEY: about}
    session.flush()
    return len(drawn.query)


def turn_probe(
    session: Session, project: Project, number: int, *, withdraw: bool, actor_id: int | None = None
) -> None:
    """Withdraw a probe with all that it drew, or restore it.

    :raise InvalidError: The project has no such probe.
    """
    turn, before = (withdraw_run, "published") if withdraw else (restore_run, "withdrawn")
    runs = [
        run for run in session.scalars(_runs(project.id)) if run.stats.get(KEY, {}).get("number") == number
    ]
    if not runs:
        raise InvalidError("There is no such probe.", code="probe")
    for run in runs:
        if run.state == before:
            turn(session, run, actor_id=actor_id)


def probes_of(session: Session, evidence: Evidence, board: Scoreboard) -> list[Probe]:
    """Return the probes of a project with what they have shown so far, newest first."""
    place_of = {run.id: place for place, run in enumerate(evidence.structure.runs)}
    active = set(evidence.active_runs())
    runs: dict[int, list[Run]] = defaultdict(list)
    for run in session.scalars(_runs(evidence.project_id)):
        if KEY in run.stats and run.id in place_of:
            runs[run.stats[KEY]["number"]].append(run)
    queries = {found[0].stats[KEY]["query_id"] for found in runs.values()} - {None}
    texts = {
        row.id: row.text for row in session.execute(select(Query.id, Query.text).where(Query.id.in_(queries)))
    }
    passed = _passed(evidence)
    found = []
    for number, mine in sorted(runs.items(), reverse=True):
        about: dict[str, Any] = mine[0].stats[KEY]
        places = [place_of[run.id] for run in mine]
        indexes = np.unique(evidence.structure.positions[:, places])
        indexes = indexes[indexes < evidence.structure.candidate_count]
        judged = board.judged.judged[indexes]
        found.append(
            Probe(
                number=number,
                query_id=about["query_id"],
                query=texts.get(about["query_id"], ""),
                at=mine[0].registered_at,
                drawn=about["drawn"],
                rest=about["rest"],
                rated=int(judged.sum()),
                relevant=int((board.judged.state[indexes] == RELEVANT).sum()),
                declined=int((~judged & np.isin(indexes, passed)).sum()),
                withdrawn=not active.issuperset(places),
            )
        )
    return found


def _passed(evidence: Evidence) -> Any:
    """Return the places of answers on which somebody's newest word is that they cannot judge."""
    return np.unique(evidence.candidate_index[evidence.ratings_now & (evidence.ledger.grade == DECLINED)])


def _files(session: Session, project: Project, drawn: Drawn) -> list[bytes]:
    """Return the drawn answers as files of runs, none with longer lists than are scored."""
    deepest = get_ruler(session, project.id).k
    queries = _names(session, Query, drawn.query.tolist())
    documents = _names(session, Document, drawn.document.tolist())
    lists: dict[int, list[int]] = defaultdict(list)
    for query, document in zip(drawn.query.tolist(), drawn.document.tolist(), strict=True):
        lists[query].append(document)
    parts: dict[int, list[str]] = defaultdict(list)
    for query, mine in lists.items():
        for place, document in enumerate(mine):
            line = {"query_id": queries[query], "doc_id": documents[document], "rank": place % deepest + 1}
            parts[place // deepest].append(json.dumps(line))
    return ["".join(f"{line}\n" for line in lines).encode() for lines in parts.values()]


def _names(session: Session, table: type[Query | Document], numbers: list[int]) -> dict[int, str]:
    rows = session.execute(select(table.id, table.external_id).where(table.id.in_(set(numbers))))
    return {row.id: row.external_id for row in rows}


def _runs(project_id: int) -> Any:
    return (
        select(Run)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(
            Run.project_id == project_id,
            Ranker.name == PROBES,
            Ranker.kind == "manual",
            Run.state != "unpublished",
        )
        .order_by(Run.revision)
    )


def _stats(session: Session, project_id: int) -> list[dict[str, Any]]:
    return [run.stats for run in session.scalars(_runs(project_id)) if KEY in run.stats]
