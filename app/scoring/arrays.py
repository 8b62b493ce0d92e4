"""The array types of the scoring layer, each with one name."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int8]
Bits = NDArray[np.uint8]
Numbers = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]
