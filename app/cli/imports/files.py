"""What every import has in common: the file, how to read it, and what is wrong with it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.columns import columns_of
from app.cli.session import open_database
from app.formats.encoding import ENCODINGS
from app.formats.schema import FORMATS
from app.sentences import columns_left_out, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.database import Database
    from app.formats.schema import Kind
    from app.services.collection.files import ImportFile

    Command = Callable[..., None]


def format_option(kind: Kind, name: str = "--format") -> Callable[[Command], Command]:
    """Return the choice of a format, of those that hold this kind."""
    return click.option(
        name, type=click.Choice(FORMATS[kind]), help="How to read the file; guessed if not given."
    )


def file_options(kind: Kind) -> Callable[[Command], Command]:
    """Return what adds the file and how to read it."""

    def added(command: Command) -> Command:
        for option in (
            click.option(
                "--check", is_flag=True, help="Only show what would happen and what is wrong; write nothing."
            ),
            click.option(
                "--column",
                "columns",
                multiple=True,
                metavar="OURS=THEIRS",
                help="The file's name for one of our columns, such as query_id=Question. Can be repeated.",
            ),
            click.option(
                "--member",
                "members",
                multiple=True,
                metavar="NAME",
                help="Which file of an archive, or sheet of a workbook, is meant; if not given, those "
                f"recognised as {'results' if kind == 'run' else kind}. Can be repeated for an archive.",
            ),
            click.option(
                "--encoding",
                type=click.Choice(ENCODINGS),
                help="The file's encoding, if it is neither UTF-8 nor UTF-16 with a byte order mark.",
            ),
            format_option(kind),
            click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path)),
            click.argument("slug"),
        ):
            command = option(command)
        return command

    return added


HOW = ("format", "columns", "encoding", "members")


def file_of(
    kind: Kind,
    path: Path,
    *,
    format: str | None,
    columns: tuple[str, ...],
    encoding: str | None = None,
    members: tuple[str, ...] = (),
) -> ImportFile:
    """Return the file as the services take it; which of its members are read is said."""
    from app.services.collection.files import ImportFile, part_for

    named = columns_of(columns)
    how: dict[str, Any] = {"format": format, "columns": named, "encoding": encoding, "members": members}
    file = part_for(kind, ImportFile(content=path, name=path.name, **how))
    if file.members and not members:
        click.echo(f"Reading {', '.join(file.members)} in {path.name}.", err=True)
    return file


@contextmanager
def open_project(slug: str) -> Iterator[tuple[Database, int]]:
    """Give the database and the project's number; problems of a file are listed, with exit status 1."""
    from app.formats.errors import FormatError
    from app.services.projects.projects import get_project

    with open_database() as database:
        with database.read() as session:
            project_id = get_project(session, slug).id
        try:
            yield database, project_id
        except FormatError as error:
            raise click.ClickException(listed(error)) from error


def told_of_columns(names: Sequence[str]) -> list[str]:
    """Return which columns of a file are not kept, in a line; none where all are."""
    return [f"Columns left out: {columns_left_out(names)}."] if names else []


def listed(error: object) -> str:
    """Return the problems of a file, one on each line, and how many there are."""
    from app.formats.errors import FormatError
    from app.services.collection.unknown_ids import told_of_stop

    assert isinstance(error, FormatError)
    lines = [str(problem) for problem in error.problems]
    least = "" if error.stopped_at is None else "at least "
    if error.total > len(lines):
        lines.append(f"... and {least}{error.total - len(lines):,} more.")
    if error.stopped_at is not None:
        lines.append(told_of_stop(error))
    lines += error.hints
    count = least.capitalize() + counted(error.total, "problem")
    return "\n".join([f"{count}; nothing was saved.", *lines])
