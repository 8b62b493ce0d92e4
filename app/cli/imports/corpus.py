"""`flask import queries` and `flask import documents`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from app.cli.imports.files import file_of, file_options, open_project, told_of_columns
from app.cli.progress import Progress
from app.sentences import counted

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.collection.files import CorpusImported

replace_option = click.option(
    "--replace",
    is_flag=True,
    help="Replace the content of ids that the project has already; columns that the file lacks stay.",
)


@click.command()
@file_options("queries")
@replace_option
def queries(slug: str, file: Path, *, check: bool, replace: bool, **how: Any) -> None:
    """Import the queries of FILE into SLUG.

    Columns: query_id and text, or a TSV of two columns. Without ids, one column named question is enough.

    Example: flask --app app import queries cranfield queries.tsv
    """
    from app.jobs.imports import import_queries

    with open_project(slug) as (database, project_id):
        source = file_of("queries", file, **how)
        done = import_queries(database, project_id, source, replace=replace, check=check)
    click.echo(told_of(done, "queries", check=check))


@click.command()
@file_options("documents")
@replace_option
def documents(slug: str, file: Path, *, check: bool, replace: bool, **how: Any) -> None:
    """Import the documents of FILE into SLUG.

    Columns: doc_id, and text or title; where known, url and source.

    Example: flask --app app import documents cranfield documents.jsonl
    """
    from app.jobs.imports import import_documents

    progress = Progress(f"Importing {file.name}")
    with open_project(slug) as (database, project_id):
        done = import_documents(
            database,
            project_id,
            file_of("documents", file, **how),
            replace=replace,
            check=check,
            progress=progress,
        )
        progress.close()
    click.echo(told_of(done, "documents", check=check))


def told_of(done: CorpusImported, what: str, *, check: bool) -> str:
    """Return what was done, or would be, in one line or two."""
    counts = {
        "added": done.added,
        "given their text": done.filled,
        "unchanged": done.unchanged,
        "replaced": done.replaced,
        "repeated line left out" if done.repeated == 1 else "repeated lines left out": done.repeated,
    }
    parts = [f"{count:,} {name}" for name, count in counts.items() if count or name == "added"]
    lines = [f"{'Would import' if check else 'Imported'} {what}: {', '.join(parts)}."]
    lines += [*told_of_columns(done.columns_left_out), *done.hints]
    if done.edited:
        edited = counted(done.edited, "document")
        lines.append(f"The text of {edited} changed: its earlier ratings no longer count.")
    if done.without_text:
        lines.append(
            f"{counted(done.without_text, 'document')} without a text: nobody can rate them until "
            "it is imported."
        )
    if done.betraying:
        lines.append(
            f"The column source seems to name rankers or versions ({', '.join(done.betraying)}), and people "
            "see it while they rate: if it does, rename or remove that column."
        )
    if done.betraying_fields:
        lines.append(
            f"Fields that are shown name rankers ({', '.join(done.betraying_fields)}), and people see them "
            "while they rate: rename them, or show other fields."
        )
    return "\n".join(lines)
