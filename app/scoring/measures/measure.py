"""What a measure is: its name, what it says to a reader, its formula, and the function that computes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from app.scoring.arrays import Floats
from app.scoring.choices import USUAL_BASE
from app.scoring.ruler import ScoringRuler
from app.scoring.sheet import EvaluationMatrix

Takes = Literal["nothing", "cutoff", "cutoff or nothing", "patience"]
Reads = Literal["discounted gain", "gain", "grade", "relevance", "coverage"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Measure:
    """One measure of the registry.

    Attributes
    ----------
    name
        As the field writes it, without its cutoff.
    aliases
        Other names that mean the same; case never matters.
    takes
        ``cutoff``: a rank, as in P@10. ``patience``: a probability, as in RBP(0.8).
    reads
        What of the ruler it depends on. ``discounted gain``: gain and discount. ``gain``: the gain.
        ``grade``: the scale, with a map of its own. ``relevance``: the threshold. ``coverage``: only
        whether something is judged.
    meaning
        One sentence for a reader who has never heard of it.
    formula, source
        For a reader who wants to check.
    values
        From a block of lists and the parameter to one value per list.
    whole
        It needs the whole list although it has a cutoff.
    counts_pool
        It counts pooled, unjudged documents, wherever they stand.
    has_ideal
        It divides by the ruler's ideal.
    skips_unjudged
        It drops unjudged documents, or estimates what they are, where others take them for not relevant.
    discounted
        It weighs ranks by the ruler's discount, though it reads no gain.
    usual
        The parameter used when a measure that takes a patience is asked for without one.
    """

    name: str
    aliases: tuple[str, ...] = ()
    takes: Takes
    reads: Reads
    meaning: str
    formula: str
    source: str
    values: Callable[[EvaluationMatrix, Any], Floats]
    whole: bool = False
    counts_pool: bool = False
    has_ideal: bool = False
    skips_unjudged: bool = False
    discounted: bool = False
    usual: float | None = None

    @property
    def pattern(self) -> str:
        """How the measure is written: ``P@k``, ``RBP(p)``, ``AP or AP@k``."""
        written = {
            "nothing": self.name,
            "cutoff": f"{self.name}@k",
            "cutoff or nothing": f"{self.name} or {self.name}@k",
            "patience": f"{self.name}(p)",
        }
        return written[self.takes]


class Asked(NamedTuple):
    """A measure with its parameter, under the name it was asked by."""

    label: str
    measure: Measure
    parameter: int | float | None

    @property
    def depth(self) -> int | None:
        """The rank it looks down to; ``None`` for the whole list."""
        if self.measure.whole or not self.measure.takes.startswith("cutoff") or self.parameter is None:
            return None
        return int(self.parameter)

    def title(self, ruler: ScoringRuler) -> str:
        """Return the name on screen, with what the number depends on: ``nDCG@10 (linear, log2)``."""
        reads = self.measure.reads
        told: list[str] = []
        if self.measure.takes == "patience" and "(" not in self.label:
            told.append(f"p = {self.parameter:g}")
        if reads in {"discounted gain", "gain"}:
            told.append(ruler.gain)
        if reads == "discounted gain" or self.measure.discounted:
            told.append(ruler.discount.replace("-", " "))
            if ruler.discount == "original-2002" and ruler.base != USUAL_BASE:
                told.append(f"base {ruler.base:g}")
        if reads == "discounted gain" and self.measure.has_ideal and ruler.ideal != "judged":
            told.append(f"ideal: {ruler.ideal}")
        if reads == "relevance":
            told.append(f"relevant from {ruler.relevant_from:g}")
        if ruler.unjudged == "condensed" and reads != "coverage":
            told.append("condensed")
        return f"{self.label} ({', '.join(told)})" if told else self.label

    def is_endless(self, ruler: ScoringRuler) -> bool:
        """Return whether it lacks a cutoff against an ideal that has no end of its own.

        A list of nothing but the highest grade goes on for ever: cut at the longest list, a score would
        depend on the runs beside it; cut at the run's own, a run would gain by returning less.
        """
        return ruler.ideal == "maximum" and self.measure.has_ideal and self.parameter is None

    def values(self, sheet: EvaluationMatrix) -> Floats:
        """Return its value for every list of a block."""
        return self.measure.values(sheet, self.parameter)
