"""Imports, for whoever asks: read the file, check it in a read session, write it in short transactions.

The parsing holds no session, and every chunk is committed on its own, so that people rate meanwhile. Nobody
sees any of it before the last, short step, which publishes all of it or nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.database import Database
from app.formats.errors import FormatError
from app.formats.grades import FoundGrade
from app.formats.schema import Kind
from app.jobs.steps import Finish, Progress, nothing, project_of, write_import
from app.services.assignment.pool_price import DEPTHS, PoolPrice, price_of_pool
from app.services.collection.documents import prepare_documents, read_document_digests
from app.services.collection.files import CorpusImported, ImportFile, part_for
from app.services.collection.judgment_files import (
    JudgmentOptions,
    JudgmentsImported,
    grades_told,
    read_judgment_file,
    refuse_map_off_scale,
    with_map,
)
from app.services.collection.judgment_import import prepare_judgments
from app.services.collection.pool_rated import pool_rated
from app.services.collection.queries import prepare_queries, read_query_rows
from app.services.collection.rankers import find_ranker
from app.services.collection.run_files import (
    RunImported,
    RunLists,
    RunOptions,
    RunReport,
    find_registered,
    read_run_file,
    with_ranker,
)
from app.services.collection.run_import import RunImport, plan_run
from app.services.collection.stored_texts import StoredTexts
from app.services.collection.unknown_ids import UnknownGuard, known_queries
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of
from app.services.projects.templates import with_template_columns


def import_queries(
    database: Database,
    project_id: int,
    file: ImportFile,
    *,
    replace: bool = False,
    check: bool = False,
    actor_id: int | None = None,
    finish: Finish[CorpusImported] | None = None,
) -> CorpusImported:
    """Import queries, or with `check` only say what would be done.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it contradicts the project; all of it is reported.
    """
    found = read_query_rows(with_usual_columns(database, project_id, "queries", file))
    with database.read() as session:
        project = project_of(session, project_id)
        work = prepare_queries(session, project, found, replace=replace, actor_id=actor_id)
    return work.result if check else write_import(database, work, finish=finish)


def import_documents(
    database: Database,
    project_id: int,
    file: ImportFile,
    *,
    replace: bool = False,
    check: bool = False,
    actor_id: int | None = None,
    progress: Progress = nothing,
    finish: Finish[CorpusImported] | None = None,
) -> CorpusImported:
    """Import documents, or with `check` only say what would be done.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it contradicts the project; all of it is reported.
    """
    found = read_document_digests(with_usual_columns(database, project_id, "documents", file))
    with database.read() as session:
        project = project_of(session, project_id)
        work = prepare_documents(session, project, found, replace=replace, actor_id=actor_id)
    # The import reads the file again: what was found of a million documents needs no room meanwhile.
    del found
    return work.result if check else write_import(database, work, progress, finish)


def import_run(
    database: Database,
    project_id: int,
    file: ImportFile,
    options: RunOptions,
    *,
    actor_id: int | None = None,
    progress: Progress = nothing,
    finish: Finish[RunImported] | None = None,
) -> RunImported:
    """Import a run; the same file for the same ranker again does nothing.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it names what the project lacks; all of it is reported.
    InvalidError
        The file does not give the name of its ranker, and is to give it.
    """
    file = part_for("run", file)
    file_hash = file.sha256()
    lists = None
    if options.named_in_file:
        lists = read_run(database, project_id, file, options, file_hash)
        options = with_ranker(options, lists)
    with database.read() as session:
        known = find_registered(session, project_of(session, project_id), options.ranker, file_hash)
    if known is not None:
        return known
    if lists is None:
        lists = read_run(database, project_id, file, options, file_hash)
    with database.read() as session:
        project = project_of(session, project_id)
        work = RunImport(plan_run(session, project, lists, options), project.pool_depth, actor_id)
    return write_import(database, work, progress, finish)


def read_run(
    database: Database,
    project_id: int,
    file: ImportFile,
    options: RunOptions,
    file_hash: bytes | None = None,
) -> RunLists:
    """Return the lists of a run file, read no further than is of use to this project.

    Raises
    ------
    FormatError
        Nothing of the file can be read.
    """
    guard = UnknownGuard(database.read, project_id, options)
    return read_run_file(
        with_usual_columns(database, project_id, "run", file),
        file_hash=file_hash,
        enough=guard,
        keeps=known_queries(database.read, project_id, options),
        best=options.best,
        other_text=StoredTexts(database.read, project_id),
    )


def with_usual_columns(database: Database, project_id: int, kind: Kind, file: ImportFile) -> ImportFile:
    """Return the part of a file that is of this kind, read by the column names of the project's template."""
    file = part_for(kind, file)
    with database.read() as session:
        project = project_of(session, project_id)
    return with_template_columns(project, kind, file)


