"""The verdicts of the overview in words; each sentence follows from the data of a pair alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.verdict import LEAST_QUERIES
from app.services.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.services.comparison import PairVerdict
    from app.services.evidence.structure import RunFact

KINDS = {
    "too early": "too_early",
    "sure": "sure",
    "settled": "settled",
    "leaning": "leaning",
    "not sure yet": "not_sure",
}
CERTAIN = {"sure", "settled", "leaning"}
"""Words that name who is ahead: beside them nothing is called level."""
WORDS = {"sure": "Sure", "settled": "Settled whatever is still unjudged", "leaning": "Leaning"}
"""The words that name who is ahead, as they are shown: in the list of words there is no shorter one."""
MOST_NAMES = 4


@dataclass(frozen=True)
class Against:
    """The leader against another ranker, and the points between the two: their difference, rounded.

    On the questions that all rankers cover; the page that compares the two takes all that the two cover. The
    whole numbers beside may differ by one more or less.
    """

    pair: PairVerdict
    gap: int

    @property
    def leader(self) -> str:
        """The leader's name."""
        return self.pair.first.ranker

    @property
    def other(self) -> str:
        """The other ranker's name."""
        return self.pair.second.ranker

    @property
    def kind(self) -> str:
        """The kind of the verdict's word."""
        return KINDS[self.pair.verdict.word]

    @property
    def turned(self) -> bool:
        """Whether the lead contradicts a look: the other was surely ahead then."""
        return self.pair.verdict.ahead < 0

    @property
    def provisional(self) -> bool:
        """Whether too much of what either score rests on is missing."""
        return "provisional" in self.pair.verdict.tags

    @property
    def leads(self) -> bool:
        """Whether the lead can be seen, or a verdict names it."""
        return not self.turned and (self.gap > 0 or self.kind in CERTAIN)


def gap_of(mean: float | None) -> int:
    """Return a mean difference in whole points, halves away from 0: everywhere the same number."""
    size = int(abs(mean or 0.0) * 100 + 0.5)
    return -size if (mean or 0.0) < 0 else size


def shown_word(kind: str, side: str) -> str:
    """Return a verdict's word about a ranker that is `ahead` or `behind`."""
    return f"{WORDS[kind]}: {side}" if kind in WORDS else "Not sure yet"


def word_of(one: Against) -> str:
    """Return the word of the ranker that stands behind the leader."""
    return shown_word(one.kind, "ahead" if one.turned else "behind")


def leaders_kind(pairs: Sequence[Against]) -> str | None:
    """Return the kind of the one word that holds for the leader against everybody.

    None where it is certainly ahead of the second but not of all: no word says both.
    """
    if not pairs[0].leads:
        return "not_sure"
    kinds = {"not_sure" if one.turned else one.kind for one in pairs}
    if kinds <= {"sure", "settled"}:
        return pairs[0].kind
    if pairs[0].kind in {"sure", "settled"}:
        return None
    return "not_sure" if "not_sure" in kinds else "leaning"


def points(number: int) -> str:
    """Return a difference in words."""
    if number == 0:
        return "less than 1 point"
    return "1 point" if number == 1 else f"{number} points"


def row_sentence(one: Against) -> str:
    """Return what is said about a ranker behind the leader."""
    look = one.pair.verdict.look
    if one.turned and look is not None:
        return f"Surely ahead of {one.leader} at the look on {look.n} questions."
    below = f"{points(one.gap)} below {one.leader}"
    below = below[0].upper() + below[1:]
    if one.kind in {"sure", "settled"}:
        return f"{below}."
    if not one.leads:
        return _level(one.leader)
    return f"{below}; too much is unrated to say more." if one.provisional else f"{below}; could be luck."


def leader_sentence(one: Against) -> str:
    """Return what is said about the leader, against the second."""
    if one.turned:
        return ""
    if not one.leads:
        return _level(one.other)
    if one.kind == "sure":
        return f"Surely ahead of {one.other}, by {points(one.gap)}."
    if one.kind == "settled":
        loser = f"{one.other} on these questions, whatever is still unjudged"
        return f"Ahead of {loser}, by {points(one.gap)} so far."
    return f"Leads {one.other} by {points(one.gap)}."


def headline_of(
    runs: Sequence[RunFact], pairs: Sequence[Against], common: int, possible: int = LEAST_QUERIES
) -> str:
    """Return the one sentence over all rankers, best first.

    Parameters
    ----------
    common, possible
        The questions that are scored for all of them, and those that could become so.
    """
    if not runs:
        return "No ranker has been imported yet."
    if common < LEAST_QUERIES:
        there = "there is 1" if common == 1 else f"there are {common or 'none'}"
        said = f"Too early to say: a verdict needs {LEAST_QUERIES} scored questions, and {there} so far."
        return f"{said} {_until_enough(common, possible)}"
    if not pairs:
        return f"{runs[0].ranker} is the only ranker: import another to compare."
    return _summary(pairs)


def _until_enough(common: int, possible: int = LEAST_QUERIES) -> str:
    """Return what brings enough scored questions: ratings, or questions where there are too few."""
    if possible >= LEAST_QUERIES:
        return f"Rate for {LEAST_QUERIES - common} more."
    more = counted(LEAST_QUERIES - possible, "question")
    return f"Rate what is left, and add at least {more}." if possible > common else f"Add at least {more}."


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words; long lists are counted."""
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _level(name: str) -> str:
    return f"Level with {name} as far as the digits go."


def _summary(pairs: Sequence[Against]) -> str:
    leader = pairs[0].leader
    against = [one.other for one in pairs if one.turned]
    if against:
        was = "was" if len(against) == 1 else "were"
        return f"{leader} scores highest so far, though {listed(against)} {was} surely ahead at a look."
    certain = _certain(pairs)
    if not pairs[0].leads:
        level = listed([leader, *(one.other for one in pairs if one.gap == 0 and not one.leads)])
        return " ".join([f"{level} are level so far.", *(f"{leader} {part}." for part in certain[:1])])
    doubt = _doubt(pairs)
    if not certain:
        return f"{leader} is ahead so far; {doubt}."
    return f"{leader} is doing best. It {'; '.join([*certain, doubt] if doubt else certain)}."


def _doubt(pairs: Sequence[Against]) -> str:
    """Return against whom nothing is certain yet, as part of a sentence."""
    found = [one for one in pairs if one.kind in {"leaning", "not_sure"}]
    if not found:
        return ""
    turn = ", or turn as answers are rated" if any(one.provisional for one in found) else ""
    return f"against {listed([one.other for one in found])} the lead could still be luck{turn}"


def _certain(pairs: Sequence[Against]) -> list[str]:
    """Return what the leader is certain of, as parts of a sentence about it."""
    sure = [one.other for one in pairs if one.kind == "sure"]
    settled = [one.other for one in pairs if one.kind == "settled"]
    parts = [f"surely beats {listed(sure)}"] if sure else []
    return parts + (
        [f"stays ahead of {listed(settled)} on these questions, whatever is still unjudged"]
        if settled
        else []
    )
