"""A gate for build pipelines: may this version pass? One answer, one sentence, from the same verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.means import mean_of
from app.scoring.verdict import LEAST_QUERIES
from app.services.comparison.basis import Basis, basis_of
from app.services.comparison.pairs import pair_verdicts
from app.services.comparison.walking import state_of
from app.services.comparison.wording import title_of
from app.services.errors import InvalidError, NotFoundError

if TYPE_CHECKING:
    from app.services.comparison.pairs import PairVerdict
    from app.services.evidence import Evidence

# Sums of fractions differ in their last bits; a limit that is met exactly is met.
ROUNDING = 1e-12


@dataclass(frozen=True)
class GateRules:
    """What a version must meet.

    Attributes
    ----------
    max_drop
        How far its score may lie below the other's, 0 to 1.
    min_coverage
        The least judged@k of either version, 0 to 1.
    sure
        It must be surely ahead. Settled is not enough: it says nothing about other questions, and ends as the
        last answer is rated.
    """

    max_drop: float = 0.01
    min_coverage: float = 0.9
    sure: bool = False


@dataclass(frozen=True)
class GateAnswer:
    """Whether it passes, and the sentence that says why."""

    passed: bool
    sentence: str


def gate_of(current: Basis, ranker: str, against: str | None, rules: GateRules) -> GateAnswer:
    """Return whether a ranker's newest version passes, against another ranker or its own version before.

    Parameters
    ----------
    current
        The basis of the current runs.
    against
        The name of the other ranker; None for the ranker's version before.

    Raises
    ------
    NotFoundError
        A name is not that of a ranker with an active version, or there is no version before.
    InvalidError
        A ranker is held against itself.
    """
    evidence = current.evidence
    places = (newest_of(evidence, ranker), _other_of(evidence, ranker, against))
    basis = basis_of(evidence, places)
    (pair,) = pair_verdicts(basis, [(0, 1)], state=state_of(current))
    names = tuple(f"{run.ranker} {run.version}" for run in (pair.first, pair.second))
    return _answer(basis, pair, (names[0], names[1]), rules)


def newest_of(evidence: Evidence, ranker: str) -> int:
    """Return the place of a ranker's newest active version.

    Raises
    ------
    NotFoundError
        No ranker of this name has one.
    """
    return _versions_of(evidence, ranker)[-1]


def _versions_of(evidence: Evidence, ranker: str) -> list[int]:
    runs = evidence.structure.runs
    # Answers that people knew of are pooled, but no ranker returned them.
    active = [place for place in evidence.active_runs() if runs[place].kind == "system"]
    found = [place for place in active if runs[place].ranker == ranker]
    if not found:
        known = sorted({runs[place].ranker for place in active})
        there = f"there is {', '.join(known)}" if known else "no ranker has one yet"
        raise NotFoundError(f"No active version of a ranker {ranker!r}: {there}.")
    return found


def _other_of(evidence: Evidence, ranker: str, against: str | None) -> int:
    if against == ranker:
        raise InvalidError(
            f"{ranker} cannot be held against itself: leave out --against to compare with its version before."
        )
    if against is not None:
        return newest_of(evidence, against)
    versions = _versions_of(evidence, ranker)
    if len(versions) < 2:
        raise NotFoundError(
            f"{ranker} has only one active version: name another ranker with --against, or import the next "
            "version first."
        )
    return versions[-2]


def _answer(basis: Basis, pair: PairVerdict, names: tuple[str, str], rules: GateRules) -> GateAnswer:
    refusal = _refusal(basis, pair, names, rules)
    said = refusal or title_of(pair, names)
    numbers = f"; {_numbers(basis, pair, names)}" if pair.n else ""
    return GateAnswer(not refusal, f"{'Failed' if refusal else 'Passed'}: {said}{numbers}.")


def _refusal(basis: Basis, pair: PairVerdict, names: tuple[str, str], rules: GateRules) -> str:
    """Return the first reason to fail; nothing where every rule is met."""
    if pair.mean is None or pair.n < LEAST_QUERIES:
        return f"too early, {pair.n} scored questions in common where {LEAST_QUERIES} are needed"
    label = f"judged@{basis.board.ruler.k}"
    # Both are asked: a version whose answers nobody rated is easily beaten. Under grades declared complete
    # nothing is missing: what is not rated is worth 0.
    for row, name in enumerate(names):
        coverage = _mean(basis, label, pair, row)
        if coverage < rules.min_coverage - ROUNDING and not basis.complete:
            return f"{label} of {name} is {coverage:.3f}, below {rules.min_coverage:g}"
    if pair.mean < -rules.max_drop - ROUNDING:
        drop = _digits(-pair.mean, rules.max_drop)
        return f"{names[0]} lies {drop} below {names[1]}, more than {rules.max_drop:g}"
    if rules.sure and not (pair.verdict.word == "sure" and pair.verdict.ahead > 0):
        return title_of(pair, names)
    return ""


def _digits(drop: float, limit: float) -> str:
    """Return a drop with as many digits as it takes to see that it is more than the limit."""
    told = (f"{drop:.{digits}f}" for digits in range(3, 17))
    return next((text for text in told if float(text) > limit), f"{drop:.16g}")


def _numbers(basis: Basis, pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the numbers behind the answer, with their coverage."""
    k = basis.board.ruler.k
    told = [
        f"{name} {_mean(basis, basis.board.headline, pair, row):.3f} (judged@{k} "
        f"{_mean(basis, f'judged@{k}', pair, row):.3f})"
        for row, name in enumerate(names)
    ]
    tags = f", {' and '.join(pair.verdict.tags)}" if pair.verdict.tags else ""
    return f"{basis.board.ruler.name} on {pair.n} common questions: {told[0]}, {told[1]}{tags}"


def _mean(basis: Basis, label: str, pair: PairVerdict, row: int) -> float:
    return mean_of(basis.board.values[label][row, pair.queries]) or 0.0
