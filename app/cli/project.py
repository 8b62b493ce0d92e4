"""`flask project`: create, list and change projects, put them away and bring them back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.exports import note_export
from app.cli.progress import Progress
from app.cli.session import open_database
from app.scoring.choices import DISCOUNTS, GAINS, PROJECT_UNJUDGED, SCALES
from app.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from app.models import Project

SCALE = click.Choice(list(SCALES))
RULER = ("k", "gain", "discount", "threshold", "unjudged")
QUALITY = ("dealing", "share_twice")

# Written out, so that --help needs no services; a test holds them against theirs.
ORDERS = ("front", "random")
FILE = click.Path(path_type=Path, dir_okay=False)


@click.group()
def project() -> None:
    """Create and change projects.

    Example: flask --app app project create help-centre --name "Help centre" --scale 0-3
    """


def ruler_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that fix how a number is computed, and how much is rated."""
    for option in (
        click.option(
            "--order",
            "dealing",
            type=click.Choice(ORDERS),
            help="What is rated next: front (answers near the top of a list, the usual order) or random.",
        ),
        click.option(
            "--share-twice",
            type=click.FloatRange(0, 1),
            help="Share of answers that two people rate. New projects: 0.2, or 0 if --overlap is 2 or more.",
        ),
        click.option("--overlap", type=int, help="Ratings per answer. New projects: 1."),
        click.option(
            "--pool-depth", type=int, help="How many top answers of each run are rated. New projects: k."
        ),
        click.option("--threshold", type=int, help="Grade from which an answer is relevant."),
        click.option(
            "--discount", type=click.Choice(DISCOUNTS), help="What a place is worth. New projects: log2."
        ),
        click.option("--gain", type=click.Choice(GAINS), help="What a grade is worth. New projects: linear."),
        click.option("--k", type=int, help="Cutoff of the measure. New projects: 10."),
    ):
        command = option(command)
    return command


@project.command()
@click.argument("slug")
@click.option("--name", required=True, help="The name people see.")
@click.option("--scale", type=SCALE, help="0-3 or 1-5 stars; needed unless --template is given.")
@click.option(
    "--owner", metavar="EMAIL", help="E-mail address of the owner. [default: none; administrators manage it]"
)
@click.option("--template", type=click.Choice(["papers"]), help="Start from these settings and words.")
@click.option(
    "--sample", is_flag=True, help="Add the template's sample: invented papers, three simple models."
)
@ruler_options
def create(
    slug: str, name: str, owner: str | None, template: str | None, *, sample: bool, **chosen: Any
) -> None:
    """Create the project SLUG.

    Example: flask --app app project create cranfield --name Cranfield --scale 1-5 --gain linear
    """
    from app.services.projects.projects import create_project
    from app.services.projects.settings import give_owner
    from app.services.projects.templates import project_from_template

    if template is None and chosen["scale"] is None:
        raise click.UsageError("Choose the grades: --scale 0-3 or --scale 1-5.")
    if sample and template is None:
        raise click.UsageError("A sample comes with a template: add --template papers.")
    with open_database() as database, database.write() as session:
        made = create_project(session, project_from_template(template, slug, name, chosen))
        if owner is not None:
            give_owner(session, made, owner)
        line = description_of(session, made)
        told = _load_sample(session, made) if sample else None
    click.echo(f"Created {line}")
    if told is not None:
        click.echo(told)


def _load_sample(session: Session, made: Project) -> str:
    from app.demo.paper_loading import load_paper_sample

    return load_paper_sample(session, made)


@project.command("list")
def list_() -> None:
    """List the projects.

    Example: flask --app app project list
    """
    from sqlalchemy import select

    from app.models import Project

    with open_database() as database, database.read() as session:
        every = select(Project).where(Project.is_complete()).order_by(Project.slug)
        lines = [description_of(session, one) for one in session.scalars(every)]
    click.echo("\n".join(lines) if lines else "There is no project yet.")


@project.command("set")
@click.argument("slug")
@click.option("--owner", metavar="EMAIL", help="Make this account an owner.")
@click.option(
    "--unjudged",
    type=click.Choice(PROJECT_UNJUDGED),
    help="Whether answers without a rating stay open, or are treated as not relevant (complete).",
)
@click.option("--scale", type=SCALE, help="0-3 or 1-5 stars: until the first rating.")
@ruler_options
def set_(slug: str, owner: str | None, **changes: Any) -> None:
    """Change the settings of SLUG; each change is kept in its history.

    Example: flask --app app project set cranfield --pool-depth 20 --k 20
    """
    from app.jobs.settings import change_settings
    from app.services.projects.assignment_settings import change_quality, quality_of
    from app.services.projects.projects import get_project
    from app.services.projects.settings import SettingChanges, give_owner

    given = {name: value for name, value in changes.items() if value is not None}
    if not given and owner is None:
        raise click.UsageError("Name what to change, such as --pool-depth 20.")
    ruler = {name: given.pop(name) for name in RULER if name in given}
    quality = {name: given.pop(name) for name in QUALITY if name in given}
    with open_database() as database:
        with database.read() as session:
            project_id = get_project(session, slug).id
        pool = change_settings(database, project_id, SettingChanges(ruler=ruler, **given))
        with database.write() as session:
            found = get_project(session, slug)
            if quality:
                change_quality(session, found, replace(quality_of(found), **quality))
            if owner is not None:
                give_owner(session, found, owner)
            line = description_of(session, found)
    if pool is not None:
        click.echo(f"{counted(len(pool.joins), 'answer')} joined the pool, {len(pool.leaves):,} left it.")
    click.echo(line)


