"""Translations with a project's own words for its questions and answers in them."""

from __future__ import annotations

from babel.support import NullTranslations

from app.services.projects.words import ProjectWords, is_label


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
