"""All about the annotators of a project at one revision: agreement, and what their ratings move."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import Origin
from app.models.person import PersonKind
from app.models.query import Query
from app.scoring.agreement import LEAST_ITEMS, Agreement, Ratings, agreement_of, alpha_of
from app.scoring.agreement_pairs import LEAST_SHARED, PairKappa, pair_kappas, quadratic_kappa
from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.consensus import middle_grades
from app.scoring.seeds import seed_of
from app.scoring.tau import kendall_tau
from app.sentences import message, number_message
from app.services.evidence.state import Evidence, counts_under
from app.services.evidence.structure import RunFact
from app.services.quality.annotator_grades import (
    AnnotatorFact,
    CurrentRatings,
    RatingMetadata,
    given_of,
    hasty_rows,
    kept_until_moved,
    sheet_of,
)
from app.services.quality.annotator_profiles import (
    AnnotatorDrift,
    OrderReport,
    Profile,
    drifts_of,
    order_report_of,
    profiles_of,
)
from app.services.quality.health import EARLY
from app.services.scores.context import ScoringContext, scoring_context
from app.services.scores.leaderboard import compared_versions, overview_verdicts
from app.services.scores.scoreboard import common_means, score_runs
from app.services.scores.verdict_text import verdict_word


@dataclass(frozen=True)
class Agreements:
    """How far planned grades of a project agree; extra ones, opened by a disagreement, would inflate it."""

    ratings: Ratings
    seed: int

    @cached_property
    def overall(self) -> Agreement:
        """The agreement over the project, with its interval."""
        return agreement_of(self.ratings, seed=self.seed)

    @cached_property
    def alpha(self) -> float | None:
        """The same alone, without its interval; None where it is hidden."""
        return alpha_of(self.ratings)

    @cached_property
    def pairs(self) -> tuple[PairKappa, ...]:
        """That of every two annotators who share an answer."""
        return tuple(pair_kappas(self.ratings))

    def pairs_of(self, number: int) -> list[tuple[int, PairKappa]]:
        """Return the others with whom an annotator shares answers, most shared first."""
        found = [
            (pair.second if pair.first == number else pair.first, pair)
            for pair in self.pairs
            if number in {pair.first, pair.second}
        ]
        return sorted(found, key=lambda one: (-one[1].shared, one[0]))


def agreements_of(evidence: Evidence, given: CurrentRatings | None = None) -> Agreements:
    """Return how far annotators agree, kept until the ledger moves; it takes no times of ratings.

    Parameters
    ----------
    given
        What they gave, where it is known already.
    """

    def make() -> Agreements:
        ratings = planned_ratings(given_of(evidence) if given is None else given, levels_of(evidence))
        return Agreements(ratings, seed_of("agreement", evidence.project_id, len(ratings.item)))

    return kept_until_moved(evidence, "agreements", make)


def levels_of(evidence: Evidence) -> int:
    """Return the number of grades of the scale."""
    ruler = evidence.ruler_at()
    return ruler.scale_high - ruler.scale_low + 1


def planned_ratings(given: CurrentRatings, levels: int) -> Ratings:
    """Return the planned grades in the engine's terms."""
    planned = given.only(given.planned & given.graded)
    return Ratings(
        item=planned.candidate_index,
        annotator=planned.annotator,
        grade=planned.column.astype(np.int64),
        levels=levels,
    )


def agreement_sentence(found: Agreement) -> str:
    """Return one plain sentence about the agreement, which never reads more out of it than it holds."""
    if found.stage == "too few":
        return _few_sentence(found)
    if found.stage == "no variation":
        return message("All shared answers have the same grade, so agreement cannot be computed.")
    words = {
        "strong": message("Annotators agree well: one rating per answer is enough."),
        "tentative": message("Annotators mostly agree: one person’s grade is uncertain, scores are usable."),
        "low": message(
            "Annotators often differ on single answers. The order of the rankers may still be right: see "
            "the influence of each annotator."
        ),
    }
    sentence = words[found.reading or "low"]
    if found.stage != "early":
        return sentence
    return message("%(sentence)s Early result: fewer than 100 answers have two ratings.", sentence=sentence)