@project.command()
@click.argument("slug")
def archive(slug: str) -> None:
    """Archive SLUG: nobody can rate, shared links stop working.

    Example: flask --app app project archive cranfield
    """
    from app.services.projects.projects import get_project
    from app.services.projects.settings import archive_project

    with open_database() as database, database.write() as session:
        archive_project(session, get_project(session, slug))
    click.echo(f"Archived {slug}. `flask --app app project restore {slug}` restores it.")


@project.command()
@click.argument("slug")
def restore(slug: str) -> None:
    """Restore the archived project SLUG.

    Example: flask --app app project restore cranfield
    """
    from app.services.projects.projects import get_project
    from app.services.projects.settings import restore_project

    with open_database() as database, database.write() as session:
        restore_project(session, get_project(session, slug))
    click.echo(f"Restored {slug}.")


@project.command()
@click.argument("slug")
@click.option("--confirm", metavar="SLUG", help="The short name again, instead of typing it when asked.")
def purge(slug: str, confirm: str | None) -> None:
    """Delete the archived project SLUG for good, with its ratings.

    Example: flask --app app project purge cranfield --confirm cranfield
    """
    from app.services.projects.projects import get_project
    from app.services.projects.purging import loss_of, purge_project

    with open_database() as database:
        with database.read() as session:
            loss = loss_of(session, get_project(session, slug))
        click.echo(f"This deletes {loss} for good.")
        typed = confirm if confirm is not None else click.prompt("Type the short name to continue")
        with database.write() as session:
            purge_project(session, get_project(session, slug), typed_slug=typed)
    click.echo(f"Purged {slug}.")


@project.command("export")
@click.argument("slug")
@click.argument("file", type=FILE)
@click.option("--by-email", is_flag=True, help="Write people's names and e-mail addresses, not pseudonyms.")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
def export_(slug: str, file: Path, *, by_email: bool, force: bool) -> None:
    """Export SLUG as a whole to FILE. It holds texts, runs, settings, people, and ratings at their revisions.

    `project import` makes the same project of it elsewhere, on SQLite or PostgreSQL. Passwords, invitations,
    links, tokens and webhooks are left out.

    Example: flask --app app project export cranfield cranfield.touchstone
    """
    from app.jobs.project_export import export_project

    progress = Progress(f"Exporting {slug}")
    with open_database() as database:
        number = export_project(
            database, slug, file.resolve(), by_email=by_email, replace=force, progress=progress
        )
        progress.close()
        note_export(database, number, "project", "people" if by_email else "pseudonyms")
    people = "names and e-mail addresses of people" if by_email else "pseudonyms of people"
    click.echo(f"{file} holds the whole project {slug}, with {people}.")
    if not by_email:
        click.echo("Questions, answers and guidelines are as they were written: they may name people.")


@project.command("import")
@click.argument("file", type=FILE)
@click.option("--slug", metavar="NEW", help="Another short name than in the file.")
@click.option("--name", help="Another name than in the file.")
@click.option(
    "--join-accounts",
    is_flag=True,
    help="Give people their roles and ratings here, if the file has their addresses (`export --by-email`) "
    "and they have accounts.",
)
def import_(file: Path, slug: str | None, name: str | None, *, join_accounts: bool) -> None:
    """Import the whole project in FILE, which `project export` wrote.

    Every score at every revision is as it was. Without --join-accounts nobody gets a role: people are
    pseudonyms who cannot sign in. Where anything is wrong, nothing is imported. People can rate meanwhile.

    Example: flask --app app project import cranfield.touchstone --slug cranfield-2
    """
    from app.jobs.project_import import import_project

    progress = Progress(f"Importing {file.name}")
    with open_database() as database:
        done = import_project(database, file, slug=slug, name=name, joins=join_accounts, progress=progress)
    progress.close()
    click.echo(f"Imported {done.sentence}")


@project.command("copy")
@click.argument("slug")
@click.argument("new")
@click.option("--name", help="The name people see. [default: Copy of ...]")
@click.option("--without-ratings", is_flag=True, help="Leave out everything that people rated or remarked.")
def copy_(slug: str, new: str, name: str | None, *, without_ratings: bool) -> None:
    """Copy the project SLUG, with its people and their roles, as NEW. People can rate meanwhile.

    Example: flask --app app project copy cranfield cranfield-2027 --without-ratings
    """
    from app.jobs.project_import import copy_project

    progress = Progress(f"Copying {slug}")
    with open_database() as database:
        done = copy_project(
            database, slug, new, name=name, with_ratings=not without_ratings, progress=progress
        )
    progress.close()
    click.echo(f"Copied {done.sentence}")


@project.command()
@click.argument("slug")
def price(slug: str) -> None:
    """Show what is left to rate in SLUG, and how long that takes. Other depths are shown too.

    Example: flask --app app project price cranfield
    """
    from app.services.assignment.pool_price import price_of_pool
    from app.services.evidence.store import evidence_of
    from app.services.projects.projects import get_project

    with open_database() as database, database.read() as session:
        project = get_project(session, slug)
        click.echo(price_of_pool(session, evidence_of(database, project.id), project).sentence)


def description_of(session: Session, one: Project) -> str:
    """Return a project on one line."""
    from app.services.scoring_settings import get_ruler, settings_of

    ruler = settings_of(get_ruler(session, one.id))
    state = "" if one.state == "open" else f", {one.state}"
    if ruler.unjudged == "complete":
        state = f", unrated answers treated as not relevant{state}"
    return (
        f"{one.slug}: {one.name}, grades {one.scale_low}-{one.scale_high}, {ruler.name}, "
        f"relevant from {ruler.threshold}, pool depth {one.pool_depth}, "
        f"{counted(one.overlap, 'rating')} per answer{state}"
    )
