"""Three simulated annotators: the answer key, seen through a habit each. No people, no opinions.

| annotator     | share of the pool      | habit                                                       |
| Amara (demo)  | all but twelve answers | follows the guidelines; one star off in 8 % of cases        |
| Joonas (demo) | 65 %, from week 2      | strict: makes a 2 a 1 in 25 % of cases; can't judge 4 %     |
| Priya (demo)  | 30 %, from week 4      | kind: makes a 1 a 2 in 35 % of cases, 20 % by guidelines 2  |

Two thirds of Amara's slips fall on the borderline grades 1 and 2. All chance is drawn per (annotator,
pair), so an annotator who reads a pair again is in the same mood: only other guidelines change the grade.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from app.demo.answer_key import Pair
from app.demo.draws import draw, spread_draws

GRADES = (0, 1, 2, 3)
BORDERLINE = (1, 2)

SLIP_SHARE = 0.08
SLIPS_ON_BORDERLINE = 2 / 3
STRICT_SHARE = 0.25
CANNOT_JUDGE_SHARE = 0.04
KIND_SHARE = {1: 0.35, 2: 0.20}


@dataclass(frozen=True, slots=True)
class DemoGrade:
    """A grade, or the reason why there is none."""

    grade: int | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One pair in front of an annotator: its grade in the key, the guidelines in force, and the mood.

    `habit` and `doubt` are numbers in (0, 1), spaced evenly over the annotator's pairs of one grade and
    over all of them; `slip_rates` says how often a slip happens at each grade.
    """

    pair: Pair
    key: int
    guideline_version: int
    habit: float
    doubt: float
    slip_rates: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class DemoAnnotator:
    """A simulated annotator: how much of the pool, since which week, and the habit in words and code."""

    name: str
    since: int
    coverage: float
    habit: str
    judge: Callable[[Reading], DemoGrade]


class DemoRater:
    """An annotator with the pairs that fall to them: gives the same verdict whenever asked."""

    def __init__(self, annotator: DemoAnnotator, pairs: Iterable[Pair], key: Mapping[Pair, int]) -> None:
        mine = list(pairs)
        self._judge = annotator.judge
        self._key = key
        self._habit: dict[Pair, float] = {}
        for grade in GRADES:
            alike = [pair for pair in mine if key[pair] == grade]
            self._habit |= spread_draws(alike, "habit", annotator.name)
        self._doubt = spread_draws(mine, "doubt", annotator.name)
        self._slip_rates = slip_rates(key[pair] for pair in mine)

    def verdict(self, pair: Pair, guideline_version: int) -> DemoGrade:
        """Return what the annotator says about one of their pairs under the guidelines in force."""
        habit, doubt = self._habit[pair], self._doubt[pair]
        return self._judge(Reading(pair, self._key[pair], guideline_version, habit, doubt, self._slip_rates))


def slip_rates(grades: Iterable[int]) -> dict[int, float]:
    """Return how often a slip happens at each grade, so that overall shares come out as documented.

    Of all pairs 8 % are slips, two thirds of these on borderline grades: the rarer those grades are
    among the pairs, the shakier they are.
    """
    counted = list(grades)
    borderline = sum(grade in BORDERLINE for grade in counted)
    slips = SLIP_SHARE * len(counted)
    on_edges = slips * (1 - SLIPS_ON_BORDERLINE) / max(len(counted) - borderline, 1)
    on_borderline = slips * SLIPS_ON_BORDERLINE / max(borderline, 1)
    return {grade: on_borderline if grade in BORDERLINE else on_edges for grade in GRADES}


def amara(reading: Reading) -> DemoGrade:
    """Return the grade of the key, now and then one star off."""
    if reading.habit >= reading.slip_rates[reading.key]:
        return DemoGrade(reading.key)
    up = draw("direction", "Amara", *reading.pair) < 0.5
    step = 1 if reading.key == GRADES[0] or (up and reading.key != GRADES[-1]) else -1
    return DemoGrade(reading.key + step)


def joonas(reading: Reading) -> DemoGrade:
    """Return the grade of the key, a 2 sometimes as a 1, and now and then no grade at all."""
    if reading.doubt < CANNOT_JUDGE_SHARE:
        return DemoGrade(None, "expertise")
    strict = reading.habit < STRICT_SHARE
    return DemoGrade(1 if reading.key == 2 and strict else reading.key)


def priya(reading: Reading) -> DemoGrade:
    """Return the grade of the key, a 1 sometimes as a 2: less often since the guidelines say what a 2 is."""
    kind = reading.habit < KIND_SHARE[reading.guideline_version]
    return DemoGrade(2 if reading.key == 1 and kind else reading.key)


AMARA = DemoAnnotator("Amara (demo)", 1, 1.0, "Follows the guidelines; one star off now and then.", amara)
JOONAS = DemoAnnotator("Joonas (demo)", 2, 0.65, "Strict: a “mostly” is sometimes only “a little”.", joonas)
PRIYA = DemoAnnotator("Priya (demo)", 4, 0.30, "Kind: “a little” is sometimes “mostly”.", priya)
ANNOTATORS = (AMARA, JOONAS, PRIYA)
