"""The sentences of the page: lead, streak, and what would settle it. Each follows from the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.scoring.verdict import LEAST_QUERIES
from app.services.comparison import chance_sentence, early_sentence, mean_sentence, points_of
from app.services.wording import counted

if TYPE_CHECKING:
    from app.scoring.significance import PairTests
    from app.scoring.significance_power import Outlook
    from app.services.comparison import Missing, PairVerdict

UNSURE = {"leaning", "not sure yet"}
TOUCHES = "The streak still touches zero. As long as it does, “no real difference” stays possible."
SETTLED_STREAK = (
    "On these questions the order is settled. The streak is about other questions like them: as long as it "
    "touches zero, “no real difference” stays possible there."
)


def lead_of(pair: PairVerdict, names: tuple[str, str], test: PairTests | None) -> list[str]:
    """Return what stands below the title."""
    said = [early_sentence(pair)] if pair.verdict.word == "too early" else []
    if pair.n:
        said.append(mean_sentence(pair, names))
    if pair.held is not None:
        look = pair.held.look
        said.append(f"The planned test on {look.n} questions made it sure, by {points_of(look.mean)}.")
    elif pair.verdict.word in UNSURE and test is not None:
        said.append(chance_sentence(float(test.raw[0])))
        said += _last_look(pair)
    return [" ".join(said)]


def beside_overview(n: int, common: int) -> list[str]:
    """Return why the overview may tell another gap of two present versions.

    Parameters
    ----------
    n, common
        The scored questions that the two cover, and those that all rankers cover.
    """
    if not 0 < common < n:
        return []
    there = f"the {counted(common, 'question')} that all of them cover"
    return [f"The overview may tell another gap: it compares all rankers, on {there}."]


def _last_look(pair: PairVerdict) -> list[str]:
    """Return what the newest planned test said that could not tell the two apart."""
    if not pair.looks:
        return []
    taken = pair.looks[-1].taken
    pairs = len(taken.said["pairs"])
    allowing = "" if pairs == 1 else f", which allows for all {pairs} pairs,"
    return [f"The planned test{allowing} on {taken.look.n} questions could not tell them apart."]


def streak_of(pair: PairVerdict, undecided: int = 0) -> list[str]:
    """Return what the picture of the gap says.

    Parameters
    ----------
    undecided
        The questions that both cover and that are not scored yet, but can still become so.
    """
    interval = pair.verdict.interval
    if interval.mean is None:
        return ["Once both are scored on the same questions, their gap shows here."]
    said = []
    if interval.low is None or interval.high is None:
        said.append("From 8 questions on, a streak shows where the true gap very likely lies.")
    elif interval.low <= 0 <= interval.high:
        said.append(SETTLED_STREAK if pair.verdict.word == "settled" else TOUCHES)
    elif pair.verdict.word in UNSURE:
        said.append(
            "The streak does not touch zero. That alone is not sure yet: whoever looks every day sees such "
            "a streak by chance, so only the planned tests make a verdict sure."
        )
    return said + _still_open(pair, undecided)


def _still_open(pair: PairVerdict, undecided: int) -> list[str]:
    """Return how far missing ratings can move the gap; the bounds know nothing of questions yet to join."""
    said = []
    low, high = (_points(end) for end in pair.bounds or (0.0, 0.0))
    if low != high:
        said.append(
            f"On the questions scored today, unrated answers can still move it, to {low} at the least and "
            f"{high} at the most."
        )
    if pair.bounds is not None and undecided:
        more = "1 more question is" if undecided == 1 else f"{undecided:,} more questions are"
        said.append(
            f"{more} not scored yet: once rated, {'it' if undecided == 1 else 'they'} can join and "
            "move it further."
        )
    return said


def gap_label_of(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the picture of the gap in words."""
    interval = pair.verdict.interval
    if interval.mean is None:
        return ""
    label = f"Average gap {_points(interval.mean)} points for {names[0]} against {names[1]}"
    if interval.low is None or interval.high is None:
        return f"{label}, too few questions to say how sure"
    return f"{label}, likely between {_points(interval.low)} and {_points(interval.high)}"


def settle_of(
    pair: PairVerdict, missing: Missing, ahead: int = 0, possible: int = LEAST_QUERIES
) -> list[str]:
    """Return what would settle the comparison, the most useful first.

    Parameters
    ----------
    ahead
        The questions of the plan that its tests have not come to yet: they come before any new ones.
    possible
        The questions that both cover and that are scored, or could become so.
    """
    word, outlook = pair.verdict.word, pair.verdict.outlook
    said = []
    if word == "sure" and pair.held is not None:
        said.append(f"It is sure since {pair.held.taken.at:%-d %b %Y}, unless today’s ratings turn it round.")
    elif word == "settled":
        said.append("No missing rating can turn it round on these questions; new questions can.")
    elif word == "too early":
        said.append(_until_enough(pair.n, possible))
    elif outlook is not None:
        said += _outlook(outlook, ahead)
    if not pair.planned and word in UNSURE:
        said.append(
            "The present plan compares the newest versions only. No test of these two is coming: leaning is "
            "the most that can be said."
        )
    return said + _ratings(pair, missing)


def _until_enough(scored: int, possible: int) -> str:
    """Return what brings enough scored questions: ratings, or questions where there are too few."""
    if possible >= LEAST_QUERIES:
        return f"Rate until {counted(LEAST_QUERIES - scored, 'more question')} that both cover are scored."
    more = counted(LEAST_QUERIES - possible, "question")
    first = "Rate what is left, and add" if possible > scored else "Add"
    return f"{first} at least {more} with results of both."


def _outlook(outlook: Outlook, ahead: int) -> list[str]:
    target = points_of(outlook.target)
    if outlook.would_have_shown:
        first = f"A difference of {target} or more would have shown by now."
    else:
        first = f"About {outlook.more} more questions would show a difference of {target} or more."
        first += _where_from(outlook.more, ahead) if ahead else ""
    if outlook.too_close:
        return [first, f"The present difference, {points_of(outlook.present)}, is too close to call."]
    if outlook.present_total is not None:
        present, total = points_of(outlook.present), outlook.present_total
        return [first, f"The present one, {present}, would take about {total} questions in all."]
    return [first]


def _where_from(more: int, ahead: int) -> str:
    """Return where further questions come from, while some of the plan are still to be tested."""
    there = f" {ahead:,} of this project {'is' if ahead == 1 else 'are'} not part of a test yet: "
    if more <= ahead:
        return f"{there}finish their ratings, no new ones are needed for it."
    return f"{there}finish their ratings first, then about {more - ahead} new ones are needed."


def _ratings(pair: PairVerdict, missing: Missing) -> list[str]:
    if "grades declared complete" in pair.verdict.tags:
        return ["Grades are declared complete: what is not rated counts as 0."]
    if not missing.answers:
        return ["Every answer in the two lists is rated."]
    answers = "1 answer" if missing.answers == 1 else f"{missing.answers:,} answers"
    count = len(missing.queries)
    questions = "1 question" if count == 1 else f"{count:,} questions"
    lacking = f"{answers} of {questions} still lack{'s' * (missing.answers == 1)} a rating."
    cheapest = "Cheapest is to rate what the two put on top: " if pair.verdict.word in UNSURE else ""
    return [cheapest + lacking]


def _points(difference: float) -> str:
    whole = int(abs(difference) * 100 + 0.5)
    return f"{'−' if difference < 0 else '+'}{whole}" if whole else "0"
