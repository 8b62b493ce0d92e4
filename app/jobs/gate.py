"""The gate as a command asks for it: a registered version, or a file that stays unregistered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.database import Database
from app.jobs.imports import with_usual_columns
from app.jobs.steps import project_of
from app.services.collection.files import ImportFile
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import plan_run
from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of
from app.services.evidence.structure import RunFact
from app.services.evidence.trial_run import evidence_with, same_lists
from app.services.scores.gate import GateAnswer, GateRules, gate_answer
from app.services.scores.overview_parts import verdict_between
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
) -> Gated:
    """Return whether the run of a file may pass, scored as if it were registered.

    Parameters
    ----------
    ranker
        Whose newest version it would be; without one it is a ranker of its own.
    unknown_documents, unknown_queries
        As for an import; a document that the project lacks is unrated.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it names what the project lacks; all of it is reported.
    NotFoundError, InvalidError
        There is nothing to compare it with.
    """
    lists = read_run_file(with_usual_columns(database, project_id, "run", file))
    evidence = evidence_of(database, project_id)
    options = RunOptions(
        ranker=NOBODY if ranker is None else ranker,
        unknown_documents=unknown_documents,
        unknown_queries=unknown_queries,
    )
    with database.read() as session:
        project = project_of(session, project_id)
        plan = plan_run(session, project, lists, options)
    extended, place = evidence_with(evidence, plan), len(evidence.structure.runs)
    same = same_lists(extended, place)
    baseline = baseline_of_file(evidence, ranker and options.ranker, against, same=same)
    answer = _answer(extended, place, baseline, rules, file.name)
    return Gated(answer, extended, ranker and options.ranker, file.name)


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
