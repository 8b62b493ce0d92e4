"""The answer about two versions, first on both views of Compare: sentence, lines, gap bar, one button."""

from __future__ import annotations

from dataclasses import dataclass

from flask import url_for
from sqlalchemy.orm import Session

from app.http.languages import gettext as _
from app.http.languages import translated
from app.services.assignment.requests import is_pair_requested
from app.services.scores.context import ScoringContext
from app.services.scores.verdict_text import (
    concentration_of,
    note_of,
    open_range,
    provisional_sentence,
    shown_range,
    signed_gap,
    waits,
    why_around_0,
    withdrawn_sentence,
)
from app.services.scores.verdicts import PairVerdict
from app.web.charts.intervals import GapChart, gap_chart, points


@dataclass(frozen=True)
class VerdictPanel:
    """What the panel shows about a pair.

    Attributes
    ----------
    names
        What the two are called on this page.
    tones
        The hues of the two, for the gap bar; 0 is grey.
    lines
        What is below the title.
    concentration, concentration_url
        The question that makes up much of the lead, where one does.
    note
        The one note below the word, and what explains it.
    gaps, gap_label
        The gap bar, wide and narrow, and the same in words; None without a scored question.
    asked
        Whether the unrated answers of the two are to be rated first already.
    """

    title: str
    pair: PairVerdict
    names: tuple[str, str]
    tones: tuple[int, int]
    lines: list[str]
    concentration: str
    concentration_url: str
    note: str
    gaps: tuple[GapChart, GapChart] | None
    gap_label: str
    asked: bool


def verdict_panel(
    session: Session,
    slug: str,
    context: ScoringContext,
    pair: PairVerdict,
    *,
    title: str,
    names: tuple[str, str],
    tones: tuple[int, int],
    lines: list[str],
) -> VerdictPanel:
    """Return the panel of a pair."""
    heavy = concentration_of(context, pair)
    query_id = None if heavy is None else int(context.evidence.structure.query_id[heavy.place])
    return VerdictPanel(
        title=translated(title),
        pair=pair,
        names=names,
        tones=tones,
        lines=[translated(line) for line in [withdrawn_sentence(context.evidence), *lines] if line],
        concentration="" if heavy is None else translated(heavy.text),
        concentration_url="" if query_id is None else url_for("queries.show", slug=slug, query_id=query_id),
        note=" ".join(filter(None, (translated(note_of(pair)), _why(context, pair, names)))),
        gaps=_gaps(pair),
        gap_label=gap_label_of(pair, names),
        asked=bool(pair.missing.ratable)
        and is_pair_requested(session, context.evidence, pair.first, pair.second, context.unratable),
    )


def _why(context: ScoringContext, pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return what explains a verdict beside its range, or else which scores are provisional."""
    if waits(pair):
        return ""
    provisional = [name for name, row in zip(names, pair.rows, strict=True) if context.provisional[row]]
    return translated(why_around_0(pair) or provisional_sentence(provisional))


def gap_label_of(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the gap bar in words."""
    interval = shown_range(pair)
    if interval.mean is None:
        return ""
    told = {"size": points(interval.mean * 100), "first": names[0], "second": names[1]}
    if interval.low is None or interval.high is None:
        return _(
            "Average gap %(size)s for %(first)s against %(second)s, too few questions to say how sure", **told
        )
    told |= {"low": signed_gap(interval.low), "high": signed_gap(interval.high)}
    if open_range(pair) is not None:
        return _(
            "Average gap %(size)s for %(first)s against %(second)s, between %(low)s and %(high)s "
            "once everything is rated",
            **told,
        )
    return _(
        "Average gap %(size)s for %(first)s against %(second)s, likely between %(low)s and %(high)s", **told
    )


def _gaps(pair: PairVerdict) -> tuple[GapChart, GapChart] | None:
    interval = shown_range(pair)
    if interval.mean is None:
        return None
    ends = [None if end is None else end * 100 for end in (interval.low, interval.high)]
    wide, narrow = (gap_chart(interval.mean * 100, *ends, width=width) for width in (760, 340))
    return wide, narrow
