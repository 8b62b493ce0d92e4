"""How far the annotators of a project agree, by the engine's rules for small samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.agreement import Agreement, Ratings, agreement_of
from app.scoring.agreement_pairs import PairKappa, pair_kappas
from app.scoring.seeds import seed_of

if TYPE_CHECKING:
    from app.services.annotators.given import Given


@dataclass(frozen=True)
class Agreements:
    """The agreement over a project, and that of every two annotators who share an answer."""

    overall: Agreement
    pairs: tuple[PairKappa, ...]

    def pairs_of(self, number: int) -> list[tuple[int, PairKappa]]:
        """Return the others with whom an annotator shares answers, most shared first."""
        found = [
            (pair.second if pair.first == number else pair.first, pair)
            for pair in self.pairs
            if number in {pair.first, pair.second}
        ]
        return sorted(found, key=lambda one: (-one[1].shared, one[0]))


def agreements_of(given: Given, *, levels: int, project_id: int) -> Agreements:
    """Return how far planned grades agree; extra ones, opened by a disagreement, would inflate it."""
    ratings = planned_ratings(given, levels)
    seed = seed_of("agreement", project_id, len(ratings.item))
    return Agreements(agreement_of(ratings, seed=seed), tuple(pair_kappas(ratings)))


def planned_ratings(given: Given, levels: int) -> Ratings:
    """Return the planned grades in the engine's terms."""
    planned = given.only(given.planned & given.graded)
    return Ratings(
        item=planned.cell,
        annotator=planned.annotator,
        grade=planned.column.astype(np.int64),
        levels=levels,
    )


def said_of_agreement(found: Agreement) -> str:
    """Return one plain sentence about the agreement, which never reads more out of it than it holds."""
    if found.stage == "too few":
        return _said_of_too_few(found)
    if found.stage == "no variation":
        return "All shared answers have the same grade, so agreement cannot be computed."
    words = {
        "strong": "Annotators agree well: single grades are reliable.",
        "tentative": "Annotators mostly agree: single grades are uncertain, scores are usable.",
        "low": "Annotators often differ on single answers. The order of the rankers may still be right: see "
        "the influence of each annotator.",
    }
    said = words[found.reading or "low"]
    return (
        f"{said} Early result: fewer than 100 answers have two ratings." if found.stage == "early" else said
    )


def _said_of_too_few(found: Agreement) -> str:
    if found.annotators < 2 and not found.items:
        return "No answer has ratings by two annotators yet: agreement needs 30 of them."
    return (
        f"{found.items} {'answer has' if found.items == 1 else 'answers have'} ratings by two annotators so "
        "far: agreement needs 30."
    )
