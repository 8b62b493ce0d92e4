"""The Compare page: which two rankers, and what is said about them.

It compares the versions of its address, else the overview's two, or the newest with the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import render_template, request
from sqlalchemy.orm import Session

from app.http.languages import gettext as _
from app.http.languages import later, translated
from app.http.permissions import Access, allow
from app.http.project import current_context
from app.http.sessions import read_session
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.compare import RankerMatrix, Slice, matrix_of, slices_of
from app.services.scores.context import ScoringContext
from app.services.scores.leaderboard import compared_versions, versions_before
from app.services.scores.more_questions import production_of
from app.services.scores.overview_parts import verdict_between
from app.services.scores.verdict_text import (
    answer_range,
    answer_sentence,
    cautions_of,
    keeping,
    names_of,
    next_step_sentence,
)
from app.services.scores.verdicts import PairVerdict
from app.web.arguments import asked_page
from app.web.charts.axes import hue_of
from app.web.compare import blueprint
from app.web.compare.changes import changes_page
from app.web.compare.experts import Experts, experts_of
from app.web.compare.panel import VerdictPanel, verdict_panel
from app.web.compare.questions import Questions, questions_of
from app.web.ranker_colours import ranker_colours

GONE = later("The version in this address no longer exists.")
NEWEST = later("The newest is shown instead.")


@dataclass(frozen=True)
class PairChoice:
    """Two versions by their places, all that can be chosen, and what of the address could not be met."""

    first: int
    second: int
    offered: list[RunFact]
    note: str


@dataclass(frozen=True)
class VersionChoice:
    """A version and the one before it, by their places; `old` is None for a first version.

    Attributes
    ----------
    chosen
        The number of the version.
    rankers
        One version of each ranker, to choose the ranker by.
    versions
        The versions of this ranker, newest first, each with the one before it.
    note
        What of the address could not be met.
    """

    new: int
    old: int | None
    chosen: int
    rankers: list[RunFact]
    versions: list[tuple[RunFact, RunFact | None]]
    note: str


def pair_choice(context: ScoringContext, arguments: Mapping[str, str]) -> PairChoice | None:
    """Return the two versions to compare; None where there are not two."""
    evidence = context.evidence
    offered = _offered(evidence)
    if len(offered) < 2:
        return None
    wanted = [arguments.get(name, "") for name in ("first", "second")]
    known = [offered[number] for number in wanted if number in offered]
    note = _note(evidence, wanted, known)
    rest = [place for place in _likeliest(context, list(offered.values())) if place not in known]
    first, second = (known if len(set(known)) == 2 else [*dict.fromkeys(known), *rest])[:2]
    return PairChoice(first, second, _listed(evidence, list(offered.values())), note)


def version_choice(evidence: Evidence, arguments: Mapping[str, str]) -> VersionChoice | None:
    """Return the version to tell the changes of; None where there is no ranker.

    Without an address it is the newest that has a version before it, else the newest of all. A ranker of the
    address goes before a version of another one: choosing a ranker is not choosing its version yet.
    """
    offered = _offered(evidence)
    if not offered:
        return None
    runs, places = evidence.structure.runs, list(offered.values())
    before = versions_before(evidence, places)
    number = arguments.get("version", "")
    asked, withdrawn = offered.get(number), _withdrawn(evidence, number)
    newest = {str(runs[place].ranker_id): place for place in places}
    ranker = newest.get(arguments.get("ranker", "") or (str(withdrawn.ranker_id) if withdrawn else ""))
    note = f"{_missing(withdrawn)} {NEWEST}" if number and asked is None else ""
    if asked is None or (ranker is not None and runs[ranker].ranker_id != runs[asked].ranker_id):
        asked = ranker if ranker is not None else max(before, default=places[-1])
    own = [place for place in reversed(places) if runs[place].ranker_id == runs[asked].ranker_id]
    return VersionChoice(
        new=asked,
        old=before.get(asked),
        chosen=runs[asked].id,
        rankers=sorted((runs[place] for place in newest.values()), key=lambda run: run.mark),
        versions=[(runs[place], runs[before[place]] if place in before else None) for place in own],
        note=note,
    )


def _offered(evidence: Evidence) -> dict[str, int]:
    """Return the versions that can be compared, as an address names them, in order of registration."""
    runs = evidence.structure.runs
    return {str(runs[place].id): place for place in evidence.active_runs() if runs[place].kind == "system"}


def _withdrawn(evidence: Evidence, number: str) -> RunFact | None:
    """Return the version that an address names, where that was withdrawn."""
    runs = [run for run in evidence.structure.runs if run.kind == "system" and str(run.id) == number]
    return next(iter(runs), None) if number not in _offered(evidence) else None


def _missing(withdrawn: RunFact | None) -> str:
    if withdrawn is None:
        return str(GONE)
    return _("%(name)s is withdrawn.", name=f"{withdrawn.ranker} {withdrawn.version}")


def _note(evidence: Evidence, wanted: list[str], known: list[int]) -> str:
    lacking = [number for number in wanted if number and number not in _offered(evidence)]
    if lacking:
        return _missing(_withdrawn(evidence, lacking[0]))
    if len(known) == 2 and known[0] == known[1]:
        return _("A version cannot be compared with itself.")
    return ""


def _likeliest(context: ScoringContext, places: list[int]) -> list[int]:
    """Return the pair of the overview's sentence, the others shown by their scores, then older versions."""
    shown = compared_versions(context.evidence, context)
    rows = dict.fromkeys([*(shown.main or ()), *shown.order])
    current = [shown.context.places[row] for row in rows]
    return current + [place for place in reversed(places) if place not in current]


