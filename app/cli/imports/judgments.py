"""`flask import judgments` and `flask import qrels`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from app.cli.imports.files import HOW, file_of, file_options, open_project, told_of_columns
from app.cli.imports.runs import unknown_documents_option, unknown_queries_option
from app.cli.progress import Progress
from app.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.formats.grades import FoundGrade
    from app.services.collection.judgment_files import JudgmentsImported

    Command = Callable[..., None]


def judgment_options(command: Command) -> Command:
    """Add what can be chosen for judgments."""
    for option in (
        unknown_queries_option,
        unknown_documents_option,
        click.option(
            "--negative",
            type=click.Choice(["reject", "skip"]),
            default="reject",
            show_default=True,
            help="Negative grades: refuse the file, or skip their lines.",
        ),
        click.option(
            "--map",
            "maps",
            multiple=True,
            metavar="VALUE=GRADE,...",
            help="What each grade of the file is on the project's scale, such as 4=3,3=2,Exact=3 or "
            "0..0.5=0,0.5..1=3; VALUE=skip leaves out the lines with that grade. Can be repeated.",
        ),
        click.option(
            "--replace", is_flag=True, help="Let these grades replace earlier ones of the same annotator."
        ),
        click.option(
            "--kind",
            type=click.Choice(["imported", "machine"]),
            help="Who gave the grades. imported: people (the default); machine: a machine. "
            "Grades by machines count in no score until an owner allows it under Quality.",
        ),
        click.option(
            "--annotator",
            metavar="NAME",
            help="Whose grades these are, where FILE does not say. [default: Imported from FILE]",
        ),
    ):
        command = option(command)
    return command


@click.command()
@file_options("judgments")
@judgment_options
def judgments(slug: str, file: Path, **chosen: Any) -> None:
    """Import the judgments of FILE into SLUG.

    Columns: query_id or query, doc_id, and grade or (for “can’t judge”) reason; where known, annotator and
    judged_at.

    Example: flask --app app import judgments cranfield ratings.csv
    """
    bring_in(slug, file, **chosen)


@click.command()
@file_options("judgments")
@judgment_options
def qrels(slug: str, file: Path, **chosen: Any) -> None:
    """Import ratings, as `judgments` does.

    Example: flask --app app import qrels cranfield qrels.txt --annotator "Cranfield assessors"
    """
    bring_in(slug, file, **chosen)
    if not chosen["check"]:
        click.echo(
            "If no more grades will come, declare them complete: "
            f"flask --app app project set {slug} --unjudged complete",
            err=True,
        )


def bring_in(slug: str, file: Path, *, maps: tuple[str, ...], check: bool, **chosen: Any) -> None:
    """Import the judgments of a file and say what was done."""
    from app.formats.errors import BadValueError
    from app.formats.grades import GradeMap
    from app.jobs.imports import grades_of_file, import_judgments
    from app.services.collection.judgment_files import JudgmentOptions

    try:
        grades = GradeMap.read(maps)
    except BadValueError as error:
        raise click.BadParameter(
            f"{error.value!r}: {error.reason}. {error.remedy}", param_hint="--map"
        ) from error
    progress = Progress(f"Importing {file.name}")
    how = {name: chosen.pop(name) for name in HOW}
    with open_project(slug) as (database, project_id):
        source, options = file_of("judgments", file, **how), JudgmentOptions(grades=grades, **chosen)
        done = import_judgments(database, project_id, source, options, check=check, progress=progress)
        progress.close()
        lines = told_of(done, check=check)
        if check or grades is not None:
            lines += told_of_grades(grades_of_file(database, project_id, source, options))
    click.echo("\n".join(lines))
    if options.annotator and options.annotator not in done.annotators:
        click.echo(f"No grade is by {options.annotator}: {file.name} names its annotators.", err=True)


def told_of_grades(rows: Sequence[FoundGrade]) -> list[str]:
    """Return what each grade of a file is in the project, in lines; none where the file has no grade."""
    if not rows:
        return []
    cells = [("In the file", "Lines", "In the project")]
    cells += [
        (row.value, f"{row.lines:,}", "left out" if row.proposed is None else str(row.proposed))
        for row in rows
    ]
    first, second = (max(len(each[column]) for each in cells) for column in (0, 1))
    return [f"{value:<{first}}  {lines:>{second}}  {grade}" for value, lines, grade in cells]


def told_of(done: JudgmentsImported, *, check: bool) -> list[str]:
    """Return what was done, or would be, in lines."""
    counts = {"added": done.added, "unchanged": done.unchanged, "replaced": done.replaced}
    parts = [f"{count:,} {name}" for name, count in counts.items() if count or name == "added"]
    others = [
        (done.skipped_lines, "line of unknown queries", "lines of unknown queries", "left out"),
        (done.negative_lines, "negative grade", "negative grades", "left out"),
        (done.unrated_lines, "line without a grade", "lines without a grade", "left out"),
        (done.mapped_lines, "line that the map skips", "lines that the map skips", "left out"),
        (done.repeated, "repeated line", "repeated lines", "left out"),
        (done.new_documents, "document", "documents", "added without text"),
    ]
    parts += [f"{counted(count, one, many)} {what}" for count, one, many, what in others if count]
    names = ", ".join(f"“{name}”" for name in done.annotators)
    whose = f" by {names}" if 0 < len(done.annotators) < 4 else ""
    lines = [f"{'Would import' if check else 'Imported'} judgments{whose}: {', '.join(parts)}."]
    lines += [*told_of_columns(done.columns_left_out), *done.hints]
    # Without a run there is no pool yet.
    if done.outside_pool and done.pooled != 0:
        lines.append(
            f"Outside the pool: {counted(done.outside_pool, 'judgment')}. They count only in the ideal order."
        )
    if done.pooled == 0:
        lines.append(
            "There is no run yet, so there are no scores. Import what each ranker returns, best first."
        )
    elif done.pooled is not None:
        lines.append(f"Rated in the pool: {done.rated:,} of {counted(done.pooled, 'answer')}.")
    return lines
