"""The export page and its downloads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from textwrap import wrap
from typing import Any, NamedTuple

from flask import Response, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from app.formats.exported import BY, EXACT, FORMS, Exported, FileForm
from app.formats.schema import MEDIA_TYPES, Format
from app.http.exporting import in_blocks, note_export
from app.http.lanes import streams
from app.http.languages import gettext as _
from app.http.languages import translated
from app.http.permissions import Access, allow, current_access
from app.http.project import current_evidence, current_project
from app.http.sessions import close_read_session, database, read_session, write_session
from app.models.audit import AuditKind
from app.models.project import Project
from app.scoring.measures.names import UnknownMeasureError
from app.services.accounts.audit import record
from app.services.errors import InvalidError, NotFoundError
from app.services.exports.contents import export_documents, export_pool, export_queries, export_remarks
from app.services.exports.judgments import count_machine_ratings, export_judgments, export_qrels
from app.services.exports.runs import ActiveRun, active_run_facts, export_runs
from app.services.exports.tables import Export, export_history, export_scores
from app.services.judging.inbox import RemarkFilter, count_remarks
from app.services.projects.projects import contents_of
from app.services.scores.context import scoring_context
from app.services.scores.leaderboard import leaderboard_of
from app.services.scoring_settings import ScoringSettings, get_ruler
from app.web.charts.axes import painted
from app.web.dashboard import blueprint
from app.web.dashboard.history_card import HistoryCard, history_card
from app.web.dashboard.page import page_of
from app.web.dashboard.timescale import history_choice
from app.web.responses import attachment

EVENT_HEIGHT = 18
LINE_LENGTH = 105


@blueprint.get("/p/<slug>/overview/history.svg")
@allow(Access.READ)
def history_svg(slug: str) -> Response:
    """Return the chart as a drawing that needs nothing else."""
    card, ruler, revision = _card(slug)
    access = current_access()
    note_export("chart", "svg")
    drawing = render_template(
        "dashboard/history.svg",
        card=card,
        project=access.project,
        title=_("%(project)s: score over time", project=access.project.name),
        made_with=_made_with(ruler, revision, is_demo=access.project.is_demo),
        line=EVENT_HEIGHT,
        paint=painted,
        below=[*_unnamed(card), *wrap(card.caption(), LINE_LENGTH)],
    )
    return attachment(drawing, f"{slug}-history.svg", "image/svg+xml")


@blueprint.get("/p/<slug>/overview/history.csv")
@allow(Access.READ)
def history_csv(slug: str) -> Response:
    """Return the points of the chart as a table."""
    card = _card(slug)[0]
    note_export("history", "csv")
    is_demo = current_project().is_demo
    lines = export_history(card.history, is_demo=is_demo).lines
    return attachment("".join(lines), f"{slug}-history.csv", "text/csv")


def _card(slug: str) -> tuple[HistoryCard, ScoringSettings, int]:
    """Return the card that the address asks for, with the ruler and the revision of its numbers."""
    evidence = current_evidence()
    leaderboard = leaderboard_of(evidence, scoring_context(evidence))
    card = history_card(read_session(), evidence, leaderboard, history_choice(request.args), page_of(slug))
    return card, evidence.ruler_at(), evidence.revision


def _made_with(ruler: ScoringSettings, revision: int, *, is_demo: bool) -> str:
    """Return what the numbers were made with; a file has no page around it."""
    made = _(
        "%(measure)s, settings %(settings)s, revision %(revision)s",
        measure=ruler.name,
        settings=ruler.fingerprint[:12],
        revision=revision,
    )
    return _("%(made)s, demo data.", made=made) if is_demo else f"{made}."


def _unnamed(card: HistoryCard) -> list[str]:
    """Return lines that name what has no name beside its line; a file has no table behind it."""
    names = [f"{head.name} {head.now}" for head in card.chart.heads if not head.named]
    return wrap(_("In grey: %(names)s", names=", ".join(names)), LINE_LENGTH) if names else []


Make = Callable[[Session], Export]

LONGEST_MEASURES = 500


class FormChoice(NamedTuple):
    """An entry of a list of forms; a CSV has two: in one no cell is run as a formula, the other is exact."""

    value: str
    form: FileForm
    is_exact: bool

    @property
    def label(self) -> str:
        """Return its name in the language of the page."""
        name = _(self.form.label)
        return _("%(format)s, exact text", format=name) if self.is_exact else name


def choices_of(what: Exported) -> list[FormChoice]:
    """Return the entries of the list of forms of an export."""
    return [
        FormChoice(_exact(form) if is_exact else form.name, form, is_exact)
        for form in FORMS[what]
        for is_exact in ((False, True) if form.is_csv else (False,))
    ]


def _exact(form: FileForm) -> str:
    return EXACT if form.name == "csv" else f"{form.name}-{EXACT}"


@blueprint.get("/p/<slug>/export")
@allow(Access.READ)
def exports(slug: str) -> str:
    """Show what can be taken out, and what each format leaves behind."""
    session, project = read_session(), current_project()
    return render_template(
        "dashboard/exports.html",
        slug=slug,
        contents=contents_of(session, project.id),
        machine_ratings=count_machine_ratings(session, project.id),
        ruler=get_ruler(session, project.id),
        runs=_runs(session, project),
        forms={what: choices_of(what) for what in FORMS},
        remarks=any(count_remarks(session, project.id, RemarkFilter(kind=kind)) for kind in ("note", "flag")),
    )


@blueprint.post("/p/<slug>/export/<what>")
@allow(Access.READ)
@streams
def export_file(slug: str, what: str) -> AnyResponse:
    """Return one export as an attachment; it is written line by line while it is sent, and the trail has it.

    :raise NotFoundError: There is no such export.
    """
    if what not in MAKERS or (what in FOR_OWNERS and not current_access().allows(Access.OWN)):
        raise NotFoundError("There is no such export.")
    close_read_session()
    try:
        wanted = MAKERS[what](current_project().id)
        wanted.make(read_session())  # what is refused is refused before the first line
    except (InvalidError, UnknownMeasureError) as error:
        reason = translated(error.message if isinstance(error, InvalidError) else str(error)).rstrip(".")
        flash(f"{reason[:1].upper()}{reason[1:]}.", "error")
        return redirect(url_for("dashboard.exports", slug=slug))
    with write_session() as session:
        record(session, AuditKind.EXPORTED, project_id=current_project().id, what=what, format=wanted.type)
    name = f"{slug}{'-demo-data' if current_project().is_demo else ''}-{wanted.name}"
    return attachment(_blocks(wanted.make), _safe(name), MEDIA_TYPES[wanted.type])


class FileExport(NamedTuple):
    """An export that was asked for: how it is made in a session, its file name, and its format."""

    make: Make
    name: str
    type: Format


def _blocks(make: Make) -> Iterator[str]:
    """Return the lines of an export in blocks, read in a session of their own that ends with the last."""
    source = database()

    def blocks() -> Iterator[str]:
        with source.read() as session:
            yield from in_blocks(make(session).lines)

    return blocks()


def _qrels(project_id: int) -> FileExport:
    middle = _chosen("middle", ("lower", "upper"))
    return _whole("qrels", "qrels", partial(export_qrels, middle=middle))(project_id)


def _whole(what: Exported, name: str, export: Callable[..., Export]) -> Callable[[int], FileExport]:
    """Return the maker of an export that holds something of a whole project."""

    def maker(project_id: int) -> FileExport:
        chosen = _chosen_form(what)

        def make(session: Session) -> Export:
            project = session.get_one(Project, project_id)
            return export(session, project, format=chosen.form.name, data=chosen.is_exact)

        return FileExport(make, f"{name}{chosen.form.suffix}", chosen.form.format)

    return maker


def _ratings(project_id: int) -> FileExport:
    by = _chosen("by", BY)
    name = "ratings" if by == "people" else "ratings-by-machines"
    return _whole("ratings", name, partial(export_judgments, by=by))(project_id)


def _results(project_id: int) -> FileExport:
    """Return the lists of one run, or those of the newest version of each ranker."""
    session, number = read_session(), request.form.get("run", type=int)
    project, chosen = session.get_one(Project, project_id), _chosen_form("results")
    one = next((run for run in _runs(session, project) if run.id == number), None)
    if number is not None and one is None:
        raise NotFoundError("There is no such run, or it is withdrawn.")
    runs = active_run_facts(
        session, project, ranker=one.ranker if one else None, version=one.version if one else None
    )
    name = f"{one.ranker}-{one.version}" if one else "results"
    form = chosen.form
    return FileExport(
        lambda session: export_runs(session, runs, form.name, data=chosen.is_exact),
        f"{name}{form.suffix}",
        form.format,
    )


def _scores(_project_id: int) -> FileExport:
    chosen, measures = _chosen_form("scores"), request.form.get("measures", "")
    if len(measures) > LONGEST_MEASURES:
        raise InvalidError("Ask for fewer measures at once.")
    evidence = current_evidence()
    made = export_scores(
        read_session(),
        evidence,
        measures=measures,
        all_versions=request.form.get("versions") == "all",
        is_demo=current_project().is_demo,
        format=chosen.form.name,
        data=chosen.is_exact,
    )
    return FileExport(lambda _session: made, f"scores{chosen.form.suffix}", chosen.form.format)


def _pool(project_id: int) -> FileExport:
    if request.form.get("pairs") == "unrated":
        return _whole("pool", "unrated", partial(export_pool, unrated=True))(project_id)
    return _whole("pool", "pool", export_pool)(project_id)


MAKERS: dict[str, Callable[[int], FileExport]] = {
    "qrels": _qrels,
    "ratings": _ratings,
    "results": _results,
    "scores": _scores,
    "queries": _whole("queries", "questions", export_queries),
    "documents": _whole("documents", "answers", export_documents),
    "pool": _pool,
    "remarks": _whole("remarks", "remarks", export_remarks),
}
FOR_OWNERS = frozenset({"remarks"})
"""What only owners see on other pages, too."""


def _chosen(name: str, choices: tuple[str, ...]) -> Any:
    """Return what the form asks for; anything that is not offered is the first choice."""
    wanted = request.form.get(name, "")
    return wanted if wanted in choices else choices[0]


def _chosen_form(what: Exported) -> FormChoice:
    choices = {choice.value: choice for choice in choices_of(what)}
    return choices[_chosen("format", tuple(choices))]


def _runs(session: Session, project: Project) -> list[ActiveRun]:
    try:
        return active_run_facts(session, project, all_versions=True)
    except NotFoundError:
        return []


def _safe(name: str) -> str:
    """Return a file name that every system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:120] or "export"
