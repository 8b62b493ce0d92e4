"""`flask import list` and `flask import undo`."""

from __future__ import annotations

import click

from app.cli.imports.files import open_project


@click.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the imports of SLUG by revision, newest first.

    Example: flask --app app import list cranfield
    """
    from app.jobs.steps import project_of
    from app.services.collection.import_undo import list_imports

    with open_project(slug) as (database, project_id), database.read() as session:
        lines = [
            f"{fact.revision:>8}  {fact.at:%Y-%m-%d %H:%M} UTC  {fact.what}"
            for fact in list_imports(session, project_of(session, project_id))
        ]
    click.echo("\n".join(lines) if lines else "Nothing has been imported yet.")


@click.command()
@click.argument("slug")
@click.argument("revision", type=int)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def undo(slug: str, revision: int, *, yes: bool) -> None:
    """Undo the import of REVISION in SLUG. What would be lost is shown first.

    Example: flask --app app import undo cranfield 12
    """
    from app.jobs.steps import project_of
    from app.services.collection.import_undo import preview_undo, undo_import

    with open_project(slug) as (database, project_id):
        with database.read() as session:
            preview = preview_undo(session, project_of(session, project_id), revision)
        if not preview.count:
            raise click.ClickException(f"There is nothing to undo. {preview.sentence}")
        click.echo(preview.sentence)
        if not yes:
            click.confirm("Continue?", abort=True)
        with database.write() as session:
            undo_import(session, project_of(session, project_id), revision)
    click.echo("Done.")
