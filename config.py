"""Settings: the only place that reads the environment.

Every setting has a default that works on a laptop. A value that cannot be right stops the start with one
sentence (`SettingError`) instead of failing later in front of a user.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent
VERSION = "1.1.0"
SECRET_BYTES = 32
# A key drawn at random holds more different characters, in whatever alphabet it is written.
FEWEST_CHARACTERS = 8
# The database refuses to delete newer entries of the audit trail (migrations/audit_triggers.py).
FEWEST_AUDIT_DAYS = 90
PROXY_HEADERS = ("PROXY_EMAIL_HEADER", "PROXY_NAME_HEADER", "PROXY_GROUPS_HEADER")
DATABASE_URLS = "postgresql://user:password@host:port/name or sqlite:////full/path/to/file"
PROJECT_MAKERS = ("admins", "owners", "everybody")
HOST = re.compile(r"[A-Za-z0-9.:_-]{1,253}")
SITE = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d+)?(/[A-Za-z0-9._~-]+)*", re.IGNORECASE)
IMAGE_HOST = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
WEBHOOK_HOST = re.compile(
    r"(?P<private>private:)?(?P<host>\[[0-9a-f:.]{2,45}\]|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(:(?P<port>\d{1,5}))?"
)
SENDER = re.compile(r"([^<>\r\n\"]{0,120}<)?[^\s<>@,;\"]{1,64}@[A-Za-z0-9.-]{1,190}>?")
HOST_AND_NAME = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s/?#:\[\]]*)(:\d{1,5})?([/?]\S+)?")
# Names of SQLite databases that are no file of their own, or whose file nobody can tell.
NO_FILE = re.compile(r":memory:|^/*file:|[?&]uri=")


class SettingError(ValueError):
    """A setting holds a value that cannot be right; the message is one sentence with its remedy."""


@dataclass(frozen=True)
class WebhookHost:
    """A host that webhooks may be sent to.

    Attributes
    ----------
    host
        In small letters; an address of IPv6 without its brackets.
    port
        None for the usual one.
    is_private
        Whether it may be in a private network, or be this machine.
    """

    host: str
    port: int | None = None
    is_private: bool = False


@dataclass(frozen=True, kw_only=True)
class MailSettings:
    """The server that e-mails are given to.

    Attributes
    ----------
    is_tls
        Whether the connection begins with TLS; if not, it is asked for, and needed where there is a password.
    sender
        From whom they are, such as `Touchstone <touchstone@example.org>`.
    """

    host: str
    port: int
    is_tls: bool
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class SignInSettings:
    """How people sign in: with a password, through the organisation's provider, or as a proxy says.

    Attributes
    ----------
    proxy_networks
        Where connections come from whose headers count.
    group_roles
        What members of a group are: a role and a project, or "admin" and nothing.
    """

    passwords: bool = True
    issuer: str | None = None
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    groups_claim: str = "groups"
    email_header: str | None = None
    name_header: str | None = None
    groups_header: str | None = None
    proxy_networks: tuple[IPv4Network | IPv6Network, ...] = (
        IPv4Network("127.0.0.0/8"),
        IPv6Network("::1/128"),
    )
    group_roles: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of one process, checked; `read_settings` builds them from the environment."""

    instance_path: Path
    # May hold a password; a message that shows the settings must not.
    database_url: str = field(repr=False)
    secret_key: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = None
    trusted_proxies: int = 0
    max_upload_mb: int = 500
    import_memory_mb: int = 2048
    project_makers: str = "owners"
    image_hosts: frozenset[str] = frozenset()
    webhook_hosts: frozenset[WebhookHost] = frozenset()
    mail: MailSettings | None = None
    backup_path: Path | None = None
    backup_every_hours: int = 24
    backups_kept: int = 14
    web_workers: int = 1
    web_threads: int = 20
    metrics_token: str | None = field(default=None, repr=False)
    log_format: str = "text"
    access_log: bool = False
    audit_days: int = 0
    sign_in: SignInSettings = SignInSettings()
    testing: bool = False

    @property
    def is_sqlite(self) -> bool:
        """Tell whether the database is the default SQLite file."""
        return self.database_url.startswith("sqlite")

    @property
    def is_https(self) -> bool:
        """Tell whether people reach the site over https, so that cookies may be `Secure`."""
        return bool(self.public_url and self.public_url.startswith("https://"))

    @property
    def address(self) -> str:
        """Return the address that people open, without a slash at its end."""
        host = reachable(self.host)
        host = f"[{host}]" if ":" in host else host
        return (self.public_url or f"http://{host}:{self.port}").rstrip("/")

    @property
    def path(self) -> str:
        """Return the path below which people reach the site, empty at the top of its host."""
        return urlsplit(self.address).path

    @property
    def origin(self) -> str:
        """Return the scheme and host of the address that people open."""
        return self.address.removesuffix(self.path)

    @property
    def cookie_prefix(self) -> str:
        """Return how names of cookies begin; a browser takes `__Host-` for a whole host only."""
        if not self.is_https:
            return ""
        return "__Secure-" if self.path else "__Host-"

    @property
    def cookie_path(self) -> str:
        """Return the path of cookies."""
        return self.path or "/"

    @property
    def uploads_path(self) -> Path:
        """Return the folder in which files wait for their confirmation."""
        return self.instance_path / "uploads"


