"""Print how often the tests claim a difference where there is none: `make trial-type1` (minutes).

All rankers are equal on average; what varies is how much, and how alike, they vary. Each figure should
be near .05.
"""

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.early import early_holds, log_e_values
from app.scoring.order_effect import Shown, order_effect_of
from app.scoring.seeds import seed_of
from app.scoring.verdict import LEAST_QUERIES, paired_p
from tests.scoring.paired import PairedTests, compare_rankers

SIZES = (10, 20, 50, 80)
ALPHA = 0.05
Maker = Callable[[np.random.Generator, int], Floats]
Test = Callable[[Floats, int], PairedTests]


def two_rankers(generator: np.random.Generator, n: int) -> Floats:
    """Return scores of two rankers of equal skill, between 0 and 1 as nDCG is."""
    return generator.beta(1.2, 1.5, (2, n))


def alike(generator: np.random.Generator, n: int) -> Floats:
    """Return scores of eight rankers that share the difficulty of a query and vary equally."""
    return generator.normal(size=n) + generator.normal(size=(8, n))


def unlike(generator: np.random.Generator, n: int) -> Floats:
    """Return scores of two noisy pipelines beside six variants of one."""
    spread = np.array([1.0, 1.0, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05])
    return generator.normal(size=n) + spread[:, None] * generator.normal(size=(8, n))


def skewed(generator: np.random.Generator, n: int) -> Floats:
    """Return scores that are 0 for many queries, as nDCG of weak rankers is."""
    found = generator.random((8, n)) < 0.4
    return np.where(found, generator.beta(2, 2, (8, n)), 0.0)


def claim_rate(make: Maker, test: Test, n: int, trials: int) -> float:
    """Return the share of trials in which the smallest adjusted P is at most .05."""
    generator = np.random.default_rng(n)
    claims = sum(test(make(generator, n), trial).adjusted.min() <= ALPHA for trial in range(trials))
    return claims / trials


def claims_when_read_daily(trials: int, *, early: bool) -> float:
    """Return the share of trials that claim something at any of the 71 readings from 10 to 80 queries.

    Read by the early test, which stays below .01 however often it is read, or by a t test at .05 each time.
    """
    claims = 0
    for trial in range(trials):
        scores = two_rankers(np.random.default_rng(trial), 80)
        d = scores[1] - scores[0]
        readings = range(LEAST_QUERIES, 81)
        if early:
            claims += any(early_holds(log_e_values(d[None, :n])[0], 1) for n in readings)
        else:
            found = (paired_p(float(d[:n].mean()), float(d[:n].std(ddof=1)), n) for n in readings)
            claims += any(p is not None and p <= ALPHA for p in found)
    return claims / trials


def slope_claims(trials: int) -> float:
    """Return the share of trials in which an order effect is claimed where there is none."""
    claims = 0
    for trial in range(trials):
        generator = np.random.default_rng(trial)
        true = generator.integers(0, 4, 150)
        item = np.concatenate([generator.permutation(150)[:36] for _ in range(8)])
        grade = np.clip(np.round(true[item] + generator.normal(0, 0.8, 288)), 0, 3)
        people, block = np.repeat(np.arange(8), 36), np.repeat(np.arange(24), 12)
        shown = Shown(people, item, block, np.tile(np.arange(12), 24), grade)
        claims += (
            order_effect_of(shown, seed=seed_of("shuffles", trial), shuffles=999).finding == "effect found"
        )
    return claims / trials


def rows() -> list[tuple[str, Maker, Test]]:
    """Return what is tried: a name, how scores are made, and the test."""
    return [
        ("sign-flip, 2 rankers", two_rankers, lambda scores, seed: compare_rankers(scores, seed=seed)),
        ("max-t, 8 alike", alike, lambda scores, seed: compare_rankers(scores, seed=seed)),
        (
            "max-t, 2 noisy and 6 near-identical",
            unlike,
            lambda scores, seed: compare_rankers(scores, seed=seed),
        ),
        ("max-t, 8 with many zeros", skewed, lambda scores, seed: compare_rankers(scores, seed=seed)),
    ]


def main() -> int:
    """Print all rates; return 1 if a test that promises 5% is beyond 4 standard errors above it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    trials = parser.parse_args().trials
    most = ALPHA + 4 * (ALPHA * (1 - ALPHA) / trials) ** 0.5
    start, kept = time.perf_counter(), True
    print(
        f"{trials} trials each without a difference; 5% +- {(ALPHA * 0.95 / trials) ** 0.5:.3f} (standard error)\n"
    )
    print("| test, rankers | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    print("| --- " * (1 + len(SIZES)) + "|")
    for name, make, test in rows():
        rates = [claim_rate(make, test, n, trials) for n in SIZES]
        kept &= max(rates) <= most
        print(f"| {name} | " + " | ".join(f"{rate:.3f}" for rate in rates) + " |", flush=True)
    safe, naive = (claims_when_read_daily(trials, early=early) for early in (True, False))
    print(
        f"\nRead after every query from 10 to 80: early test {safe:.3f}; a t test at .05 each time {naive:.3f}."
    )
    slope = slope_claims(trials)
    print(f"Order effect, 8 annotators, 288 ratings: {slope:.3f} claims of an effect.")
    print(f"{time.perf_counter() - start:.0f} s")
    return 0 if kept and slope <= most and safe <= 0.01 + 4 * (0.0099 / trials) ** 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
