"""Verdicts as sentences, the same on every page, in the gate and in reports; pages translate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.models.event import EventKind
from app.scoring.arrays import Ints
from app.scoring.intervals import MeanInterval
from app.scoring.significance_power import LEAST_TARGET, TOO_MANY, questions_needed
from app.scoring.verdict import LEAST_JUDGED, LEAST_QUERIES
from app.sentences import (
    import_texts_message,
    message,
    no_text_message,
    number_message,
    time_to_rate,
    together,
)
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.context import ScoringContext
from app.services.scores.more_questions import Production, questions_step
from app.services.scores.verdicts import PairVerdict, of_one_ranker

CONCENTRATED, CONCENTRATED_UNSURE = 0.25, 0.5
LEAST_GAP = 3
"""Points from which on the concentration of an unsure lead is worth a note."""


@dataclass(frozen=True)
class Concentration:
    """One question that makes up much of a lead: the sentence, and the place of the question."""

    text: str
    place: int


def name_of(evidence: Evidence, run: RunFact) -> str:
    """Return what a run is called: its ranker, with the version where that is not the ranker's newest."""
    return run.ranker if evidence.is_newest(run) else f"{run.ranker} {run.version}"


def names_of(
    evidence: Evidence, first: RunFact, second: RunFact, *, versions: bool = False
) -> tuple[str, str]:
    """Return what two runs are called beside each other: both with versions if asked, or of one ranker."""
    if versions or of_one_ranker(first, second):
        return f"{first.ranker} {first.version}", f"{second.ranker} {second.version}"
    return name_of(evidence, first), name_of(evidence, second)


def verdict_word(pair: PairVerdict) -> str:
    """Return the word about the first of a pair, as it is shown: one of the five, or its turned form."""
    word, behind = pair.verdict.word, pair.verdict.ahead < 0
    turned = {"sure": "Surely worse", "probably better": "Probably worse"}
    return turned[word] if behind else word.capitalize()


