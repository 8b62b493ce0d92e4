"""Random probes: answers that no ranker returned, drawn by chance and rated like any other.

A probe bounds how much of the rest is relevant; it never proves that nothing is (EVALUATION.md section 2.6).
Its answers stand in manual runs: they join the pool, are dealt blind, and nothing scores or compares them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from app.models import Document, Query, Ranker, Run
from app.models.ranker import PROBES
from app.scoring.judged import RELEVANT
from app.scoring.proportions import highest_share
from app.scoring.seeds import seed_of
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.evidence.ledger import DECLINED
from app.services.health.frame import draw
from app.services.import_file import ImportFile, refuse_archived
from app.services.rulers import get_ruler
from app.services.runs import RunOptions, import_run, restore_run

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.services.health.frame import Drawn

LEAST, MOST, USUAL = 5, 100, 30
KEY = "probe"


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
        """The largest share of relevant answers in the rest, at 95 %; None before the first rating."""
        return highest_share(self.relevant, self.rated) if self.rated else None

    @property
    def waiting(self) -> int:
        """How many of the drawn answers are not judged yet."""
        return self.drawn - self.rated


def draw_probe(
    session: Session, project: Project, query_id: int | None, size: int, *, actor_id: int | None = None
) -> int:
    """Draw answers from the rest of one question, or of all, put them into the pool, and return their number.

    The draw follows from the project's secret and the number of the probe: nobody chooses what is drawn.

    Raises
    ------
    InvalidError
        The size is none that can be drawn.
    NotFoundError
        The project has no such active question.
    ConflictError
        There is no rest, or the project is archived.
    """
    refuse_archived(project)
    if not LEAST <= size <= MOST:
        raise InvalidError(f"Draw {LEAST} to {MOST} answers, not {size}.", code="probe_size")
    wanted = select(Query.id).where(Query.project_id == project.id, Query.retired_revision.is_(None))
    queries = list(session.scalars(wanted))
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
        cells = np.unique(evidence.structure.positions[:, places])
        cells = cells[cells < evidence.structure.cells]
        judged = board.judged.judged[cells]
        found.append(
            Probe(
                number=number,
                query_id=about["query_id"],
                query=texts.get(about["query_id"], ""),
                at=mine[0].registered_at,
                drawn=about["drawn"],
                rest=about["rest"],
                rated=int(judged.sum()),
                relevant=int((board.judged.state[cells] == RELEVANT).sum()),
                declined=int((~judged & np.isin(cells, passed)).sum()),
                withdrawn=not active.issuperset(places),
            )
        )
    return found


def _passed(evidence: Evidence) -> Any:
    """Return the places of answers on which somebody's newest word is that they cannot judge."""
    return np.unique(evidence.cell[evidence.ratings_now & (evidence.ledger.grade == DECLINED)])


def _files(session: Session, project: Project, drawn: Drawn) -> list[bytes]:
    """Return the drawn answers as files of runs, none with longer lists than are pooled and scored."""
    deepest = get_ruler(session, project.id).k
    queries = _names(session, Query, drawn.query.tolist())
    documents = _names(session, Document, drawn.document.tolist())
    lists: dict[int, list[int]] = defaultdict(list)
    for query, document in zip(drawn.query.tolist(), drawn.document.tolist(), strict=True):
        lists[query].append(document)
    parts: dict[int, list[str]] = defaultdict(list)
    for query, mine in lists.items():
        for place, document in enumerate(mine):
            line = {
                "query_id": queries[query],
                "doc_id": documents[document],
                "rank": place % deepest + 1,
            }
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