def _few_sentence(found: Agreement) -> str:
    if found.annotators < 2 and not found.items:
        return message("No answer has ratings by two annotators yet: agreement needs 30 such answers.")
    return number_message(
        "%(num)s answer has ratings by two annotators so far: agreement needs 30.",
        "%(num)s answers have ratings by two annotators so far: agreement needs 30.",
        found.items,
    )


_SAME = 1e-9


@dataclass(frozen=True)
class Moved:
    """One ranker: its score with all ratings, and without some; None without a scored query."""

    run: RunFact
    score: float | None
    without: float | None

    @property
    def change(self) -> float | None:
        """How many points (score x 100) it gains when they are left out."""
        if self.score is None or self.without is None:
            return None
        return (self.without - self.score) * 100


@dataclass(frozen=True)
class VerdictChange:
    """A pair of versions about which another word would be said: the words about the first of them."""

    first: RunFact
    second: RunFact
    before: str
    after: str


@dataclass(frozen=True)
class Effect:
    """What leaving some ratings out does to today's scores.

    Attributes
    ----------
    ratings
        How many are left out.
    rankers
        Best first, as things stand.
    tau
        Kendall's tau between both orders; None where there is no pair to order.
    scored, scored_without
        Questions that every ranker is scored on.
    """

    ratings: int
    rankers: tuple[Moved, ...]
    tau: float | None
    scored: int
    scored_without: int

    @property
    def largest(self) -> Moved | None:
        """The ranker whose score moves most, None where none moves."""
        moved = [one for one in self.rankers if one.change is not None and abs(one.change) > _SAME]
        return max(moved, key=lambda one: abs(one.change or 0.0), default=None)

    @property
    def is_early(self) -> bool:
        """Whether too few questions are left to compare rankers on."""
        return self.scored_without < EARLY

    @property
    def leads_without(self) -> RunFact | None:
        """Who would lead, where that is somebody else."""
        known = [one for one in self.rankers if one.without is not None]
        if not known or self.rankers[0].score is None:
            return None
        best = max(known, key=lambda one: one.without or 0.0)
        first = self.rankers[0].without
        leads = first is not None and (best.without or 0.0) <= first + _SAME
        return None if leads else best.run


def effect_of(
    context: ScoringContext, given: CurrentRatings, left_out: Flags
) -> tuple[Effect, ScoringContext]:
    """Return what leaving some grades out does, and the context without them.

    Parameters
    ----------
    context
        Of today's rankers, with everything that counts.
    given
        What annotators say.
    left_out
        bool (n,): which of it. An adjudicator's decision stays.
    """
    counted = left_out & given.graded & _counts(context, given)
    without = _context_without(context, given, counted)
    before, after = common_means(context.board), common_means(without.board)
    order = sorted(range(len(before)), key=lambda row: (-(before[row] or 0.0), row))
    runs = context.board.runs
    effect = Effect(
        ratings=int(counted.sum()),
        rankers=tuple(Moved(runs[row].run, before[row], after[row]) for row in order),
        tau=_tau(before, after),
        scored=int(context.board.common.sum()),
        scored_without=int(without.board.common.sum()),
    )
    return effect, without


def verdict_changes(context: ScoringContext, without: ScoringContext) -> list[VerdictChange]:
    """Return the pairs of the overview about which another word would be said."""
    shown = compared_versions(context.evidence, context)
    same_pairs = replace(shown, context=without.of(shown.context.places))
    both = zip(overview_verdicts(shown), overview_verdicts(same_pairs), strict=True)
    return [
        VerdictChange(now.first, now.second, verdict_word(now), verdict_word(then))
        for now, then in both
        if verdict_word(now) != verdict_word(then)
    ]


def _counts(context: ScoringContext, given: CurrentRatings) -> Flags:
    """Return which rows the ruler counts."""
    if not context.board.ruler.only_blind:
        return np.ones(len(given), dtype=np.bool_)
    return np.asarray(context.evidence.ledger.blind[given.last])


