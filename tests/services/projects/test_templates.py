"""Templates of projects: complete, and such that a project can be made from them."""

from __future__ import annotations

import pytest

from app.scoring.choices import SCALES
from app.services.collection.pool import check_depth
from app.services.projects.projects import SLUG, NewProject
from app.services.projects.templates import PAPERS, TEMPLATES


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


def test_settings_can_be_handed_to_a_new_project():
    new = NewProject(
        slug="papers",
        name=PAPERS.name,
        scale=PAPERS.scale,
        k=PAPERS.k,
        gain=PAPERS.gain,
        discount=PAPERS.discount,
        pool_depth=PAPERS.pool_depth,
        grade_words=PAPERS.grade_words,
        wording=PAPERS.wording,
        guidelines=PAPERS.guidelines,
        headline=PAPERS.headline,
    )

    assert (new.scale, new.gain, new.k, new.pool_depth) == ("1-5", "linear", 8, 8)


def test_what_could_make_a_paper_look_good_is_hidden():
    shown = {*PAPERS.query_columns, *PAPERS.document_columns}

    assert {"authors", "venue", "citations"} <= set(PAPERS.hidden_columns)
    assert not shown & set(PAPERS.hidden_columns)
