"""`flask import run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from app.cli.imports.files import HOW, file_of, file_options, open_project, told_of_columns
from app.cli.progress import Progress
from app.sentences import counted

if TYPE_CHECKING:
    from pathlib import Path

    from app.database import Database
    from app.jobs.imports import RunChecked
    from app.services.collection.run_files import RunImported

unknown_documents_option = click.option(
    "--unknown-documents",
    type=click.Choice(["reject", "add"]),
    default="reject",
    show_default=True,
    help="Document ids that the project does not have: refuse the file, or add them without text.",
)
unknown_queries_option = click.option(
    "--unknown-queries",
    type=click.Choice(["reject", "skip"]),
    default="reject",
    show_default=True,
    help="Query ids that the project does not have: refuse the file, or skip their lines.",
)


best_option = click.option(
    "--best",
    is_flag=True,
    help="If a list repeats a document, keep only its best place; else the file is refused.",
)


@click.command()
@file_options("run")
@click.option(
    "--ranker",
    metavar="NAME",
    help="The system that made the run; the one that the file names, by its tag or a column, if not given.",
)
@click.option("--version", metavar="LABEL", help="The label of this version; v1, v2, ... if not given.")
@click.option("--note", default="", help="What is new in this version, on one line.")
@best_option
@unknown_documents_option
@unknown_queries_option
def run(slug: str, file: Path, *, check: bool, **chosen: Any) -> None:
    """Import the run of FILE into SLUG.

    It is a TREC run, a table with query_id or query, doc_id, and rank or score, or a file of another tool.

    Example: flask --app app import run cranfield bm25.run --ranker bm25
    """
    from app.jobs.imports import check_run, import_run
    from app.services.collection.run_files import RunOptions, check_label
    from app.services.errors import InvalidError

    how = {name: chosen.pop(name) for name in HOW}
    is_named = chosen["ranker"] is not None
    options = RunOptions(**chosen | {"ranker": chosen["ranker"] or ""}, named_in_file=not is_named)
    progress = Progress(f"Importing {file.name}")
    with open_project(slug) as (database, project_id):
        if is_named:
            check_label("ranker", options.ranker)
        source = file_of("run", file, **how)
        try:
            if check:
                checked = check_run(database, project_id, source, options)
                ranker, lines = checked.ranker, told_of_check(checked)
            else:
                done = import_run(database, project_id, source, options, progress=progress)
                progress.close()
                ranker, lines = done.ranker, told_of(done)
                if not done.already:
                    lines.append(f"The pool now: {priced(database, project_id)}")
        except InvalidError as error:
            if error.code != "no_ranker":
                raise
            lacks = f"Missing option '--ranker': {error.message} {error.details['remedy']}"
            raise click.UsageError(lacks) from error
    if not is_named:
        lines.append(f"The ranker is {ranker}, as the file says; --ranker NAME gives another name.")
    click.echo("\n".join(lines))


def priced(database: Database, project_id: int) -> str:
    """Return what rating the whole pool costs, in a sentence."""
    from app.jobs.steps import project_of
    from app.services.assignment.pool_price import price_of_pool
    from app.services.evidence.store import evidence_of

    with database.read() as session:
        evidence = evidence_of(database, project_id, fresh=session)
        return price_of_pool(session, evidence, project_of(session, project_id)).sentence


def told_of(done: RunImported) -> list[str]:
    """Return what was done, in lines."""
    if done.already:
        return [already_told(done)]
    report = done.report
    assert report is not None
    head = (
        f"Imported {done.ranker} {done.version}: {counted(report.lines, 'line')}, {report.covered}, "
        f"{counted(done.new_candidates, 'answer')} new in the pool."
    )
    return [head, *told_of_columns(report.columns_left_out), *report.warnings]


def told_of_check(checked: RunChecked) -> list[str]:
    """Return what would be done, in lines."""
    if checked.known is not None:
        return [already_told(checked.known)]
    report = checked.report
    assert report is not None
    new = f"{counted(report.new_candidates, 'answer')} new in the pool"
    if report.rated_candidates:
        new += f" ({report.rated_candidates:,} of them rated already)"
    head = f"Would import {counted(report.lines, 'line')}, {report.covered}, {new}."
    return [
        head,
        *told_of_columns(report.columns_left_out),
        *report.warnings,
        f"The pool then: {checked.pool.sentence}",
    ]


def already_told(done: RunImported) -> str:
    """Return that the same file is there already."""
    state = ", and withdrawn since" if done.withdrawn else ""
    return f"{done.ranker}: already registered as {done.version}{state}. Nothing changed."