def _context_without(context: ScoringContext, given: CurrentRatings, rows: Flags) -> ScoringContext:
    evidence, ruler = context.evidence, context.board.ruler
    counts = counts_under(evidence, ruler).copy()
    np.subtract.at(counts, (given.candidate_index[rows], given.column[rows]), 1)
    judged = evidence.judged_from(counts, ruler)
    return ScoringContext(
        evidence,
        score_runs(evidence, context.places, measures=f"weight-judged@{ruler.k}", ruler=ruler, judged=judged),
    )


def _tau(before: Sequence[float | None], after: Sequence[float | None]) -> float | None:
    rows = [row for row, pair in enumerate(zip(before, after, strict=True)) if None not in pair]
    return kendall_tau(_chosen(before, rows), _chosen(after, rows))


def _chosen(values: Sequence[float | None], rows: list[int]) -> Floats:
    return np.array([values[row] for row in rows], dtype=np.float64)


@dataclass(frozen=True)
class AnnotatorReport:
    """What annotators gave, with all that follows from it."""

    evidence: Evidence
    sheet: RatingMetadata
    given: CurrentRatings
    _verdicts: dict[int, list[VerdictChange]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def levels(self) -> int:
        """The number of grades of the scale."""
        return levels_of(self.evidence)

    @cached_property
    def machines(self) -> CurrentRatings:
        """What machines say today; it is no part of `given`, whether it counts or not."""
        return given_of(self.evidence, self.sheet, (Origin.MACHINE,))

    @cached_property
    def profiles(self) -> dict[int, Profile]:
        """The profile of everybody who has settled an answer, by their number."""
        return profiles_of(
            self.given,
            self.sheet,
            self.evidence.ledger.blind,
            pooled=self.evidence.active_pool(),
            levels=self.levels,
        )

    @cached_property
    def agreements(self) -> Agreements:
        """How far they agree."""
        return agreements_of(self.evidence, self.given)

    @cached_property
    def drifts(self) -> dict[int, AnnotatorDrift]:
        """Whether they move from week to week."""
        return drifts_of(self.given, self.sheet)

    @cached_property
    def hasty(self) -> Flags:
        """Which rows of `given` were given too fast."""
        return hasty_rows(self.given)

    @cached_property
    def order(self) -> OrderReport:
        """Whether places moved grades."""
        return order_report_of(self.evidence, self.given, self.sheet, levels=self.levels)

    @cached_property
    def context(self) -> ScoringContext:
        """Today's scores."""
        return scoring_context(self.evidence)

    @cached_property
    def effects(self) -> dict[int, Effect]:
        """What leaving each annotator out does, by their number; nothing without a ranker."""
        if not self.context.board.runs:
            return {}
        return {number: self.without(self.given.annotator == number)[0] for number in self.profiles}

    def verdicts_without(self, number: int) -> list[VerdictChange]:
        """Return of which pairs another word would be said without an annotator; computed once for each."""
        if number not in self._verdicts:
            _, without = self.without(self.given.annotator == number)
            self._verdicts[number] = verdict_changes(self.context, without)
        return self._verdicts[number]

    @cached_property
    def effect_of_fast_ratings(self) -> tuple[Effect, list[VerdictChange]]:
        """What leaving out all grades that were given too fast does, and to which verdicts."""
        effect, without = self.without(self.hasty)
        return effect, verdict_changes(self.context, without) if effect.ratings else []

    def settled(self, number: int, query_ids: Collection[int]) -> int:
        """Return how many answers of some questions an annotator has rated or passed on."""
        structure = self.evidence.structure
        mine = structure.query[self.given.candidate_index[self.given.annotator == number]]
        return int(np.isin(structure.query_id[mine], list(query_ids)).sum())

    def without(self, left_out: Flags) -> tuple[Effect, ScoringContext]:
        """Return what leaving out some rows of `given` does, and the context without them."""
        return effect_of(self.context, self.given, np.asarray(left_out))


def rated_of(session: Session, evidence: Evidence) -> AnnotatorReport:
    """Return what annotators gave up to the evidence's revision; kept until the ledger moves."""

    def make() -> AnnotatorReport:
        sheet = sheet_of(session, evidence)
        return AnnotatorReport(evidence, sheet, given_of(evidence, sheet))

    return kept_until_moved(evidence, "rated", make)


@dataclass(frozen=True)
class SourceComparison:
    """One source of grades against people: a machine against all of them, a file against those who rate here.

    Attributes
    ----------
    graded
        Answers that it graded.
    shared
        Those of them that people graded too.
    files
        How many of these people gave their grades in imported files.
    agreement
        Alpha of the source's grade and the people's; nothing under 30 shared answers.
    kappa
        Quadratic, from 50 shared answers on.
    confusion
        Answers by the people's grade (rows, lowest first) and the source's (columns); None under 30. Where
        people's middle grades differ, the lower one counts, as in qrels.
    """

    who: AnnotatorFact
    graded: int
    shared: int
    files: int
    agreement: Agreement
    kappa: float | None
    confusion: tuple[tuple[int, ...], ...] | None

    @property
    def equal(self) -> float | None:
        """The share of shared answers with the same grade; None where the table is hidden."""
        if self.confusion is None:
            return None
        return sum(row[at] for at, row in enumerate(self.confusion)) / self.shared


def compare_sources(rated: AnnotatorReport, annotators: Sequence[AnnotatorFact]) -> list[SourceComparison]:
    """Return every source of grades against all people together, by name.

    Imported grades are those of people elsewhere: machines are compared with them as well.
    """
    here = [one.number for one in annotators if not one.is_source]
    files = [one.number for one in annotators if one.kind == PersonKind.IMPORTED]
    of_here, of_all = _consensus_of(rated, here), _consensus_of(rated, here + files)
    return [
        _compared(rated, one, of_all, files)
        if one.kind == PersonKind.MACHINE
        else _compared(rated, one, of_here, [])
        for one in annotators
        if one.is_source
    ]


def scores_with_and_without_machines(rated: AnnotatorReport) -> list[tuple[Moved, bool]]:
    """Return every ranker with its score as the ruler has it, and with machines the other way round.

    The flag tells whether machines count today: then `without` is the score without them.
    """
    context = rated.context
    ruler = context.board.ruler
    other = score_runs(rated.evidence, context.places, ruler=replace(ruler, machines=not ruler.machines))
    rows = zip(context.board.runs, common_means(context.board), common_means(other), strict=True)
    moved = [(Moved(run.run, now, then), ruler.machines) for run, now, then in rows]
    return sorted(moved, key=lambda one: (-(one[0].score or 0.0), one[0].run.mark))


def _consensus_of(rated: AnnotatorReport, people: list[int]) -> Ints:
    """Return the people's lower middle grade of every candidate as a column, -1 where they gave none."""
    given = rated.given
    rows = np.flatnonzero(given.graded & np.isin(given.annotator, people))
    size = rated.evidence.structure.candidate_count
    indexes = given.candidate_index[rows].astype(np.int64) * rated.levels + given.column[rows]
    counts = np.bincount(indexes, minlength=size * rated.levels).reshape(size, rated.levels)
    return middle_grades(counts)[0]


def _compared(
    rated: AnnotatorReport, who: AnnotatorFact, consensus: Ints, files: list[int]
) -> SourceComparison:
    candidate_index, own = _source_grades(rated, who.number)
    both = consensus[candidate_index] >= 0
    given = rated.given
    filed = given.annotator[
        given.graded & np.isin(given.candidate_index, candidate_index) & np.isin(given.annotator, files)
    ]
    theirs, own_shared = consensus[candidate_index[both]].astype(np.int64), own[both]
    shared, levels = len(theirs), rated.levels
    table = np.bincount(theirs * levels + own_shared, minlength=levels**2).reshape(levels, levels)
    ratings = Ratings(
        item=np.tile(candidate_index[both], 2),
        annotator=np.repeat([0, 1], shared),
        grade=np.concatenate([theirs, own_shared]),
        levels=levels,
    )
    return SourceComparison(
        who=who,
        graded=len(candidate_index),
        shared=shared,
        files=len(np.unique(filed)),
        agreement=agreement_of(ratings, seed=seed_of("source", who.number, shared)),
        kappa=quadratic_kappa(table) if shared >= LEAST_SHARED else None,
        confusion=tuple(map(tuple, table.tolist())) if shared >= LEAST_ITEMS else None,
    )


def _source_grades(rated: AnnotatorReport, number: int) -> tuple[Ints, Ints]:
    """Return the answers that a source graded, and its grades as columns."""
    for given in (rated.machines, rated.given):
        mine: CurrentRatings = given.only(given.graded & (given.annotator == number))
        if len(mine):
            return mine.candidate_index, mine.column.astype(np.int64)
    return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


LEAST_EACH = 10
"""Fewer ratings at a place, or of a grade, have no mean and no median."""
MOST_HASTY = 20
ASKED_AT_ONCE = 500


@dataclass(frozen=True)
class AtPlace:
    """The grades given at one place of a batch; `mean` as a column, None below 10."""

    place: int
    number: int
    mean: float | None


@dataclass(frozen=True)
class TimeOfGrade:
    """How long answers of one grade took: the median in ms per word, None below 10 timed answers."""

    column: int
    number: int
    ms_per_word: float | None


@dataclass(frozen=True)
class HastyGrade:
    """One grade that was given too fast."""

    query_id: int
    query: str
    answer: str
    column: int
    ms: int


def grades_by_place(rated: AnnotatorReport, number: int) -> list[AtPlace]:
    """Return the grades of an annotator by the place at which the answer was first shown."""
    rows = _own_rows(rated.given, number)
    place = rated.sheet.place[rated.given.first[rows]].astype(np.int64)
    column = rated.given.column[rows]
    found = []
    for one in np.unique(place[place > 0]).tolist():
        here = column[place == one]
        mean = float(here.mean()) if len(here) >= LEAST_EACH else None
        found.append(AtPlace(one, len(here), mean))
    return found


def time_by_grade(session: Session, rated: AnnotatorReport, number: int) -> list[TimeOfGrade]:
    """Return how long an annotator took per word, grade by grade; nothing without a time."""
    rows = _own_rows(rated.given, number)
    rows = rows[rated.given.ms[rows] > 0]
    if not len(rows):
        return []
    words = _words_of(session, rated.evidence.structure.candidate_id[rated.given.candidate_index[rows]])
    per_word = rated.given.ms[rows] / np.maximum(words, 1)
    column = rated.given.column[rows]
    return [_time(one, per_word[column == one]) for one in range(rated.levels)]


def hasty_grades(session: Session, rated: AnnotatorReport, number: int) -> list[HastyGrade]:
    """Return the last grades that an annotator gave too fast, newest first, at most 20."""
    rows = np.flatnonzero(rated.hasty & (rated.given.annotator == number))
    rows = rows[np.argsort(-rated.given.last[rows], kind="stable")][:MOST_HASTY]
    numbers = rated.evidence.structure.candidate_id[rated.given.candidate_index[rows]].tolist()
    shown = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))
    named = {
        candidate: (query_id, query, answer or "")
        for candidate, query_id, query, answer in session.execute(
            select(Candidate.id, Query.id, Query.text, shown)
            .join(Query, Query.id == Candidate.query_id)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.id.in_(numbers))
        )
    }
    return [
        HastyGrade(*named[candidate], int(rated.given.column[row]), int(rated.given.ms[row]))
        for candidate, row in zip(numbers, rows.tolist(), strict=True)
    ]


def _time(column: int, per_word: Ints) -> TimeOfGrade:
    median = float(np.median(per_word)) if len(per_word) >= LEAST_EACH else None
    return TimeOfGrade(column, len(per_word), median)


def _own_rows(given: CurrentRatings, number: int) -> Ints:
    mine: Flags = (given.annotator == number) & given.graded
    return np.flatnonzero(mine)


def _words_of(session: Session, candidates: Ints) -> Ints:
    """Return about how many words each answer has: its blanks, and one."""
    text = Document.title + " " + Document.text
    words = func.length(text) - func.length(func.replace(text, " ", "")) + 1
    numbers = candidates.tolist()
    found: dict[int, int] = {}
    for start in range(0, len(numbers), ASKED_AT_ONCE):
        some = numbers[start : start + ASKED_AT_ONCE]
        rows = session.execute(
            select(Candidate.id, words)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.id.in_(some))
        )
        found |= {int(row[0]): int(row[1]) for row in rows}
    return np.array([found[number] for number in numbers], dtype=np.int64)