def reachable(host: str) -> str:
    """Return the address at which this machine reaches a server that listens at a host."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - read, not bound


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of this process.

    Raises
    ------
    SettingError
        A value cannot be right; the sentence names the setting, the value and the remedy.
    """
    env = os.environ if environ is None else environ
    instance = _instance_path(env.get("INSTANCE_PATH", ""))
    url = database_url(env.get("DATABASE_URL", "").strip(), instance)
    return Settings(
        instance_path=instance,
        database_url=url,
        host=_host(env.get("HOST", "").strip()),
        port=_whole(env, "PORT", 8000, low=1, high=65535),
        public_url=_public_url(env.get("PUBLIC_URL", "").strip()),
        trusted_proxies=_whole(env, "TRUSTED_PROXIES", 0, low=0, high=10),
        max_upload_mb=_whole(env, "MAX_UPLOAD_MB", 500, low=1, high=100_000),
        import_memory_mb=_whole(env, "IMPORT_MEMORY_MB", 2048, low=256, high=1_000_000),
        project_makers=_choice(env, "PROJECT_MAKERS", PROJECT_MAKERS, "owners"),
        image_hosts=read_image_hosts(env),
        webhook_hosts=read_webhook_hosts(env),
        mail=read_mail(env),
        backup_path=_folder(env, "BACKUP_PATH"),
        backup_every_hours=_whole(env, "BACKUP_EVERY_HOURS", 24, low=1, high=8760),
        backups_kept=_whole(env, "BACKUPS_KEPT", 14, low=1, high=10_000),
        web_workers=_whole(env, "WEB_WORKERS", 1, low=1, high=64),
        web_threads=_whole(env, "WEB_THREADS", 20, low=2, high=256),
        metrics_token=_metrics_token(env.get("METRICS_TOKEN", "").strip()),
        log_format=_choice(env, "LOG_FORMAT", ("text", "json"), "text"),
        access_log=_choice(env, "ACCESS_LOG", ("off", "on"), "off") == "on",
        audit_days=_audit_days(env),
        sign_in=_sign_in(env, _whole(env, "TRUSTED_PROXIES", 0, low=0, high=10)),
        # Last: a start that a wrong value stops leaves no key behind.
        secret_key=_secret_key(env.get("SECRET_KEY", ""), instance),
    )


def environment_with(**more: str) -> dict[str, str]:
    """Return the environment of this process with some more, for a program that it starts."""
    return {**os.environ, **more}


