"""`flask user`: accounts. Passwords are never arguments: people choose them behind a one-use link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from app.cli.session import current_settings, open_database

if TYPE_CHECKING:
    from app.database import Database
    from app.services.accounts.directory import AccountRow


@click.group()
def user() -> None:
    """Create, invite, reset and erase accounts.

    Example: flask --app app user create ada@example.org --name "Ada Byron" --admin
    """


def _link(kind: str, token: str) -> str:
    return f"{current_settings().address}/{kind}/{token}"


@user.command()
@click.argument("email")
@click.option("--name", required=True, help="The name other people see.")
@click.option("--admin", is_flag=True, help="Manages the whole site.")
def create(email: str, name: str, *, admin: bool) -> None:
    """Create an account for EMAIL and print its password link.

    Example: flask --app app user create ada@example.org --name "Ada Byron"
    """
    from app.models import AuditKind
    from app.services.accounts.audit import record
    from app.services.accounts.invitations import issue_reset
    from app.services.accounts.people import create_person

    with open_database() as database, database.write() as session:
        person = create_person(session, email=email, name=name, is_admin=admin)
        record(session, AuditKind.ACCOUNT_MADE, person_id=person.id, by="command", is_admin=admin)
        token = issue_reset(session, person) if current_settings().sign_in.passwords else ""
    if not token:
        click.echo("Account created. They sign in through your organisation.")
        return
    click.echo(f"Account created. To choose a password within 30 minutes: {_link('reset', token)}")


@user.command()
@click.argument("slug")
@click.option("--role", type=click.Choice(["annotator", "owner", "viewer"]), default="annotator")
@click.option("--email", help="Only this address can use the link.")
def invite(slug: str, role: str, email: str | None) -> None:
    """Print a link that gives one person a role in project SLUG. It is also e-mailed if SMTP_URL is set.

    Example: flask --app app user invite kettle-lane --role annotator --email ada@example.org
    """
    from functools import partial

    from app.models import Role
    from app.services.accounts.invitations import invite as issue_invitation
    from app.services.mail import invite_by_mail
    from app.services.projects.projects import get_project

    settings = current_settings()
    sends = email is not None and settings.mail is not None
    make = partial(invite_by_mail, secret_key=settings.secret_key) if sends else issue_invitation
    with open_database() as database:
        with database.write() as session:
            project = get_project(session, slug)
            token = make(session, project_id=project.id, role=Role(role), email=email)
        click.echo(f"Works once, for 7 days, as {role} of {slug}: {_link('invitation', token)}")
        if sends:
            click.echo(_sent(database, token, settings.secret_key))


def _sent(database: Database, token: str, secret_key: str) -> str:
    """Send the e-mails that wait, and return what became of the one with an invitation."""
    from app.jobs.mail import send_mail
    from app.services.accounts.invitations import get_invitation
    from app.services.mail import invitations_sent

    send_mail(database, lambda: secret_key)
    with database.read() as session:
        link = get_invitation(session, token, "invite")
        assert link.project_id is not None
        sent = invitations_sent(session, link.project_id)[link.id]
    if sent.state == "delivered":
        return f"The link was sent to {link.email}."
    later = " A running server tries again." if sent.state == "waiting" else ""
    return f"The link could not be sent to {link.email}: {sent.answer}{later}"


@user.command()
@click.argument("email")
def reset(email: str) -> None:
    """Print a link for choosing a new password for EMAIL.

    Example: flask --app app user reset ada@example.org
    """
    from app.services.accounts.invitations import issue_reset
    from app.services.accounts.people import find_person
    from app.services.errors import NotFoundError

    if not current_settings().sign_in.passwords:
        raise click.ClickException("PASSWORD_SIGN_IN is off: people sign in through your organisation.")
    with open_database() as database, database.write() as session:
        person = find_person(session, email)
        if person is None:
            raise NotFoundError(f"There is no account for {email}.")
        token = issue_reset(session, person)
    click.echo(f"Works once, for 30 minutes: {_link('reset', token)}")


@user.command("list")
@click.option("--search", default="", metavar="TEXT", help="Only names and addresses with this text.")
def list_(search: str) -> None:
    """List the accounts: address, name, roles and last sign-in.

    Example: flask --app app user list --search example.org
    """
    from app.services.accounts.directory import every_account

    with open_database() as database, database.read() as session:
        for row in every_account(session, search):
            click.echo(description_of(row))


@user.command()
@click.argument("email")
def disable(email: str) -> None:
    """Disable the account EMAIL. Nobody can sign in to it; its ratings and roles stay.

    Example: flask --app app user disable ada@example.org
    """
    from app.services.accounts.directory import disable_account
    from app.services.accounts.erasing import get_account

    with open_database() as database, database.write() as session:
        disable_account(session, get_account(session, email))
    click.echo(f"Disabled {email}. `flask --app app user enable {email}` enables it.")


@user.command()
@click.argument("email")
def enable(email: str) -> None:
    """Enable the disabled account EMAIL.

    Example: flask --app app user enable ada@example.org
    """
    from app.services.accounts.directory import enable_account
    from app.services.accounts.erasing import get_account

    with open_database() as database, database.write() as session:
        enable_account(session, get_account(session, email))
    click.echo(f"Enabled {email}.")


@user.command()
@click.argument("email")
def confirm(email: str) -> None:
    """Confirm that EMAIL set the new password themselves. Ask them first; it is recorded.

    Someone else could have used the password link. So ratings given since then count as not blind until
    you confirm.

    Example: flask --app app user confirm ada@example.org
    """
    from app.services.accounts.confirming import confirm as confirm_password
    from app.services.accounts.erasing import get_account

    with open_database() as database, database.write() as session:
        confirm_password(session, get_account(session, email).id, "command")
    click.echo(f"Confirmed. New ratings of {email} count as blind.")


def description_of(row: AccountRow) -> str:
    """Return an account on one line."""
    person = row.person
    marks = [
        *(["administrator"] if person.is_admin else []),
        *(["disabled"] if person.disabled_at else []),
        *(["password not confirmed"] if row.unconfirmed else []),
        *(f"{role} of {slug}" for slug, _name, role in row.roles),
    ]
    last = f"{person.last_sign_in_at:%Y-%m-%d %H:%M}" if person.last_sign_in_at else "never"
    return f"{person.email}: {person.name}, last sign-in {last}{''.join(f', {mark}' for mark in marks)}"


@user.command()
@click.argument("email")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(email: str, *, yes: bool) -> None:
    """Erase the person with the account EMAIL. Their ratings are kept under a pseudonym, so no score changes.

    Name, address, password, notes and links are deleted, also from free space of the database's files. It
    cannot be undone. PostgreSQL's write-ahead log holds them too, until it is overwritten. So do older
    backups: delete those.

    Example: flask --app app user erase ada@example.org
    """
    from app.jobs.erasing import clean, lists_of
    from app.jobs.erasing import erase as erase_for_good
    from app.services.accounts.erasing import get_account, get_erasable, mentions_of

    with open_database() as database:
        with database.read() as session:
            person = get_account(session, email)
        if not yes:
            click.confirm(f"Erase {person.name} ({person.email}) for good?", abort=True)
        rewritten = erase_for_good(
            database, lists_of(current_settings()), lambda session: get_erasable(session, email)
        )
        is_clean = clean(database)
        with database.read() as session:
            left = mentions_of(session, [person.name, person.email or ""])
    click.echo(f"Erased. {rewritten} {'entry' if rewritten == 1 else 'entries'} of the ledger named them.")
    if left:
        places = ", ".join(f"{table} ({rows})" for table, rows in left.items())
        click.echo(f"Texts that still hold the name or address, for you to decide about: {places}.")
    if not is_clean:
        click.echo("Free space of the files still holds their data: the server removes it within the hour.")
    click.echo("Backups made before still hold their data: delete them.")
