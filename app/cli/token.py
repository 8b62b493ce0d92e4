"""`flask token`: tokens for programs that use the API. A token is printed once, alone on the last line."""

from __future__ import annotations

import click

from app.cli.layout import aligned
from app.cli.session import current_settings, open_database

SCOPES = ("scores", "runs", "content", "judgments", "manage")
"""Those of `app.services.accounts.tokens.Scope`, which takes long to load; a test compares them."""


@click.group()
def token() -> None:
    """Create, list and revoke tokens for the API.

    Example: flask --app app token create --project cranfield --scope scores --scope runs
    """


@token.command()
@click.option("--project", "slug", metavar="SLUG", help="The only project that it reaches; all if not given.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice(SCOPES),
    help="What it may do. scores: read scores and everything else that viewers see. runs: push runs, and "
    "test whether one may replace another. content: push queries and documents. judgments: push judgments. "
    "manage: all of these, create projects, and change settings and webhooks. Can be repeated.",
)
@click.option("--name", default="", help="What it is for; shown in lists of tokens.")
@click.option("--days", type=click.IntRange(1, 3660), help="How long it works; without an end if not given.")
@click.option(
    "--person",
    "email",
    metavar="EMAIL",
    help="In whose name it acts: within its scopes, it may do what this person may. If not given, it may do "
    "what an owner may.",
)
def create(slug: str | None, scopes: tuple[str, ...], name: str, days: int | None, email: str | None) -> None:
    """Create a token and print it, alone on the last line. It is shown only this once.

    Example: flask --app app token create --project cranfield --scope scores --name "Weekly report"
    """
    from app.services.accounts.people import find_person
    from app.services.accounts.tokens import create_token
    from app.services.errors import NotFoundError
    from app.services.projects.projects import get_project

    with open_database() as database, database.write() as session:
        project = get_project(session, slug) if slug else None
        person = find_person(session, email) if email else None
        if email and person is None:
            raise NotFoundError(f"There is no account for {email}.")
        row, text = create_token(
            session,
            current_settings().secret_key,
            name=name,
            scopes=scopes,
            project_id=project.id if project else None,
            person_id=person.id if person else None,
            days=days,
        )
        where = f"in {slug}" if slug else "in all projects"
        until = f"until {row.expires_at:%Y-%m-%d}" if row.expires_at else "until it is revoked"
    click.echo(f"Token {row.id} works {where} for {', '.join(row.scopes.split())}, {until}. Keep it secret:")
    click.echo(text)


@token.command(name="list")
def list_() -> None:
    """List all tokens: what they may do and when they were last used. None is shown itself.

    Example: flask --app app token list
    """
    from app.services.accounts.tokens import tokens_of

    with open_database() as database, database.read() as session:
        found = tokens_of(session, everybody=True)
    if not found:
        click.echo("There are no tokens yet: create one with `flask --app app token create`.")
        return
    rows = [["id", "name", "ends with", "person", "project", "scopes", "last used", "state"]]
    for row in found:
        used = row.token.last_used_at
        rows.append(
            [
                str(row.token.id),
                row.token.name,
                row.token.ending,
                row.person or "-",
                row.slug or "all",
                row.token.scopes,
                f"{used:%Y-%m-%d}" if used else "never",
                row.state,
            ]
        )
    click.echo("\n".join(aligned(rows, words=len(rows[0]) - 1)))


@token.command()
@click.argument("token_id", metavar="ID", type=click.IntRange(1, 2**31 - 1))
def revoke(token_id: int) -> None:
    """Revoke the token with this ID, as `token list` shows it. It stops working at once.

    Example: flask --app app token revoke 3
    """
    from app.services.accounts.tokens import revoke_token

    with open_database() as database, database.write() as session:
        row = revoke_token(session, token_id, anybody=True)
        name = row.name
    click.echo(f"Token {token_id} ({name}) is revoked.")
