"""`flask ranker`: the rankers of a project and their names."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import click

from app.cli.session import open_database

if TYPE_CHECKING:
    from app.services.evidence.state import Evidence


@click.group()
def ranker() -> None:
    """List and rename rankers.

    Example: flask --app app ranker list kettle-lane
    """


@ranker.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the rankers of SLUG with their versions, newest first.

    Example: flask --app app ranker list kettle-lane
    """
    from app.services.evidence.store import evidence_of
    from app.services.projects.projects import get_project

    with open_database() as database:
        with database.read() as session:
            project_id = get_project(session, slug).id
        lines = _lines(evidence_of(database, project_id))
    click.echo("\n".join(lines) if lines else "There is no ranker yet.")


@ranker.command()
@click.argument("slug")
@click.argument("name")
@click.argument("new_name")
def rename(slug: str, name: str, new_name: str) -> None:
    """Rename the ranker NAME of SLUG; the history shows the new name.

    Example: flask --app app ranker rename kettle-lane "Full txt" "Full text"
    """
    from app.services.collection.rankers import get_ranker, rename_ranker
    from app.services.projects.projects import get_project

    with open_database() as database, database.write() as session:
        found = get_ranker(session, get_project(session, slug), name)
        rename_ranker(session, found, new_name)
        told = found.name
    click.echo(f"{name} is called {told}.")


def _lines(evidence: Evidence) -> list[str]:
    """Return a line for each ranker, and below it one for each of its versions."""
    from app.services.scores.versions import version_name

    runs, active, marked = evidence.structure.runs, set(evidence.active_runs()), evidence.production_run()
    places = [place for place, run in enumerate(runs) if run.kind == "system"]
    places.sort(key=lambda place: (runs[place].mark, -place))
    lines = []
    for _, versions in groupby(places, key=lambda place: runs[place].ranker_id):
        own = list(versions)
        lines.append(runs[own[0]].ranker)
        for place in own:
            run = runs[place]
            state = ", in production" if place == marked else "" if place in active else ", withdrawn"
            note = f": {run.note}" if run.note else ""
            lines.append(f"  {version_name(run)}  {run.registered_at:%Y-%m-%d}{state}{note}")
    return lines
