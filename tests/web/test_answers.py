"""Answers as HTML: plain or Markdown, folded, with the question's words marked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.answer_text import SHOWN_AT_ONCE, WORTH_FOLDING, highlighted, shown_text, words_to_highlight


def words_of(html):
    return re.sub(r"<[^>]+>", " ", html).split()


def test_markdown_in_a_plain_answer_stays_what_it_is():
    assert shown_text("**a** <b>", is_markdown=False).shown == "**a** &lt;b&gt;"


def test_a_markdown_answer_is_rendered_and_its_links_open_apart():
    html = shown_text("# One\n\n- **two** [three](https://example.org) ![x](/x.png)", is_markdown=True).shown

    assert "<h3>One</h3>" in html
    assert "<strong>two</strong>" in html
    assert 'rel="noreferrer noopener"' in html
    assert 'target="_blank"' in html
    assert "<img" not in html


def test_a_long_markdown_answer_is_folded_between_blocks():
    text = "\n\n".join(f"Paragraph **{n}** with {'words ' * 40}" for n in range(12))

    shown, rest, *_ = shown_text(text, is_markdown=True)

    assert shown.count("<p>") + rest.count("<p>") == 12
    assert 1 <= shown.count("<p>") < 12


@given(
    st.lists(
        st.sampled_from(["Word one.", "**bold text**", "[link](https://e.org)", "`x`", "two\nlines"]),
        max_size=300,
    )
)
def test_no_word_of_one_long_paragraph_is_lost_or_left_open(parts):
    text = " ".join(parts)
    whole = shown_text(text, is_markdown=True)

    assert words_of(whole.shown) + words_of(whole.rest) == words_of(
        "".join(shown_text(part, is_markdown=True).shown for part in parts)
    )
    for html in whole[:2]:
        assert html.count("<strong>") == html.count("</strong>")
    assert len(" ".join(words_of(whole.shown))) <= SHOWN_AT_ONCE + WORTH_FOLDING + 60


def test_the_words_of_the_question_are_marked_whatever_their_case():
    words = words_to_highlight("How do the BRAKES squeal? <b>")

    assert words == ("brakes", "squeal")
    assert highlighted("Brakes & brakeshoes squeal", words) == (
        "<mark>Brakes</mark> &amp; brakeshoes <mark>squeal</mark>"
    )
    assert shown_text("# Brakes\n\nThey **squeal**", is_markdown=True, words=words).shown.count("<mark>") == 2


@pytest.mark.parametrize(
    "text", ["<script>squeal</script>", "[squeal](javascript:squeal)", "![squeal](//e.org)"]
)
@pytest.mark.parametrize("is_markdown", [False, True])
def test_marking_opens_no_door(text, is_markdown):
    html = shown_text(text, is_markdown=is_markdown, words=("squeal", "script")).shown

    assert not re.search(r"<(?!/?(p|mark|a)\b)|javascript:[^<]*\"", html)
