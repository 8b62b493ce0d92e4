"""Scores of files as the one documented object, in full precision."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.services.file_scores import FileScores
    from app.services.file_scores.comparing import Comparison


def as_object(found: FileScores, *, per_query: bool = False) -> str:
    """Return the scores as JSON."""
    runs = [_run(found, number, per_query=per_query) for number in range(len(found.runs))]
    compared = [comparison_object(found, one) for one in found.comparisons]
    return json.dumps({"runs": runs, "comparisons": compared}, ensure_ascii=False, allow_nan=False)


def _run(found: FileScores, number: int, *, per_query: bool) -> dict[str, Any]:
    scored = found.runs[number]
    told: dict[str, Any] = {
        "run": scored.name,
        "tag": scored.tag,
        "measures": scored.measures,
        "bounds": scored.bounds,
        "judged": scored.judged,
        "queries": {"scored": scored.scored, "excluded": scored.excluded},
    }
    if per_query:
        values = found.table.per_query(number, [one.label for one in found.asked])
        bounds = found.table.bounds_per_query(number)
        told["per_query"] = {query: row | {"bounds": bounds[query]} for query, row in values.items()}
    return told


def comparison_object(found: FileScores, compared: Comparison) -> dict[str, Any]:
    """Return a comparison with every number behind its word; differences are b minus a."""
    from app.services.file_scores.wording import sentence_of

    a, b = found.runs[compared.first].name, found.runs[compared.second].name
    verdict = compared.verdict
    interval = verdict.interval
    return {
        "a": a,
        "b": b,
        "measure": compared.measure,
        "queries": interval.n,
        "means": {"a": compared.means[0], "b": compared.means[1]},
        "difference": interval.mean,
        "interval": None if interval.low is None else [interval.low, interval.high],
        "p": compared.p,
        "p_adjusted": compared.adjusted,
        "test": {
            "name": "paired sign-flip",
            "patterns": compared.resamples,
            "exact": compared.exact,
            "adjusted_for": len(found.comparisons),
        },
        "b_wins": compared.wins,
        "ties": compared.ties,
        "b_losses": compared.losses,
        "bounds": compared.bounds,
        "certificate": compared.certificate,
        "unjudged_documents": compared.open_documents,
        "provisional": compared.provisional,
        "stays_ahead_whatever_is_unjudged": {1: b, -1: a}.get(compared.kept),
        "sample": {
            "queries": verdict.sample.n,
            "all_judged": verdict.sample.finished,
            "mean": verdict.sample.mean,
            "t_test_p": verdict.sample.p,
            "log_e_value": verdict.sample.log_e,
        },
        "final_p": verdict.final,
        "queries_to_add": verdict.to_add,
        "verdict": verdict.word,
        "ahead": {1: b, -1: a}.get(verdict.ahead),
        "sentence": sentence_of(compared, a, b),
    }