def title_of(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the verdict on a pair as one sentence, without a full stop."""
    word, leads = pair.verdict.word, pair.verdict.leads
    ahead, behind = _leader_first(pair, names)
    if word == "too early":
        return number_message(
            "Too early to compare %(first)s and %(second)s: %(num)s question scored for both, "
            "%(needed)s are needed",
            "Too early to compare %(first)s and %(second)s: %(num)s questions scored for both, "
            "%(needed)s are needed",
            pair.n,
            needed=LEAST_QUERIES,
            first=names[0],
            second=names[1],
        )
    if word == "too close to call":
        return _too_close(pair, names)
    if word not in {"sure", "probably better"} and not leads:
        return message(
            "%(first)s and %(second)s are level, but %(doubt)s",
            first=names[0],
            second=names[1],
            doubt=_doubt(pair),
        )
    values = {"ahead": ahead, "behind": behind, "points": points_of(pair.mean or 0.0)}
    if word == "sure":
        return message("%(ahead)s is better than %(behind)s, by %(points)s", **values)
    if word == "probably better":
        return message("%(ahead)s is probably better than %(behind)s, by %(points)s", **values)
    return message("%(ahead)s leads %(behind)s by %(points)s, but %(doubt)s", **values, doubt=_doubt(pair))


def _too_close(pair: PairVerdict, names: tuple[str, str]) -> str:
    if open_range(pair) is not None:
        return message("%(first)s and %(second)s are too close to call", first=names[0], second=names[1])
    return message(
        "%(first)s and %(second)s are too close to call: you can use either",
        first=names[0],
        second=names[1],
    )


def _doubt(pair: PairVerdict) -> str:
    """Return why nothing is sure yet: beside an interval without 0, "isn’t certain" would contradict it."""
    if _leaves_out_0(pair):
        return message("the verdict needs more ratings")
    return message("that isn’t certain yet")


def _leaves_out_0(pair: PairVerdict) -> bool:
    low, high = pair.verdict.interval.low, pair.verdict.interval.high
    return low is not None and high is not None and (low > 0 or high < 0)


def _leader_first(pair: PairVerdict, names: tuple[str, str]) -> tuple[str, str]:
    """Return what the two are called with the one ahead first."""
    return names if pair.verdict.leads >= 0 else (names[1], names[0])


def answer_sentence(pair: PairVerdict, names: tuple[str, str], *, production: bool) -> str:
    """Return the answer to "may I ship it?" about the best challenger of all and the reference.

    Parameters
    ----------
    production
        Whether the reference is the version in production.
    """
    if _beats_nothing(pair, production=production):
        return message("No ranker is known to beat %(name)s.", name=names[1])
    title = title_of(pair, names)
    if production and pair.verdict.word == "sure":
        return message("Yes: %(title)s.", title=title)
    return message("%(title)s.", title=title)


def keeping(name: str, reach: str) -> str:
    """Return the advice to keep a version in production, if one is named, before how far the gap reaches."""
    if not name:
        return reach
    if not reach:
        return message("Keep %(name)s in production for now.", name=name)
    return message("Keep %(name)s in production for now. %(reach)s", name=name, reach=reach)


def withdrawn_sentence(evidence: Evidence) -> str:
    """Return that the version in production is withdrawn; nothing where it is not."""
    place = evidence.withdrawn_production_run()
    if place is None:
        return ""
    run = evidence.structure.runs[place]
    return message(
        "%(name)s is in production but withdrawn here, so nothing is compared with it.",
        name=f"{run.ranker} {run.version}",
    )


def answer_range(pair: PairVerdict, names: tuple[str, str], *, production: bool) -> str:
    """Return the range below that answer: it names both where the answer does not."""
    return range_sentence(pair, names, named=_beats_nothing(pair, production=production))


def _beats_nothing(pair: PairVerdict, *, production: bool) -> bool:
    return (
        production and pair.verdict.leads < 0 and pair.verdict.word not in {"too early", "too close to call"}
    )


def range_sentence(pair: PairVerdict, names: tuple[str, str], *, named: bool = False) -> str:
    """Return in words how far the gap may lie for other questions like these; nothing without an interval.

    Parameters
    ----------
    named
        Say of whom the one ahead is ahead.
    """
    first, second = _leader_first(pair, names)
    both = message("%(first)s and %(second)s", first=first, second=second)

    def behind(reach: object) -> str:
        return message("%(reach)s behind", reach=reach)

    def ahead(reach: object) -> str:
        if named:
            return message("%(reach)s ahead of %(other)s", reach=reach, other=second)
        return message("%(reach)s ahead", reach=reach)

    leader_first = pair.turned() if pair.verdict.leads < 0 else pair
    return _range_of(leader_first, first, both, (behind, ahead))


def _range_of(pair: PairVerdict, name: str, both: str, sides: tuple[Callable[[object], str], ...]) -> str:
    """Return in words how far the difference of a pair may lie; nothing without an interval.

    The interval counts unrated answers as 0. Where missing ratings alone could take the gap beyond it, the
    sentence says what they could do instead; beside "sure" nothing, if they could turn the order.

    Parameters
    ----------
    name, both
        Whom the sentence is about, and both together.
    sides
        What says a difference below 0, and above.
    """
    bounds = open_range(pair)
    if bounds is not None:
        return _after_all_ratings(pair, bounds, name, sides)
    low, high = pair.verdict.interval.low, pair.verdict.interval.high
    if low is None or high is None:
        return ""
    if pair.verdict.word == "too close to call":
        most = max(abs(gap_of(low)), abs(gap_of(high)), 1)
        return message(
            "On new questions they likely differ by %(points)s at most.", points=points_in_words(most)
        )
    worse, better = _ends(low, high, sides)
    if worse:
        return message(
            "On new questions %(name)s could be anywhere from %(worse)s to %(better)s.",
            name=name,
            worse=worse,
            better=better,
        )
    if not gap_of(low) and not gap_of(high):
        return message("On new questions %(both)s are likely level.", both=both)
    likely = message("On new questions %(name)s is likely %(gap)s.", name=name, gap=better)
    if not gap_of(low) or not gap_of(high):
        # Where one of them is sure, what rounds to 0 is beyond it.
        sure = message("On new questions %(name)s is likely up to %(gap)s.", name=name, gap=better)
        level = message("On new questions %(name)s is likely 0 to %(gap)s.", name=name, gap=better)
        likely = sure if pair.verdict.word == "sure" else level
    return likely


def _after_all_ratings(
    pair: PairVerdict, bounds: tuple[float, float], name: str, sides: tuple[Callable[[object], str], ...]
) -> str:
    """Return what missing ratings could do on the questions of a pair, and that others may differ."""
    worse, better = _ends(*bounds, sides)
    told = {"scored": pair.n, "name": name}
    if worse:
        if pair.verdict.word == "sure":
            return ""
        return message(
            "On these %(scored)s questions %(name)s could be anywhere from %(worse)s to %(better)s "
            "once all is rated.",
            worse=worse,
            better=better,
            **told,
        )
    here = message(
        "On these %(scored)s questions %(name)s is %(gap)s, whatever the missing ratings are.",
        gap=better,
        **told,
    )
    if not gap_of(bounds[0]) or not gap_of(bounds[1]):
        here = message(
            "On these %(scored)s questions %(name)s is level or up to %(gap)s, "
            "whatever the missing ratings are.",
            gap=better,
            **told,
        )
    is_open = pair.verdict.word in {"not sure yet", "probably better"}
    return together(here, message("On others that is not certain yet.") if is_open else "")


def _ends(low: float, high: float, sides: tuple[Callable[[object], str], ...]) -> tuple[str, str]:
    """Return both ends of a range in words; nothing and the whole range where both are on one side."""
    least, most = gap_of(low), gap_of(high)
    behind, ahead = sides
    if least < 0 < most:
        return behind(points_in_words(-least)), ahead(most)
    near, far = sorted((abs(least), abs(most)))
    reach = points_in_words(far)
    if near not in {0, far}:
        reach = message("%(near)s to %(points)s", near=near, points=reach)
    return "", ahead(reach) if low + high >= 0 else behind(reach)


def open_range(pair: PairVerdict) -> tuple[float, float] | None:
    """Return the exact bounds where, in whole points, they reach beyond the interval; else None."""
    low, high = pair.verdict.interval.low, pair.verdict.interval.high
    if pair.bounds is None or low is None or high is None:
        return None
    least, most = pair.bounds
    return pair.bounds if gap_of(least) < gap_of(low) or gap_of(most) > gap_of(high) else None


def shown_range(pair: PairVerdict) -> MeanInterval:
    """Return the gap with the range that is shown beside it: the one that the sentence about it gives.

    The interval counts unrated answers as 0. Where they could move the gap further, bounds take its place.
    """
    interval = pair.verdict.interval
    bounds = open_range(pair)
    return interval if bounds is None else replace(interval, low=bounds[0], high=bounds[1])


def next_step_sentence(pair: PairVerdict, production: Production | None = None) -> str:
    """Return what would help to tell the two apart; nothing where nothing would."""
    if pair.verdict.word == "sure":
        return ""
    if pair.missing.ratable:
        return _rate(pair)
    if pair.missing.textless:
        return missing_texts_step(pair)
    if pair.missing.passed:
        return _decide(pair)
    return _add(pair, production)


def missing_texts_step(pair: PairVerdict) -> str:
    """Return that texts of a pair's answers are missing, and to import them."""
    return together(_missing_texts(pair), import_texts_message(pair.missing.texts))


def _missing_texts(pair: PairVerdict) -> str:
    """Return what texts two versions lack: other pages count those of the whole project."""
    missing = no_text_message(pair.missing.textless, pair.missing.texts)
    return message("Among their top answers, %(missing)s", missing=missing)


def _decide(pair: PairVerdict) -> str:
    """Return what of two versions annotators could not judge; Review counts that of the whole project."""
    return number_message(
        "%(num)s of their top answers could not be rated: decide it in Review.",
        "%(num)s of their top answers could not be rated: decide them in Review.",
        pair.missing.passed,
    )


def _rate(pair: PairVerdict) -> str:
    answers = pair.missing.ratable
    if pair.needs_questions:
        return rate_more_questions(LEAST_QUERIES - pair.n, some_lack=pair.lacking > 0)
    step = number_message(
        "Rate the %(num)s unrated top answer of both (%(time)s).",
        "Rate the %(num)s unrated top answers of both (%(time)s).",
        answers,
        time=time_to_rate(answers),
    )
    if pair.missing.textless:
        step = together(step, _missing_texts(pair))
    if pair.missing.passed:
        step = together(step, _decide(pair))
    if pair.possible + pair.lacking < LEAST_QUERIES:
        return together(step, message("More questions are needed."))
    return together(step, message("More questions may be needed."))


def rate_more_questions(count: int, *, some_lack: bool = False) -> str:
    """Return to how many questions without a score answers are to be rated.

    Parameters
    ----------
    some_lack
        Whether other questions lack results: to rate those would not help.
    """
    if some_lack:
        return number_message(
            "Rate answers for %(num)s more question that both have results for.",
            "Rate answers for %(num)s more questions that both have results for.",
            count,
        )
    return number_message(
        "Rate answers for %(num)s more question.", "Rate answers for %(num)s more questions.", count
    )


def _add(pair: PairVerdict, production: Production | None) -> str:
    if pair.verdict.word == "too early" and pair.lacking:
        return questions_step(pair, LEAST_QUERIES - pair.possible, production)
    if pair.verdict.word == "too early":
        # Where nothing is waited for, a good answer to any question scores it.
        others = min(pair.possible, LEAST_QUERIES) - pair.n if pair.complete else 0
        added = LEAST_QUERIES - pair.n - others
        return together(
            rate_more_questions(others) if others else "",
            questions_step(pair, added, production) if added else "",
        )
    if pair.verdict.word == "too close to call":
        return ""
    if pair.verdict.to_add is None:
        return why_no_number(pair)
    return questions_step(pair, pair.verdict.to_add, production)


def why_no_number(pair: PairVerdict) -> str:
    """Return why no number of questions to add is named: it is too large, or usually enough by now."""
    if abs(pair.mean or 0.0) < LEAST_TARGET:
        return message("So small a gap would hardly become sure, even with many more questions.")
    needed = questions_needed(pair.mean or 0.0, pair.verdict.deviation)
    if needed is not None and needed <= pair.n:
        return message("Usually this many questions show a gap of this size. Some more may help.")
    return message(
        "It would take more than %(questions)s more questions to show this gap.", questions=TOO_MANY
    )


def note_of(pair: PairVerdict, *, counting: bool = True) -> str:
    """Return the note below the word; nothing where there is none to make.

    Parameters
    ----------
    counting
        Whether to count the missing ratings: beside a single ranker they would be taken for its own.
    """
    if pair.complete:
        return message("Unrated answers count as not relevant.")
    # Beside any other word it would sound surer than the word, and as if rating were of no use.
    if pair.verdict.word == "sure" and pair.safe_leader == pair.verdict.ahead:
        return message("Missing ratings cannot change this order.")
    if not pair.missing.answers or pair.verdict.word == "too early":
        return ""
    missing = number_message("%(num)s rating missing.", "%(num)s ratings missing.", pair.missing.answers)
    stuck = pair.missing.unratable
    if not stuck or pair.verdict.ahead or pair.verdict.sample.judged >= LEAST_JUDGED:
        return missing if counting else ""
    cannot = number_message(
        "%(num)s answer cannot be rated yet.", "%(num)s answers cannot be rated yet.", stuck
    )
    return together(missing if counting and pair.missing.ratable else "", cannot)


def provisional_sentence(names: Sequence[str]) -> str:
    """Return whose scores are provisional; nothing where nobody's is."""
    if not names:
        return ""
    return message("Score provisional, as ratings are missing: %(names)s.", names=", ".join(names))


def waits(pair: PairVerdict) -> bool:
    """Return whether nothing is sure about a pair while answers can be rated."""
    return pair.verdict.word == "not sure yet" and bool(pair.missing.ratable) and not pair.complete


def _includes_0(pair: PairVerdict) -> bool:
    low, high = shown_range(pair).low, shown_range(pair).high
    return low is not None and high is not None and gap_of(low) < 0 < gap_of(high)


def why_around_0(pair: PairVerdict) -> str:
    """Return why a range includes 0 beside a verdict of "probably"; nothing where none does."""
    if pair.verdict.word != "probably better" or not _includes_0(pair):
        return ""
    return message("“Probably” is less certain than the range, so the range can include 0.")


def concentration_of(context: ScoringContext, pair: PairVerdict) -> Concentration | None:
    """Return the question that makes up much of a lead; None where none does, or nobody leads."""
    share, word = pair.verdict.concentration, pair.verdict.word
    if share is None or not pair.verdict.leads:
        return None
    if word in {"sure", "probably better"}:
        told = share >= CONCENTRATED
    else:
        enough = abs(gap_of(pair.mean)) >= LEAST_GAP
        told = word == "not sure yet" and share >= CONCENTRATED_UNSURE and enough
    if not told:
        return None
    first, second = pair.rows
    places = np.flatnonzero(pair.queries)
    sides = (context.values[first, places] - context.values[second, places]) * pair.verdict.leads
    text = (
        message("All of the gap comes from one question")
        if share >= 1
        else message("%(share)s of the gap comes from one question", share=f"{int(share * 100 + 0.5)} %")
    )
    return Concentration(text, int(places[sides.argmax()]))


def gap_of(mean: float | None) -> int:
    """Return a mean difference in whole points, halves away from 0: everywhere the same number."""
    size = int(abs(mean or 0.0) * 100 + 0.5)
    return -size if (mean or 0.0) < 0 else size


def printed_score(score: float | None, decimals: int = 0) -> str:
    """Return a score from 0 to 100 as it is printed, halves away from 0 as gaps are; a dash without one."""
    if score is None:
        return "–"
    size = 10**decimals
    return f"{int(score * 100 * size + 0.5) / size:.{decimals}f}"


def signed_gap(mean: float | None) -> str:
    """Return a gap with its sign, such as "+4" or "−11"; a dash without one."""
    if mean is None:
        return "–"
    gap = gap_of(mean)
    return f"{'−' if gap < 0 else '+'}{abs(gap)}" if gap else "0"


def points_in_words(number: int) -> str:
    """Return a whole number of points in words."""
    return number_message("%(num)s point", "%(num)s points", number)


def points_of(difference: float) -> str:
    """Return the size of a difference of scores in points, in words."""
    whole = abs(gap_of(difference))
    return points_in_words(whole) if whole else message("less than 1 point")


def change_title_of(pair: PairVerdict) -> str:
    """Return the verdict on a version against an older one of its ranker as one sentence."""
    word, leads = pair.verdict.word, pair.verdict.leads
    new, old = f"{pair.first.ranker} {pair.first.version}", pair.second.version
    side = message("better") if leads > 0 else message("worse")
    values = {"new": new, "old": old, "side": side, "points": points_of(pair.mean or 0.0)}
    if word == "sure":
        return message("%(new)s is %(side)s than %(old)s, by %(points)s.", **values)
    if word == "probably better":
        return message("%(new)s is probably %(side)s than %(old)s, by %(points)s.", **values)
    if word == "not sure yet" and leads:
        if not gap_of(pair.mean):
            return message(
                "%(new)s and %(old)s are less than 1 point apart, and it isn’t certain which is better.",
                new=new,
                old=old,
            )
        return message(
            "%(new)s is %(points)s %(side)s than %(old)s, but %(doubt)s.", **values, doubt=_doubt(pair)
        )
    return message("%(title)s.", title=title_of(pair, (new, old)))


def change_range_sentence(pair: PairVerdict) -> str:
    """Return in words how far the change may lie for other questions; nothing without an interval."""
    return _range_of(
        pair,
        pair.first.version,
        message("the two"),
        (
            lambda reach: message("%(reach)s worse", reach=reach),
            lambda reach: message("%(reach)s better", reach=reach),
        ),
    )


def gap_in_words(pair: PairVerdict) -> str:
    """Return the gap with its interval, such as "+4 (−2 to +10)"; a dash without a question."""
    shown = shown_range(pair)
    return with_ends(pair.mean, shown.low, shown.high)


def with_ends(mean: float | None, low: float | None, high: float | None) -> str:
    """Return a mean difference in points with its interval, where it has one."""
    gap, ends = signed_gap(mean), range_in_points(low, high)
    return gap if ends in {"", gap} else message("%(gap)s (%(ends)s)", gap=gap, ends=ends)


def range_in_points(low: float | None, high: float | None) -> str:
    """Return an interval in points, one number where both ends are equal; nothing without one."""
    if low is None or high is None:
        return ""
    ends = signed_gap(low), signed_gap(high)
    return ends[0] if ends[0] == ends[1] else message("%(low)s to %(high)s", low=ends[0], high=ends[1])


UNEQUAL_COVERAGE = 0.05


def cautions_of(context: ScoringContext, pair: PairVerdict, names: tuple[str, str]) -> list[str]:
    """Return the cautions about a pair as sentences; nothing where it is fair."""
    found = [
        _unequal_queries(context, pair, names),
        _unequal_coverage(context, pair, names),
        _edited(context, pair),
    ]
    return [sentence for sentence in found if sentence]


def _unequal_queries(context: ScoringContext, pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return who covers questions that the other does not: both are scored on the common ones."""
    own = [int((context.board.counted[row] & ~pair.queries).sum()) for row in pair.rows]
    parts = [
        message("%(count)s only by %(name)s", count=count, name=name)
        for count, name in zip(own, names, strict=True)
        if count
    ]
    if not parts:
        return ""
    who = (
        parts[0] if len(parts) == 1 else message("%(first)s and %(second)s", first=parts[0], second=parts[1])
    )
    return message(
        "Some scored questions are covered by one of the two: %(who)s. They are left out.", who=who
    )


def _unequal_coverage(context: ScoringContext, pair: PairVerdict, names: tuple[str, str]) -> str:
    judged = context.board.values[f"judged@{context.board.ruler.k}"][list(pair.rows)]
    # An empty list counts as rated there; of what was returned it says nothing.
    told = pair.queries & context.evidence.returned([context.places[row] for row in pair.rows])
    if not told.any(axis=1).all():
        return ""
    shares = [float(one[of].mean()) for one, of in zip(judged, told, strict=True)]
    if abs(shares[0] - shares[1]) <= UNEQUAL_COVERAGE:
        return ""
    low = int(shares[0] > shares[1])
    return message(
        "On the scored questions, more of %(more)s’s top answers are rated: %(most)s, against %(least)s of "
        "%(fewer)s’s. "
        "Unrated ones count as 0, so the gap may change once they are rated.",
        more=names[1 - low],
        most=_percent(shares[1 - low]),
        least=_percent(shares[low]),
        fewer=names[low],
    )


def _edited(context: ScoringContext, pair: PairVerdict) -> str:
    """Return how many answers were edited after a compared version was registered."""
    edits = {
        document: event.revision
        for event in context.evidence.structure.events
        if event.kind == EventKind.DOCUMENTS_EDITED
        for document in event.payload["document_ids"]
    }
    if not edits:
        return ""
    changed = {
        document
        for row in pair.rows
        for document in _top(context, pair, row).tolist()
        if edits.get(document, 0) > context.board.runs[row].run.revision
    }
    if not changed:
        return ""
    return number_message(
        "%(num)s answer was edited after a version was imported. The version ranked the old text.",
        "%(num)s answers were edited after a version was imported. The version ranked the old text.",
        len(changed),
    )


def _top(context: ScoringContext, pair: PairVerdict, row: int) -> Ints:
    """Return the documents in the top k of a row on the compared queries."""
    k = context.board.ruler.k
    structure = context.evidence.structure
    structure = structure.plain or structure
    indexes = structure.positions[:k, context.places[row]][:, pair.queries]
    return np.unique(structure.document[indexes[indexes < structure.candidate_count]])


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
