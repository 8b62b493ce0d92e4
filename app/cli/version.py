"""`flask version`: one version of a ranker, named RANKER@VERSION, by its ranker, or as `production`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from app.cli.session import open_database
from app.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from app.database import Database
    from app.models import Run

VERSION = click.argument("version", metavar="VERSION")


@click.group()
def version() -> None:
    """Rename, move, withdraw, restore or delete a version, or mark it in production.

    A version is named RANKER@VERSION; a ranker alone means its newest version, `production` the marked one.

    Example: flask --app app version production kettle-lane "Full text@v2"
    """


class Found(NamedTuple):
    """A version, in a session that writes, and the name of its ranker."""

    session: Session
    run: Run
    ranker: str


@contextmanager
def _found(slug: str, name: str) -> Iterator[Found]:
    """Give a version of a project by its name, withdrawn or not."""
    from app.models import Run

    with open_database() as database:
        number, ranker = _number(database, slug, name)
        with database.write() as session:
            yield Found(session, session.get_one(Run, number), ranker)


def _number(database: Database, slug: str, name: str) -> tuple[int, str]:
    from app.services.evidence.store import evidence_of
    from app.services.projects.projects import get_project
    from app.services.scores.versions import find_version

    with database.read() as session:
        project_id = get_project(session, slug).id
    evidence = evidence_of(database, project_id)
    run = evidence.structure.runs[find_version(evidence, name, withdrawn=True)]
    return run.id, run.ranker


@version.command()
@click.argument("slug")
@VERSION
@click.argument("label")
def rename(slug: str, version: str, label: str) -> None:
    """Rename VERSION of SLUG to LABEL.

    Example: flask --app app version rename kettle-lane Blend@v3 2026-03
    """
    from app.services.collection.rankers import rename_version

    with _found(slug, version) as (session, run, ranker):
        rename_version(session, run, label)
        told = f"{ranker}@{run.version}"
    click.echo(f"{version} is called {told}.")


@version.command()
@click.argument("slug")
@VERSION
@click.argument("ranker")
@click.option("--new", is_flag=True, help="Create the ranker if there is none of this name.")
def move(slug: str, version: str, ranker: str, *, new: bool) -> None:
    """Move VERSION of SLUG to another RANKER.

    It keeps its label, unless RANKER has that label already: then it takes the next one.

    Example: flask --app app version move kettle-lane Blnd@v1 Blend
    """
    from app.models import Ranker
    from app.services.collection.rankers import move_run

    with _found(slug, version) as (session, run, _):
        move_run(session, run, ranker, new=new)
        told = f"{session.get_one(Ranker, run.ranker_id).name}@{run.version}"
    click.echo(f"{version} is called {told}.")


@version.command()
@click.argument("slug")
@VERSION
def withdraw(slug: str, version: str) -> None:
    """Take VERSION of SLUG out of the pool and today's scores. No rating is lost.

    Example: flask --app app version withdraw kettle-lane Blend@v3
    """
    from app.services.collection.withdrawal import withdraw_run

    with _found(slug, version) as (session, run, ranker):
        change = withdraw_run(session, run)
        gone = counted(len(change.leaves), "answer")
        told = f"{ranker}@{run.version} is withdrawn. That takes {gone} out of the pool."
    click.echo(told)


@version.command()
@click.argument("slug")
@VERSION
def restore(slug: str, version: str) -> None:
    """Restore the withdrawn VERSION of SLUG.

    Example: flask --app app version restore kettle-lane Blend@v3
    """
    from app.services.collection.withdrawal import restore_run

    with _found(slug, version) as (session, run, ranker):
        change = restore_run(session, run)
        told = f"{ranker}@{run.version} is back: {counted(len(change.joins), 'answer')} joined the pool."
    click.echo(told)


@version.command()
@click.argument("slug")
@VERSION
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete(slug: str, version: str, *, yes: bool) -> None:
    """Delete VERSION of SLUG for good, if its own answers are unrated.

    An answer that another version returns as well is not its own.

    Example: flask --app app version delete kettle-lane Blnd@v1 --yes
    """
    from app.services.collection.withdrawal import delete_run

    if not yes:
        click.confirm(f"Delete {version} for good?", abort=True)
    with _found(slug, version) as (session, run, ranker):
        told = f"{ranker}@{run.version} is deleted."
        delete_run(session, run)
    click.echo(told)


@version.command()
@click.argument("slug")
@click.argument("version", metavar="[VERSION]", required=False)
@click.option("--none", is_flag=True, help="Remove the mark.")
def production(slug: str, version: str | None, *, none: bool) -> None:
    """Mark VERSION of SLUG as the one in production. Newer versions do not inherit the mark.

    Example: flask --app app version production kettle-lane "Full text@v2"
    """
    from app.services.collection.rankers import set_production
    from app.services.projects.projects import get_project

    if none == (version is not None):
        raise click.UsageError("Name a version, or say --none.")
    if version is None:
        with open_database() as database, database.write() as session:
            set_production(session, get_project(session, slug), None)
        click.echo("No version is marked in production.")
        return
    with _found(slug, version) as (session, run, ranker):
        set_production(session, get_project(session, slug), run)
        told = f"{ranker}@{run.version} is marked in production."
    click.echo(told)
