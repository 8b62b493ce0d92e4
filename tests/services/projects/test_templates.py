"""Templates of projects: complete, and such that a project can be made from them."""

from __future__ import annotations

import pytest

from app.scoring.choices import SCALES
from app.services.collection.pool import check_depth
from app.services.projects.projects import SLUG
from app.services.projects.templates import PAPERS, TEMPLATES, project_from_template


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda template: template.key)
def test_a_template_fits_the_product(template):
    low, high = SCALES[template.scale]

    check_depth(template.pool_depth)
    assert template.k <= template.pool_depth
    assert len(template.grade_words) == high - low + 1
    assert SLUG.fullmatch(template.key)
    assert all(set(words) == {"word", "meaning"} for words in template.grade_words)


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda template: template.key)
def test_guidelines_explain_every_grade_in_the_words_of_the_template(template):
    low, _ = SCALES[template.scale]

    for grade, words in enumerate(template.grade_words, start=low):
        assert f"**{grade}, {words['word'].lower()}.**" in template.guidelines


def test_a_new_project_takes_the_settings_of_its_template():
    new = project_from_template("papers", "papers", "Papers", {})

    assert (new.name, new.scale, new.gain, new.k, new.pool_depth) == ("Papers", "1-5", "linear", 8, 8)
    assert (new.grade_words, new.wording, new.headline) == (
        PAPERS.grade_words,
        PAPERS.wording,
        PAPERS.headline,
    )
    assert (new.guidelines, new.share_twice) == (PAPERS.guidelines, 0.0)


def test_what_could_make_a_paper_look_good_is_hidden():
    shown = {*PAPERS.columns["queries"], *PAPERS.columns["documents"]}

    assert not shown & {"authors", "venue", "year", "citations"}
