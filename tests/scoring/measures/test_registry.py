import re

import pytest

from app.scoring.measures import MEASURES
from app.scoring.measures.registry import COVERAGE


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_every_measure_explains_itself_in_one_sentence_with_formula_and_source(measure):
    assert measure.meaning.endswith(".")
    assert measure.meaning[0].isupper()
    assert not re.search(r"\. [A-Z]", measure.meaning)
    assert measure.formula
    assert measure.source


def test_only_what_is_judged_decides_about_coverage():
    assert {measure.name for measure in COVERAGE} == {m.name for m in MEASURES if m.reads == "coverage"}


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_a_pattern_shows_how_a_measure_is_written(measure):
    assert measure.pattern.startswith(measure.name)
    assert ("@k" in measure.pattern) == measure.takes.startswith("cutoff")
    assert ("(p)" in measure.pattern) == (measure.usual is not None)
