"""What goes out: ratings, results and scores as files, with what a format cannot hold said first."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Response, flash, redirect, render_template, request, url_for

from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.models import Project
from app.scoring.measures import UnknownMeasureError
from app.services.contents import contents_of
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence import evidence_of
from app.services.exports import (
    Export,
    active_run_facts,
    count_machine_ratings,
    export_judgments,
    export_qrels,
    export_runs,
    export_scores,
)
from app.services.rulers import get_ruler
from app.web.dashboard import blueprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.orm import Session
    from werkzeug.wrappers import Response as AnyResponse

    from app.services.exports.runs import ActiveRun

    Make = Callable[[Session], Export]

LINES_AT_ONCE = 500
LONGEST_MEASURES = 500
# A table for spreadsheets is a CSV that cannot be run as formulas.
TABLES = {"csv": "csv", "tsv": "tsv", "jsonl": "jsonl", "spreadsheet": "csv"}
TYPES = {
    "trec": "text/plain",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/x-ndjson",
}


@blueprint.get("/p/<slug>/export")
@allow(Access.READ)
def exports(slug: str) -> str:
    """Show what can be taken out, and what each format leaves behind."""
    session, project = read_session(), current_place().project
    return render_template(
        "dashboard/exports.html",
        slug=slug,
        contents=contents_of(session, project.id),
        machine_ratings=count_machine_ratings(session, project.id),
        ruler=get_ruler(session, project.id),
        runs=_runs(session, project),
    )


@blueprint.get("/p/<slug>/export/<what>")
@allow(Access.READ)
def export_file(slug: str, what: str) -> AnyResponse:
    """Return one export as an attachment; it is written line by line while it is sent.

    Raises
    ------
    NotFoundError
        There is no such export.
    """
    if what not in MAKERS:
        raise NotFoundError("There is no such export.")
    close_read_session()
    try:
        wanted = MAKERS[what](current_place().project.id)
        wanted.make(read_session())  # what is refused is refused before the first line
    except (InvalidError, UnknownMeasureError) as error:
        said = str(error).rstrip(".")
        flash(f"{said[:1].upper()}{said[1:]}.", "error")
        return redirect(url_for("dashboard.exports", slug=slug))
    response = Response(_blocks(wanted.make), mimetype=TYPES[wanted.type])
    name = _safe(f"{slug}{'-demo-data' if current_place().project.is_demo else ''}-{wanted.name}")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


class Wanted(NamedTuple):
    """An export that was asked for: how it is made in a session, its file name, and its format."""

    make: Make
    name: str
    type: str


def _blocks(make: Make) -> Iterator[str]:
    """Return the lines of an export in blocks, read in a session of their own that ends with the last."""
    source = database()

    def blocks() -> Iterator[str]:
        with source.read() as session:
            lines = make(session).lines
            while some := list(islice(lines, LINES_AT_ONCE)):
                yield "".join(some)

    return blocks()


def _qrels(project_id: int) -> Wanted:
    middle = _chosen("middle", ("lower", "upper"))

    def make(session: Session) -> Export:
        return export_qrels(session, session.get_one(Project, project_id), middle=middle)

    return Wanted(make, "qrels.txt", "trec")


def _ratings(project_id: int) -> Wanted:
    table = _chosen("format", tuple(TABLES))

    def make(session: Session) -> Export:
        project, safe = session.get_one(Project, project_id), table == "spreadsheet"
        return export_judgments(session, project, format=TABLES[table], spreadsheet=safe)  # type: ignore[arg-type]

    return Wanted(make, f"ratings.{TABLES[table]}", TABLES[table])


def _results(project_id: int) -> Wanted:
    """Return the lists of one run, or those of the newest version of each ranker."""
    session, number = read_session(), request.args.get("run", type=int)
    project, form = session.get_one(Project, project_id), _chosen("format", tuple(TYPES))
    one = next((run for run in _runs(session, project) if run.id == number), None)
    if number is not None and one is None:
        raise NotFoundError("There is no such run, or it is withdrawn.")
    runs = active_run_facts(
        session, project, ranker=one.ranker if one else None, version=one.version if one else None
    )
    name = f"{one.ranker}-{one.version}" if one else "results"
    ending = "run" if form == "trec" else form
    return Wanted(lambda session: export_runs(session, runs, form), f"{name}.{ending}", form)


def _scores(project_id: int) -> Wanted:
    table, measures = _chosen("format", tuple(TABLES)), request.args.get("measures", "")
    if len(measures) > LONGEST_MEASURES:
        raise InvalidError("Ask for fewer measures at once.")
    close_read_session()  # a long reader costs everybody who writes
    made = export_scores(
        read_session(),
        evidence_of(database(), project_id),
        measures=measures,
        all_versions=request.args.get("versions") == "all",
        is_demo=current_place().project.is_demo,
        format=TABLES[table],  # type: ignore[arg-type]
        spreadsheet=table == "spreadsheet",
    )
    return Wanted(lambda _session: made, f"scores.{TABLES[table]}", TABLES[table])


MAKERS: dict[str, Callable[[int], Wanted]] = {
    "qrels": _qrels,
    "ratings": _ratings,
    "results": _results,
    "scores": _scores,
}


def _chosen(name: str, choices: tuple[str, ...]) -> Any:
    """Return what the address asks for; anything that is not offered is the first choice."""
    wanted = request.args.get(name, "")
    return wanted if wanted in choices else choices[0]


def _runs(session: Session, project: Project) -> list[ActiveRun]:
    try:
        return active_run_facts(session, project, all_versions=True)
    except NotFoundError:
        return []


def _safe(name: str) -> str:
    """Return a file name that every system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:120] or "export"
