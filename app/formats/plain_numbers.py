"""Whole numbers and decimals of a plain block, eight digits at a time.

Digits are added up within words (each byte a digit, then pairs, then fours). A decimal is its digits as a
whole number divided by a power of ten: the nearest double, as ``float`` gives it, or it is left to ``float``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.formats.errors import BadValueError
from app.formats.words import WORD

if TYPE_CHECKING:
    from app.formats.plain_block import PlainBlock
    from app.formats.words import Ints

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_HALVES = 0xF0F0F0F0F0F0F0F0
_ZEROS = 0x3030303030303030
_SIXES = 0x0606060606060606
_VALUES = 0x0F0F0F0F0F0F0F0F
# The first 8 - n bytes of a word hold '0', for n digits in its last bytes.
_FILL = np.array(
    [_ZEROS >> 8 * digits if digits < WORD else 0 for digits in range(WORD + 1)], dtype=np.uint64
)
_MASK = np.array(
    [((1 << 8 * digits) - 1) << 8 * (WORD - digits) for digits in range(WORD + 1)], dtype=np.uint64
)
_POINTS = 0x2E2E2E2E2E2E2E2E
_LOWEST_BITS = 0x0101010101010101
_HIGHEST_BITS = 0x8080808080808080
# Times 1 << 8 n this has n in its highest byte.
_PLACES = 0x0001020304050607
_MOST_DIGITS = 19
_POWERS = np.array([10**power for power in range(_MOST_DIGITS + 1)], dtype=np.uint64)
_TENS = _POWERS.astype(np.float64)
_EXACT = 1 << 53
_SPLIT = float((1 << 27) + 1)
_PLUS, _MINUS, _POINT = b"+-."


def whole_numbers(block: PlainBlock, column: int) -> Ints | None:
    """Return a column of up to eight digits without a sign: int64 (lines,); None if a cell is another."""
    start, end = block.cells(column)
    if int((end - start).max()) > WORD:
        return None
    value, good = _digits(block, end, end - start)
    return value.astype(np.int64) if good.all() else None


def signed_numbers(block: PlainBlock, column: int) -> Ints | None:
    """Return a column of whole numbers of up to eight digits, some negative; None if a cell is another."""
    start, end = block.cells(column)
    negative = block.letters[start] == _MINUS
    length = end - start - negative
    if int(length.max()) > WORD or int(length.min()) < 1:
        return None
    value, good = _digits(block, end, length)
    return np.where(negative, -value.astype(np.int64), value.astype(np.int64)) if good.all() else None


def decimals(block: PlainBlock, column: int) -> Floats | None:
    """Return a column of scores: float64 (lines,); None if a cell is no finite decimal number."""
    start, end = block.cells(column)
    first = block.letters[start]
    negative = first == _MINUS
    start = start + (negative | (first == _PLUS))
    point = _points(block, start, end)
    before, after = point - start, np.maximum(end - point - 1, 0)
    plain = (before <= WORD) & (after <= 2 * WORD) & (before + after > 0) & (before + after <= _MOST_DIGITS)
    whole, good = _digits(block, point, np.minimum(before, WORD))
    plain &= good
    fraction, good = _fraction(block, end, np.minimum(after, 2 * WORD))
    plain &= good
    if not plain.all():
        after, whole, fraction = after * plain, whole * plain, fraction * plain
    value, sure = divided(whole * _POWERS.take(after) + fraction, after)
    if negative.any():
        value = np.where(negative, -value, value)
    return _with_odd_ones(block, column, value, np.flatnonzero(~(plain & sure)))


def divided(digits: Ints, power: Ints) -> tuple[Floats, Flags]:
    """Return ``digits / 10**power`` rounded once, and where that is sure.

    The quotient of the two nearest doubles is wrong by the remainder of the division, which is computed
    exactly (Dekker 1971, A floating-point technique for extending the available precision); adding its
    quotient rounds to the nearest double unless the sum lies all but midway between two.

    Parameters
    ----------
    digits, power
        uint64 below 10**19, and integers to 19: shape (numbers,).
    """
    divisor = _TENS.take(power)
    nearest = digits.astype(np.float64)
    quotient = nearest / divisor
    if not len(digits) or int(digits.max()) <= _EXACT:
        return quotient, np.ones(len(digits), dtype=np.bool_)
    lost = (digits - nearest.astype(np.uint64)).astype(np.int64)
    remainder = _remainder(nearest, quotient, divisor) + lost
    step = remainder / divisor
    value = quotient + step
    left = np.abs(step - (value - quotient)) / np.spacing(np.abs(value))
    # Below a power of two doubles lie twice as dense, so a quarter is midway there.
    return value, np.asarray(np.minimum(np.abs(left - 0.5), np.abs(left - 0.25)) > 1e-6)


def _remainder(number: Floats, quotient: Floats, divisor: Floats) -> Floats:
    """Return ``number - quotient * divisor``, the product without rounding."""
    product = quotient * divisor
    high, low = _split(quotient)
    wide, narrow = _split(divisor)
    error = ((high * wide - product) + high * narrow + low * wide) + low * narrow
    return (number - product) - error


def _split(number: Floats) -> tuple[Floats, Floats]:
    """Return two numbers of half the digits each, whose sum this is."""
    scaled = _SPLIT * number
    high = scaled - (scaled - number)
    return high, number - high


def _points(block: PlainBlock, start: Ints, end: Ints) -> Ints:
    """Return where the first decimal point of each cell stands, its end where it has none."""
    length = end - start
    word = block.words_from(end - WORD) & _MASK.take(length, mode="clip")
    # A byte that was a point is 0 here; only such bytes, and bytes above one, have their highest bit set.
    other = word ^ _POINTS
    found = (other - _LOWEST_BITS) & ~other & _HIGHEST_BITS
    first = ((found & (~found + 1)) >> 7) * _PLACES >> 56
    point = np.where(found != 0, end - WORD + first.astype(np.int64), end)
    further = np.flatnonzero((found == 0) & (length > WORD))
    if len(further):
        everywhere = np.append(np.flatnonzero(block.letters == _POINT), len(block.letters))
        nearest = everywhere.take(np.searchsorted(everywhere, start[further]))
        point[further] = np.minimum(nearest, end[further])
    return point


def _fraction(block: PlainBlock, end: Ints, length: Ints) -> tuple[Ints, Flags]:
    """Return up to sixteen digits before each end as a number, and where they are digits."""
    value, good = _digits(block, end, np.minimum(length, WORD))
    if int(length.max()) > WORD:
        upper, upper_good = _digits(block, end - WORD, np.maximum(length - WORD, 0))
        value, good = value + upper * 10**WORD, good & upper_good
    return value, good


def _digits(block: PlainBlock, end: Ints, length: Ints) -> tuple[Ints, Flags]:
    """Return up to eight digits before each end as a number, and where they are digits."""
    word = block.words_from(end - WORD) & _MASK.take(length) | _FILL.take(length)
    good = ((word & _HALVES) == _ZEROS) & (((word + _SIXES) & _HALVES) == _ZEROS)
    word = (word & _VALUES) * 2561 >> 8
    word = (word & 0x00FF00FF00FF00FF) * 6553601 >> 16
    word = (word & 0x0000FFFF0000FFFF) * 42949672960001 >> 32
    return word, np.asarray(good)


def _with_odd_ones(block: PlainBlock, column: int, value: Floats, odd: Ints) -> Floats | None:
    """Return the values, those of odd cells (an exponent, many digits) read as text."""
    if not len(odd):
        return value
    from app.formats.values import score_of  # few files hold any

    try:
        for line in odd.tolist():
            value[line] = score_of(block.texts(column, np.array([line]))[0])
    except BadValueError:
        return None
    return value
