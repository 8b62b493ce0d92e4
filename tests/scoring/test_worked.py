"""The step-by-step working of every measure adds up to what the engine computes."""

import numpy as np
import pytest

from app.scoring.evaluate import evaluate
from app.scoring.judged import RELEVANT, judged_grades
from app.scoring.lists import Lists
from app.scoring.measures import parse_measure
from app.scoring.ruler import Ruler
from app.scoring.worked import WORKED, Listed, worked_measure


@pytest.mark.parametrize("name", list(WORKED))
@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_steps_add_up_to_the_engines_score(name, k):
    random = np.random.default_rng(7)
    ruler = Ruler(highest=3, threshold=2)
    for _ in range(40):
        items, length = 12, int(random.integers(0, 9))
        grades = random.integers(-1, 4, items)
        judged = judged_grades(grades, np.zeros(items, dtype=np.int32), ruler, queries=1)
        order = random.permutation(items)[:length]
        depth = max(k, length)
        positions = np.full((depth, 1, 1), judged.absent, dtype=np.int32)
        positions[:length, 0, 0] = order
        (values,) = evaluate(
            [parse_measure(f"{name}@{k}")], Lists(positions, np.array([[length]])), judged
        ).values()
        listed = [
            Listed(
                None if grades[cell] < 0 else float(grades[cell]),
                float(judged.gain[cell]),
                bool(judged.state[cell] == RELEVANT),
                float(judged.stop[cell]),
            )
            for cell in order
        ]

        worked = worked_measure(
            name,
            listed,
            k=k,
            relevant=int(judged.relevant_counts[0]),
            highest=float(ruler.gains()[-1]),
            discounts=ruler.discounts(k),
        )

        if judged.scored[0]:
            assert (worked.value or 0.0) == pytest.approx(float(values[0, 0]), abs=1e-12)
        assert [step.rank for step in worked.steps] == list(range(1, min(k, length) + 1))
