"""`flask check-deploy`: what an operator would want to know before people are sent to a site.

Each check looks at one thing and returns what it found; none changes anything.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import click

from app.cli.session import current_settings
from app.database import Database, path_of
from app.sentences import counted
from config import Settings, reachable

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
LEAST_FREE = 2 * 1024**3
LEAST_SHARE = 0.1
# A backup by schedule may be late by its own time; twice the pause means that one failed.
LATE = 2
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")
# Of the connections that PostgreSQL allows; the rest is for backups and for whoever looks after it.
SHARE_OF_CONNECTIONS = 0.8
OVERFLOW = 10


@dataclass(frozen=True)
class Finding:
    """What one check found: `ok`, `warning` or `error`, in a sentence, and what to do about it."""

    check: str
    level: str
    found: str
    remedy: str = ""


@click.command("check-deploy")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check_deploy(*, as_json: bool) -> None:
    """Check that this installation is fit for a team. Nothing is changed. Exit status 1 on errors.

    Run it as the user and with the settings that the server has.

    Example: flask --app app check-deploy
    """
    findings = list(findings_of(current_settings()))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            click.echo(f"{finding.level:<8}{finding.check:<12}{finding.found}")
            if finding.remedy:
                click.echo(f"{'':20}Remedy: {finding.remedy}")
    if any(finding.level == "error" for finding in findings):
        raise click.exceptions.Exit(1)


def findings_of(settings: Settings) -> Iterator[Finding]:
    """Return what all checks find, one after the other."""
    for check in (
        check_https,
        check_proxies,
        check_secret,
        check_modes,
        check_user,
        check_disk,
        check_backups,
        check_database,
        check_sign_up,
        check_mail,
        check_server,
    ):
        yield from check(settings)


def check_https(settings: Settings) -> Iterator[Finding]:
    """Look at the address that people open."""
    host = urlsplit(settings.address).hostname
    if settings.is_https:
        yield Finding("https", "ok", f"People open {settings.address}.")
    elif settings.public_url is None:
        yield Finding(
            "https",
            "error",
            f"PUBLIC_URL is not set: links that are handed out begin with {settings.address}.",
            "Set PUBLIC_URL to the address that people open, such as https://rate.example.org.",
        )
    elif host in LOOPBACK:
        yield Finding(
            "https", "warning", "PUBLIC_URL is http, for this machine only.", "Use https for others."
        )
    else:
        yield Finding(
            "https",
            "error",
            "PUBLIC_URL is http: passwords and cookies can be read on the way.",
            "Put a proxy with TLS in front, and set PUBLIC_URL to its https address.",
        )


def check_proxies(settings: Settings) -> Iterator[Finding]:
    """Look at who names the visitor's address."""
    count = settings.trusted_proxies
    if settings.is_https and not count:
        yield Finding(
            "proxies",
            "error",
            "PUBLIC_URL is https, so a proxy is in front, but TRUSTED_PROXIES is 0: all visitors seem to "
            "have one address, and wrong passwords of one slow down sign-in for all.",
            "Set TRUSTED_PROXIES to the number of proxies, which is 1 for nginx or Caddy.",
        )
    elif count and settings.host not in LOOPBACK:
        yield Finding(
            "proxies",
            "warning",
            f"The server listens at {settings.host}: who reaches it past the proxy can claim any address.",
            "Set HOST=127.0.0.1, or let only the proxy reach this port (as in a container's network).",
        )
    else:
        yield Finding("proxies", "ok", f"{count} trusted.")


def check_secret(settings: Settings) -> Iterator[Finding]:
    """Look at where the signing key comes from; weak ones are refused by every start."""
    key = settings.instance_path / "secret_key"
    if not key.exists() or key.read_text(encoding="ascii", errors="replace").strip() != settings.secret_key:
        yield Finding("secret", "ok", "The signing key is set by SECRET_KEY.")
    else:
        yield Finding("secret", "ok", f"The signing key is kept in {key}.")


def check_modes(settings: Settings) -> Iterator[Finding]:
    """Look at who else on this machine can read what is stored."""
    database = path_of(settings.database_url)
    paths = [settings.instance_path, settings.instance_path / "secret_key", settings.uploads_path]
    paths += [database] if database else []
    paths += [settings.backup_path] if settings.backup_path else []
    open_to_others = [path for path in paths if path.exists() and path.stat().st_mode & 0o077]
    for path in open_to_others:
        mode = "700" if path.is_dir() else "600"
        shown = stat.filemode(path.stat().st_mode)
        yield Finding("modes", "error", f"Others can read {path} ({shown}).", f"chmod {mode} {path}")
    if not open_to_others:
        yield Finding("modes", "ok", "Only this user can read what is stored.")