def _instance_path(given: str) -> Path:
    try:
        return Path(given.strip() or ROOT / "instance").expanduser().resolve()
    except (RuntimeError, OSError) as error:
        raise SettingError(
            f"INSTANCE_PATH is {given!r}: set it to a folder of yours, or unset it."
        ) from error


def _folder(env: Mapping[str, str], name: str) -> Path | None:
    given = env.get(name, "").strip()
    try:
        return Path(given).expanduser().resolve() if given else None
    except (RuntimeError, OSError) as error:
        raise SettingError(f"{name} is {given!r}: set it to a folder of yours, or unset it.") from error


def _whole(env: Mapping[str, str], name: str, default: int, *, low: int, high: int) -> int:
    text = env.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
        raise SettingError(
            f"{name} is {text[:40]!r}: set it to a whole number from {low} to {high}, or unset it."
        )
    return int(text)


def database_url(url: str, instance: Path) -> str:
    """Return the address of a database as SQLAlchemy has it; the default SQLite file where none is given.

    :raise SettingError: It cannot be read.
    """
    if not url:
        return f"sqlite:///{instance / 'touchstone.sqlite3'}"
    scheme, _, rest = url.partition("://")
    if scheme in {"postgres", "postgresql", "postgresql+psycopg"}:
        # A password may hold anything but "@"; what follows it must be a host, a port and a name.
        if rest and HOST_AND_NAME.fullmatch(rest.rpartition("@")[2]):
            return f"postgresql+psycopg://{rest}"
    elif scheme == "sqlite" and rest.strip("/") and not NO_FILE.search(rest):
        return url
    # Said without the value: it may hold a password.
    raise SettingError(
        f"DATABASE_URL cannot be read: use {DATABASE_URLS}, or unset it for the default SQLite file."
    )


def _host(host: str) -> str:
    if host and not HOST.fullmatch(host):
        raise SettingError(
            f"HOST is {host[:80]!r}: set it to an address of this machine such as 127.0.0.1, or unset it."
        )
    return host or "127.0.0.1"


def _public_url(url: str) -> str | None:
    if not url:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not SITE.fullmatch(url.rstrip("/")) or "/." in parts.path:
        raise SettingError(
            "PUBLIC_URL is no address of a site: set it to scheme and host, and a path if there is one, "
            "such as https://rate.example.org or https://example.org/touchstone."
        )
    return url.rstrip("/")


