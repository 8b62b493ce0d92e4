"""What of a long answer is read at once: the passages with the question's words, else its beginning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.answer_text import SHOWN_AT_ONCE, plain_text, shown_text, words_to_highlight
from app.web.passages import passages

FILL = "Nothing about it is said in this sentence of a manual. "
LONG = "A manual for bicycles. " + FILL * 60 + "Squealing brakes need a drop of oil. " + FILL * 60
WORDS = ("squealing", "brakes")


def test_a_long_answer_shows_the_passage_with_the_words_and_opens_whole():
    shown = shown_text(LONG, is_markdown=False, words=WORDS)

    assert shown.has_passages
    assert shown.shown.startswith("A manual for bicycles.")
    assert "<mark>Squealing</mark> <mark>brakes</mark> need a drop of oil." in shown.shown
    assert " … " in shown.shown
    assert len(shown.shown.striptags()) <= SHOWN_AT_ONCE + 30
    assert shown.rest.striptags() == " ".join(LONG.split())


def test_a_long_markdown_answer_shows_the_blocks_with_the_words():
    text = LONG.replace(". ", ".\n\n")

    shown = shown_text(text, is_markdown=True, words=WORDS)

    assert shown.has_passages
    assert "<p><mark>Squealing</mark> <mark>brakes</mark> need a drop of oil.</p>" in shown.shown
    assert "<p>…</p>" in shown.shown
    assert shown.rest.count("<p>") == 122


@pytest.mark.parametrize(
    "text",
    [LONG.replace("Squealing brakes", "Quiet wheels"), "Squealing brakes. " + LONG, "Squealing brakes."],
)
def test_a_beginning_that_says_as_much_is_shown_and_followed_by_the_rest(text):
    shown = shown_text(text, is_markdown=False, words=WORDS)

    assert not shown.has_passages
    assert f"{shown.shown} {shown.rest}".replace("<mark>", "").replace("</mark>", "").split() == text.split()


@given(
    st.lists(
        st.sampled_from(["Brakes squeal. ", "Oil. ", "x" * 50 + " ", "line\n", "  code()\n"]), max_size=200
    )
)
def test_passages_are_parts_of_the_text_in_its_order_and_fit(parts):
    text = "".join(parts)

    found = passages(text, ("brakes", "oil"), 300)

    place = 0
    for passage in found:
        place = text.index(passage, place) + len(passage)
    assert sum(map(len, found)) <= 300 + 160


def test_code_and_tables_keep_their_shape():
    code = "def rate(answer):\n    return 3\n\nname   grade\nBo     2"

    shown = shown_text(code, is_markdown=False)

    assert shown.shown == code
    assert shown.is_aligned
    assert not shown_text("Two lines\nof plain words.", is_markdown=False).is_aligned


def test_a_long_text_is_folded_between_lines_that_keep_their_indentation():
    line = "    if squealing(brakes): oil()  # said at some length.\n"

    shown = shown_text(line * 60, is_markdown=False)

    assert shown.shown.startswith("    if")
    assert shown.rest.startswith("    if")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("See https://example.org/a(b)?c=1&d=2.", "https://example.org/a(b)?c=1&amp;d=2"),
        ("(http://example.org/brakes)", "http://example.org/brakes"),
    ],
)
def test_addresses_become_links_that_open_apart(text, address):
    html = plain_text(text, ("brakes",))

    assert f'<a href="{address}" target="_blank" rel="noreferrer noopener">{address}</a>' in html
    assert html.striptags() == text


@pytest.mark.parametrize("text", ["javascript:alert(1)", 'https://e.org/"onclick=x', "<https://e.org>"])
def test_no_address_becomes_anything_but_a_link(text):
    html = plain_text(text)

    assert html.count("<a ") == text.count("https://")
    assert 'href="javascript' not in html
    assert "onclick" not in html.partition("</a>")[0]


def test_owners_add_words_and_leave_words_out():
    words = words_to_highlight("How do brakes squeal?", more=("Disc brake",), never=("Squeal",))

    assert words == ("disc brake", "brakes")
    assert "<mark>disc brake</mark>" in plain_text("A disc brake", words)