def check_user(settings: Settings) -> Iterator[Finding]:
    """Look at who runs the site."""
    owner = settings.instance_path.stat().st_uid
    if os.geteuid() == 0:
        yield Finding(
            "user", "warning", "This is root.", "Run the site, and this check, as a user of its own."
        )
    elif owner != os.geteuid():
        yield Finding(
            "user",
            "error",
            f"{settings.instance_path} belongs to another user.",
            "Run this check as the user of the server.",
        )
    else:
        yield Finding("user", "ok", "The site runs as a user of its own.")


def check_disk(settings: Settings) -> Iterator[Finding]:
    """Look at the room on each disk that is written to."""
    database = path_of(settings.database_url)
    folders = [settings.instance_path, *([database.parent] if database else [])]
    folders += [settings.backup_path] if settings.backup_path else []
    disks = {folder.stat().st_dev: folder for folder in reversed(folders) if folder.exists()}
    for folder in disks.values():
        disk = shutil.disk_usage(folder)
        space = f"{disk.free / 1e9:,.1f} of {disk.total / 1e9:,.1f} GB are free on the disk of {folder}."
        if disk.free < LEAST_FREE:
            yield Finding("disk", "error", space, "Make room: a full disk stops rating.")
        elif disk.free < disk.total * LEAST_SHARE:
            yield Finding("disk", "warning", space, "Make room: files are refused below a tenth.")
        else:
            yield Finding("disk", "ok", space)


def check_backups(settings: Settings) -> Iterator[Finding]:
    """Look at the backups by schedule."""
    from app.jobs.backups import backup_age, backup_trouble

    if settings.backup_path is None:
        yield Finding(
            "backups",
            "error",
            "There are no backups by schedule.",
            "Set BACKUP_PATH to a folder, on another disk if there is one.",
        )
        return
    age, every = backup_age(settings), timedelta(hours=settings.backup_every_hours)
    remedy = "See the server's log, then run: flask --app app db backup FILE"
    if trouble := backup_trouble(settings):
        yield Finding("backups", "error", f"The last backup failed: {trouble}", remedy)
    elif age is None:
        yield Finding(
            "backups", "warning", "There is no backup yet.", "Start the server: it begins with a backup."
        )
    elif age > every * LATE:
        yield Finding("backups", "error", f"The newest backup is {_duration(age)} old.", remedy)
    else:
        yield Finding("backups", "ok", f"The newest backup is {_duration(age)} old.")
    database = path_of(settings.database_url)
    if database and settings.backup_path.exists() and _disk_of(database) == _disk_of(settings.backup_path):
        yield Finding(
            "backups",
            "warning",
            "Backups are on the disk of the database.",
            "Copy them to another machine, or choose another disk (BACKUP_PATH).",
        )


