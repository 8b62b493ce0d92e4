"""`flask demo`: load the demo project, reload it, or remove it."""

from __future__ import annotations

import click

from app.cli.session import open_database


@click.command()
@click.option(
    "--reset", is_flag=True, help="Delete the demo project and load it again; people keep their roles."
)
@click.option("--remove", is_flag=True, help="Delete the demo project.")
def demo(*, reset: bool, remove: bool) -> None:
    """Load the demo project: a help centre, four rankers, eight weeks of simulated ratings.

    No other project is touched. Example: flask --app app demo --reset
    """
    from app.demo import load_demo, remove_demo, reset_demo

    if reset and remove:
        raise click.UsageError("Choose --reset or --remove, not both.")
    act, line = load_demo, "The demo project is loaded."
    if reset:
        act, line = reset_demo, "The demo project is loaded again."
    if remove:
        act, line = remove_demo, "The demo project is removed."
    with open_database() as database:
        act(database)
    click.echo(line)
