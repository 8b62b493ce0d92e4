"""What the export page offers, for programs, in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import Blueprint, Response, abort, current_app, request
from sqlalchemy.orm import Session

from app.api.bodies import BodyError
from app.api.conditional import is_known, kept, tag_at
from app.api.operations import Parameter, arguments, operation
from app.api.scores import ALL_VERSIONS, MEASURES
from app.formats.errors import visible
from app.formats.exported import BY, FORMS, Exported, about, form_of, names_of
from app.formats.schema import MEDIA_TYPES, Format
from app.http import Access, allow
from app.http.errors import in_parameters
from app.http.exporting import in_blocks, note_export
from app.http.lanes import streams
from app.http.permissions import ScopeError, current_access
from app.http.project import current_evidence, current_project
from app.http.sessions import close_read_session, database
from app.http.tokens import current_token
from app.models import Project
from app.scoring.measures import UnknownMeasureError
from app.services.accounts.tokens import Scope
from app.services.exports.contents import export_documents, export_pool, export_queries, export_remarks
from app.services.exports.judgments import export_judgments, export_qrels
from app.services.exports.runs import active_run_facts, export_runs
from app.services.exports.tables import Export, export_scores
from app.services.ledger import head_of

blueprint = Blueprint("api_exports", __name__, url_prefix="/api/v1/projects/<slug>/exports")

OF_PROJECT: dict[Exported, tuple[Callable[..., Export], tuple[str, ...]]] = {
    "qrels": (export_qrels, ("middle",)),
    "ratings": (export_judgments, ("by",)),
    "queries": (export_queries, ()),
    "documents": (export_documents, ()),
    "pool": (export_pool, ("unrated",)),
    "remarks": (export_remarks, ()),
}
"""What is made of a project as a whole, and what else may be asked of it."""
KINDS = frozenset(MEDIA_TYPES[form.format] for forms in FORMS.values() for form in forms)
FORMAT = Parameter(
    name="format",
    about="How to write it. "
    + " ".join(f"{what.capitalize()}: {', '.join(names_of(what))}. {about(what)}".strip() for what in FORMS)
    + " The first of each if not given.",
    choices=tuple(dict.fromkeys(form.name for forms in FORMS.values() for form in forms)),
)
RANKER = Parameter(name="ranker", about="Results: only those of this ranker.", longest=200)
VERSION = Parameter(name="version", about="Results: only those of this version.", longest=100)
UNRATED = Parameter(
    name="unrated", about="The pool: only pairs that nobody has rated.", kind=bool, default=False
)
DATA = Parameter(
    name="data",
    about="A CSV: leave each text exactly as it is, also one that a spreadsheet would run as a formula. "
    "Import it back from this form.",
    kind=bool,
    default=False,
)
BY_WHOM = Parameter(
    name="by",
    about="Ratings: those of people, or those of machines.",
    choices=BY,
    default="people",
)
MIDDLE = Parameter(
    name="middle",
    about="Which grade to write if the consensus is between two.",
    choices=("lower", "upper"),
    default="lower",
)


@blueprint.get("/<name>")
@allow(Access.READ, Scope.SCORES)
@streams
@operation(
    "A file of qrels, ratings, results, scores or contents",
    about="What the export page offers, written while it is sent. In a CSV, texts that a spreadsheet would "
    "run as formulas get a quote in front, unless data is true. Results "
    "and scores are those of the newest version of each ranker; a table has the results of one version. "
    "Unrated pairs have texts and an empty grade, and come back as ratings. Remarks, which are notes and "
    "flags, are for owners, and for tokens with the scope manage.",
    parameters=(FORMAT, DATA, MIDDLE, BY_WHOM, RANKER, VERSION, MEASURES, ALL_VERSIONS, UNRATED),
    answer=KINDS,
    refusals=(422,),
)
def get_export(slug: str, name: str) -> Response:
    """Return one export."""
    del slug
    given, project_id = arguments(), current_project().id
    what = next((each for each in FORMS if each == name), None)
    if what is None:
        raise _not_offered("name", name, "exports", tuple(FORMS))
    if what == "remarks":
        _for_owners()
    names = names_of(what)
    form, data = given["format"] or names[0], given["data"]
    if form not in names:
        raise _not_offered("format", form, name, names)

    def make(session: Session) -> Export:
        project = session.get_one(Project, project_id)
        if what in OF_PROJECT:
            export, options = OF_PROJECT[what]
            asked = {option: given[option] for option in options}
            return export(session, project, format=form, data=data, **asked)
        if what == "results":
            meant = {name: given[name] for name in ("ranker", "version", "all_versions")}
            runs = active_run_facts(session, project, **meant)
            return export_runs(session, runs, form, data=data)
        return export_scores(
            session,
            current_evidence(),
            measures=given["measures"],
            all_versions=given["all_versions"],
            is_demo=project.is_demo,
            format=form,
            data=data,
        )

    try:
        return streamed(what, make, form_of(what, form).format, in_ledger=what != "remarks")
    except UnknownMeasureError as error:
        remedy = "Name measures that Touchstone knows."
        raise BodyError(
            str(error), code="bad_value", field="measures", value=given["measures"], remedy=remedy
        ) from error


def _for_owners() -> None:
    """Refuse whom the page offers no notes and flags: viewers, and tokens that see what viewers see."""
    if not current_access().allows(Access.OWN):
        abort(404)
    token = current_token()
    if token is not None and not token.may(frozenset({Scope.MANAGE})):
        raise ScopeError("This token lacks the scope manage. Make a token that has it.")


def streamed(
    what: str, make: Callable[[Session], Export], form: Format, *, in_ledger: bool = True
) -> Response:
    """Return an export that is written while it is sent, from the snapshot whose revision its head names.

    What changes beside the ledger has no tag: its revision does not say whether it still holds.
    """
    close_read_session()
    session = database().open_reader()
    try:
        revision = head_of(session, current_project().id)
        tag = tag_at(revision)
        if in_ledger and is_known(tag):
            session.close()
            return kept(current_app.response_class(status=304), tag)
        made = make(session)
        note_export(what, form)
    except BaseException:
        session.close()
        raise

    def blocks() -> Iterator[str]:
        with session:
            yield from in_blocks(made.lines)

    response = current_app.response_class(blocks(), mimetype=MEDIA_TYPES[form])
    # Also where nobody reads a line of it.
    response.call_on_close(session.close)
    # Ids are texts that somebody wrote: a browser must not show them as a page of this site.
    response.headers["Content-Disposition"] = "attachment"
    response.headers["X-Revision"] = str(revision)
    if made.notes:
        notes = in_parameters(" ".join(made.notes))
        response.headers["X-Notes"] = notes.encode("ascii", "replace").decode()
    if in_ledger:
        kept(response, tag).make_conditional(request)
    return response


def _not_offered(field: str, value: str, what: str, choices: tuple[str, ...]) -> BodyError:
    known = ", ".join(choices)
    return BodyError(
        f"{field} is {visible(value)!r}, which is not offered for {what}.",
        code="bad_value",
        field=field,
        value=visible(value),
        remedy=f"Use one of {known}.",
    )
