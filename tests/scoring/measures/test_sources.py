"""Every formula on the help page and in the code says where it comes from."""

import inspect
import re

import pytest

from app.scoring import choices
from app.scoring.measures import MEASURES

# A work with its year, a tool that computes it, or plainly our own.
SOURCE = re.compile(r"\b(19|20)\d\d, \w|^trec_eval, |@k of ir_measures|^Defined here", re.ASCII)
CHOICES = [
    *choices.GAIN_CHOICES,
    *choices.DISCOUNT_CHOICES,
    *choices.IDEAL_CHOICES,
    *choices.UNJUDGED_CHOICES,
]


@pytest.mark.parametrize(
    "one", [*MEASURES, *(one for one in CHOICES if one.formula)], ids=lambda one: one.name
)
def test_every_formula_has_a_source(one):
    assert SOURCE.search(one.source)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_the_function_of_a_measure_tells_its_formula_with_its_source(measure):
    assert re.search(
        r"^Formula: [\s\S]+?\((?:[^()]*\d{4}|trec_eval|Judged@k|[^()]*defined here)",
        inspect.getdoc(measure.values),
        re.MULTILINE,
    )
