"""The verdict on two versions as a part of a JSON object, in full precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.services.scores.verdicts import PairVerdict


def pair_object(pair: PairVerdict) -> dict[str, Any]:
    """Return every number behind a verdict; differences are the first version's minus the second's."""
    from app.services.scores.verdict_text import verdict_word

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
            "judged_at_k": sample.judged,
            "t_test_p": sample.p,
            "log_e_value": sample.log_e,
        },
        "unrated": pair.missing.answers,
        "provisional": pair.provisional,
        "grades_declared_complete": pair.complete,
    }