@dataclass(frozen=True)
class RunChecked:
    """What importing a run would do, and what the pool would cost then.

    Attributes
    ----------
    ranker
        Whose run it is.
    report
        None if the same file is registered already.
    revision
        The project's revision at the check; another one later means: check again.
    """

    known: RunImported | None
    report: RunReport | None
    pool: PoolPrice
    revision: int
    ranker: str


def check_run(database: Database, project_id: int, file: ImportFile, options: RunOptions) -> RunChecked:
    """Return what importing a run would do; nothing is written.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it names what the project lacks; all of it is reported.
    InvalidError
        The file does not give the name of its ranker, and is to give it.
    """
    lists = read_run(database, project_id, file, options)
    options = with_ranker(options, lists)
    with database.read() as session:
        evidence = evidence_of(database, project_id, fresh=session)
        project = project_of(session, project_id)
        revision = head_of(session, project_id)
        known = find_registered(session, project, options.ranker, lists.file_hash)
        if known is not None:
            price = price_of_pool(session, evidence, project)
            return RunChecked(known, None, price, revision, options.ranker)
        plan = plan_run(session, project, lists, options)
        ranker = find_ranker(session, project_id, options.ranker)
        pool = price_of_pool(
            session,
            evidence,
            project,
            coming=plan.places_to_come(max(*DEPTHS, project.pool_depth)),
            coming_ranker=ranker.id if ranker else None,
        )
        return RunChecked(None, plan.report, pool, revision, options.ranker)


def import_judgments(
    database: Database,
    project_id: int,
    file: ImportFile,
    options: JudgmentOptions,
    *,
    check: bool = False,
    actor_id: int | None = None,
    progress: Progress = nothing,
    finish: Finish[JudgmentsImported] | None = None,
) -> JudgmentsImported:
    """Import judgments, or with `check` only say what would be done; the same file again does nothing.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it contradicts the project; all of it is reported.
    InvalidError
        The map of grades has one that is not on the project's scale.
    """
    with database.read() as session:
        project = project_of(session, project_id)
        refuse_map_off_scale(project, options.grades)
    guard = UnknownGuard(database.read, project_id, options)
    keeps = known_queries(database.read, project_id, options)
    file = with_usual_columns(database, project_id, "judgments", file)
    try:
        found = read_judgment_file(file, options, guard, keeps, StoredTexts(database.read, project_id))
        with database.read() as session:
            project = project_of(session, project_id)
            work = prepare_judgments(session, project, found, options, actor_id=actor_id)
    except FormatError as error:
        raise with_map(error, file, project) from error
    done = work.result if check else write_import(database, work, progress, finish)
    with database.read() as session:
        pool = pool_rated(session, project_id)
    if check and pool.pooled:
        return done  # how many will be rated then is not known
    return replace(done, pooled=pool.pooled, rated=pool.rated)


def grades_of_file(
    database: Database, project_id: int, file: ImportFile, options: JudgmentOptions
) -> list[FoundGrade]:
    """Return what each grade of a file that was checked becomes in the project."""
    file = with_usual_columns(database, project_id, "judgments", file)
    with database.read() as session:
        project = project_of(session, project_id)
    return grades_told(file, project, options)
