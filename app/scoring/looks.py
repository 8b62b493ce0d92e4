"""A look as it is taken: the test of all pairs on the queries walked, kept with everything it rests on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.intervals import MeanInterval, interval_from, mean_and_deviation
from app.scoring.milestones import Look
from app.scoring.significance import FLIPS, compare_rankers, compare_with_baseline
from app.scoring.verdict import PairLook


def take_look(
    look: Look,
    scores: Floats,
    *,
    seed: int,
    bounds: Sequence[tuple[float, float]],
    weight_judged: Floats,
    complete: bool = False,
    flips: int = FLIPS,
    baseline: int | None = None,
) -> list[PairLook]:
    """Return what a look says about every pair of rankers, in the order of ``combinations``.

    With a baseline only the pairs it is in are tested, by Holm's method; the others have nothing said.

    Parameters
    ----------
    look
        The look that is due.
    scores
        float64 (rankers, n): on the scored queries walked.
    seed
        Made of the ruler's fingerprint, the sorted run ids and n.
    bounds
        The mean pair bounds over those queries, of every pair that is tested.
    weight_judged
        float64 (rankers,): the mean weight-judged@k over those queries.
    complete
        Grades are declared complete.
    flips
        B of the sign-flip test.
    baseline
        The row that the others are tested against.

    Raises
    ------
    ValueError
        The scores are not those of the queries walked, or the bounds not those of all pairs.
    """
    if scores.shape[1] != look.n:
        raise ValueError(f"a look at {look.n} queries cannot be taken on {scores.shape[1]}")
    if baseline is None:
        tests = compare_rankers(scores, seed=seed, flips=flips)
    else:
        tests = compare_with_baseline(scores, baseline, seed=seed, flips=flips)
    # A pair's difference is the later ranker's minus the earlier one's, whichever the baseline is.
    forward = np.where(tests.pairs[:, 0] < tests.pairs[:, 1], 1.0, -1.0)
    means, deviations = (forward * tests.mean).tolist(), tests.deviation.tolist()
    pairs = zip(
        np.sort(tests.pairs, axis=1).tolist(), means, deviations, tests.adjusted.tolist(), bounds, strict=True
    )
    return [
        _pair_look(
            look,
            interval_from(mean, deviation, look.n, clip=None),
            p,
            bounds=held,
            weights=(float(weight_judged[a]), float(weight_judged[b])),
            complete=complete,
        )
        for (a, b), mean, deviation, p, held in pairs
    ]


def with_grades_of_today(look: PairLook, first: Floats, second: Floats) -> PairLook:
    """Return a past look with the mean difference that today's grades give on its queries.

    Parameters
    ----------
    look
        As it was taken.
    first, second
        float64 (n,): today's scores of its two rankers on the look's queries.
    """
    differences = np.asarray(second) - np.asarray(first)
    return replace(look, mean_today=mean_and_deviation(differences)[0])


def _pair_look(
    look: Look,
    interval: MeanInterval,
    p: float,
    *,
    bounds: tuple[float, float],
    weights: tuple[float, float],
    complete: bool,
) -> PairLook:
    """Return what the look says about one pair."""
    mean = interval.mean or 0.0
    return PairLook(
        number=look.number,
        n=look.n,
        alpha=look.alpha,
        p=p,
        mean=mean,
        low=interval.low,
        high=interval.high,
        bounds=bounds,
        weight_judged=weights,
        complete=complete,
        mean_today=mean,
    )
