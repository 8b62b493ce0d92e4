"""The habits of the simulated annotators, at the rates they are documented with."""

from __future__ import annotations

import pytest

from app.demo.annotators import AMARA, ANNOTATORS, JOONAS, PRIYA, DemoRater, slip_rates

# A thousand pairs, made up like the demo's pool: 79 % of no help, few borderline ones.
GRADES = [0] * 790 + [1] * 120 + [2] * 20 + [3] * 70
KEY = {(f"q{number}", "d"): grade for number, grade in enumerate(GRADES)}


def verdicts_of(annotator, guideline_version=2):
    mind = DemoRater(annotator, KEY, KEY)
    return {pair: mind.verdict(pair, guideline_version) for pair in KEY}


def changed(verdicts, key_grade, grade):
    pairs = [pair for pair, value in KEY.items() if value == key_grade]
    return sum(verdicts[pair].grade == grade for pair in pairs) / len(pairs)


def test_amara_is_one_star_off_in_eight_per_cent_two_thirds_of_it_on_borderline_pairs():
    verdicts = verdicts_of(AMARA)

    off = {pair: verdict.grade for pair, verdict in verdicts.items() if verdict.grade != KEY[pair]}

    assert len(off) == pytest.approx(80, abs=3)
    assert sum(KEY[pair] in (1, 2) for pair in off) / len(off) == pytest.approx(2 / 3, abs=0.03)
    assert all(abs(grade - KEY[pair]) == 1 and 0 <= grade <= 3 for pair, grade in off.items())


def test_joonas_makes_a_quarter_of_the_twos_a_one_and_declines_four_per_cent():
    verdicts = verdicts_of(JOONAS)

    declined = [verdict for verdict in verdicts.values() if verdict.grade is None]

    assert changed(verdicts, 2, 1) == pytest.approx(0.25, abs=0.06)
    assert len(declined) / len(KEY) == pytest.approx(0.04, abs=0.001)
    assert {verdict.reason for verdict in declined} == {"expertise"}
    assert all(v.grade in (None, KEY[p]) for p, v in verdicts.items() if KEY[p] != 2)


@pytest.mark.parametrize(("guideline_version", "share"), [(1, 0.35), (2, 0.20)])
def test_priya_makes_a_one_a_two_less_often_since_the_guidelines_are_clearer(guideline_version, share):
    verdicts = verdicts_of(PRIYA, guideline_version)

    assert changed(verdicts, 1, 2) == pytest.approx(share, abs=0.01)
    assert all(verdict.grade == KEY[pair] for pair, verdict in verdicts.items() if KEY[pair] != 1)


def test_clearer_guidelines_only_take_stars_back():
    before, after = verdicts_of(PRIYA, 1), verdicts_of(PRIYA, 2)

    assert all(after[pair].grade <= before[pair].grade for pair in KEY)
    assert before != after


@pytest.mark.parametrize("annotator", ANNOTATORS, ids=lambda annotator: annotator.name)
def test_an_annotator_says_the_same_when_asked_again(annotator):
    assert verdicts_of(annotator) == verdicts_of(annotator)


def test_names_say_that_these_are_no_people():
    assert all(annotator.name.endswith("(demo)") for annotator in ANNOTATORS)


def test_slips_stay_possible_when_no_pair_is_borderline():
    assert slip_rates([0, 0, 3])[0] == pytest.approx(0.08 / 3)
