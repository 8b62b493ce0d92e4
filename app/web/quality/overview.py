"""The quality page: coverage, agreement, pool and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from flask import render_template, url_for
from flask_babel import gettext as _
from sqlalchemy import Row, select

from app.http.languages import later as _l
from app.http.permissions import Access, allow, current_access
from app.http.project import current_context, current_evidence
from app.http.sessions import read_session
from app.models.person import Role
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Ints
from app.services.collection.near_duplicates import count_similar, search_state
from app.services.errors import NotFoundError
from app.services.evidence.state import Evidence
from app.services.pages import page_of
from app.services.quality.annotator_grades import AnnotatorFact
from app.services.quality.annotator_profiles import NOTHING, Profile
from app.services.quality.annotators import AnnotatorReport, agreement_sentence, agreements_of
from app.services.quality.check_results import CheckResult
from app.services.quality.health import (
    edited_answers,
    left_out,
    open_answers,
    question_health,
    ranker_health,
    text_health,
    textless_documents,
)
from app.services.quality.probes import probes_of
from app.services.scores.context import scoring_context
from app.services.scores.coverage import contributors_of, coverage_of
from app.web.arguments import asked_page
from app.web.charts.bars import bar_parts
from app.web.numbers import plain
from app.web.quality import blueprint
from app.web.ranker_colours import ranker_colours

GAP = 0.4
"""Percent left free between two grades of a bar."""


class GradeBar(NamedTuple):
    """All grades that were given, lowest first, with start and length of each, and the same in words."""

    parts: list[tuple[int, float, float]]
    label: str


def grade_bar(counts: Sequence[int], lowest: int) -> GradeBar | None:
    """Return the bar of how often an annotator gave each grade, None where none was given."""
    total, given = sum(counts), [(lowest + column, count) for column, count in enumerate(counts) if count]
    words = ", ".join(f"{grade}: {round(100 * count / total)} %" for grade, count in given)
    return GradeBar(bar_parts(given, gap=GAP), _("Grades: %(list)s", list=words)) if given else None


KINDS = {"simulated": _l("Simulated"), "imported": _l("From a file"), "machine": _l("Machine")}


@dataclass(frozen=True)
class AnnotatorRow:
    """One annotator in the list."""

    who: AnnotatorFact
    profile: Profile
    bar: GradeBar | None
    pace: str
    last: datetime | None
    drifts: bool
    misses_gold: bool

    @property
    def kind(self) -> str:
        """What is shown beside the name of an annotator that is no person."""
        return str(KINDS.get(self.who.kind.value, ""))


def annotator_row(
    project: Project, rated: AnnotatorReport, who: AnnotatorFact, checks: CheckResult | None
) -> AnnotatorRow:
    """Return what the list shows of one annotator."""
    profile = rated.profiles.get(who.number, NOTHING)
    drift = rated.drifts.get(who.number)
    return AnnotatorRow(
        who=who,
        profile=profile,
        bar=grade_bar(profile.grades, project.scale_low),
        pace=seconds(profile.pace_ms),
        last=moment(profile.last_second),
        drifts=drift is not None and drift.is_found,
        misses_gold=checks is not None and checks.is_doubtful,
    )


def seconds(ms: float | None) -> str:
    """Return a time in words, a dash for none."""
    if ms is None:
        return "–"
    if ms < 10_000:
        return f"{plain(ms / 1_000, 1)} s"
    return f"{ms / 1_000:.0f} s" if ms < 90_000 else f"{plain(ms / 60_000, 1)} min"


def moment(second: int | None) -> datetime | None:
    """Return a second since 1970 as a moment."""
    return None if second is None else datetime.fromtimestamp(second, tz=UTC)


EACH = 50
SHOWN = 5


@blueprint.get("/p/<slug>/quality")
@allow(Access.READ)
def index(slug: str) -> str:
    """Show how much is rated and by whom, and what needs a look, each with the next step."""
    access = current_access()
    context = current_context()
    evidence = context.evidence
    session, board = read_session(), context.board
    questions = question_health(evidence, board)
    owner = access.role is Role.OWNER
    coverage = coverage_of(evidence, board.judged)
    agreement = agreements_of(evidence).overall if owner else None
    waiting = open_answers(context)
    return render_template(
        "quality/index.html",
        slug=slug,
        k=board.ruler.k,
        complete=context.complete,
        coverage=coverage,
        contributors=contributors_of(session, evidence, evidence.active_pool()),
        agreement=agreement,
        sentence=agreement_sentence(agreement) if agreement else "",
        questions=questions,
        none_found=_linked(evidence, questions.none_found[:SHOWN]),
        one_level=_linked(evidence, questions.one_level[:SHOWN]),
        texts=text_health(session, evidence, board),
        rankers=ranker_health(context),
        ratable=access.project.state == "open" and waiting.ratable > 0,
        undecided=waiting.undecided,
        tones=ranker_colours(evidence, board),
        alike=count_similar(session, access.project.id) if owner else None,
        search=search_state(session, access.project.id) if owner else None,
        probes=probes_of(session, evidence, board),
    )


LISTS = {
    "one-level": _l("Questions with the same grade for all answers"),
    "edited": _l("Answers whose text changed after they were rated"),
    "no-text": _l("Answers without a text"),
}


@blueprint.get("/p/<slug>/quality/list/<what>")
@allow(Access.READ)
def listed(slug: str, what: str) -> str:
    """List what is behind one of the counts.

    :raise NotFoundError: There is no such list.
    """
    if what not in LISTS:
        raise NotFoundError("There is no such list.")
    evidence = current_evidence()
    session, board = read_session(), scoring_context(evidence).board
    texts = text_health(session, evidence, board)
    one_level = question_health(evidence, board).one_level
    total = {"one-level": len(one_level), "edited": len(texts.waiting), "no-text": texts.textless}[what]
    page = page_of(total, asked_page(), EACH)
    return render_template(
        "quality/list.html",
        slug=slug,
        what=what,
        title=LISTS[what],
        questions=_linked(evidence, one_level[page.rows]) if what == "one-level" else [],
        answers=edited_answers(session, evidence, texts.waiting[page.rows]) if what == "edited" else [],
        documents=textless_documents(session, evidence.project_id, first=page.rows.start, most=EACH)
        if what == "no-text"
        else [],
        page=page,
        page_url=lambda number: url_for("quality.listed", slug=slug, what=what, page=number),
    )


@blueprint.get("/p/<slug>/quality/pool")
@allow(Access.READ)
def pool(slug: str) -> str:
    """Show what each ranker's score owes to its part in making the pool."""
    evidence = current_evidence()
    board = scoring_context(evidence).board
    return render_template(
        "quality/pool.html",
        slug=slug,
        k=board.ruler.k,
        rows=left_out(evidence, board),
        rankers=len(board.runs),
        tones=ranker_colours(evidence, board),
    )


def _linked(evidence: Evidence, places: Ints) -> list[Row[int, str]]:
    """Return number and text of the questions of some places, in their order."""
    numbers = evidence.structure.query_id[places].tolist()
    found = read_session().execute(
        select(Query.id.label("query_id"), Query.text).where(Query.id.in_(numbers))
    )
    rows = {row.query_id: row for row in found}
    return [rows[number] for number in numbers]
