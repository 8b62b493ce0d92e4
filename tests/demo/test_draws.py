"""Chance that comes out the same on every machine."""

from __future__ import annotations

from statistics import mean

import pytest

from app.demo.draws import draw, spread_draws


def test_a_draw_is_fixed_for_its_purpose():
    # Written down once: another machine, Python or year must draw the same.
    assert draw("habit", "Amara (demo)", "q01", "kl-018") == pytest.approx(0.053408606154278004, abs=1e-12)


def test_draws_fill_the_unit_interval():
    drawn = [draw("test", number) for number in range(2000)]

    assert 0 <= min(drawn) < 0.01
    assert 0.99 < max(drawn) < 1
    assert mean(drawn) == pytest.approx(0.5, abs=0.03)


def test_spread_draws_are_evenly_spaced_whatever_the_order():
    pairs = [("q", str(number)) for number in range(5)]

    spread = spread_draws(pairs, "test")

    assert sorted(spread.values()) == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    assert spread == spread_draws(reversed(pairs), "test")
    assert spread != spread_draws(pairs, "another test")


def test_nothing_to_spread_is_no_error():
    assert spread_draws([], "test") == {}
