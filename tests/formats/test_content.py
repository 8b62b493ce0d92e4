import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.content import content_hash


def test_the_hash_is_the_sha256_of_the_normalised_text():
    expected = hashlib.sha256(b"a title\nsome text").hexdigest()

    assert content_hash("A  Title", " Some\n\ttext ") == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("ﬁle", "file"),
        ("１２", "12"),
        ("é", "e\u0301"),
        ("a\xa0b", "a b"),
        ("a\u2028b", "a b"),
    ],
)
def test_texts_that_differ_only_in_their_writing_agree(one, other):
    assert content_hash("", one) == content_hash("", other)


@pytest.mark.parametrize(("title", "text"), [("", ""), (" ", "\n\t"), ("\xa0", "\u2003")])
def test_nothing_is_equal_to_nothing_else(title, text):
    assert content_hash(title, text) is None


def test_title_and_text_are_told_apart():
    assert content_hash("a", "b") != content_hash("", "a b")
    assert content_hash("a", "") != content_hash("", "a")


@given(st.text(), st.text())
@pytest.mark.thorough
def test_blanks_around_a_text_change_nothing(title, text):
    assert content_hash(title, text) == content_hash(f" {title}\n", f"\t{text}  ")
