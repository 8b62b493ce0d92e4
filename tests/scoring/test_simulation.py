"""What the order of answers promises, replayed on Cranfield in batches as they are really assigned."""

import numpy as np
import pytest

from tests.benchmarks import bench_simulation
from tests.benchmarks.bench_simulation import (
    DATA,
    RANKERS,
    batches_of,
    cranfield,
    drawn,
    gates_of,
    replayed,
    state_of,
)
from tests.furniture.missing import lack

DRAWS = 20


@pytest.fixture(scope="module")
def pool():
    if not DATA.is_dir():
        lack("the Cranfield collection", f"put it into {DATA}")
    return cranfield()


def test_30_an_identical_seed_gives_the_identical_batches_and_every_answer_once(pool):
    collection = drawn(pool, 4, 0)

    def batches(seed):
        return [items.tolist() for items in batches_of(state_of(collection, seed, is_random=False), seed)]

    assert batches(5) == batches(5) != batches(6)
    rated = np.concatenate(batches(5))
    assert sorted(rated.tolist()) == list(range(len(collection.query)))


@pytest.mark.thorough
@pytest.mark.parametrize("rankers", RANKERS)
def test_30_front_first_is_never_worse_than_random_and_much_better_with_eight_rankers(
    pool, rankers, monkeypatch
):
    # Nothing is promised of the others, which are in the benchmark to compare.
    monkeypatch.setattr(bench_simulation, "ORDERS", ("front first", "random"))
    gates = gates_of(replayed(pool, rankers, DRAWS), rankers)

    assert [text for text, holds in gates if not holds] == []
