"""Scores, verdicts and answers of the gate as the JSON objects that commands and API share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from app.models.project import Project
from app.scoring.measures.names import parse_measures
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.gate import GateAnswer, Half
from app.services.scores.leaderboard import Leaderboard
from app.services.scores.scoreboard import RunScore, Scoreboard
from app.services.scores.verdict_text import verdict_word
from app.services.scores.verdicts import PairVerdict
from app.services.scoring_settings import ScoringSettings


def asked_labels(board: Scoreboard, measures: str) -> list[str]:
    """Return the names of the measures that somebody asked for; the headline's if none."""
    return [one.label for one in parse_measures(measures if measures.strip() else board.headline)]


def scores_object(
    project: Project,
    board: Scoreboard,
    asked: Sequence[str],
    *,
    per_query: bool = False,
    weighted: Mapping[str, Sequence[float | None]] | None = None,
) -> dict[str, Any]:
    """Return the scores as the one documented object; `asked` are the labels that it holds.

    The weighted means stand beside the plain ones where some question has another weight than 1.
    """
    rankers = []
    for row, scored in enumerate(board.runs):
        ranker = version_object(scored.run) | run_score_object(scored, asked)
        if weighted:
            ranker["weighted_means"] = {label: weighted[label][row] for label in ranker["measures"]}
        if per_query:
            ranker["per_query"] = per_query_values(board, row, asked)
        rankers.append(ranker)
    return {
        "project": project.slug,
        "demo": project.is_demo,
        "revision": board.revision,
        "scoring_settings": settings_object(board.ruler),
        "mean_over": "scored queries; one without a list counts 0, unless it was added after the run",
        "queries_scored_for_all": int(board.common.sum()),
        "rankers": rankers,
    }


def settings_object(ruler: ScoringSettings) -> dict[str, Any]:
    """Return all that fixes how a number is computed."""
    return asdict(ruler) | {"name": ruler.name, "fingerprint": ruler.fingerprint}


def run_score_object(scored: RunScore, asked: Sequence[str]) -> dict[str, Any]:
    """Return the means of one run, with how much of them is rated and over how many queries they are."""
    return {
        "measures": {label: scored.measures[label] for label in asked if label in scored.measures},
        "judged": scored.judged,
        "queries": {
            "scored": scored.scored,
            "excluded": {"no_relevant": scored.no_relevant, "unjudged": scored.unjudged},
        },
    }


def per_query_values(board: Scoreboard, row: int, asked: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the values of one row of a board by query id."""
    return {
        query: {label: values[label] for label in asked} for query, values in board.per_query(row).items()
    }


def comparison_object(found: Leaderboard) -> dict[str, Any]:
    """Return what the overview says: its sentence, and the verdict on each version that it compares."""
    entries = [
        version_object(entry.run)
        | {
            "score": entry.score,
            "in_production": entry.in_production,
            "against_reference": entry.gap and pair_object(entry.gap),
            "against_version_before": entry.since
            and {"version": entry.since.second.version} | pair_object(entry.since),
        }
        for entry in found.rankers
    ]
    return {
        "answer": {"sentence": found.sentence, "lines": found.answer.lines},
        "reference": found.reference and version_object(found.reference.run),
        "compared": entries,
    }


def version_object(run: RunFact) -> dict[str, Any]:
    """Return what names a version."""
    return {"ranker": run.ranker, "version": run.version}


def pair_object(pair: PairVerdict) -> dict[str, Any]:
    """Return every number behind a verdict; differences are the first version's minus the second's."""
    verdict = pair.verdict
    interval, sample = verdict.interval, verdict.sample
    return {
        "verdict": verdict_word(pair),
        "gap": pair.mean,
        "interval": {"level": interval.level, "low": interval.low, "high": interval.high},
        "queries": pair.n,
        "pairs_asked_together": verdict.family,
        "final_p": verdict.final,
        "sample": {
            "queries": sample.n,
            "all_closed": sample.finished,
            "judged_at_k": sample.judged if sample.n else None,
            "t_test_p": sample.p,
            "log_e_value": sample.log_e,
        },
        "unrated": pair.missing.answers,
        "provisional": pair.provisional,
        "grades_declared_complete": pair.complete,
    }


def gate_object(
    slug: str, answer: GateAnswer, evidence: Evidence, *, ranker: str | None, file: str | None = None
) -> dict[str, Any]:
    """Return the gate's answer as the one documented object; differences are `judged` minus `against`.

    Parameters
    ----------
    ranker
        Of the version that wants to pass; None for a file of no ranker.
    file
        The name of the file that was judged; None for a registered version.
    """
    ruler = evidence.ruler_at()
    first, second = answer.halves
    return {
        "project": slug,
        "revision": evidence.revision,
        "scoring_settings": {"name": ruler.name, "fingerprint": ruler.fingerprint},
        "answer": answer.outcome,
        "sentence": answer.sentence,
        "judged": {
            "ranker": ranker,
            "version": None if file else answer.pair.first.version,
            "file": file,
            **_half_object(first),
        },
        "against": {**version_object(answer.pair.second), **_half_object(second)},
        **pair_object(answer.pair),
        "one_sided_bound": {"level": 0.95, "low": answer.bound},
        **asdict(answer.rules),
    }


def _half_object(half: Half) -> dict[str, Any]:
    return {
        "score": half.score,
        "judged_at_k": half.judged,
        "unrated": half.unrated,
        "returned": half.returned,
        "questions_without_answers": half.silent,
    }
