"""What leads to a comparison on more questions: what to add, to import, and to mark as in production."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.scoring.verdict import LEAST_QUERIES
from app.sentences import message, number_message, together
from app.services.evidence.structure import RunFact
from app.services.scores.context import ScoringContext
from app.services.scores.verdicts import PairVerdict, of_one_ranker


@dataclass(frozen=True)
class Production:
    """The one of a pair that is in production: new results are for a newer version, which has no mark yet.

    Attributes
    ----------
    same
        The newest version of its ranker that returns the same, and has results for more questions.
    other
        Another newer version of its ranker that has results for enough questions.
    has_others
        Whether there are other rankers: beside them a version shows only while it is its ranker's newest.
    """

    run: RunFact
    same: RunFact | None = None
    other: RunFact | None = None
    has_others: bool = False

    @property
    def mark_step(self) -> str:
        """The advice to mark a newer version that is there already; nothing where none would help."""
        if self.same is not None:
            version = f"{self.same.ranker} {self.same.version}"
            return message("%(version)s has more results: mark it as in production.", version=version)
        if self.other is not None:
            version = f"{self.other.ranker} {self.other.version}"
            return message("Mark %(version)s as in production to compare on these too.", version=version)
        return ""


def production_of(context: ScoringContext, pair: PairVerdict) -> Production | None:
    """Return what is in production of a pair; None where nothing is."""
    evidence = context.evidence
    facts, marked = evidence.structure.runs, evidence.production_run()
    places = [context.places[row] for row in pair.rows]
    if marked not in places:
        return None
    (challenger,) = (place for place in places if place != marked)
    run = facts[marked]
    newer = [one for one in evidence.active_runs() if facts[one].ranker_id == run.ranker_id and one > marked]
    asked = [*places, *newer]
    counts = evidence.covered(asked) & evidence.active_queries() & context.possible
    has = dict(zip(asked, counts, strict=True))
    lists = evidence.structure.positions[: context.board.ruler.k]
    own = has[marked]
    same = [
        one
        for one in newer
        if has[one].sum() > own.sum() and np.array_equal(lists[:, one, own], lists[:, marked, own])
    ]
    early = pair.verdict.word == "too early"
    others = [
        one
        for one in newer
        if early and one != challenger and (has[one] & has[challenger]).sum() >= LEAST_QUERIES
    ]
    return Production(
        run,
        same=facts[same[-1]] if same else None,
        other=facts[others[-1]] if others else None,
        has_others=len(evidence.current_runs()) > 1,
    )


def questions_action(
    pair: PairVerdict, needed: int, production: Production | None
) -> Literal["rankers", "results", "import"]:
    """Return what comes first of `questions_step`: mark a version, import results, or add questions."""
    if pair.lacking and production is not None and production.mark_step:
        return "rankers"
    return "results" if needed <= pair.lacking else "import"


def questions_step(pair: PairVerdict, needed: int, production: Production | None = None) -> str:
    """Return what leads to more questions that both are scored on: one step after the other.

    Parameters
    ----------
    needed
        How many more; those that lack results are among them.
    production
        The one of the pair that is in production.
    """
    lack = lack_of_results(pair) if pair.lacking else ""
    if questions_action(pair, needed, production) == "rankers" and production is not None:
        return together(lack, production.mark_step)
    added = max(0, needed - pair.lacking)
    add = number_message("Add at least %(num)s question.", "Add at least %(num)s questions.", added)
    mark = ""
    if production is not None and (added or pair.lacked_by[production.run.id == pair.second.id]):
        version = f"{production.run.ranker} {production.run.version}"
        mark = message("Then mark the new version of %(version)s as in production.", version=version)
    return together(lack, add if added else "", _import_step(pair, added, production), mark)


def _import_step(pair: PairVerdict, added: int, production: Production | None) -> str:
    """Return what to import: a version takes no part in questions added after it."""
    both = added or 0 not in pair.lacked_by
    if not of_one_ranker(pair.first, pair.second):
        if both:
            return message("Import a new version of each ranker, with results for all questions.")
        return message("Import a new version of it, with results for all questions.")
    if not both and (production is None or not production.has_others):
        return message("Import it again as a new version, with results for all questions.")
    older, newer = sorted((pair.first, pair.second), key=lambda run: run.revision)
    return message(
        "Import %(older)s, then %(newer)s again as new versions, with results for all questions.",
        older=f"{older.ranker} {older.version}",
        newer=newer.version,
    )


def lack_of_results(pair: PairVerdict) -> str:
    """Return that questions lack results, and which version lacks them where it is one."""
    for run, other in ((pair.first, pair.lacked_by[1]), (pair.second, pair.lacked_by[0])):
        if not other:
            return number_message(
                "%(version)s has no results for %(num)s question.",
                "%(version)s has no results for %(num)s questions.",
                pair.lacking,
                version=f"{run.ranker} {run.version}",
            )
    if pair.lacked_by == (pair.lacking, pair.lacking):
        return number_message(
            "%(num)s question lacks results of %(first)s and of %(second)s.",
            "%(num)s questions lack results of %(first)s and of %(second)s.",
            pair.lacking,
            first=f"{pair.first.ranker} {pair.first.version}",
            second=f"{pair.second.ranker} {pair.second.version}",
        )
    return number_message(
        "%(num)s question lacks results of a ranker.",
        "%(num)s questions lack results of a ranker.",
        pair.lacking,
    )
