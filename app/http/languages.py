"""In which language a page speaks: the account's, the cookie's, or what the browser asks for.

Pages that are not translated speak English and say so (`lang="en"`), the frame around them included: a
page is never half in one language and half in another. Catalogues are read from their text files when first
needed.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, cast

from flask import g, has_request_context, request
from flask_babel import Babel, Domain, gettext

from app.services.sentences import Sentence
from config import ROOT

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog
    from babel.support import NullTranslations
    from flask import Flask

# Each named in itself: whoever needs it can read it.
LANGUAGES = {"en": "English", "de": "Deutsch"}
SOURCE = "en"
CATALOGUES = ROOT / "app" / "translations"
COOKIE = "language"
TRANSLATED_ROOMS = {"auth", "judging"}
TRANSLATED_PAGES = {"projects.home"}


def install(app: Flask) -> None:
    """Let templates and doors translate."""
    babel = Babel(app, locale_selector=current_language, default_locale=SOURCE)
    babel.domain_instance = Catalogues()


class Catalogues(Domain):  # type: ignore[misc]
    """Translations compiled in memory: a text file cannot be newer than what is used."""

    def get_translations(self) -> NullTranslations:
        """Return the translations of the request's language."""
        return translations_of(current_language())


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


@cache
def script_words(language: str) -> dict[str, str | list[str]]:
    """Return what scripts say in a language, by the English words; several forms where a number decides."""
    if language == SOURCE:
        return {}
    words: dict[str, str | list[str]] = {}
    for message in catalogue_of(language):
        if message.string and any(path.startswith("static/") for path, _ in message.locations):
            one = message.id if isinstance(message.id, str) else message.id[0]
            said = message.string
            words[one] = said if isinstance(said, str) else list(said)
    return words


def current_language() -> str:
    """Return the language of this request."""
    if not has_request_context():
        return SOURCE
    if "language" not in g:
        g.language = chosen_language() if _is_translated() else SOURCE
    return cast("str", g.language)


def chosen_language() -> str:
    """Return the language that whoever asks wants, whether or not this page is translated."""
    from app.http.identity import current_identity

    identity = current_identity()
    wanted = (identity.preferences.get("language") if identity else None) or request.cookies.get(COOKIE)
    if wanted in LANGUAGES:
        return wanted
    return request.accept_languages.best_match(LANGUAGES) or SOURCE


def translated(sentence: str) -> str:
    """Return a sentence of the services in the language of the request."""
    if isinstance(sentence, Sentence):
        values = {
            name: translated(value) if isinstance(value, Sentence) else value
            for name, value in sentence.values.items()
        }
        return str(gettext(sentence.pattern)) % values if values else str(gettext(sentence.pattern))
    return str(gettext(sentence))


def _is_translated() -> bool:
    endpoint = request.endpoint or ""
    room = request.blueprint or ""
    return not endpoint or room in TRANSLATED_ROOMS or room.startswith("api") or endpoint in TRANSLATED_PAGES
