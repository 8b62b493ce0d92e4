"""The plan written into a session, through the same services as anybody's data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.demo import settings
from app.demo.answer_key import Pair
from app.demo.paper_sample import PaperRun
from app.demo.records import DemoJudgment, DemoPlan, DemoRun, DemoWeek
from app.models import Bookmark, Candidate, Document, Project, Query, Run
from app.services.collection.documents import import_documents
from app.services.collection.files import ImportFile
from app.services.collection.queries import import_queries
from app.services.collection.rankers import set_production
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.collection.simulated_judgments import (
    SimulatedJudgment,
    add_simulated_annotator,
    record_simulated_judgments,
)
from app.services.ledger import head_of
from app.services.projects.projects import NewProject, change_guidelines, create_project
from app.services.scores.chart_notes import add_note


def write_plan(session: Session, plan: DemoPlan) -> Project:
    """Write the demo project into the session and return it.

    :raise ConflictError: Its short name is taken.
    """
    project = create_project(session, _new_project())
    annotators = {one.name: add_simulated_annotator(session, project, one.name).id for one in plan.annotators}
    for week in plan.weeks:
        _write_week(session, project, week, plan, annotators)
    return project


def _new_project() -> NewProject:
    low, high = settings.SCALE
    return NewProject(
        slug=settings.SLUG,
        name=settings.NAME,
        headline=settings.HEADLINE,
        scale=f"{low}-{high}",
        k=settings.CUTOFF,
        gain=settings.GAIN,
        discount=settings.DISCOUNT,
        threshold=settings.THRESHOLD,
        pool_depth=settings.POOL_DEPTH,
        overlap=settings.OVERLAP,
        share_twice=settings.SHARE_TWICE,
        grade_words=[dict(words) for words in settings.GRADE_WORDS],
        options={"language": settings.LANGUAGE},
        is_demo=True,
    )


def _write_week(
    session: Session, project: Project, week: DemoWeek, plan: DemoPlan, annotators: dict[str, int]
) -> None:
    change_guidelines(session, project, plan.guidelines[week.guideline_version - 1])
    if week.documents:
        import_documents(session, project, json_lines(f"{week.label} articles", map(asdict, week.documents)))
    if week.queries:
        questions = json_lines(f"{week.label} questions", map(asdict, week.queries))
        import_queries(session, project, questions)
    for run in week.runs:
        done = import_run(session, project, run_file(run), _options_of(run))
        if (run.ranker, run.algorithm) == settings.PRODUCTION:
            set_production(session, project, session.get_one(Run, done.run_id))
    candidates = _candidates(session, project.id)
    judgments = [_judgment(one, annotators, candidates) for one in week.judgments]
    record_simulated_judgments(session, project, judgments)
    session.add(Bookmark(project_id=project.id, revision=head_of(session, project.id), label=week.label))
    session.flush()
    if week.number in settings.NOTES:
        add_note(session, project, settings.NOTES[week.number])


def json_lines(name: str, rows: Iterable[Mapping[str, Any]]) -> ImportFile:
    """Return rows as a file to import."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return ImportFile(content=lines.encode(), name=name, format="jsonl")


def run_file(run: DemoRun | PaperRun) -> ImportFile:
    """Return the lists of a run as a file to import."""
    rows = (
        {"query_id": query_id, "doc_id": doc_id, "score": score}
        for query_id, found in run.lists.items()
        for doc_id, score in found
    )
    return json_lines(f"{run.ranker} {run.version}", rows)


def _options_of(run: DemoRun) -> RunOptions:
    return RunOptions(ranker=run.ranker, version=run.version, note=run.note)


def _candidates(session: Session, project_id: int) -> dict[Pair, int]:
    rows = session.execute(
        select(Query.external_id, Document.external_id, Candidate.id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.project_id == project_id)
    )
    return {(query_id, doc_id): candidate for query_id, doc_id, candidate in rows}


def _judgment(
    one: DemoJudgment, annotators: dict[str, int], candidates: dict[Pair, int]
) -> SimulatedJudgment:
    return SimulatedJudgment(
        annotator_id=annotators[one.annotator],
        candidate_id=candidates[one.query_id, one.doc_id],
        grade=one.grade,
        reason=one.reason,
        batch=one.batch,
        place=one.place,
        length=one.of,
        guideline_version=one.guideline_version,
    )
