"""The rankers side by side, and the answer to "may I ship it?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.scoring.intervals import MeanInterval
from app.scoring.verdict import LEAST_QUERIES
from app.sentences import message, together
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.context import ScoringContext, scoring_context
from app.services.scores.more_questions import Production, production_of, questions_action, questions_step
from app.services.scores.scoreboard import Scoreboard, best_first
from app.services.scores.verdict_text import (
    Concentration,
    answer_range,
    answer_sentence,
    concentration_of,
    keeping,
    name_of,
    names_of,
    next_step_sentence,
    rate_more_questions,
    withdrawn_sentence,
)
from app.services.scores.verdicts import Family, PairVerdict, family_of, pair_verdicts


@dataclass(frozen=True)
class ComparedVersions:
    """The newest active versions of all rankers, and the one in production with them.

    Attributes
    ----------
    order
        The rows of the context, best first.
    marked
        The row of the version in production, where there is one.
    reference
        The row that the others are compared with: the version in production, else the leader.
    family
        The pairs that are asked about together; none with fewer than two versions.
    """

    context: ScoringContext
    order: list[int]
    marked: int | None
    reference: int | None
    family: Family

    @property
    def main(self) -> tuple[int, int] | None:
        """The pair that the answer is about, the challenger first; None with fewer than two versions.

        With a version in production the highest-scoring other one against it; else the leader against the
        second.
        """
        others = [row for row in self.order if row != self.reference]
        if self.reference is None or not others:
            return None
        return (others[0], self.reference) if self.marked is not None else (self.reference, others[0])

    def behind_first(self, first: int, second: int) -> tuple[int, int]:
        """Return two rows in the order in which an overview compares them: the reference is the second."""
        if self.marked is not None:
            return (second, first) if first == self.marked else (first, second)
        return (first, second) if self.order.index(first) > self.order.index(second) else (second, first)


def compared_versions(evidence: Evidence, context: ScoringContext | None = None) -> ComparedVersions:
    """Return what an overview shows.

    Parameters
    ----------
    context
        Of the current runs of this evidence, where the caller has it already.
    """
    shown = context or scoring_context(evidence)
    production = evidence.production_run()
    if production is not None and production not in shown.places:
        shown = shown.of([*shown.places, production])
    order = best_first(shown.board)
    marked = None if production is None else shown.places.index(production)
    reference = marked if marked is not None else order[0] if order else None
    return ComparedVersions(shown, order, marked, reference, family_of(sorted(order), marked))


Action = Literal[
    "rate", "rate_more", "texts", "decide", "import", "results", "rankers", "production", "compare"
]


@dataclass(frozen=True)
class Answer:
    """What a page says first.

    Attributes
    ----------
    sentence
        The answer, with its full stop.
    lines
        What is below it: what to do, the interval in words, and what would help.
    concentration
        The question that makes up much of the lead, where one does.
    action
        The one thing to do next: rate, import missing texts, decide what could not be rated, import questions
        or results, look at the rankers, mark the version as in production, or compare.
    """

    sentence: str
    lines: list[str]
    concentration: Concentration | None
    action: Action


def answer_of(context: ScoringContext, entries: Sequence[Entry], pair: PairVerdict | None) -> Answer:
    """Return the answer about the entries, best first.

    Parameters
    ----------
    context
        Of the pair.
    pair
        The challenger against the reference; of a single ranker its newest version against the one before it.
        None where there is neither.
    """
    if not entries:
        return Answer(message("No ranker has been imported yet."), [], None, "import")
    if pair is None:
        name = entries[0].run.ranker
        return Answer(
            message("%(name)s is the only ranker: nothing to compare it with yet.", name=name),
            [message("Import the results of another ranker, or the next version of this one.")],
            None,
            "import",
        )
    marked = production_of(context, pair)
    production = marked is not None and marked.run.id == pair.second.id
    names = names_of(context.evidence, pair.first, pair.second)
    return Answer(
        answer_sentence(pair, names, production=production),
        _lines(pair, names, marked),
        concentration_of(context, pair),
        _action(pair, marked),
    )


def _lines(pair: PairVerdict, names: tuple[str, str], marked: Production | None) -> list[str]:
    word = pair.verdict.word
    if word == "too early":
        return [_until_enough(pair, marked)]
    production = marked is not None and marked.run.id == pair.second.id
    kept = names[1] if production and word not in {"sure", "too close to call"} else ""
    reach = keeping(kept, answer_range(pair, names, production=production))
    return [line for line in (reach, next_step_sentence(pair, marked)) if line]


def _until_enough(pair: PairVerdict, marked: Production | None) -> str:
    """Return what leads to ten scored questions."""
    scored = message("A question is scored once an answer is rated above the lowest grade.")
    if pair.possible >= LEAST_QUERIES:
        if not pair.complete and pair.missing.unratable and not pair.missing.ratable:
            return next_step_sentence(pair)
        return together(scored, rate_more_questions(LEAST_QUERIES - pair.n, some_lack=pair.lacking > 0))
    more = questions_step(pair, LEAST_QUERIES - pair.possible, marked)
    if pair.lacking:
        return more
    can_rate = pair.possible > pair.n and (pair.complete or pair.missing.ratable)
    others = rate_more_questions(pair.possible - pair.n, some_lack=pair.lacking > 0) if can_rate else ""
    return together(scored, others, more)


def _action(pair: PairVerdict, marked: Production | None) -> Action:
    word = pair.verdict.word
    if word == "too early" and pair.possible < LEAST_QUERIES:
        return questions_action(pair, LEAST_QUERIES - pair.possible, marked)
    if word == "sure":
        is_beaten = marked is not None and marked.run.id == pair.second.id and pair.verdict.ahead > 0
        return "production" if is_beaten else "compare"
    if pair.missing.ratable:
        return "rate_more" if pair.needs_questions else "rate"
    if pair.missing.answers:
        return "texts" if pair.missing.textless else "decide"
    is_early = word == "too early" and pair.complete
    if is_early or word == "too close to call" or pair.verdict.to_add is None:
        return "compare"
    return questions_action(pair, pair.verdict.to_add, marked)


@dataclass(frozen=True)
class Entry:
    """One ranker's newest active version, or the version in production.

    Attributes
    ----------
    name
        What the version is called in sentences (`name_of`).
    place
        Of the run within the evidence.
    score
        Mean over the comparison set of all entries, 0 to 1; None without scored queries.
    interval
        Student t over the same queries; no ends below 8 of them.
    bounds
        How low and high the score can still come out when everything is rated.
    judged
        judged@k over the same queries.
    provisional
        Whether too much of what its score rests on is missing.
    in_production
        Whether it carries that mark.
    is_reference
        Whether the others are compared with it: the version in production, else the leader.
    gap
        This version against the reference; None for the reference itself.
    since
        This version against the active one before it of the same ranker; None for a first version.
    """

    run: RunFact
    name: str
    place: int
    score: float | None
    interval: MeanInterval
    bounds: tuple[float, float] | None
    judged: float | None
    provisional: bool
    in_production: bool
    is_reference: bool
    gap: PairVerdict | None
    since: PairVerdict | None


@dataclass(frozen=True)
class Leaderboard:
    """All rankers, best first, with the one sentence about them.

    Attributes
    ----------
    answer
        What the page says first.
    rankers
        The entries, best first.
    reference, production
        The entry that the others are compared with, and the one in production.
    main
        The pair that the answer is about: of a single ranker its newest version and the one before it. None
        where there are no two.
    common
        The queries that all entries are scored on.
    early
        Whether that is too few to compare.
    provisional, complete
        Whether a score is provisional; whether grades are declared complete.
    board
        The scores of the entries.
    """

    answer: Answer
    rankers: list[Entry]
    reference: Entry | None
    production: Entry | None
    main: PairVerdict | None
    common: int
    early: bool
    provisional: bool
    complete: bool
    board: Scoreboard

    @property
    def ranker_count(self) -> int:
        """How many rankers: one whose older version is in production has two entries."""
        return len({entry.run.ranker_id for entry in self.rankers})

    @property
    def compared_on(self) -> int:
        """How many questions are scored for all entries, or for a single one and the version before it."""
        return self.common if len(self.rankers) > 1 or self.main is None else self.main.n

    @property
    def leaves_out(self) -> bool:
        """Whether a scored question is left out, as not all of these have results for it."""
        return int(self.board.scored.sum()) > self.compared_on

    @property
    def sentence(self) -> str:
        """What the page says first."""
        return self.answer.sentence

    @property
    def waits_for_ratings(self) -> bool:
        """Whether ratings can change what is said: else unrated answers count as not relevant."""
        return self.early or not self.complete

    @property
    def is_clear(self) -> bool:
        """Whether nothing is in production and the leader is surely better than every other ranker."""
        pairs = [one.gap.verdict for one in self.rankers if one.gap is not None]
        surely = all(one.word == "sure" and one.ahead < 0 for one in pairs)
        return self.production is None and bool(pairs) and surely


def leaderboard_of(evidence: Evidence, context: ScoringContext | None = None) -> Leaderboard:
    """Return how the newest active versions compare, and the one in production with them.

    Parameters
    ----------
    context
        Of the current runs of this evidence, where the caller has it already.
    """
    whole = compared_versions(evidence, context)
    shown, order, marked, reference = whole.context, whole.order, whole.marked, whole.reference
    gaps = _gaps(whole)
    since = _since(whole, gaps)
    intervals, judged = shown.board.common_intervals, shown.board.common_coverage
    bounds = shown.bounds_over(shown.board.common)
    entries = [
        Entry(
            run=shown.board.runs[row].run,
            name=name_of(evidence, shown.board.runs[row].run),
            place=shown.board.runs[row].place,
            score=intervals[row].mean,
            interval=intervals[row],
            bounds=bounds[row],
            judged=judged[row],
            provisional=shown.provisional[row],
            in_production=row == marked,
            is_reference=row == reference,
            gap=gaps.get(row),
            since=since.get(shown.places[row]),
        )
        for row in order
    ]
    by_row = dict(zip(order, entries, strict=True))
    main, about = _main(whole, gaps), shown
    if main is None and entries and entries[0].since is not None:
        main, new = entries[0].since, entries[0].place
        about = shown.of([versions_before(evidence, [new])[new], new])
    common = int(shown.board.common.sum())
    return Leaderboard(
        answer=_with_withdrawn(evidence, entries, answer_of(about, entries, main)),
        rankers=entries,
        reference=None if reference is None else by_row[reference],
        production=None if marked is None else by_row[marked],
        main=main,
        common=common,
        early=(common if main is None else main.n) < LEAST_QUERIES,
        provisional=any(shown.provisional),
        complete=shown.complete,
        board=shown.board,
    )


def _with_withdrawn(evidence: Evidence, entries: Sequence[Entry], answer: Answer) -> Answer:
    """Return an answer that also says that the version in production is withdrawn, where it is."""
    place = evidence.withdrawn_production_run()
    if place is None:
        return answer
    run, line = evidence.structure.runs[place], withdrawn_sentence(evidence)
    shown = next((one for one in entries if one.run.ranker_id == run.ranker_id), None)
    if shown is not None:
        other = message("%(name)s is shown instead.", name=f"{shown.run.ranker} {shown.run.version}")
        line = together(line, other)
    return replace(answer, lines=[line, *answer.lines])


def _gaps(shown: ComparedVersions) -> dict[int, PairVerdict]:
    """Return every row against the reference."""
    if shown.reference is None:
        return {}
    others = [row for row in shown.order if row != shown.reference]
    found = pair_verdicts(shown.context, [(row, shown.reference) for row in others], shown.family)
    return dict(zip(others, found, strict=True))


def overview_verdicts(shown: ComparedVersions) -> list[PairVerdict]:
    """Return every pair of an overview once: rows against the reference, versions against the one before."""
    gaps = _gaps(shown)
    since = _since(shown, gaps)
    # Where the version before is the reference, both are one pair.
    return list({id(pair): pair for pair in (*gaps.values(), *since.values())}.values())


def _since(shown: ComparedVersions, gaps: dict[int, PairVerdict]) -> dict[int, PairVerdict]:
    """Return every entry against the active version before it, by its place: each pair asked about alone.

    Where the version before is the reference, the pair has its verdict already, and gets no second one.
    """
    places = shown.context.places
    before = versions_before(shown.context.evidence, places)
    found = {
        places[row]: gap
        for row, gap in gaps.items()
        if shown.reference is not None and before.get(places[row]) == places[shown.reference]
    }
    others = {new: old for new, old in before.items() if new not in found}
    if not others:
        return found
    wanted = sorted({*others, *others.values()})
    context = shown.context.of(wanted)
    pairs = [(wanted.index(new), wanted.index(old)) for new, old in others.items()]
    return found | dict(zip(others, pair_verdicts(context, pairs), strict=True))


def versions_before(evidence: Evidence, places: list[int]) -> dict[int, int]:
    """Return the place of the newest active version before each of some, where there is one."""
    runs, wanted = evidence.structure.runs, set(places)
    last: dict[int, int] = {}
    before = {}
    for place in evidence.active_runs():
        ranker = runs[place].ranker_id
        if place in wanted and ranker in last:
            before[place] = last[ranker]
        last[ranker] = place
    return before


def _main(shown: ComparedVersions, gaps: dict[int, PairVerdict]) -> PairVerdict | None:
    """Return the pair that the answer is about."""
    if shown.main is None:
        return None
    first, second = shown.main
    return gaps[first] if first in gaps else gaps[second].turned()
