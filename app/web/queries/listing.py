"""The list of questions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from flask_babel import gettext

from app.http.languages import later as _
from app.http.languages import ngettext
from app.models.project import Project
from app.services.evidence.structure import RunFact
from app.services.pages import Page, page_of
from app.services.scores.question_page import QuestionSheet
from app.services.scores.questions import QuestionRow
from app.services.scores.scoreboard import Scoreboard, best_first
from app.web.arguments import asked_page
from app.web.charts.axes import COLOURED

MOST_COLUMNS = 200
LONGEST = 200


def columns_of(
    board: Scoreboard, rows: list[QuestionRow], tones: dict[int, int]
) -> list[tuple[RunFact, list[float | None]]]:
    """Return the best rankers, those with a colour first, with the score on each row, None without one."""
    best = best_first(board)[:MOST_COLUMNS]
    values, counted = board.values[board.headline], board.counted
    return [
        (
            board.runs[row].run,
            [float(values[row, one.place]) if counted[row, one.place] else None for one in rows],
        )
        for row in sorted(best, key=lambda row: tones[board.runs[row].run.ranker_id] or COLOURED + 1)
    ]


def sheet_as_object(project: Project, board: Scoreboard, sheet: QuestionSheet) -> str:
    """Return one question, its lists and its ratings, in full precision."""
    names = dict(sheet.annotators)
    return json.dumps(
        {
            "project": project.slug,
            "demo": project.is_demo,
            "revision": board.revision,
            "scoring_settings": asdict(board.ruler) | {"fingerprint": board.ruler.fingerprint},
            "query": {"id": sheet.query.external_id, "text": sheet.query.text, "intent": sheet.query.intent},
            "lists": [
                {
                    "ranker": ranked.run.ranker,
                    "version": ranked.run.version,
                    board.headline: ranked.score,
                    "documents": [
                        {"rank": row.rank, "doc_id": row.external_id, "grades": [row.low, row.high]}
                        for row in ranked.rows
                    ],
                }
                for ranked in sheet.lists
            ],
            "ratings": [
                {
                    "title": rating.title,
                    "consensus": [rating.low, rating.high],
                    "grades": {names[number]: grade for number, grade in rating.grades.items()},
                }
                for rating in sheet.ratings
            ],
        },
        ensure_ascii=False,
        indent=1,
    )


EACH = 50
RETIRED = "retired"
STATE_NAMES = {
    "answered": _("Scored"),
    "weak": _("Scored, but no relevant answer"),
    "none_found": _("No good answer"),
    "unknown": _("No good answer so far"),
    "empty": _("No answers yet"),
}
PARTLY, OUTSIDE, UNTOUCHED = "partly", "outside", "untouched"
SHOWN_NAMES = {
    **STATE_NAMES,
    PARTLY: _("Scored, partly rated"),
    OUTSIDE: _("Rated only outside the pool"),
    UNTOUCHED: _("Not rated yet"),
}
"""The states as they are shown: some are said more exactly than they are chosen (`shown_state`)."""
FILTERS = {
    "all": _("All"),
    **STATE_NAMES,
    "unknown": _("No good answer so far, or not rated yet"),
    "unrated": _("With unrated answers"),
    "missed": _("Nothing relevant from some ranker"),
    RETIRED: _("Retired"),
}
MISSED = "missed-"
# So many rankers are choices of the list; more of them can nobody look through.
MOST_MISSED = 20
SORTS = {
    "hardest": _("Lowest scores first"),
    "spread": _("Rankers differ most"),
    "disputed": _("Annotators disagree most"),
    "missing": _("Most unrated answers"),
    "name": _("By id"),
}


def shown_state(state: str, *, rated: int, judged: int, is_open: bool) -> str:
    """Return a state of a question as it is shown, of `SHOWN_NAMES`.

    Parameters
    ----------
    rated, judged
        How many answers of its pool are rated, and how many of all its answers.
    is_open
        Whether unrated answers count as 0 only for now.
    """
    if state == "answered" and is_open:
        return PARTLY if rated else OUTSIDE
    return UNTOUCHED if state == "unknown" and not judged else state


def by_number(name: str) -> list[tuple[bool, int, bytes]]:
    """Return where an id comes in the order that people expect, in which q2 comes before q10."""
    parts = re.split("([0-9]+)", name)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part.encode()) for part in parts]


KEYS: dict[str, Callable[[QuestionRow], Any]] = {
    "hardest": lambda row: (row.mean is None, row.mean or 0.0, row.best or 0.0),
    "spread": lambda row: -(row.spread or 0.0),
    "disputed": lambda row: -row.apart,
    "missing": lambda row: row.rated - row.pooled,
    "name": lambda row: by_number(row.external_id),
}


@dataclass(frozen=True)
class QuestionList:
    """One page of rows, and how they were chosen.

    `matching` are the rows of all pages; `filters` are the states and, by ranker, what was missed; `tags` all
    tags there are; `no_tag` is one that was asked for and does not exist; `sorts` the orders to choose from.
    """

    rows: list[QuestionRow]
    matching: list[QuestionRow]
    everything: int
    page: Page
    search: str
    state: str
    sort: str
    tag: str
    filters: dict[str, str]
    tags: list[str]
    sorts: Mapping[str, str]
    no_tag: str

    def address(self, **changes: Any) -> dict[str, Any]:
        """Return the parameters of this list's address, with changes."""
        kept = {"q": self.search or None, "state": self.state, "sort": self.sort, "tag": self.tag or None}
        return kept | changes

    def disputed(self, row: QuestionRow) -> str:
        """Return what annotators disagree about on a question, in words."""
        if not row.twice:
            return "–"
        return ngettext("%(n)s of %(num)s answer", "%(n)s of %(num)s answers", row.twice, n=row.apart)


