"""Numbers of plain blocks against Python's own: the same doubles to the last bit, or none."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.formats.plain_block import plain_block
from app.formats.plain_numbers import decimals, divided, signed_numbers, whole_numbers

DIGITS = st.integers(0, 10**19 - 1)
POWERS = st.integers(0, 19)
WRITTEN = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map("{:.6f}".format),
    st.floats(0, 1).map("{:.17f}".format),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.from_regex(r"\A[+-]?[0-9]{0,12}\.[0-9]{0,20}\Z"),
    st.from_regex(r"\A[0-9.+-eE_]{1,12}\Z"),
    st.sampled_from(
        ["nan", "inf", "-inf", "1e999", ".", "-", "+.5", "5.", "-0", "-0.0", "0x1", "1_0", "--1"]
    ),
)


def column(*cells):
    block = plain_block("".join(f"a {cell} b\n" for cell in cells).encode(), 3)
    assert block is not None
    return block


def as_python(cell):
    """Return what a cell means, None where it is no plain decimal number."""
    if set(cell) - set("0123456789.+-eE"):
        return None
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@given(st.lists(WRITTEN, min_size=1, max_size=8))
@example(["9007199254740993.0", "0.1", "1234567890.123456789"])
@example(["0.30000000000000004", "1" * 19, "." + "9" * 16])
@example(["0.500000000000000055", "4503599627370496.5", "4503599627370497.5"])
def test_decimals_are_the_doubles_that_python_reads_or_all_are_refused(cells):
    expected = [as_python(cell) for cell in cells]

    found = decimals(column(*cells), 1)

    if None in expected:
        assert found is None
    else:
        assert list(map(float.hex, found.tolist())) == list(map(float.hex, expected))


@given(st.lists(st.tuples(DIGITS, POWERS), min_size=1, max_size=20))
def test_a_quotient_that_is_called_sure_is_the_nearest_double(pairs):
    digits, powers = (np.array(column, dtype=np.uint64) for column in zip(*pairs, strict=True))

    value, sure = divided(digits, powers.astype(np.int64))

    for (digit, power), got, is_sure in zip(pairs, value.tolist(), sure.tolist(), strict=True):
        assert not is_sure or got == float(f"{digit}e-{power}")


def test_nearly_all_quotients_of_many_digits_are_sure():
    rng = np.random.default_rng(5)
    digits = rng.integers(0, 10**18, 100_000, dtype=np.uint64)

    value, sure = divided(digits, np.full(100_000, 17))

    assert sure.mean() > 0.9999
    assert value[sure].tolist() == [float(f"{digit}e-17") for digit in digits[sure].tolist()]


@pytest.mark.parametrize(
    "digits", [2**53 + 1, 2**54 + 2, 2**60 + 2**7, 2**63 - 2**9, 2**63 + 2**10, 2**62 - 2**8]
)
def test_a_number_midway_between_two_doubles_is_not_called_sure(digits):
    _, sure = divided(np.array([digits], dtype=np.uint64), np.array([0]))

    assert not sure[0]


@given(st.lists(st.from_regex(r"\A[0-9]{1,8}\Z"), min_size=1, max_size=9))
def test_whole_numbers_are_read_with_their_leading_zeros(cells):
    assert whole_numbers(column(*cells), 1).tolist() == list(map(int, cells))


@given(st.lists(st.from_regex(r"\A-?[0-9]{1,8}\Z"), min_size=1, max_size=9))
def test_signed_numbers_are_read_with_their_sign(cells):
    assert signed_numbers(column(*cells), 1).tolist() == list(map(int, cells))


@pytest.mark.parametrize("odd", ["123456789", "1.0", "+1", "-", "1e3", "a", "/1", ":1", "1;", "-1-1"])
def test_a_column_with_one_odd_cell_is_not_read_as_whole_numbers(odd):
    assert whole_numbers(column("1", odd, "2"), 1) is None
    if odd != "-1":
        assert signed_numbers(column("1", odd, "2"), 1) is None
