"""The array types of the scoring layer, each with one name, and small numbers for large ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int8]
Bits = NDArray[np.uint8]
Numbers = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]

ROOMY, SPARSE = 1 << 20, 8
"""Cells that a table of numbers may have at least, and how many for each number that it holds."""


def compact(keys: Ints) -> tuple[Ints, int]:
    """Return numbers from 0 in the order of some keys, the same for the same key, and how many there can be.

    Keys that are small enough for a table with a cell for each are returned as they are: sorting a million of
    them takes ten times as long as filling a table.

    Parameters
    ----------
    keys
        integers (n,), none below 0.
    """
    size = int(keys.max(initial=-1)) + 1
    if size <= ROOMY + SPARSE * len(keys):
        return keys, size
    values, numbers = np.unique(keys, return_inverse=True)
    return numbers, len(values)
