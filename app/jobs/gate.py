"""The gate as a command asks for it: a registered version, or a file that stays unregistered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.database import Database
from app.jobs.imports import read_run
from app.jobs.steps import project_of
from app.scoring.measures import UnknownMeasureError
from app.services.collection.files import ImportFile
from app.services.collection.run_files import RunOptions, RunReport
from app.services.collection.run_import import RunPlan, plan_run
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of
from app.services.evidence.structure import RunFact
from app.services.evidence.trial_run import evidence_with, same_lists
from app.services.scores.gate import GateAnswer, GateRules, gate_answer
from app.services.scores.overview_parts import verdict_between
from app.services.scores.scoreboard import Scoreboard, score_runs
from app.services.scores.versions import baseline_of_file, baseline_of_version, find_version

NOBODY = "A file without a ranker"


@dataclass(frozen=True)
class Gated:
    """An answer, and the state of the project that it is about.

    Attributes
    ----------
    ranker
        Of the version that wants to pass; None for a file of no ranker.
    file
        The name of the file that was judged; None for a registered version.
    """

    answer: GateAnswer
    evidence: Evidence
    ranker: str | None
    file: str | None = None


def gate_version(
    database: Database, project_id: int, name: str, against: str | None, rules: GateRules
) -> Gated:
    """Return whether a registered version may pass.

    Raises
    ------
    NotFoundError
        There is no such version, or nothing to compare it with.
    InvalidError
        It would be compared with itself.
    """
    evidence = evidence_of(database, project_id)
    place = find_version(evidence, name)
    answer = _answer(evidence, place, baseline_of_version(evidence, place, against), rules)
    return Gated(answer, evidence, evidence.structure.runs[place].ranker)


def gate_file(
    database: Database,
    project_id: int,
    file: ImportFile,
    rules: GateRules,
    *,
    ranker: str | None = None,
    against: str | None = None,
    unknown_documents: Literal["reject", "add"] = "reject",
    unknown_queries: Literal["reject", "skip"] = "reject",
    best: bool = False,
) -> Gated:
    """Return whether the run of a file may pass, scored as if it were registered.

    Parameters
    ----------
    ranker
        Whose newest version it would be; without one it is a ranker of its own.
    unknown_documents, unknown_queries, best
        As for an import; a document that the project lacks is unrated.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it names what the project lacks; all of it is reported.
    NotFoundError, InvalidError
        There is nothing to compare it with.
    """
    options = RunOptions(
        ranker=NOBODY if ranker is None else ranker,
        unknown_documents=unknown_documents,
        unknown_queries=unknown_queries,
        best=best,
    )
    return _gated(_tried(database, project_id, file, options), rules, ranker and options.ranker, against)


@dataclass(frozen=True)
class Trial:
    """A run that was scored and put before the gate, and of which nothing is kept.

    Attributes
    ----------
    board
        Its scores, as its one row.
    gated
        None where there is nothing to compare it with; `refusal` says so.
    """

    board: Scoreboard
    report: RunReport
    gated: Gated | None
    refusal: str = ""


def try_run(
    database: Database,
    project_id: int,
    file: ImportFile,
    options: RunOptions,
    rules: GateRules,
    *,
    against: str | None = None,
    measures: str = "",
) -> Trial:
    """Return the scores of a file's run, and the gate's answer about it; nothing is written.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it names what the project lacks; all of it is reported.
    InvalidError
        A measure is not known, or reads whole lists.
    """
    tried = _tried(database, project_id, file, options)
    try:
        board = score_runs(tried.extended, [tried.place], measures=measures)
    except UnknownMeasureError as error:
        raise InvalidError(
            str(error),
            code="measures",
            field="measures",
            value=measures,
            remedy="Name measures that Touchstone knows.",
        ) from error
    except ValueError as error:
        deepest = len(tried.extended.structure.positions)
        raise InvalidError(
            f"A trial run is scored with measures that look at most {deepest} answers deep, such as P@5.",
            code="measures",
            field="measures",
            value=measures,
            remedy=f"Name measures that look at most {deepest} answers deep.",
        ) from error
    try:
        return Trial(board, tried.plan.report, _gated(tried, rules, tried.plan.options.ranker, against))
    except NotFoundError as error:
        if against is not None:
            raise
        return Trial(board, tried.plan.report, None, error.message)


@dataclass(frozen=True)
class _Tried:
    evidence: Evidence
    extended: Evidence
    plan: RunPlan
    file: str

    @property
    def place(self) -> int:
        """The place of the run, the last one."""
        return len(self.evidence.structure.runs)


def _tried(database: Database, project_id: int, file: ImportFile, options: RunOptions) -> _Tried:
    lists = read_run(database, project_id, file, options)
    evidence = evidence_of(database, project_id)
    with database.read() as session:
        project = project_of(session, project_id)
        plan = plan_run(session, project, lists, options)
    return _Tried(evidence, evidence_with(evidence, plan), plan, file.name)


def _gated(tried: _Tried, rules: GateRules, ranker: str | None, against: str | None) -> Gated:
    same = same_lists(tried.extended, tried.place)
    baseline = baseline_of_file(tried.evidence, ranker, against, same=same)
    answer = _answer(tried.extended, tried.place, baseline, rules, tried.file)
    return Gated(answer, tried.extended, ranker, tried.file)


def _answer(
    evidence: Evidence, first: int, second: int, rules: GateRules, file: str | None = None
) -> GateAnswer:
    """Return the answer about two versions, the first of which may be a file's."""
    between, production = verdict_between(evidence, first, second), evidence.production_run()
    called = file or _called(between.pair.first), _called(between.pair.second)
    marks = [" (in production)" if place == production else "" for place in (first, second)]
    return gate_answer(between.context, between.pair, (called[0] + marks[0], called[1] + marks[1]), rules)


def _called(run: RunFact) -> str:
    return f"{run.ranker} {run.version}"
