"""Runs: the lists as they were imported, in TREC's form or as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.exported import form_of
from app.formats.pair_files import write_run_pairs
from app.formats.quepid_files import write_snapshot
from app.formats.rows import RunRow
from app.formats.runs import write_run
from app.formats.writing import write_trec_run
from app.models.document import Document
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.run import Ranking, Run
from app.services.bulk import batches, stream
from app.services.errors import InvalidError, NotFoundError
from app.services.exports.tables import Export, refuse_blanks_in_ids
from app.services.exports.texts import refuse_equal_texts

LISTS_AT_ONCE = 100


class ActiveRun(NamedTuple):
    """A run that can be exported."""

    id: int
    ranker: str
    version: str
    stats: dict[str, Any]

    @property
    def has_scores(self) -> bool:
        """Return whether its lines have scores, and not ranks alone."""
        return bool(self.stats.get("has_scores", True))


def active_run_facts(
    session: Session,
    project: Project,
    *,
    ranker: str | None = None,
    version: str | None = None,
    all_versions: bool = False,
) -> list[ActiveRun]:
    """Return the newest active version of each ranker, or all of them, in order of the rankers' marks.

    Random probes and answers added by hand are no results of rankers: they are left out unless named.

    :raise NotFoundError: No active run is meant.
    """
    wanted = (
        select(Run.id, Ranker.name, Run.version, Run.stats)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == project.id, Run.state == "published")
        .order_by(Ranker.mark, Run.revision)
    )
    wanted = wanted.where(Ranker.kind == "system" if ranker is None else Ranker.name == ranker)
    if version is not None:
        wanted = wanted.where(Run.version == version)
    rows = session.execute(wanted).all()
    if not rows:
        raise NotFoundError(f"The project {project.slug} has no such active run.")
    runs = [ActiveRun(*row) for row in rows]
    return runs if all_versions else list({run.ranker: run for run in runs}.values())


def get_run_facts(session: Session, project_id: int, run_id: int) -> ActiveRun:
    """Return a version of a project by its number, also if it is withdrawn.

    :raise NotFoundError: There is none.
    """
    wanted = (
        select(Run.id, Ranker.name, Run.version, Run.stats)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == project_id, Run.id == run_id, Run.state != "unpublished")
    )
    row = session.execute(wanted).one_or_none()
    if row is None:
        raise NotFoundError("The project has no version with this number.")
    return ActiveRun(*row)


def tags_of(runs: Sequence[ActiveRun]) -> list[str]:
    """Return a tag for each run, which holds no blanks: its ranker's name, with the version where it must."""
    rankers = [run.ranker for run in runs]
    names = [run.ranker if rankers.count(run.ranker) == 1 else f"{run.ranker} {run.version}" for run in runs]
    return [re.sub(r"\s+", "-", name.strip()) for name in names]


NAMELESS = "The ranker is left out: name it when you import the file."


def export_runs(
    session: Session, runs: Sequence[ActiveRun], format: str = "trec", *, data: bool = False
) -> Export:
    """Return the lists of some runs, one after the other; see `write_table` for `data`.

    Parameters
    ----------
    format
        One of `FORMS["results"]`.

    :raise InvalidError: All but TREC hold one run only. Or the format cannot hold an id or a question.
    """
    form = form_of("results", format)
    if form.format == "trec":
        refuse_blanks_in_ids(session, session.get_one(Run, runs[0].id).project_id)
        return Export(_trec_lines(session, runs), tuple(_trec_notes(runs)))
    if len(runs) > 1:
        raise InvalidError(
            f"{len(runs)} runs do not fit in one {format} file: choose one with --ranker, "
            "or name a folder that exists.",
            code="one_run",
            field="ranker",
            value="",
            remedy="Choose one ranker.",
        )
    (run,) = runs
    if form.by_text:
        stored = session.get_one(Run, run.id)
        refuse_equal_texts(session, stored.project_id)
        rows = rows_of(session, run, by_text=True)
        name = f"{run.ranker} {run.version}"
        return Export(write_snapshot(rows, name, stored.registered_at, data=data), (form.lost,))
    rows = rows_of(session, run)
    if form.format == "json-pairs":
        return Export(write_run_pairs(rows), (form.lost,))
    return Export(write_run(rows, form.format, data=data), (NAMELESS,))


def _trec_lines(session: Session, runs: Sequence[ActiveRun]) -> Iterator[str]:
    for run, tag in zip(runs, tags_of(runs), strict=True):
        yield from write_trec_run(rows_of(session, run), tag)


def _trec_notes(runs: Sequence[ActiveRun]) -> Iterator[str]:
    if len(runs) > 1:
        yield (
            f"{len(runs)} runs are in this file, told apart by their tag. To import them again, "
            "export one with --ranker, or name a folder that exists."
        )
    silent = [run.ranker for run in runs if not run.has_scores]
    if silent:
        yield f"TREC needs scores, which {', '.join(silent)} does not have: the negative rank is written."
    for run, tag in zip(runs, tags_of(runs), strict=True):
        if " " in run.ranker:
            yield f"A tag cannot contain spaces: {run.ranker!r} is written as {tag}."


def rows_of(session: Session, run: ActiveRun, *, by_text: bool = False) -> Iterator[RunRow]:
    """Yield the lines of a run, query by query, best first.

    Parameters
    ----------
    by_text
        Name queries by their texts, and leave out those that are retired.
    """
    wanted = (
        select(Query.text if by_text else Query.external_id, Ranking.document_ids, Ranking.scores)
        .join(Query, Query.id == Ranking.query_id)
        .where(Ranking.run_id == run.id)
        .order_by(Ranking.id)
    )
    if by_text:
        wanted = wanted.where(Query.retired_revision.is_(None))
    lists = stream(session, wanted)
    while some := list(islice(lists, LISTS_AT_ONCE)):
        packed = [np.frombuffer(bytes(ids), dtype="<i4").tolist() for _, ids, _ in some]
        names = _names_of(session, {number for ids in packed for number in ids})
        for (query, _, scores), ids in zip(some, packed, strict=True):
            values = [None] * len(ids) if scores is None else np.frombuffer(bytes(scores), "<f8").tolist()
            for rank, (number, score) in enumerate(zip(ids, values, strict=True), 1):
                yield RunRow(query, names[number], rank, score)


def _names_of(session: Session, numbers: set[int]) -> dict[int, str]:
    names: dict[int, str] = {}
    for some in batches(sorted(numbers)):
        rows = session.execute(select(Document.id, Document.external_id).where(Document.id.in_(some)))
        names.update((number, external) for number, external in rows)
    return names
