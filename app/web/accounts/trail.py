"""The audit trail as a page and as a file: the whole site for administrators, a project for its owners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, NamedTuple

from flask import Response, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import ngettext

from app.formats.schema import MEDIA_TYPES, Table
from app.formats.writing import write_table
from app.http.exporting import in_blocks
from app.http.lanes import streams
from app.http.languages import later as _l
from app.http.permissions import Access, allow
from app.http.project import current_project
from app.http.sessions import database, read_session, write_session
from app.models import AuditKind
from app.sentences import message
from app.services.accounts.audit import (
    COLUMNS,
    JOINED,
    AuditFilter,
    AuditRow,
    all_entries,
    entries_of,
    names_in,
    people_in_trail,
    projects_in_trail,
    record,
)
from app.web.accounts import blueprint
from app.web.arguments import asked_page
from app.web.responses import attachment
from app.web.token_rights import rights_in_words

KINDS = {
    AuditKind.SIGNED_IN: _l("Signed in"),
    AuditKind.SIGN_IN_FAILED: _l("Sign-in failed"),
    AuditKind.SIGNED_OUT: _l("Signed out"),
    AuditKind.SESSION_ENDED: _l("One device signed out"),
    AuditKind.SESSIONS_ENDED: _l("Signed out everywhere"),
    AuditKind.ACCOUNT_MADE: _l("Account created"),
    AuditKind.ACCOUNT_DISABLED: _l("Account disabled"),
    AuditKind.ACCOUNT_ENABLED: _l("Account enabled"),
    AuditKind.ACCOUNT_ERASED: _l("Person erased"),
    AuditKind.ACCOUNT_LINKED: _l("Account connected with the organisation"),
    AuditKind.ADMIN_CHANGED: _l("Administrator changed"),
    AuditKind.PASSWORD_CHANGED: _l("Password changed"),
    AuditKind.PASSWORD_LINK_MADE: _l("Password link created"),
    AuditKind.PASSWORD_LINK_USED: _l("Password link used"),
    AuditKind.PASSWORD_CONFIRMED: _l("Password confirmed"),
    JOINED: _l("Joined"),
    AuditKind.ROLE_CHANGED: _l("Role changed"),
    AuditKind.INVITATION_MADE: _l("Invitation created"),
    AuditKind.INVITATION_TAKEN: _l("Invitation accepted"),
    AuditKind.INVITATION_REVOKED: _l("Invitation revoked"),
    AuditKind.SHARED_LINK_MADE: _l("Shared link created"),
    AuditKind.SHARED_LINK_REVOKED: _l("Shared link revoked"),
    AuditKind.EXPORTED: _l("Exported"),
    AuditKind.SETTINGS_CHANGED: _l("Settings changed"),
    AuditKind.PROJECT_PURGED: _l("Project deleted"),
    AuditKind.TOKEN_MADE: _l("Access token created"),
    AuditKind.TOKEN_REVOKED: _l("Access token revoked"),
    AuditKind.WEBHOOK_MADE: _l("Webhook created"),
    AuditKind.WEBHOOK_CHANGED: _l("Webhook changed"),
    AuditKind.WEBHOOK_DELETED: _l("Webhook deleted"),
}
# What is about no project, or ends it: only the trail of the whole site has it.
OF_SITE = {
    AuditKind.SIGNED_IN,
    AuditKind.SIGN_IN_FAILED,
    AuditKind.SIGNED_OUT,
    AuditKind.SESSION_ENDED,
    AuditKind.SESSIONS_ENDED,
    AuditKind.ACCOUNT_MADE,
    AuditKind.ACCOUNT_DISABLED,
    AuditKind.ACCOUNT_ENABLED,
    AuditKind.ACCOUNT_ERASED,
    AuditKind.ACCOUNT_LINKED,
    AuditKind.ADMIN_CHANGED,
    AuditKind.PASSWORD_CHANGED,
    AuditKind.PROJECT_PURGED,
}
WAYS = {
    "password": _l("with the password"),
    "link": _l("with a link"),
    "session": _l("again, after signing out everywhere else"),
    "organisation": _l("through the organisation"),
    "proxy": _l("through the proxy"),
    "device": _l("on a device from before the link"),
    "admin": _l("by an administrator"),
    "command": _l("by a command"),
}
# What the settings pages call a setting, where its stored name is another word.
SETTINGS = {
    "state: restored": _l("the project is restored"),
    "state: open": _l("rating is open"),
    "state: paused": _l("rating is paused"),
    "state: closed": _l("rating is closed"),
    "state: archived": _l("the project is archived"),
    "k": _l("top answers that are scored (k)"),
    "gain": _l("what a star is worth"),
    "discount": _l("what a place is worth"),
    "threshold": _l("relevant from grade"),
    "dealing": _l("which answer comes next"),
    "repeats": _l("answers shown to the same person again"),
    "gold": _l("share of gold answers"),
    "feedback": _l("the others’ grade is shown afterwards"),
    "overlap": _l("ratings per answer"),
    "share_twice": _l("answers rated by two people"),
    "unjudged": _l("answers that nobody rated"),
    "only_blind": _l("only blind ratings"),
    "reasons": _l("notes on ratings"),
    "who_rates_what": _l("who rates what"),
    "practice": _l("practice question"),
}
# By what is written on them, or, where that is gone, by numbers that count on the whole site.
NAMED = {
    "invitation": message("invitation for %(name)s"),
    "link": message("link for %(name)s"),
    "token": message("token “%(name)s”"),
}
NUMBERED = {
    "invitation": message("invitation no. %(number)s"),
    "link": message("link no. %(number)s"),
    "webhook": message("webhook no. %(number)s"),
    "token": message("token no. %(number)s"),
}
# Without a role there is none under this name.
ROLES = {"owner": _l("owner"), "annotator": _l("annotator"), "viewer": _l("viewer"), "": _l("no role")}
NO_NAMES: Mapping[tuple[str, int], str | None] = {}
FORMATS: dict[str, Table] = {"csv": "csv", "jsonl": "jsonl"}


class Choice(NamedTuple):
    """What the page shows: the filter, and its values as they were chosen."""

    wanted: AuditFilter
    values: dict[str, str]


@blueprint.get("/trail")
@allow(Access.ADMIN)
def trail() -> str:
    """Show the audit trail of the whole site."""
    return _page(_choice(None), "accounts.trail")


@blueprint.post("/trail/export")
@allow(Access.ADMIN)
@streams
def export_trail() -> Response:
    """Return what the filter shows as a file."""
    return _file(_choice(None), "touchstone-trail")


@blueprint.get("/p/<slug>/trail")
@allow(Access.OWN)
def project_trail(slug: str) -> str:
    """Show the audit trail of a project."""
    return _page(_choice(current_project().id), "accounts.project_trail", slug=slug)


@blueprint.post("/p/<slug>/trail/export")
@allow(Access.OWN)
@streams
def export_project_trail(slug: str) -> Response:
    """Return what the filter shows of a project as a file."""
    return _file(_choice(current_project().id), f"{slug}-trail")


def _address(endpoint: str, values: dict[str, Any], page: int) -> str:
    return url_for(endpoint, page=page, **values)


def _choice(project_id: int | None) -> Choice:
    """Return what was asked for; what cannot be read is left out."""
    names = ("person", "kind", "since", "until", *(("project",) if project_id is None else ()))
    given = {name: request.values.get(name, "").strip()[:80] for name in names}
    given["kind"] = given["kind"] if given["kind"] in KINDS else ""
    days = {name: _day(given[name]) for name in ("since", "until")}
    given |= {name: day.isoformat() if day else "" for name, day in days.items()}
    wanted = AuditFilter(
        project_id=project_id,
        project=given.get("project", ""),
        person=given["person"],
        kind=given["kind"],
        since=days["since"],
        until=days["until"],
    )
    return Choice(wanted, {name: value for name, value in given.items() if value})


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    # The day after the last one there is could not be named.
    return day if 1970 <= day.year < 9000 else None


def _page(choice: Choice, endpoint: str, **where: Any) -> str:
    page, rows = entries_of(read_session(), choice.wanted, asked_page())
    names = names_in(read_session(), rows)
    return render_template(
        "accounts/trail.html",
        page=page,
        rows=[(row, _kind_of(row), details_of(row, names), row.network == "command line") for row in rows],
        kinds={
            str(kind): label
            for kind, label in KINDS.items()
            if choice.wanted.project_id is None or kind not in OF_SITE
        },
        people=people_in_trail(read_session(), choice.wanted.project_id),
        projects=projects_in_trail(read_session()) if choice.wanted.project_id is None else [],
        chosen=choice.values,
        page_url=partial(_address, endpoint, where | choice.values),
        export=url_for(endpoint.replace(".", ".export_"), **where),
    )


def _kind_of(row: AuditRow) -> str:
    return str(KINDS[JOINED if row.is_joining else row.kind])


def details_of(row: AuditRow, names: Mapping[tuple[str, int], str | None] = NO_NAMES) -> str:
    """Return the details of an entry in words; `names` is what `names_in` returns."""
    details = row.details
    if row.kind is AuditKind.ROLE_CHANGED and not row.is_joining:
        before, after = (ROLES.get(str(details.get(name)), ROLES[""]) for name in ("before", "role"))
        return str(_("from %(before)s to %(after)s", before=before, after=after))
    parts = [str(WAYS.get(str(details["by"]), details["by"]))] if "by" in details else []
    if row.kind is AuditKind.ADMIN_CHANGED:
        parts.append(
            _("now an administrator") if details.get("is_admin") else _("no longer an administrator")
        )
    elif details.get("is_admin"):
        parts.append(_("as an administrator"))
    is_with_token = row.kind is AuditKind.EXPORTED and "token" in details
    parts += [
        _called(name, details[name], names)
        for name in NUMBERED
        if name in details and not (name == "token" and is_with_token)
    ]
    parts += [_("to %(host)s", host=details["host"])] if details.get("host") else []
    parts += [_("for %(what)s", what=", ".join(details["events"]))] if details.get("events") else []
    parts += (
        [_("as %(role)s", role=ROLES.get(details["role"], details["role"]))] if details.get("role") else []
    )
    what = details.get("what")
    parts += (
        [", ".join(_setting(str(one)) for one in what) if isinstance(what, list) else str(what)]
        if what
        else []
    )
    parts += _given(details) if "target" in details else []
    parts += [str(details["format"])] if "format" in details else []
    parts += [_("for %(days)s days", days=details["days"])] if "days" in details else []
    parts += [_with_token(details["token"], names)] if is_with_token else []
    rights = rights_in_words(str(details.get("scopes") or ""))
    return ": ".join(filter(None, (", ".join(parts), rights)))


def _called(kind: str, number: int, names: Mapping[tuple[str, int], str | None]) -> str:
    if (kind, number) not in names:
        return str(_(NUMBERED[kind], number=number))
    name = names[kind, number]
    return str(_(NAMED[kind], name=name) if name else _("invitation for anyone with the link"))


def _with_token(number: int, names: Mapping[tuple[str, int], str | None]) -> str:
    name = names.get(("token", number))
    if name:
        return str(_("with access token “%(name)s”", name=name))
    return str(_("with access token %(number)s", number=number))


def _given(details: dict[str, Any]) -> list[str]:
    """Return which questions a person is given, and up to how many answers, in words."""
    queries, tags, target = details["queries"], details["tags"], details["target"]
    given = [ngettext("%(num)s question", "%(num)s questions", queries)] if queries else []
    given += [ngettext("%(num)s tag", "%(num)s tags", tags)] if tags else []
    return [*(given or [_("all questions")]), *([_("target %(num)s", num=target)] if target else [])]


def _setting(name: str) -> str:
    return str(SETTINGS[name]) if name in SETTINGS else name.replace("_", " ")


def _file(choice: Choice, name: str) -> Response:
    form = FORMATS.get(request.form.get("format", ""), "csv")
    with write_session() as session:
        record(
            session,
            AuditKind.EXPORTED,
            project_id=choice.wanted.project_id,
            what="audit trail",
            format=form,
        )
    source = database()

    def blocks() -> Iterator[str]:
        # A session of its own: the request's is closed before the last line is sent.
        with source.read() as session:
            lines = write_table(COLUMNS, (row.cells for row in all_entries(session, choice.wanted)), form)
            yield from in_blocks(lines)

    return attachment(blocks(), f"{name}.{form}", MEDIA_TYPES[form])
