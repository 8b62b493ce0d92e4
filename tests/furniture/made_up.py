"""A made-up language, written from right to left: every sentence of the product in letters of no English word.

Whatever is still in Latin letters on a page was never given to the translations. It has the tag of a real
language, so that dates are written and browsers turn the page, and says nothing in it.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

import pytest
from babel.support import NullTranslations

from app.http import languages
from app.services import translations

if TYPE_CHECKING:
    from collections.abc import Iterator

TAG = "he"
FIRST_LETTER = 0x5D0
LETTERS = {letter: chr(FIRST_LETTER + number) for number, letter in enumerate(ascii_lowercase)}
# Values, marks and names of characters stay: %(name)s, <b>, &amp;.
KEPT = re.compile(r"(%\(\w+\)s|%%|<[^>]*>|&\w+;)")


def in_made_up(sentence: str) -> str:
    """Return a sentence in the letters of the made-up language, its values left in place."""
    parts = KEPT.split(sentence)
    # Every second part is one that stays.
    return "".join(
        part if number % 2 else "".join(LETTERS.get(letter.lower(), letter) for letter in part)
        for number, part in enumerate(parts)
    )


class MadeUp(NullTranslations):
    """Translations into the made-up language."""

    def ugettext(self, message: str) -> str:
        return in_made_up(message)

    def ungettext(self, one: str, many: str, number: int) -> str:
        return in_made_up(one if number == 1 else many)

    gettext, ngettext = ugettext, ungettext


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Offer the made-up language and return its tag; accounts that chose it read it."""
    real, made = translations.translations_of, MadeUp()
    monkeypatch.setattr(translations, "translations_of", lambda tag: made if tag == TAG else real(tag))
    monkeypatch.setitem(translations.LANGUAGES, TAG, in_made_up("Made up"))
    translations.WHOLE.add(TAG)
    yield TAG
    translations.WHOLE.discard(TAG)
    for kept in (translations.worded_translations, languages._script_words, languages._said):
        kept.cache_clear()
