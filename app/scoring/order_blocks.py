"""Values in the order in which they were shown, and the same values shuffled within their blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.seeds import seed_of, shuffled_copies

_CELLS = 1 << 20


@dataclass(frozen=True)
class Group:
    """All blocks with the same number of values.

    Attributes
    ----------
    values
        float64 (blocks, length): in the order shown.
    places
        float64 (blocks, length): the places shown at, centred in their block.
    rows
        integers (blocks, length): which of the given values these are.
    """

    values: Floats
    places: Floats
    rows: Ints

    @property
    def curves(self) -> Floats:
        """The squared places, centred in their block: 0 at a block whose places have no curvature."""
        squares = np.square(self.places)
        return np.asarray(squares - squares.mean(axis=1, keepdims=True))


@dataclass(frozen=True)
class Blocks:
    """All blocks of at least two values, those of one length together."""

    groups: tuple[Group, ...]

    @cached_property
    def lengths(self) -> Ints:
        """The length of every block."""
        return np.repeat(
            [group.values.shape[1] for group in self.groups], [len(group.values) for group in self.groups]
        ).astype(np.int64)

    @cached_property
    def squares(self) -> float:
        """The sum of the squared centred places."""
        return float(sum(np.square(group.places).sum() for group in self.groups))

    @property
    def neighbours(self) -> int:
        """The number of values that have one shown just before them."""
        return int((self.lengths - 1).sum())


def blocks_of(values: Floats, place: Ints, block: Ints) -> Blocks:
    """Return the values by block; a block of one value says nothing about order and is left out.

    Parameters
    ----------
    values
        float64 (n,).
    place
        integers (n,): where each was shown in its block.
    block
        integers (n,).
    """
    order = np.lexsort((place, block))
    _, starts, lengths = np.unique(block[order], return_index=True, return_counts=True)
    groups = []
    for length in np.unique(lengths[lengths > 1]).tolist():
        first = starts[lengths == length]
        rows = order[first[:, None] + np.arange(length)]
        places = place[rows].astype(np.float64)
        groups.append(Group(values[rows], places - places.mean(axis=1, keepdims=True), rows))
    return Blocks(tuple(groups))


@dataclass(frozen=True)
class Sums:
    """What order statistics are made of, each float64 (shuffles,).

    Attributes
    ----------
    line, curve
        Sum of value times place, and of value times centred squared place.
    neighbours
        float64 (5, shuffles): over every value x and the value y shown next in the same block the sums
        of x, y, x^2, y^2 and x y.
    """

    line: Floats
    curve: Floats
    neighbours: Floats

    def lag(self, pairs: int) -> Floats:
        """Return the correlation of values with the ones shown just before, 0 where nothing varies.

        Formula: Pearson's r over all such pairs.

        Returns
        -------
        float64 (shuffles,)
        """
        x, y, xx, yy, xy = self.neighbours
        spread = np.maximum(pairs * xx - x * x, 0.0) * np.maximum(pairs * yy - y * y, 0.0)
        lag: Floats = np.zeros_like(x)
        np.divide(pairs * xy - x * y, np.sqrt(spread), out=lag, where=spread > 1e-18)
        return lag


def sums_of(blocks: Blocks) -> Sums:
    """Return the sums of the order that was shown: arrays of one."""
    return _added([_group_sums(group, group.values[None]) for group in blocks.groups])


def shuffled_sums(blocks: Blocks, *, seed: int, shuffles: int) -> Sums:
    """Return the sums after each of ``shuffles`` random shuffles of the values within their blocks.

    Returns
    -------
    Sums of (shuffles,)
    """
    return _added(
        [
            _joined(list(_shuffles(group, seed_of(str(seed), number), shuffles)))
            for number, group in enumerate(blocks.groups)
        ]
    )


def _shuffles(group: Group, seed: int, shuffles: int) -> Iterator[Sums]:
    """Yield the sums of one group's shuffles, as many at a time as fit into the cache."""
    rows = max(1, _CELLS // group.values.size)
    for start in range(0, shuffles, rows):
        size = min(rows, shuffles - start)
        yield _group_sums(group, shuffled_copies(seed + start, group.values, size))


def _group_sums(group: Group, shown: Floats) -> Sums:
    """Return the sums of orders (shuffles, blocks, length) of one group."""
    before, after = shown[:, :, :-1], shown[:, :, 1:]
    neighbours = [
        before.sum(axis=(1, 2)),
        after.sum(axis=(1, 2)),
        np.einsum("sbl,sbl->s", before, before),
        np.einsum("sbl,sbl->s", after, after),
        np.einsum("sbl,sbl->s", before, after),
    ]
    line = np.einsum("sbl,bl->s", shown, group.places)
    return Sums(line, np.einsum("sbl,bl->s", shown, group.curves), np.array(neighbours))


def _joined(parts: list[Sums]) -> Sums:
    """Return the sums of consecutive shuffles as one."""
    return Sums(
        np.concatenate([part.line for part in parts]),
        np.concatenate([part.curve for part in parts]),
        np.concatenate([part.neighbours for part in parts], axis=1),
    )


def _added(parts: list[Sums]) -> Sums:
    """Return the sums over all groups."""
    line: Floats = np.sum([part.line for part in parts], axis=0)
    curve: Floats = np.sum([part.curve for part in parts], axis=0)
    neighbours: Floats = np.sum([part.neighbours for part in parts], axis=0)
    return Sums(line, curve, neighbours)
