"""Why a number moved, in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from app.services.wording import counted
from app.web.dashboard.setting_words import setting_text

if TYPE_CHECKING:
    from app.services.history import History, HistoryPoint, Jump, Part
    from app.web.dashboard.timescale import TimeScale

MOST_LARGEST = 3
# Each cause, and what it is made of: one of it, and many.
MADE_OF = {
    "queries": ("Questions", "question added or retired", "questions added or retired"),
    "common": (
        "Common questions",
        "question joined or left those that all rankers cover",
        "questions joined or left those that all rankers cover",
    ),
    "pool": ("Pool growth", "graded answer joined the pool", "graded answers joined the pool"),
    "new": ("New grades", "answer graded for the first time", "answers graded for the first time"),
    "revised": ("Changed grades", "grade changed or went", "grades changed or went"),
    "settings": ("Settings", "setting changed", "settings changed"),
}


@dataclass(frozen=True)
class PartWords:
    """One line: the cause, what happened, and its points."""

    cause: str
    happened: str
    points: str


@dataclass(frozen=True)
class JumpWords:
    """A jump as it is shown: from where to where, and the parts (a first number has none)."""

    title: str
    parts: list[PartWords]
    total: str


def jump_words(jump: Jump, scale: TimeScale) -> JumpWords:
    """Return a jump in words."""
    name = jump.after.run.ranker
    ends = [f"{_hundred(point):.1f} ({scale.label(point.moment)})" for point in (jump.before, jump.after)]
    return JumpWords(
        title=f"{name}: from {ends[0]} to {ends[1]}",
        parts=[_part(jump, part) for part in jump.parts],
        total=signed(jump.moved),
    )


def first_words(point: HistoryPoint, scale: TimeScale) -> JumpWords:
    """Return the words for a number that none of the same ranker comes before."""
    when = scale.label(point.moment)
    return JumpWords(
        f"{point.run.ranker}: {_hundred(point):.1f} ({when}), its first number shown here", [], ""
    )


def largest_jumps(history: History) -> list[tuple[HistoryPoint, str]]:
    """Return the points that moved most against the one before, with the points moved, largest first."""
    moves = [
        (after.score - before.score, after)
        for points in history.points.values()
        for before, after in pairwise(point for point in points if point.score is not None)
        if before.score is not None and after.score is not None
    ]
    moves.sort(key=lambda move: -abs(move[0]))
    return [(point, signed(moved)) for moved, point in moves[:MOST_LARGEST] if round(abs(moved) * 1000)]


def signed(moved: float) -> str:
    """Return a difference of scores in points, with its sign."""
    text = f"{moved * 100:+.1f}".replace("-", "−")
    return "0" if text in {"+0.0", "−0.0"} else text


def _part(jump: Jump, part: Part) -> PartWords:
    if part.kind == "ranker":
        return PartWords("Ranker", _ranker(jump, part), signed(part.moved))
    cause, one, many = MADE_OF[part.kind]
    if part.details:
        said = "; ".join(setting_text(*one) for one in part.details)
        return PartWords(cause, f"{said[0].upper()}{said[1:]}", signed(part.moved))
    return PartWords(cause, counted(part.count, one, many) if part.count else "nothing", signed(part.moved))


def _ranker(jump: Jump, part: Part) -> str:
    if jump.same_version:
        return f"{jump.after.run.version} at both points"
    shared = counted(part.count, "question")
    return f"{jump.before.run.version} became {jump.after.run.version}; on {shared} common to both points"


def _hundred(point: HistoryPoint) -> float:
    return (point.score or 0.0) * 100
