"""The score rows of the overview: each ranker with its gap bar, its verdict, and its last change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for

from app.http.languages import gettext as _
from app.http.languages import translated
from app.scoring.intervals import MeanInterval
from app.services.evidence.structure import RunFact
from app.services.scores.leaderboard import Entry, Leaderboard
from app.services.scores.overview_parts import OtherView
from app.services.scores.verdict_text import (
    gap_of,
    note_of,
    open_range,
    points_of,
    provisional_sentence,
    range_in_points,
    shown_range,
    signed_gap,
    waits,
    why_around_0,
)
from app.services.scores.verdicts import PairVerdict
from app.web.charts.axes import Axis, Tick, gap_axis
from app.web.charts.intervals import GapBar, gap_bar, reference_ring
from app.web.numbers import shown_score

NUMBERS = tuple[float | None, "MeanInterval | None", "MeanInterval | None"]


@dataclass(frozen=True)
class ScoreRow:
    """One ranker on the overview.

    Attributes
    ----------
    name
        What its version is called in sentences.
    score
        0 to 100 as it is printed; a dash without one.
    bar
        None below 8 questions, and where there is nothing to compare.
    gap, likely
        The gap to the reference with its sign, and the range beside it; empty where there is none.
    pair, note
        The verdict against the reference and the one note below it.
    since, since_gap, since_likely, since_pair, url
        The comparison with the version before, its gap and interval, its verdict, and the page that shows
        what changed; empty for a first version.
    is_older
        Whether its ranker has a newer version, whose colour it leaves alone: it is the one in production.
    """

    run: RunFact
    name: str
    score: str
    bar: GapBar | None
    gap: str
    likely: str
    pair: PairVerdict | None
    note: str
    in_production: bool
    since: str
    since_gap: str
    since_likely: str
    since_pair: PairVerdict | None
    url: str
    is_older: bool


@dataclass(frozen=True)
class ScoreRows:
    """All rows, best first, on one scale.

    Attributes
    ----------
    reference
        What the others are compared with, by name; empty with a single ranker.
    ticks
        Of the scale; none where no bar is drawn.
    early
        Whether the numbers are too early to be read as more than numbers.
    waiting
        Why verdicts are open though ranges are shown; empty where none waits for ratings.
    around_0
        Why a range includes 0 beside a verdict of "probably"; empty where none does.
    provisional
        Which scores are provisional; empty where none is.
    """

    rows: list[ScoreRow]
    reference: str
    ticks: list[Tick]
    early: bool
    waiting: str = ""
    around_0: str = ""
    provisional: str = ""


def score_rows(leaderboard: Leaderboard, slug: str) -> ScoreRows:
    """Return the rows of an overview."""
    numbers: list[tuple[Entry, NUMBERS]] = [
        (one, (one.score, _interval_of(one.gap), _interval_of(one.since))) for one in leaderboard.rankers
    ]
    return _rows(leaderboard, slug, numbers, early=leaderboard.early, words=True)


def other_rows(leaderboard: Leaderboard, slug: str, view: OtherView) -> ScoreRows:
    """Return the rows in another measure or on some of the questions: without a word."""
    numbers: list[tuple[Entry, NUMBERS]] = [
        (one.entry, (one.score.mean, one.gap, one.since)) for one in view.entries
    ]
    return _rows(leaderboard, slug, numbers, early=False, words=False)


def _rows(
    leaderboard: Leaderboard,
    slug: str,
    numbers: Sequence[tuple[Entry, NUMBERS]],
    *,
    early: bool,
    words: bool,
) -> ScoreRows:
    base = leaderboard.reference
    name = base.name if base is not None and len(numbers) > 1 else ""
    rankers = [one.run.ranker_id for one, _ in numbers]
    gaps = [gap for _, (_, gap, _) in numbers if gap is not None and gap.low is not None]
    ends = [end * 100 for gap in gaps for end in (gap.low, gap.high) if end is not None]
    axis = gap_axis(ends) if ends else None
    rows = [
        ScoreRow(
            run=one.run,
            name=one.name,
            score=shown_score(score),
            bar=None
            if axis is None
            else _bar(
                gap,
                name,
                axis,
                one,
                is_open=words and one.gap is not None and open_range(one.gap) is not None,
            ),
            gap="" if gap is None else signed_gap(gap.mean),
            likely=_gap_range(one.gap if words else None, gap),
            pair=_pair_of(leaderboard, one) if words else None,
            note=_note_of(leaderboard, one) if words else "",
            in_production=one.in_production,
            since="" if one.since is None else _("from %(version)s", version=one.since.second.version),
            since_gap="" if since is None else signed_gap(since.mean),
            since_likely=_labelled(one.since if words else None, since),
            since_pair=one.since if words else None,
            url=url_for("compare.changes", slug=slug, version=one.run.id) if one.since else "",
            is_older=one.in_production and rankers.count(one.run.ranker_id) > 1,
        )
        for one, (score, gap, since) in numbers
    ]
    return ScoreRows(
        rows,
        name,
        axis.signed_ticks if axis else [],
        early,
        _waiting(leaderboard) if words else "",
        _around_0(leaderboard) if words else "",
        _provisional(leaderboard) if words else "",
    )


def _pair_of(leaderboard: Leaderboard, one: Entry) -> PairVerdict | None:
    """Return the verdict of a row; a leader has one where it is surely better than all others."""
    return leaderboard.main if one.is_reference and leaderboard.is_clear else one.gap


def _note_of(leaderboard: Leaderboard, one: Entry) -> str:
    if one.is_reference and leaderboard.is_clear:
        return _("better than all other rankers") if len(leaderboard.rankers) > 2 else ""
    if one.gap is None:
        return ""
    return translated(note_of(one.gap, counting=False))


def _waiting(leaderboard: Leaderboard) -> str:
    waiting = any(one.gap is not None and waits(one.gap) for one in leaderboard.rankers)
    return _("Verdicts wait for missing ratings.") if waiting else ""


def _around_0(leaderboard: Leaderboard) -> str:
    told = (why_around_0(one.gap) for one in leaderboard.rankers if one.gap is not None)
    return translated(next(filter(None, told), ""))


def _provisional(leaderboard: Leaderboard) -> str:
    """Return which scores are provisional."""
    names = [other.name for other in leaderboard.rankers if other.provisional]
    if len(names) < len(leaderboard.rankers) or len(names) == 1:
        return translated(provisional_sentence(names))
    if all(other.judged == 1 for other in leaderboard.rankers):
        k = leaderboard.board.ruler.k
        return _("All scores are provisional: answers outside the top %(k)s could lower them.", k=k)
    return _("All scores are provisional: unrated answers count as 0 for now.")


def _interval_of(pair: PairVerdict | None) -> MeanInterval | None:
    return None if pair is None else shown_range(pair)


def _likely(gap: MeanInterval | None) -> str:
    return translated(range_in_points(gap.low, gap.high)) if gap is not None else ""


def _labelled(pair: PairVerdict | None, interval: MeanInterval | None) -> str:
    """Return the range of a gap, told from an interval where it is none."""
    told = _likely(interval)
    if told and pair is not None and open_range(pair) is not None:
        return _("%(range)s once all is rated", range=told)
    return told


def _gap_range(pair: PairVerdict | None, interval: MeanInterval | None) -> str:
    """Return the range of a gap to the reference, with what it is."""
    told = _labelled(pair, interval)
    if told and pair is not None and open_range(pair) is None:
        return _("likely %(range)s", range=told)
    return told


def _bar(gap: MeanInterval | None, name: str, axis: Axis, one: Entry, *, is_open: bool) -> GapBar | None:
    """Return the bar of a row; with `is_open` its range is what unrated answers can still change."""
    if one.is_reference:
        return reference_ring(axis, _("%(name)s is what the others are compared with", name=name))
    if gap is None or gap.mean is None or gap.low is None or gap.high is None:
        return None
    points = translated(points_of(gap.mean))
    if not gap.mean:
        side = _("level with %(name)s", name=name)
    elif gap.mean < 0:
        side = _("%(points)s behind %(name)s", points=points, name=name)
    else:
        side = _("%(points)s ahead of %(name)s", points=points, name=name)
    low, high = _end(gap.low), _end(gap.high)
    values = {"side": side, "low": low, "high": high}
    if is_open:
        label = _("%(side)s, between %(low)s and %(high)s once everything is rated", **values)
    elif low == high:
        label = _("%(side)s, likely %(end)s", side=side, end=low)
    else:
        label = _("%(side)s, likely %(low)s to %(high)s", **values)
    return gap_bar(gap.mean * 100, gap.low * 100, gap.high * 100, axis, label)


def _end(mean: float) -> str:
    """Return an end of an interval in words, such as "2 behind"."""
    gap = gap_of(mean)
    if gap < 0:
        return _("%(reach)s behind", reach=-gap)
    return _("%(reach)s ahead", reach=gap)
