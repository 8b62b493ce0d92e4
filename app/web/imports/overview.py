"""The imports of a project, and the undo of each."""

from __future__ import annotations

from collections.abc import Container
from functools import partial

from flask import flash, redirect, render_template, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from app.http.languages import later as _l
from app.http.languages import ngettext, written_number
from app.http.permissions import Access, allow, current_identity_or_404, current_person_id
from app.http.project import current_evidence, current_project, write_project
from app.http.sessions import read_session, settings
from app.jobs.uploads.looking import was_read
from app.models.event import EventKind
from app.models.project import Project
from app.models.upload import Upload
from app.sentences import capitalised, message
from app.services.assignment.cost import FinishPrice, finishing_of
from app.services.assignment.pool_price import left_to_rate, most_of_a_ranker
from app.services.collection.files import refuse_archived
from app.services.collection.import_undo import ImportFact, list_imports, preview_undo, undo_import
from app.services.errors import NotFoundError
from app.services.projects.projects import Contents, contents_of
from app.services.projects.templates import samples_for
from app.services.projects.words import ProjectWords
from app.services.uploads import (
    ALL_WAITING,
    AT_WORK,
    MOST_WAITING,
    count_unfinished,
    open_uploads,
    waiting_uploads,
)
from app.web.imports import blueprint
from app.web.imports.forms import FilesForm
from app.web.imports.kinds import FORMAT_NAMES, KINDS
from app.web.imports.preview import waits_for_decision
from app.web.imports.problems import plain, spoken

UNDONE = {
    EventKind.QUERIES_ADDED: _l("The import is undone. Questions removed: %(count)s."),
    EventKind.DOCUMENTS_ADDED: _l("The import is undone. Answers removed: %(count)s."),
    EventKind.JUDGMENTS_IMPORTED: _l("The import is undone. Ratings cleared: %(count)s."),
    EventKind.RUN_PUBLISHED: _l("The version is withdrawn. You can restore it here at any time."),
}


@blueprint.get("/p/<slug>/import/undo/<int:revision>")
@allow(Access.OWN)
def undo(slug: str, revision: int) -> str:
    """Say what undoing an import would take away."""
    session, project = read_session(), current_project()
    refuse_archived(project)
    fact, preview = _import_at(revision), preview_undo(session, project, revision)
    is_run = fact.kind is EventKind.RUN_PUBLISHED
    # What is said of a run holds its ranker's name, which is nobody's to reword.
    own = partial(plain, own=ProjectWords.of(project.wording))
    return render_template(
        "imports/undo.html",
        slug=slug,
        fact=fact,
        what=fact.version or spoken(fact.what, own),
        sentence=spoken(preview.sentence, str if is_run else own),
        can_undo=preview.count > 0,
        is_run=is_run,
    )


@blueprint.post("/p/<slug>/import/undo/<int:revision>")
@allow(Access.OWN)
def undo_now(slug: str, revision: int) -> AnyResponse:
    """Undo an import."""
    fact = _import_at(revision)
    with write_project() as (session, project):
        done = undo_import(session, project, revision, actor_id=current_person_id())
    flash(str(UNDONE[fact.kind]) % {"count": written_number(done.count)})
    # A withdrawn version is restored among the versions.
    place = "rankers.index" if fact.kind is EventKind.RUN_PUBLISHED else "imports.index"
    return redirect(url_for(place, slug=slug))


def _import_at(revision: int) -> ImportFact:
    imports = list_imports(read_session(), current_project())
    found = next((fact for fact in imports if fact.revision == revision), None)
    if found is None:
        raise NotFoundError("There is no such import.")
    return found


# Beyond this many lists the page only links to the price: it reads them all.
PRICED_LISTS = 20_000
STATES = {
    "waiting": _l("is waiting to be checked"),
    "together": _l("is not imported yet; it was chosen together with other files"),
    "next": _l("is imported soon, with the files that were chosen together"),
    "checking": _l("is being checked"),
    "checked": _l("is checked and ready to import"),
    "known": _l("is checked and would change nothing"),
    "problems": _l("has problems to fix"),
    "decision": _l("needs your decision"),
    "importing": _l("is being imported"),
    "failed": _l("could not be read"),
}


@blueprint.get("/p/<slug>/import")
@allow(Access.OWN)
def index(slug: str) -> str:
    """Show what can be imported, what is there, and what was imported."""
    return index_page(slug, FilesForm(formdata=None))


