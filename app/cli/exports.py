"""`flask export`: what a project holds, as files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from app.cli.output import OutputPath, opened
from app.cli.session import open_database
from app.formats.exported import BY, Exported, about, form_of, names_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.database import Database
    from app.models import Project
    from app.services.exports.runs import ActiveRun
    from app.services.exports.tables import Export

    Command = Callable[..., None]


@click.group()
def export() -> None:
    """Export what a project holds.

    Example: flask --app app export qrels cranfield -o qrels.txt
    """


def output_options(command: Command) -> Command:
    """Add where to write."""
    output = click.option(
        "-o", "--output", type=OutputPath(), metavar="FILE", help="The file to write. [default: the terminal]"
    )
    return click.argument("slug")(output(command))


def data_option(command: Command) -> Command:
    """Add the exact form."""
    return click.option(
        "--data",
        is_flag=True,
        help="Write texts exactly. Without it, texts that a spreadsheet takes for a formula get an "
        "apostrophe in front.",
    )(command)


def format_option(what: Exported) -> Callable[[Command], Command]:
    """Add the forms of an export, with what they cannot hold."""
    names = names_of(what)
    return click.option(
        "--format", type=click.Choice(names), default=names[0], show_default=True, help=about(what) or None
    )


@export.command()
@output_options
@data_option
@click.option(
    "--middle",
    type=click.Choice(["lower", "upper"]),
    default="lower",
    show_default=True,
    help="Which grade to write if the consensus is between two.",
)
@format_option("qrels")
def qrels(slug: str, output: Path | None, middle: str, format: str, *, data: bool) -> None:
    """Export the consensus grades of SLUG, one for each answer.

    Example: flask --app app export qrels cranfield -o qrels.txt
    """
    from app.services.exports.judgments import export_qrels
    from app.services.projects.projects import get_project

    with open_database() as database, database.read() as session:
        project = get_project(session, slug)
        made = export_qrels(session, project, middle=middle, format=format, data=data)  # type: ignore[arg-type]
        write(made, output, project)
        note_export(database, project.id, "qrels", format)


@export.command()
@output_options
@data_option
@click.option(
    "--by",
    type=click.Choice(BY),
    default=BY[0],
    show_default=True,
    help="Who gave the ratings. Those of machines come back with `import judgments --kind machine`.",
)
@format_option("ratings")
def judgments(slug: str, output: Path | None, by: str, format: str, *, data: bool) -> None:
    """Export each annotator's current ratings of SLUG. With --by, those of each machine.

    Example: flask --app app export judgments cranfield -o ratings.csv
    """
    from app.services.exports.judgments import export_judgments

    write_table_of(slug, output, "ratings", export_judgments, by=by, format=format, data=data)


@export.command()
@output_options
@data_option
@click.option("--ranker", metavar="NAME", help="Only the run of this ranker.")
@click.option("--version", metavar="LABEL", help="Only runs of this label.")
@click.option("--all-versions", is_flag=True, help="All versions, not only the newest of each ranker.")
@format_option("results")
def runs(
    slug: str,
    output: Path | None,
    ranker: str | None,
    version: str | None,
    format: str,
    *,
    all_versions: bool,
    data: bool,
) -> None:
    """Export the active runs of SLUG. If -o names a folder that exists, each run becomes a file in it.

    Example: flask --app app export runs cranfield --ranker bm25 -o bm25.run
    """
    from app.services.exports.runs import active_run_facts, export_runs
    from app.services.projects.projects import get_project

    several = all_versions or version is not None
    with open_database() as database, database.read() as session:
        project = get_project(session, slug)
        chosen = active_run_facts(session, project, ranker=ranker, version=version, all_versions=several)
        if output is not None and output.is_dir():
            for run, name in zip(chosen, file_names(chosen, format), strict=True):
                write(export_runs(session, [run], format, data=data), output / name, project)
        else:
            write(export_runs(session, chosen, format, data=data), output, project)
        note_export(database, project.id, "results", format)


@export.command()
@output_options
@data_option
@click.option("--measures", default="", help='Further measures, such as "P@5 AP".')
@click.option("--all-versions", is_flag=True, help="All versions, not only the newest of each ranker.")
@format_option("scores")
def scores(
    slug: str, output: Path | None, measures: str, format: str, *, all_versions: bool, data: bool
) -> None:
    """Export the scores of SLUG. Means and values per query, with coverage, scoring settings and revision.

    Example: flask --app app export scores cranfield -o scores.csv
    """
    from app.services.evidence.store import evidence_of
    from app.services.exports.tables import export_scores
    from app.services.projects.projects import get_project

    with open_database() as database:
        with database.read() as session:
            project = get_project(session, slug)
        evidence = evidence_of(database, project.id)
        with database.read() as session:
            made = export_scores(
                session,
                evidence,
                measures=measures,
                all_versions=all_versions,
                is_demo=project.is_demo,
                format=format,
                data=data,
            )
            write(made, output, project)
        note_export(database, project.id, "scores", format)


@export.command()
@output_options
@data_option
@format_option("queries")
def queries(slug: str, output: Path | None, format: str, *, data: bool) -> None:
    """Export the active questions of SLUG, for `import queries`.

    Example: flask --app app export queries cranfield -o queries.csv
    """
    from app.services.exports.contents import export_queries

    write_table_of(slug, output, "queries", export_queries, format=format, data=data)


@export.command()
@output_options
@data_option
@format_option("documents")
def documents(slug: str, output: Path | None, format: str, *, data: bool) -> None:
    """Export the answers of SLUG, for `import documents`. The columns that came with them are written too.

    Example: flask --app app export documents cranfield --format jsonl -o documents.jsonl
    """
    from app.services.exports.contents import export_documents

    write_table_of(slug, output, "documents", export_documents, format=format, data=data)


@export.command()
@output_options
@data_option
@click.option(
    "--unrated",
    is_flag=True,
    help="Only unrated pairs, in tables with texts and an empty grade to be filled in.",
)
@format_option("pool")
def pool(slug: str, output: Path | None, format: str, *, data: bool, unrated: bool) -> None:
    """Export the pairs that are to be rated in SLUG. Each has the number of people who have rated it.

    Example: flask --app app export pool cranfield --unrated -o unrated.csv
    """
    from app.services.exports.contents import export_pool

    write_table_of(slug, output, "pool", export_pool, format=format, data=data, unrated=unrated)


@export.command()
@output_options
@data_option
@format_option("remarks")
def remarks(slug: str, output: Path | None, format: str, *, data: bool) -> None:
    """Export the notes and reports of SLUG. Each says whose it is, when, on what, and what was replied.

    “Can’t judge” is in `export judgments`.

    Example: flask --app app export remarks cranfield -o remarks.csv
    """
    from app.services.exports.contents import export_remarks

    write_table_of(slug, output, "remarks", export_remarks, format=format, data=data)


def write_table_of(
    slug: str, output: Path | None, what: str, export: Callable[..., Export], **options: str | bool
) -> None:
    """Write one table of a project."""
    from app.services.projects.projects import get_project

    with open_database() as database, database.read() as session:
        project = get_project(session, slug)
        write(export(session, project, **options), output, project)
        note_export(database, project.id, what, str(options["format"]))


def note_export(database: Database, project_id: int, what: str, format: str) -> None:
    """Add an export to the audit trail, once it is written."""
    from app.models import AuditKind
    from app.services.accounts.audit import record

    with database.write() as session:
        record(session, AuditKind.EXPORTED, project_id=project_id, what=what, format=format)


def file_names(runs: list[ActiveRun], format: str) -> list[str]:
    """Return a name for each run's file that is safe everywhere; equal ones are numbered."""
    met: Counter[str] = Counter()
    names = []
    for run in runs:
        signs = f"{run.ranker}-{run.version}"
        plain = "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in signs).lstrip(".")
        met[plain] += 1
        count = "" if met[plain] == 1 else f"-{met[plain]}"
        names.append(f"{plain}{count}{form_of('results', format).suffix}")
    return names


def write(made: Export, output: Path | None, project: Project) -> None:
    """Write an export, its notes to the error output first."""
    # Loaded here: help needs no database layer.
    from app.services.exports.tables import DEMO_NOTE

    with opened(output) as file:
        # No format of these has comments that all readers of it pass over.
        for note in (*((DEMO_NOTE,) if project.is_demo else ()), *made.notes):
            click.echo(note, err=True)
        for line in made.lines:
            file.write(line)
