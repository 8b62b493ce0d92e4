"""Which score the page of a question explains: of any version, by any measure that has a working."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import floor, log10

from sqlalchemy.orm import Session

from app.scoring.measures.names import on_screen
from app.scoring.worked import WORKED, Worked, label_of, reads_whole
from app.sentences import message
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.question_page import ListRow, QuestionSheet, RankedList, list_of_version, whole_list
from app.services.scores.scoreboard import Scoreboard, score_runs
from app.services.scores.working import SheetWorking, worked_for, working_for
from app.web.arguments import whole_number
from app.web.numbers import plain

HEADLINE = "nDCG"
IDEAL = "IDCG"
"""The same for every list of a question: it has the steps of the best possible order."""
LEAST_DIGITS, MOST_DIGITS = 3, 6
# What `scoring.worked_recipes` and `scoring.choices` say, for the catalogues.
SAID = (
    message("Gain"),
    message("Relevant"),
    message("Satisfies"),
    message("Gain / best gain"),
    message("Weight"),
    message("Discount"),
    message("The first one counts"),
    message("1 / place of the first"),
    message("Precision to here"),
    message("Still reading / place"),
    message("1 − min(wrong above, R) / min(R, N)"),
    message("Inferred precision to here"),
    message("(1 − p) · p^(rank − 1)"),
    message("the sum of a list of perfect answers"),
    message("the places"),
    message("all relevant answers known"),
    message("The middle rating counts, or the mean of the two middle ones."),
    message("The mean rating counts."),
    message("The most frequent rating counts."),
    message("grade"),
    message("1 / log2(r), 1 before"),
)


@dataclass(frozen=True)
class Explained:
    """What is explained: a list, and how its score comes about; None where it has no score.

    `older` tells that the list is not among those side by side; `worked` is there for other measures than
    the ruler's own, with the `rows` that its steps are of. `measures` are those to choose from, as they are
    written.
    """

    chosen: RankedList | None
    older: bool
    measure: str
    working: SheetWorking | None
    worked: Worked | None
    rows: list[ListRow]
    versions: list[RunFact]
    measures: dict[str, str]

    @property
    def is_ideal(self) -> bool:
        """Whether the best possible order is shown instead of a list."""
        return self.measure == IDEAL

    @property
    def digits(self) -> int:
        """The decimals at which two digits show of the smallest number of the other measure's steps."""
        steps = self.worked.steps if self.worked else []
        numbers = [abs(number) for step in steps for number in (step.weight, step.adds) if number]
        wanted = 1 - floor(log10(min(numbers))) if numbers else LEAST_DIGITS
        return min(max(wanted, LEAST_DIGITS), MOST_DIGITS)

    def number(self, value: float) -> str:
        """Return a number of a step as it is shown: what is more than nothing never reads as nothing."""
        if 0 < value < 10.0**-MOST_DIGITS / 2:
            return f"< {plain(10.0**-MOST_DIGITS, MOST_DIGITS)}"
        return plain(value, self.digits)


def explained(
    session: Session,
    evidence: Evidence,
    board: Scoreboard,
    sheet: QuestionSheet,
    arguments: Mapping[str, str],
) -> Explained:
    """Return what an address asks for; without a version of its own the best list."""
    offered = {
        evidence.structure.runs[place].id: place
        for place in evidence.active_runs()
        if evidence.structure.runs[place].kind == "system"
    }
    measure = arguments.get("measure", HEADLINE)
    measure = measure if measure in {*WORKED, IDEAL} else HEADLINE
    number = whole_number(arguments.get("run"))
    place = offered.get(number) if number else None
    current = next((one for one in sheet.lists if one.run.id == number), None)
    older = current is None and place is not None
    if place is not None and older:
        current = list_of_version(session, evidence, score_runs(evidence, [place]), sheet)
    chosen = current or _best(sheet, arguments.get("ranker", ""))
    has_score = chosen is not None and chosen.score is not None
    rows = chosen.rows if chosen else []
    if chosen and has_score and measure in WORKED and reads_whole(measure):
        rows = whole_list(session, evidence, board, sheet, chosen)
    return Explained(
        chosen=chosen,
        older=older,
        measure=measure,
        working=working_for(evidence, board, sheet, chosen) if chosen and has_score else None,
        worked=worked_for(evidence, board, sheet, replace(chosen, rows=rows), measure)
        if chosen and has_score and measure in WORKED
        else None,
        rows=rows,
        versions=sorted(
            (evidence.structure.runs[place] for place in offered.values()),
            key=lambda run: (run.mark, -run.revision),
        ),
        measures=_measures(board),
    )


def _measures(board: Scoreboard) -> dict[str, str]:
    """Return the measures to choose from, as they are written; IDCG follows DCG."""
    found = {HEADLINE: on_screen(board.headline)}
    for name in WORKED:
        found[name] = on_screen(label_of(name, board.ruler.k))
        if name == "DCG":
            found[IDEAL] = f"{IDEAL}@{board.ruler.k}"
    return found


def _best(sheet: QuestionSheet, ranker: str) -> RankedList | None:
    """Return the list of a ranker, or else the best one."""
    named = [one for one in sheet.lists if str(one.run.ranker_id) == ranker]
    ordered = sorted(sheet.lists, key=lambda one: -(one.score if one.score is not None else -1.0))
    return next(iter(named or ordered), None)