def read_image_hosts(environ: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the hosts from which images of answers may be fetched; none unless the operator names some."""
    env = os.environ if environ is None else environ
    hosts = frozenset(re.split(r"[\s,]+", env.get("IMAGE_HOSTS", "").strip().lower())) - {""}
    wrong = sorted(host for host in hosts if not IMAGE_HOST.fullmatch(host))
    if wrong:
        raise SettingError(
            f"IMAGE_HOSTS holds {wrong[0][:80]!r}: name hosts such as images.example.org, separated by "
            "commas, without scheme, port and path, or unset it."
        )
    return hosts


def read_webhook_hosts(environ: Mapping[str, str] | None = None) -> frozenset[WebhookHost]:
    """Return the hosts that webhooks may be sent to; none unless the operator names some."""
    env = os.environ if environ is None else environ
    given = re.split(r"[\s,]+", env.get("WEBHOOK_HOSTS", "").strip().lower())
    return frozenset(_webhook_host(each) for each in given if each)


def _webhook_host(given: str) -> WebhookHost:
    found = WEBHOOK_HOST.fullmatch(given)
    port = int(found["port"]) if found and found["port"] else None
    # Of the public net only names are meant: nobody has a certificate for a number.
    if (
        not found
        or port == 0
        or (port or 0) > 65535
        or not (found["private"] or IMAGE_HOST.fullmatch(found["host"]))
    ):
        raise SettingError(
            f"WEBHOOK_HOSTS holds {given[:80]!r}: name hosts such as hooks.example.org, separated by commas, "
            "or private:chat.internal:8443 for one in a private network, or unset it."
        )
    return WebhookHost(found["host"].strip("[]"), port, bool(found["private"]))


def read_mail(environ: Mapping[str, str] | None = None) -> MailSettings | None:
    """Return the server for e-mails; None unless the operator names one."""
    env = os.environ if environ is None else environ
    url, sender = env.get("SMTP_URL", "").strip(), env.get("MAIL_FROM", "").strip()
    if not url and not sender:
        return None
    if not (url and sender and env.get("PUBLIC_URL", "").strip()):
        raise SettingError(
            "E-mails need SMTP_URL, MAIL_FROM, and PUBLIC_URL for the links in them: set all three, or unset "
            "SMTP_URL and MAIL_FROM."
        )
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"smtp", "smtps"} and HOST.fullmatch(parts.hostname or "")
        port = parts.port or (465 if parts.scheme == "smtps" else 587)
    except ValueError:
        usable, port = None, 0
    if not usable or parts.path.strip("/") or parts.query or bool(parts.username) != bool(parts.password):
        # Said without the value: it may hold a password.
        raise SettingError(
            "SMTP_URL cannot be read: use smtp://user:password@host:587 or smtps://user:password@host:465, "
            "without user and password where the server wants none."
        )
    if not SENDER.fullmatch(sender) or ("<" in sender) != sender.endswith(">"):
        raise SettingError(
            f"MAIL_FROM is {sender[:80]!r}: set it to an address, such as Ratings <ratings@example.org>."
        )
    return MailSettings(
        host=parts.hostname or "",
        port=port,
        is_tls=parts.scheme == "smtps",
        sender=sender,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def read_public_url(environ: Mapping[str, str] | None = None) -> str:
    """Return the address of the site for links in what it sends; empty where the operator names none."""
    env = os.environ if environ is None else environ
    return _public_url(env.get("PUBLIC_URL", "").strip()) or ""


def _choice(env: Mapping[str, str], name: str, choices: tuple[str, ...], default: str) -> str:
    given = env.get(name, "").strip()
    if given and given not in choices:
        listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise SettingError(f"{name} is {given[:40]!r}: set it to {listed}, or unset it.")
    return given or default


def _metrics_token(given: str) -> str | None:
    if given and (_is_weak(given) or not given.isascii() or not given.isprintable() or " " in given):
        raise SettingError(
            f"METRICS_TOKEN is too easy to guess: give at least {SECRET_BYTES} random letters and digits, "
            "or unset it and there are no metrics."
        )
    return given or None


def _audit_days(env: Mapping[str, str]) -> int:
    days = _whole(env, "AUDIT_DAYS", 0, low=0, high=36_500)
    if 0 < days < FEWEST_AUDIT_DAYS:
        raise SettingError(
            f"AUDIT_DAYS is {days}: set it to {FEWEST_AUDIT_DAYS} or more, or to 0 to keep everything."
        )
    return days


def _sign_in(env: Mapping[str, str], proxies: int) -> SignInSettings:
    issuer, client = env.get("OIDC_ISSUER", "").strip().rstrip("/"), env.get("OIDC_CLIENT_ID", "").strip()
    secret = env.get("OIDC_CLIENT_SECRET", "").strip()
    if bool(issuer) != bool(client) or bool(issuer) != bool(secret):
        raise SettingError(
            "Sign-in by your organisation needs all three: set OIDC_ISSUER, OIDC_CLIENT_ID and "
            "OIDC_CLIENT_SECRET, or unset them."
        )
    headers = {name: _header(env, name) for name in PROXY_HEADERS}
    email = headers["PROXY_EMAIL_HEADER"]
    if any(headers.values()) and not (email and proxies):
        raise SettingError(
            "Sign-in by a proxy needs PROXY_EMAIL_HEADER, and TRUSTED_PROXIES of at least 1: anyone could "
            "send these headers otherwise."
        )
    passwords = _choice(env, "PASSWORD_SIGN_IN", ("on", "off"), "on") == "on"
    if not (passwords or issuer or email):
        raise SettingError(
            "PASSWORD_SIGN_IN is off, and no one could sign in: set OIDC_ISSUER or PROXY_EMAIL_HEADER, too."
        )
    return SignInSettings(
        passwords=passwords,
        issuer=_issuer(issuer) if issuer else None,
        client_id=client,
        client_secret=secret,
        groups_claim=env.get("OIDC_GROUPS_CLAIM", "").strip() or "groups",
        email_header=email,
        name_header=headers["PROXY_NAME_HEADER"],
        groups_header=headers["PROXY_GROUPS_HEADER"],
        proxy_networks=_networks(env.get("PROXY_ADDRESSES", "")) or SignInSettings.proxy_networks,
        group_roles=tuple(
            map(_group_role, filter(None, map(str.strip, env.get("GROUP_ROLES", "").split(","))))
        ),
    )


def _issuer(given: str) -> str:
    """Return an issuer; only over https are the keys that it publishes its own."""
    try:
        parts = urlsplit(given)
        is_own = parts.hostname in {"127.0.0.1", "::1", "localhost"}
        usable = bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and is_own))
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        raise SettingError(
            "OIDC_ISSUER is no issuer: set it to the https address that your provider calls its "
            "issuer, such as https://login.example.org/realms/main."
        )
    return given


def _header(env: Mapping[str, str], name: str) -> str | None:
    given = env.get(name, "").strip()
    if given and not re.fullmatch(r"[A-Za-z0-9-]{1,80}", given):
        raise SettingError(f"{name} is {given[:40]!r}: set it to the name of a header, such as X-Auth-Email.")
    return given or None


def _networks(given: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(map(ip_network, filter(None, re.split(r"[\s,]+", given))))
    except ValueError as error:
        raise SettingError(
            f"PROXY_ADDRESSES is {given[:80]!r}: name the addresses or networks of your proxy, such as "
            "10.1.2.3 or 172.18.0.0/16, with commas between them."
        ) from error


def _group_role(given: str) -> tuple[str, str, str]:
    """Return a group, its role, and the project of that role: `raters=annotator@cranfield` or `ops=admin`."""
    group, _, right = given.rpartition("=")
    role, _, slug = right.strip().partition("@")
    is_known = (role == "admin" and not slug) or (role in {"owner", "annotator", "viewer"} and slug)
    if not group.strip() or not is_known:
        raise SettingError(
            f"GROUP_ROLES has {given[:80]!r}: write each entry as group=role@project, such as "
            "raters=annotator@cranfield, or group=admin, with commas between them."
        )
    return group.strip(), role, slug


def _secret_key(given: str, instance: Path) -> str:
    """Return the signing key: the given one, the stored one, or a new one stored with mode 0600."""
    if given:
        if _is_weak(given):
            raise SettingError(
                f"SECRET_KEY is too easy to guess: give at least {SECRET_BYTES} random bytes, "
                "or unset it and one is made and kept in INSTANCE_PATH."
            )
        return given
    path = instance / "secret_key"
    try:
        # For nobody else on this machine; a folder that exists keeps its mode.
        instance.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create_secret(path)
        stored = path.read_bytes().decode("ascii", "replace").strip()
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except OSError as error:
        raise SettingError(
            f"INSTANCE_PATH {instance} cannot be written ({error.strerror}): choose a folder of yours."
        ) from error
    if _is_weak(stored):
        raise SettingError(
            f"The key in {path} is damaged: remove the file and a new one is made; everybody signs in again."
        )
    return stored


def _is_weak(key: str) -> bool:
    return len(key.encode()) < SECRET_BYTES or len(set(key)) < FEWEST_CHARACTERS


def _create_secret(path: Path) -> None:
    # Written beside its place and linked into it, so that two processes that start together agree on one
    # key and a crash leaves no empty file behind.
    if path.exists():
        return
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(SECRET_BYTES))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