def wants_retired(arguments: Mapping[str, str]) -> bool:
    """Return whether an address asks for the retired questions."""
    return arguments.get("state") == RETIRED


def sorts_of(rows: list[QuestionRow]) -> dict[str, str]:
    """Return the orders to choose from: that of disputes where there are any."""
    is_disputed = any(row.apart for row in rows)
    return {name: label for name, label in SORTS.items() if name != "disputed" or is_disputed}


def question_list(
    rows: list[QuestionRow],
    arguments: Mapping[str, str],
    rankers: Sequence[tuple[int, str]] = (),
    *,
    relevant: int,
    k: int,
) -> QuestionList:
    """Return the rows that an address asks for; names it does not know are ignored.

    Parameters
    ----------
    rankers
        (id, name) of each row of the board that the rows were made from.
    relevant
        The lowest grade that is relevant.
    k
        How many top answers are scored.
    """
    search, sorts = arguments.get("q", "").strip()[:LONGEST], sorts_of(rows)
    sort = arguments.get("sort", "")
    sort = sort if sort in sorts else "hardest"
    state = arguments.get("state", "all")
    filters = FILTERS | {
        f"{MISSED}{number}": gettext(
            "None of the top %(k)s of %(rankers)s is graded %(grade)s or more",
            k=k,
            rankers=name,
            grade=relevant,
        )
        for number, name in rankers
        if len(rankers) <= MOST_MISSED or state == f"{MISSED}{number}"
    }
    tags = sorted({tag for row in rows for tag in row.tags})
    asked = arguments.get("tag", "")
    state, tag = state if state in filters else "all", asked if asked in tags else ""
    no_tag = "" if tag else asked[:LONGEST]
    found = {row.state for row in rows}
    filters = {
        name: label
        for name, label in filters.items()
        if name == state or name not in STATE_NAMES or name in found
    }
    failing = {f"{MISSED}{number}": row for row, (number, _) in enumerate(rankers)}.get(state)
    kept = [
        row
        for row in rows
        if _found(row, search.casefold(), tag)
        and (failing in row.missed_by if failing is not None else _in_state(row, state))
    ]
    kept.sort(key=KEYS[sort])
    page = page_of(len(kept), asked_page(), EACH)
    shown = kept[page.rows]
    return QuestionList(shown, kept, len(rows), page, search, state, sort, tag, filters, tags, sorts, no_tag)


def _in_state(row: QuestionRow, state: str) -> bool:
    if state == "unrated":
        return row.rated < row.pooled
    if state == "missed":
        return bool(row.missed_by)
    return state in {"all", RETIRED, row.state}


def _found(row: QuestionRow, search: str, tag: str) -> bool:
    if tag and tag not in row.tags:
        return False
    words = (row.text, row.external_id, *row.tags)
    return not search or any(search in word.casefold() for word in words)