def index_page(slug: str, form: FilesForm) -> str:
    """Return the page, with a form for files of any kind."""
    project = current_project()
    session = read_session()
    contents = contents_of(session, project.id)
    price = _price(session, project, contents)
    waiting = open_uploads(session, project.id, current_person_id())
    unfinished = count_unfinished(session, current_identity_or_404().id)
    return render_template(
        "imports/index.html",
        slug=slug,
        form=form,
        largest=settings().max_upload_mb,
        kinds=list(KINDS.values()),
        counts=_counts(contents),
        samples={kind: samples_for(project, words.kind) for kind, words in KINDS.items()},
        formats=FORMAT_NAMES,
        contents=contents,
        # With results, What next tells what is left.
        price="" if contents.runs else _told_of(None, project, contents),
        unreadable=price if price and price.textless else None,
        waiting=waiting,
        discardable=len(waiting_uploads(session, current_identity_or_404().id, project.id)),
        room=max(MOST_WAITING - unfinished, 0),
        unfinished=unfinished,
        all_waiting=ALL_WAITING,
        state_of=partial(
            _state_of, project, {one.options.get("group") for one in waiting if one.state in AT_WORK}
        ),
        imports=_past_imports(session, project, contents),
    )


def _counts(contents: Contents) -> dict[str, str]:
    """Return what the project has of each kind, in words; nothing where it has none."""
    questions, ratings = contents.queries, contents.imported
    answers = ngettext("%(num)s answer", "%(num)s answers", contents.documents)
    rankers = ngettext("%(num)s ranker", "%(num)s rankers", contents.rankers)
    versions = ngettext("%(num)s version", "%(num)s versions", contents.runs)
    return {
        "queries": ngettext("%(num)s question", "%(num)s questions", questions) if questions else "",
        "documents": answers if contents.documents else "",
        "run": f"{rankers}, {versions}" if contents.runs else "",
        "judgments": ngettext("%(num)s rating", "%(num)s ratings", ratings) if ratings else "",
    }


def _state_of(project: Project, at_work: Container[str | None], upload: Upload) -> str:
    """Return in words what happens to a file, or what it waits for; `at_work` are groups that go on."""
    report = upload.report or {}
    if upload.state == "waiting" and not was_read(upload):
        return str(STATES["failed"])
    if upload.state == "waiting" and "group" in upload.options:
        return str(STATES["next" if upload.options["group"] in at_work else "together"])
    if upload.state == "checked" and (report.get("problems") or report.get("refusal")):
        return str(STATES["decision" if waits_for_decision(project, upload) else "problems"])
    return str(STATES["known" if upload.state == "checked" and _changes_nothing(upload) else upload.state])


def _changes_nothing(upload: Upload) -> bool:
    """Return whether all that a checked file says is here already, under the name that it would get."""
    counts = upload.report.get("counts") or {}
    is_empty = not any(counts.get(name) for name in ("added", "filled", "replaced"))
    return "known" in upload.report or (upload.kind != "run" and is_empty)


def _price(session: Session, project: Project, contents: Contents) -> FinishPrice | None:
    """Return what is left to rate, as What next tells it; None before there is a pool, or of many lists."""
    if not contents.runs or contents.queries * contents.runs > PRICED_LISTS:
        return None
    return finishing_of(session, current_evidence(), project).at(project.pool_depth, project.overlap)


def price_now(session: Session, project: Project) -> str:
    """Return in words what is left to rate, or what each ranker can add at most."""
    contents = contents_of(session, project.id)
    return _told_of(_price(session, project, contents), project, contents)


def _told_of(price: FinishPrice | None, project: Project, contents: Contents) -> str:
    """Return the price in words; before there is a pool, what each ranker can add at most."""
    told = ""
    if price and current_evidence().ruler_at().unjudged == "complete":
        told = message("No rating is needed: unrated answers count as not relevant.")
    elif price:
        told = left_to_rate(price, project.share_twice)
    elif contents.queries and not contents.runs:
        told = most_of_a_ranker(project, contents.queries)
    return spoken(told, ProjectWords.of(project.wording).reworded)


def _past_imports(
    session: Session, project: Project, contents: Contents
) -> list[tuple[ImportFact, str, str]]:
    """Return the imports of questions, answers and ratings, each in words, and why it cannot be undone.

    Of many lists only the page of the undo tells: it reads them all.
    """
    own, few = ProjectWords.of(project.wording), contents.queries * contents.runs <= PRICED_LISTS
    past = [
        (fact, spoken(fact.what, partial(plain, own=own)), _kept(session, project, fact, own) if few else "")
        for fact in list_imports(session, project)
        if fact.kind is not EventKind.RUN_PUBLISHED
    ]
    return [(fact, capitalised(what), why_not) for fact, what, why_not in past]


def _kept(session: Session, project: Project, fact: ImportFact, own: ProjectWords) -> str:
    """Return why an import cannot be undone; empty where it can."""
    preview = preview_undo(session, project, fact.revision)
    return "" if preview.count else spoken(preview.sentence, partial(plain, own=own))