def _listed(evidence: Evidence, places: list[int]) -> list[RunFact]:
    """Return versions in the order of a list to choose from: by ranker, newest first."""
    runs = evidence.run_facts(places)
    return sorted(runs, key=lambda run: (run.mark, -run.revision))


@dataclass(frozen=True)
class Side:
    """One of the two: its name on this page, and its tone."""

    name: str
    tone: int


def sides_of(pair: PairVerdict, names: tuple[str, str], tones: Mapping[int, int]) -> tuple[Side, Side]:
    """Return the two; of two versions of one ranker the second has the next hue."""
    first, second = (tones[run.ranker_id] for run in (pair.first, pair.second))
    return Side(names[0], first), Side(names[1], hue_of(second) % 4 + 1 if first == second else second)


def fills_of(sides: tuple[Side, Side]) -> tuple[int, int]:
    """Return the fills of their bars: the two hues; of two with one hue, one is filled and one in outline."""
    first, second = (side.tone for side in sides)
    return (hue_of(first), hue_of(second)) if hue_of(first) != hue_of(second) else (first, second)


PICKED = later("If you look at many pairs, some differ by luck.")


@dataclass(frozen=True)
class ComparePage:
    """Everything the template needs; it asks nobody anything."""

    panel: VerdictPanel
    pair: PairVerdict
    sides: tuple[Side, Side]
    bars: tuple[int, int]
    tones: dict[int, int]
    cautions: list[str]
    questions: Questions
    slices: list[Slice]
    matrix: RankerMatrix
    experts: Experts
    context: ScoringContext


def compare_page(
    session: Session, slug: str, current: ScoringContext, choice: PairChoice, listed: int = 1
) -> ComparePage:
    """Return what the page of two versions shows.

    Parameters
    ----------
    current
        The context of the current runs: the matrix is about them.
    listed
        The page of the list of questions.
    """
    evidence = current.evidence
    between = verdict_between(evidence, choice.first, choice.second, current=current)
    context, pair = between.context, between.pair
    before = versions_before(evidence, [choice.first, choice.second])
    in_a_row = before.get(choice.first) == choice.second or before.get(choice.second) == choice.first
    tones = ranker_colours(evidence, current.board, [run.ranker_id for run in (pair.first, pair.second)])
    names = names_of(evidence, pair.first, pair.second)
    sides = sides_of(pair, names, tones)
    cautions = [translated(one) for one in cautions_of(context, pair, names)]
    # The overview's sentence, where that is about these two.
    shown = between.answered or pair
    shown_names = names_of(evidence, shown.first, shown.second)
    # What leads in production is said to lead the other of the two: here nothing is said of all rankers.
    is_ahead = between.answered is not None and shown.verdict.leads > 0
    production = is_ahead and evidence.production_run() is not None
    return ComparePage(
        panel=verdict_panel(
            session,
            slug,
            context,
            pair,
            title=answer_sentence(shown, shown_names, production=production),
            names=names,
            tones=(sides[0].tone, sides[1].tone),
            lines=[
                keeping(_kept(context, pair, names), answer_range(shown, shown_names, production=production)),
                next_step_sentence(pair, production_of(context, pair)),
            ],
        ),
        pair=pair,
        sides=sides,
        bars=fills_of(sides),
        tones=tones,
        cautions=cautions if between.together or in_a_row else [str(PICKED), *cautions],
        questions=questions_of(session, slug, context, pair, names, page=listed),
        slices=slices_of(session, context, pair),
        matrix=matrix_of(current),
        experts=experts_of(context, pair),
        context=context,
    )


def _kept(context: ScoringContext, pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the name of what is in production, where it is one of the two and nothing is sure."""
    production = context.evidence.production_run()
    if production is None or pair.verdict.word in {"sure", "too early", "too close to call"}:
        return ""
    marked = context.evidence.structure.runs[production].id
    return {pair.first.id: names[0], pair.second.id: names[1]}.get(marked, "")


@blueprint.get("/p/<slug>/compare")
@allow(Access.READ)
def index(slug: str) -> str:
    """Compare two versions: those of the address, or those of the overview's sentence."""
    context = current_context()
    choice = pair_choice(context, request.args)
    if choice is None:
        return render_template("compare/empty.html", slug=slug)
    page = compare_page(read_session(), slug, context, choice, asked_page("list"))
    return render_template("compare/index.html", page=page, choice=choice, slug=slug)


@blueprint.get("/p/<slug>/compare/changes")
@allow(Access.READ)
def changes(slug: str) -> str:
    """Show what changed in a version: that of the address, or the newest that has one before it."""
    context = current_context()
    step = version_choice(context.evidence, request.args)
    if step is None or step.old is None:
        run = None if step is None else context.evidence.structure.runs[step.new]
        return render_template("compare/first.html", step=step, run=run, slug=slug)
    page = changes_page(read_session(), slug, context, step.new, step.old)
    return render_template("compare/changes.html", page=page, step=step, slug=slug)
