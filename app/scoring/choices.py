"""The allowed values behind a number: scales, gains, discounts, consensus rules, ideals, unjudged answers.

Models, settings, forms, commands and the help page all read these lists. Nothing here needs NumPy, so that
commands list their options quickly. The arithmetic of each value is where its type is used.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from app.scoring.marked import N_

Gain = Literal["linear", "exponential", "raw"]
GAINS: tuple[Gain, ...] = get_args(Gain)
Discount = Literal["log2", "original-2002", "reciprocal"]
DISCOUNTS: tuple[Discount, ...] = get_args(Discount)
ConsensusRule = Literal["median", "mean", "majority"]
CONSENSUS_RULES: tuple[ConsensusRule, ...] = get_args(ConsensusRule)
Ideal = Literal["judged", "pool", "returned", "maximum"]
IDEALS: tuple[Ideal, ...] = get_args(Ideal)
Unjudged = Literal["zero", "complete", "condensed"]
UNJUDGED: tuple[Unjudged, ...] = get_args(Unjudged)

# What a project may choose, and what files alone may: they have no pool, and no owner who declares anything.
PROJECT_IDEALS = ("judged", "pool", "returned")
PROJECT_UNJUDGED = ("open", "complete")
FILE_IDEALS = ("judged", "returned", "maximum")
FILE_UNJUDGED = ("zero", "condensed")

SCALES = {"0-3": (0, 3), "1-5": (1, 5)}
"""The scales of projects; files may have any."""
USUAL_BASE = 2.0
"""Of the original discount."""


@dataclass(frozen=True, kw_only=True)
class ScoringChoice:
    """One value of one choice.

    Attributes
    ----------
    name
        As the ruler spells it.
    meaning
        One sentence for a reader who has never heard of it.
    brief
        The formula in the head of a column, ``{lowest}`` for the lowest grade.
    formula, source
        For a reader who wants to check; empty where there is nothing to check.
    """

    name: str
    meaning: str
    brief: str = ""
    formula: str = ""
    source: str = ""

    @property
    def title(self) -> str:
        """The name on screen, as in the title of a measure."""
        return self.name.replace("-", " ")

    def column_head(self, lowest: int) -> str:
        """Return the formula in the head of a column, for a scale that begins with this grade."""
        return self.brief.format(lowest=lowest).removesuffix(" − 0")


GAIN_CHOICES = (
    ScoringChoice(
        name="linear",
        brief="grade − {lowest}",
        meaning=N_("Every step of the scale is worth the same, and the lowest grade nothing."),
        formula="g - lowest",
        source="Järvelin & Kekäläinen 2002, and trec_eval for scales that begin with 0",
    ),
    ScoringChoice(
        name="exponential",
        brief="2^g − 1",
        meaning=N_("Every step is worth twice as much as the one before it, so the best answers count most."),
        formula="2^(g - lowest) - 1",
        source="Burges et al. 2005, Learning to rank using gradient descent",
    ),
    ScoringChoice(
        name="raw",
        brief="grade",
        meaning=N_("The grade itself, so on a scale from 1 the lowest grade is worth something too."),
        formula="g",
        source=N_("Defined here, for agreement with tools that take the grades of a file as gains"),
    ),
)

DISCOUNT_CHOICES = (
    ScoringChoice(
        name="log2",
        brief="1 / log2(r + 1)",
        meaning=N_("The first place counts in full, the second less, and every further one a little less."),
        formula="1 / log2(i + 1)",
        source="Burges et al. 2005, Learning to rank using gradient descent; trec_eval",
    ),
    ScoringChoice(
        name="original-2002",
        brief="1 / log2(r), 1 before",
        meaning=N_("The first two places count in full, and every further one a little less."),
        formula="1 for i < 2, else 1 / log2(i)",
        source="Järvelin & Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques",
    ),
    ScoringChoice(
        name="reciprocal",
        brief="1 / r",
        meaning=N_("The second place counts half as much as the first, the third a third, and so on."),
        formula="1 / i",
        source=N_("Defined here: the weight that RR gives a rank"),
    ),
)

CONSENSUS_CHOICES = (
    ScoringChoice(
        name="median",
        meaning=N_("The middle rating counts, or the mean of the two middle ones."),
    ),
    ScoringChoice(name="mean", meaning=N_("The mean rating counts.")),
    ScoringChoice(name="majority", meaning=N_("The most frequent rating counts.")),
)

IDEAL_CHOICES = (
    ScoringChoice(
        name="judged",
        meaning=N_("All rated answers of the question, best first, from any ranker."),
    ),
    ScoringChoice(
        name="pool",
        meaning=N_("Only rated answers in the pool, best first. Grades of other answers do not change it."),
    ),
    ScoringChoice(
        name="returned",
        meaning=N_(
            "The ranker's own list, best first. The score then tells how well the list is ordered, not "
            "how good its answers are."
        ),
    ),
    ScoringChoice(
        name="maximum",
        meaning=N_("A list of nothing but highest grades, as long as needed, so the measure needs a cutoff."),
        formula="largest gain · sum over ranks i <= k of c(i)",
        source=N_("Defined here: the ideal of MNDCG"),
    ),
)

UNJUDGED_CHOICES = (
    ScoringChoice(
        name="zero",
        meaning=N_("It counts 0 for now."),
    ),
    ScoringChoice(
        name="complete",
        meaning=N_("It counts 0 for good, because an owner said that the ratings are finished."),
    ),
    ScoringChoice(
        name="condensed",
        meaning=N_("It is dropped before scoring, and the answers below it move up."),
        source="Sakai 2007, Alternatives to bpref",
    ),
)


def choice_of(choices: tuple[ScoringChoice, ...], name: str) -> ScoringChoice:
    """Return the choice of this name."""
    return next(choice for choice in choices if choice.name == name)