def _duration(age: timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else counted(hours, "hour") if hours else "less than an hour"


def _disk_of(path: Path) -> int:
    return (path if path.exists() else path.parent).stat().st_dev


def check_database(settings: Settings) -> Iterator[Finding]:
    """Look at the database: whether it answers, is at the code's version, and keeps what it acknowledges."""
    from sqlalchemy.exc import SQLAlchemyError

    database = Database(settings.database_url, pool_size=2)
    try:
        yield from _check_schema(database)
        if database.is_sqlite:
            yield Finding("durability", "ok", "SQLite waits for the disk at every commit.")
        else:
            yield from postgresql_findings(settings, _postgresql_values(database))
    except SQLAlchemyError as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        yield Finding(
            "database",
            "error",
            f"The database cannot be used: {reason[:200]}",
            "Start it, or correct DATABASE_URL.",
        )
    finally:
        database.dispose()


def _check_schema(database: Database) -> Iterator[Finding]:
    from app.schema import check_schema, is_current, revision_of

    if revision_of(database) is None:
        yield Finding("database", "error", "The database has no tables yet.", "flask --app app db upgrade")
    elif not is_current(database):
        yield Finding(
            "database",
            "error",
            "The database is not at the version of the code.",
            "Back it up, then run: flask --app app db upgrade",
        )
    elif check_schema(database):
        yield Finding(
            "database",
            "error",
            "The tables differ from the code.",
            "flask --app app db check says how, and what to do.",
        )
    else:
        yield Finding("database", "ok", "The database is at the version of the code.")


def _postgresql_values(database: Database) -> dict[str, str]:
    """Return the settings of a PostgreSQL server that matter here, and whether we are its superuser."""
    from sqlalchemy import text

    names = (*DURABLE, "max_connections", "is_superuser")
    with database.engine.connect() as connection:
        return {
            name: str(connection.scalar(text("SELECT current_setting(:name)"), {"name": name}))
            for name in names
        }


def postgresql_findings(settings: Settings, values: dict[str, str]) -> Iterator[Finding]:
    """Judge the settings of a PostgreSQL server."""
    careless = [name for name in DURABLE if values[name] == "off"]
    for name in careless:
        yield Finding(
            "durability",
            "error",
            f"PostgreSQL has {name} = off: a crash loses acknowledged ratings.",
            f"ALTER SYSTEM SET {name} = on; then SELECT pg_reload_conf();",
        )
    if not careless:
        yield Finding("durability", "ok", "PostgreSQL waits for the disk at every commit.")
    wanted = settings.web_workers * (settings.web_threads + OVERFLOW)
    allowed = int(int(values["max_connections"]) * SHARE_OF_CONNECTIONS)
    if wanted > allowed:
        yield Finding(
            "connections",
            "warning",
            f"{settings.web_workers} processes may open {wanted} connections; PostgreSQL allows "
            f"{values['max_connections']} in all.",
            f"Raise max_connections above {int(wanted / SHARE_OF_CONNECTIONS)}, or lower WEB_WORKERS or "
            "WEB_THREADS.",
        )
    if values["is_superuser"] == "on":
        yield Finding(
            "connections",
            "warning",
            "The site uses PostgreSQL as a superuser.",
            "Give the site a user that owns its database only.",
        )


def check_sign_up(settings: Settings) -> Iterator[Finding]:
    """Look at who can become somebody here."""
    from sqlalchemy.exc import SQLAlchemyError

    from app.services.accounts.people import account_exists

    database = Database(settings.database_url, pool_size=2)
    try:
        with database.read() as session:
            has_account = account_exists(session)
    except SQLAlchemyError:
        return  # said above
    finally:
        database.dispose()
    if not has_account:
        yield Finding(
            "sign-up",
            "warning",
            "Nobody can sign in yet: anyone who has the set-up link becomes the administrator.",
            "Open the link that the start has printed.",
        )
    if settings.project_makers == "everybody":
        yield Finding(
            "sign-up",
            "warning",
            "Everybody with an account may make projects and upload files.",
            "Set PROJECT_MAKERS=owners or admins, unless that is meant.",
        )
    by_organisation = settings.sign_in.issuer or settings.sign_in.email_header
    if by_organisation and not settings.sign_in.group_roles:
        yield Finding(
            "sign-up",
            "warning",
            "Everybody of the organisation who signs in gets an account.",
            "Set GROUP_ROLES, unless that is meant.",
        )
    elif has_account and settings.project_makers != "everybody":
        groups = ", or for the groups in GROUP_ROLES" if by_organisation else ""
        yield Finding("sign-up", "ok", f"Accounts are made by invitation{groups}.")


def check_mail(settings: Settings) -> Iterator[Finding]:
    """Look whether the server for e-mails takes them, without sending one."""
    if settings.mail is None:
        yield Finding("mail", "ok", "E-mails are off: SMTP_URL is not set.")
        return
    from smtplib import SMTPException

    from app.jobs.mail import connect

    where = f"{settings.mail.host}:{settings.mail.port}"
    try:
        connect(settings.mail).quit()
    except (OSError, SMTPException) as error:
        yield Finding(
            "mail", "error", f"{where} takes no e-mails from here: {error}.", "Correct SMTP_URL, or unset it."
        )
    else:
        yield Finding("mail", "ok", f"{where} takes e-mails.")


def check_server(settings: Settings) -> Iterator[Finding]:
    """Ask the running server whether it is ready."""
    status, reply = _asked(reachable(settings.host), settings.port)
    if status == 200:
        yield Finding("server", "ok", "It runs and is ready.")
    elif status is None:
        yield Finding(
            "server",
            "warning",
            f"No server answers at port {settings.port}.",
            "Start it, or set PORT to its port.",
        )
    else:
        yield Finding("server", "error", f"The server is {reply}.", "See its log.")


def _asked(host: str, port: int) -> tuple[int | None, str]:
    connection = HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        return answer.status, answer.read(200).decode(errors="replace").strip()
    except (OSError, HTTPException):
        return None, ""
    finally:
        connection.close()
