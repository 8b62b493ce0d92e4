"""A version against the one before it, as sentences: the verdict words are those of every other pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.comparison.wording import points_of, range_of, signed_gap, title_of

if TYPE_CHECKING:
    from app.services.comparison.pairs import PairVerdict


def change_title_of(pair: PairVerdict) -> str:
    """Return the verdict on a version against an older one of its ranker as one sentence."""
    word, leads = pair.verdict.word, pair.verdict.leads
    new, old = f"{pair.first.ranker} {pair.first.version}", pair.second.version
    side = "better" if leads > 0 else "worse"
    if word == "sure":
        return f"{new} is {side} than {old}, by {points_of(pair.mean or 0.0)}."
    if word == "probably better":
        return f"{new} is probably {side} than {old}, by {points_of(pair.mean or 0.0)}."
    if word == "not sure yet" and leads:
        return f"{new} is {points_of(pair.mean or 0.0)} {side} than {old}, but that is not sure yet."
    return f"{title_of(pair, (new, old))}."


def change_range_sentence(pair: PairVerdict) -> str:
    """Return in words how far the change may lie for other questions; nothing without an interval."""
    low, high = pair.verdict.interval.low, pair.verdict.interval.high
    if low is None or high is None:
        return ""
    return range_of(low, high, "it", "the two", ("worse", "better"))


def gap_in_words(pair: PairVerdict) -> str:
    """Return the gap with its interval, such as "+4 (−2 to +10)"; a dash without a question."""
    return with_ends(pair.mean, pair.verdict.interval.low, pair.verdict.interval.high)


def with_ends(mean: float | None, low: float | None, high: float | None) -> str:
    """Return a mean difference in points with its interval, where it has one."""
    if low is None or high is None:
        return signed_gap(mean)
    return f"{signed_gap(mean)} ({signed_gap(low)} to {signed_gap(high)})"
