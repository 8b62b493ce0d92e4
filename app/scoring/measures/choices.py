"""What may be chosen behind a number, said once: gains, discounts, ideals, and what is not judged.

The help page reads these lists beside that of the measures; the names are those of ``ruler``.
"""

from dataclasses import dataclass

from app.scoring.discounts import USUAL_BASE


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One value of one choice.

    Attributes
    ----------
    name
        As the ruler spells it.
    meaning
        One sentence for a reader who has never heard of it.
    formula, source
        For a reader who wants to check; empty where there is nothing to check.
    """

    name: str
    meaning: str
    formula: str = ""
    source: str = ""

    @property
    def title(self) -> str:
        """The name on screen, as in the title of a measure."""
        return self.name.replace("-", " ")


GAIN_CHOICES = (
    Choice(
        name="linear",
        meaning="Every step of the scale is worth the same, and the lowest grade nothing.",
        formula="g - lowest",
        source="Järvelin & Kekäläinen 2002, and trec_eval for scales that begin with 0",
    ),
    Choice(
        name="exponential",
        meaning="Every step is worth twice as much as the one before it, so the best answers count most.",
        formula="2^(g - lowest) - 1",
        source="Burges et al. 2005, Learning to rank using gradient descent",
    ),
    Choice(
        name="raw",
        meaning="The grade itself, so that the lowest grade of a scale from 1 is worth something too; "
        "for agreement with tools that count so.",
        formula="g",
        source="Defined here, for agreement with tools that take the grades of a file as gains",
    ),
)

DISCOUNT_CHOICES = (
    Choice(
        name="log2",
        meaning="The first place counts in full, the second less, and every further one a little less.",
        formula="1 / log2(i + 1)",
        source="Burges et al. 2005, Learning to rank using gradient descent; trec_eval",
    ),
    Choice(
        name="original-2002",
        meaning="The places before the base, and the one at it, count in full: with base "
        f"{USUAL_BASE:g} the first two.",
        formula="1 for i < b, else 1 / log_b(i)",
        source="Järvelin & Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques",
    ),
    Choice(
        name="reciprocal",
        meaning="The second place counts half as much as the first, the third a third, and so on.",
        formula="1 / i",
        source="Defined here: the weight that RR gives a rank",
    ),
)

IDEAL_CHOICES = (
    Choice(
        name="judged",
        meaning="All rated answers of the question, best first, from any ranker.",
    ),
    Choice(
        name="pool",
        meaning="Of these only the answers in the pool, so grades from elsewhere do not make it harder.",
    ),
    Choice(
        name="returned",
        meaning="The ranker's own list, best first: it tells how well that list is ordered and not how good "
        "it is, and it has no bounds.",
    ),
    Choice(
        name="maximum",
        meaning="Only answers of the highest grade, even if the question has fewer of them. The list has no "
        "end, so the measure needs a cutoff.",
        formula="largest gain · sum over ranks i <= k of c(i)",
        source="Defined here: the ideal of MNDCG",
    ),
)

UNJUDGED_CHOICES = (
    Choice(
        name="zero",
        meaning="It has no gain so far, and the bounds say what it could still change.",
    ),
    Choice(
        name="complete",
        meaning="It has no gain by declaration: the grades are said to be complete, so the bounds are the "
        "score itself.",
    ),
    Choice(
        name="condensed",
        meaning="It is dropped before scoring, and what stands below it moves up; there are no bounds.",
        source="Sakai 2007, Alternatives to bpref",
    ),
)
