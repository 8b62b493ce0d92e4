"""Near-duplicates: exact resemblance against plain sets, and that the quick way misses none."""

import numpy as np
import pytest

from app.scoring.shingles import (
    NEAR,
    NEARLY,
    estimated,
    likely_pairs,
    resemblance,
    shingles_of,
    sketches_of,
    smallest_of,
)


def plain(first, second):
    sets = [{tuple(one[at : at + 3]) for at in range(max(len(one) - 2, 1))} for one in (first, second)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def sketched(shingles):
    return sketches_of([smallest_of(one) for one in shingles], [len(one) for one in shingles])


def shingled(texts):
    return [shingles_of(np.array(text)) for text in texts]


def texts_of(seed, number=300, length=200):
    """Draw texts of common words, every third a copy of an earlier one with some words exchanged."""
    rng = np.random.default_rng(seed)
    texts = []
    for at in range(number):
        if at % 3 == 2:
            text = texts[at - int(rng.integers(1, 3))].copy()
            for place in rng.choice(len(text), int(rng.integers(0, 9)), replace=False):
                text[place] = int(rng.integers(5000))
        else:
            text = rng.zipf(1.3, length).clip(max=5000).tolist()
        texts.append(text)
    return texts


def test_resemblance_is_that_of_plain_sets():
    texts = texts_of(1, number=40)
    found = shingled(texts)
    for first in range(0, 40, 3):
        for second in range(40):
            assert resemblance(found[first], found[second]) == plain(texts[first], texts[second])


@pytest.mark.thorough
def test_every_near_pair_is_found():
    texts = texts_of(2)
    found = shingled(texts)

    likely = {tuple(pair) for pairs in likely_pairs(sketched(found)) for pair in pairs.tolist()}

    near = {
        (first, second)
        for second in range(len(texts))
        for first in range(second)
        if resemblance(found[first], found[second]) >= NEAR
    }
    assert len(near) > 30
    assert near <= likely
    assert len(likely) < 3 * len(near)


def test_the_estimate_is_exact_where_sketches_hold_everything():
    texts = texts_of(3, number=30, length=30)
    found = shingled(texts)
    pairs = np.array([(first, second) for first in range(30) for second in range(first + 1, 30)])

    guessed = estimated(sketched(found), pairs)

    for (first, second), guess in zip(pairs.tolist(), guessed.tolist(), strict=True):
        assert guess == pytest.approx(resemblance(found[first], found[second]), abs=1e-12)


def test_short_texts_and_empty_ones():
    one, same, other, none = shingled([[7, 8], [7, 8], [8, 7], []])
    assert resemblance(one, same) == 1.0
    assert resemblance(one, other) == 0.0
    assert resemblance(none, none) == 0.0
    assert [pairs.tolist() for pairs in likely_pairs(sketched([one, none, same]))] == [[[0, 2]]]
    assert list(likely_pairs(sketched([none]))) == []
    assert list(likely_pairs(sketched([]))) == []


def test_a_crowd_of_copies_costs_little_and_hangs_together():
    texts = [[*range(100), 1000 + number] for number in range(400)]

    pairs = np.concatenate(list(likely_pairs(sketched(shingled(texts)))))

    assert len(pairs) < 400 * 16 * 20
    group = list(range(400))
    for first, second in pairs.tolist():
        old, new = group[second], group[first]
        group = [new if one == old else one for one in group]
    assert set(group) == {0} or len(set(group)) == 1
    assert NEARLY < NEAR
