"""What is said in which language, for pages and e-mails, with a project's own words in it.

Catalogues are read from their text files when first needed.
"""

from __future__ import annotations

from functools import cache, lru_cache
from io import BytesIO

from babel.messages.catalog import Catalog
from babel.support import NullTranslations

from app.services.projects.words import ProjectWords, is_label
from config import ROOT

# Each is named in itself, so that its readers can read it.
LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
SOURCE = "en"
# Languages in which owners' pages are written too; the others have what annotators and visitors read.
WHOLE = {"de"}
CATALOGUES = ROOT / "app" / "translations"
# Owners may change their words as often as they like.
WORDINGS_KEPT = 100


def locale_of(language: str) -> str:
    """Return how dates and lists are written in a language; English is British, as in js/lib/dates.js."""
    return "en_GB" if language == SOURCE else language


class WordedTranslations(NullTranslations):
    """Translations of one language, reworded where its grammar allows it.

    Parameters
    ----------
    base
        The language as it is translated.
    whole
        Whether whole sentences can be reworded, as in English; elsewhere labels alone are.
    """

    def __init__(self, base: NullTranslations, words: ProjectWords, *, whole: bool) -> None:
        super().__init__()
        self._base, self._words, self._whole = base, words, whole
        self._translations: dict[str, str] = {}

    def ugettext(self, message: str) -> str:
        """Return a sentence in the project's words."""
        translation = self._translations.get(message)
        if translation is None:
            own = self._whole or is_label(message)
            translation = self._words.reworded(message) if own else str(self._base.ugettext(message))
            self._translations[message] = translation
        return translation

    def ungettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form of a sentence for a number, in the project's words."""
        if self._whole or is_label(msgid1):
            return self._words.reworded(msgid1 if n == 1 else msgid2)
        return str(self._base.ungettext(msgid1, msgid2, n))


@cache
def translations_of(language: str) -> NullTranslations:
    """Return the translations of a language; of English, the source, none are needed."""
    from babel.messages.mofile import write_mo
    from babel.support import NullTranslations, Translations

    if language == SOURCE:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, catalogue_of(language))
    compiled.seek(0)
    return Translations(compiled)


def catalogue_of(language: str) -> Catalog:
    """Return the catalogue of a language as it is written."""
    from babel.messages.pofile import read_po

    with (CATALOGUES / language / "messages.po").open("rb") as file:
        return read_po(file, locale=language)


@lru_cache(WORDINGS_KEPT)
def worded_translations(language: str, words: ProjectWords) -> NullTranslations:
    """Return the translations of a language with a project's words in them."""
    base = translations_of(language)
    return WordedTranslations(base, words, whole=language == SOURCE) if words.are_own else base
