"""In which language a page is: the account's, the cookie's, or what the browser asks for.

Pages that are not translated are in English and say so (`lang="en"`), the frame around them included: a
page is never half in one language and half in another. Inside a project its own words for questions and
answers take the place of the usual ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from babel.support import NullTranslations
from flask import Flask, g, has_request_context, request
from flask_babel import Babel, Domain
from flask_babel.speaklater import LazyString
from markupsafe import Markup, escape

from app.models import Project
from app.sentences import COUNTS, Message, capitalised, no_text_message
from app.services.projects.words import USUAL, ProjectWords
from app.services.translations import (
    LANGUAGES,
    SOURCE,
    WHOLE,
    WORDINGS_KEPT,
    catalogue_of,
    locale_of,
    translations_of,
    worded_translations,
)

COOKIE = "language"
TRANSLATED_ROOMS = {"auth", "judging"}
TRANSLATED_PAGES = {"projects.home", "help.index"}
# Owners' rooms and pages that every sentence of a whole language is written for.
OWNERS_ROOMS: set[str] = {
    "accounts",
    "compare",
    "dashboard",
    "help.measures",
    "help.scores",
    "imports",
    "projects",
    "next_answers",
    "queries",
    "quality",
    "rankers",
    "review",
}
THOUSAND = 1000
SENTENCES_KEPT = 10_000


def install(app: Flask) -> None:
    """Let templates and views translate."""
    babel = Babel(app, locale_selector=current_language, default_locale=SOURCE)
    babel.domain_instance = Catalogues()
    # Templates take a translation for markup of the product; what an owner wrote in it is escaped before.
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]  # comes with the extension
        gettext=lambda message: _translations(for_markup=True).ugettext(message),
        ngettext=lambda one, many, num: _translations(for_markup=True).ungettext(one, many, num),
        newstyle=True,
    )
    # The extension's own goes through the page's context three times, and a page says hundreds of sentences.
    app.jinja_env.globals["_"] = _say
    app.jinja_env.globals["ngettext"] = _count
    app.jinja_env.globals |= {"translated": translated, "plainly": plainly, "written_number": written_number}
    app.jinja_env.globals["no_text_message"] = no_text_message
    app.jinja_env.filters["listed"] = listed
    app.context_processor(words_for_pages)


def listed(names: Sequence[str]) -> Markup:
    """Return names as a list in the page’s language: “A, B and C”. Each keeps its own direction."""
    from babel.lists import format_list

    parts = [Markup('<span dir="auto">{}</span>').format(name) for name in names]
    # Without a comma before "and", as everywhere on the pages.
    return Markup(format_list(parts, locale=locale_of(current_language())))  # noqa: S704


class Catalogues(Domain):  # type: ignore[misc]
    """Translations compiled in memory: a text file cannot be newer than what is used."""

    def get_translations(self) -> NullTranslations:
        """Return the translations of the request's language, in the words of its project."""
        return _translations(for_markup=False)


@cache
def direction_of(language: str) -> str:
    """Return in which direction a language is written, as the attribute `dir` wants it."""
    from babel import Locale

    return "ltr" if language == SOURCE else str(Locale.parse(language).text_direction)


class Later(LazyString):  # type: ignore[misc]  # the library has no types
    """A sentence that is said when it is shown; words of an owner in it are no markup."""

    def __html__(self) -> str:
        """Return the sentence for a page."""
        return str(escape(str(self)))


def later(sentence: str, **values: object) -> Later:
    """Return a sentence to be said in the language and the words of the request that shows it."""
    return Later(gettext, sentence, **values)


def plainly(sentence: str) -> LazyString:
    """Return a sentence to be said in the usual words, whatever a project calls its questions and answers."""
    return LazyString(lambda: str(translations_of(current_language()).ugettext(sentence)))


def _say(message: str, **values: object) -> Markup:
    """Return a sentence of a template in the language and the words of the page."""
    pattern = _translations(for_markup=True)
    return Markup(pattern.ugettext(message)) % values if values else _said(pattern, message)  # noqa: S704


def _count(one: str, many: str, num: int, **values: object) -> Markup:
    """Return a sentence with a number in it, its thousands separated as the language of the page does."""
    pattern = _translations(for_markup=True).ungettext(one, many, num)
    counts = {name: written_number(value) for name, value in {"num": num, **values}.items() if name in COUNTS}
    return Markup(pattern) % {**values, **counts}  # noqa: S704 - written here, or escaped


def gettext(sentence: str, **values: object) -> str:
    """Return a sentence for a message, a form or a value, where `_say` is for templates."""
    pattern = str(_translations(for_markup=False).ugettext(sentence))
    return pattern % values if values else pattern


def ngettext(one: str, many: str, num: int, **values: object) -> str:
    """Return a sentence with a number in it for a message or a form, where `_count` is for templates."""
    pattern = _translations(for_markup=False).ungettext(one, many, num)
    counts = {name: written_number(value) for name, value in {"num": num, **values}.items() if name in COUNTS}
    return str(pattern) % {**values, **counts}


def written_number(value: object) -> object:
    """Return a whole number as the language of the page writes it; everything else as it is."""
    if not isinstance(value, int) or abs(value) < THOUSAND:
        return value
    from babel.numbers import format_decimal

    return format_decimal(value, locale=current_language())


@lru_cache(SENTENCES_KEPT)
def _said(translations: NullTranslations, message: str) -> Markup:
    return Markup(translations.ugettext(message)) % {}  # noqa: S704 - written here, or escaped


def _translations(*, for_markup: bool) -> NullTranslations:
    # A page says hundreds of sentences: what it says them with is looked up once.
    name = "translations_for_markup" if for_markup else "translations"
    try:
        kept = g.get(name)
    except RuntimeError:  # outside of a request and of the application
        kept = None
    if kept is None:
        words = current_words()
        kept = worded_translations(current_language(), _escaped(words) if for_markup else words)
        if has_request_context() and g.get("access") is not None:
            setattr(g, name, kept)
    return cast("NullTranslations", kept)


@lru_cache(WORDINGS_KEPT)
def _escaped(words: ProjectWords) -> ProjectWords:
    return words.each(lambda word: str(escape(word)))


def current_words() -> ProjectWords:
    """Return the words of the project that the request is about; the examples of the product keep theirs."""
    access = g.get("access") if has_request_context() else None
    if access is None:
        return USUAL
    if "words" not in g:
        g.words = ProjectWords.of(access.project.wording)
    return cast("ProjectWords", g.words)


def use_usual_words() -> None:
    """Let a page say question and answer whatever its project calls them: for the product's own examples."""
    g.words = USUAL


def words_for_pages() -> dict[str, Callable[..., Any]]:
    """Return how templates say English sentences in the words of a project, this one or a given one."""
    return {"own": current_words().reworded, "own_of": own_of, "in_words_of": in_words_of}


def own_of(project: Project, sentence: str) -> str:
    """Return a sentence of the services in the language of the page and the words of a project."""
    words = ProjectWords.of(project.wording)
    return _translated(sentence, worded_translations(current_language(), words))


def in_words_of(project: Project) -> Callable[..., str]:
    """Return `ngettext` in the words of a project, for pages about several of them."""
    translations = worded_translations(current_language(), ProjectWords.of(project.wording))

    def say(one: str, many: str, num: int, **values: object) -> str:
        counts = {name: written_number(value) for name, value in {"num": num, **values}.items()}
        return str(translations.ungettext(one, many, num)) % counts

    return say


def script_words(language: str) -> dict[str, str | list[str]]:
    """Return what scripts say here, by the English words; several forms where a number decides."""
    return _script_words(language, current_words())


@lru_cache(WORDINGS_KEPT)
def _script_words(language: str, own: ProjectWords) -> dict[str, str | list[str]]:
    if language == SOURCE and not own.are_own:
        return {}
    translations = worded_translations(language, own)
    words: dict[str, str | list[str]] = {}
    # Every catalogue lists what scripts say.
    for message in catalogue_of(next(each for each in LANGUAGES if each != SOURCE)):
        if not any(path.startswith("static/") for path, _ in message.locations):
            continue
        if isinstance(message.id, str):
            words[message.id] = str(translations.ugettext(message.id))
        else:
            one, many = message.id[0], message.id[1]
            words[one] = [str(translations.ungettext(one, many, number)) for number in (1, 2)]
    return words


def current_language() -> str:
    """Return the language of this request."""
    if not has_request_context():
        return SOURCE
    if "language" not in g:
        language = chosen_language()
        g.language = language if _is_translated(language) else SOURCE
    return cast("str", g.language)


def chosen_language() -> str:
    """Return the language that the visitor wants, whether or not this page is translated."""
    from app.http.identity import current_identity

    identity = current_identity()
    wanted = (identity.preferences.get("language") if identity else None) or request.cookies.get(COOKIE)
    if wanted in LANGUAGES:
        return wanted
    return request.accept_languages.best_match(LANGUAGES) or SOURCE


def translated(sentence: str) -> str:
    """Return a sentence of the services in the language of the request."""
    return _translated(sentence, _translations(for_markup=False))


def _translated(sentence: str, translations: NullTranslations) -> str:
    if not isinstance(sentence, Message) or not sentence.values:
        return str(translations.ugettext(sentence)) if sentence else ""
    pattern = (
        translations.ungettext(sentence.pattern, sentence.many, sentence.values["num"])
        if sentence.many
        else translations.ugettext(sentence.pattern)
    )
    return str(pattern) % {
        name: _translated_value(name, value, translations) for name, value in sentence.values.items()
    }


def _translated_value(name: str, value: object, translations: NullTranslations) -> object:
    if isinstance(value, list):
        return ", ".join(str(_translated_value("", each, translations)) for each in value)
    if isinstance(value, Message):
        value = _translated(value, translations)
    if name[:1].isupper():
        return capitalised(str(value))
    return written_number(value) if name in COUNTS else value


def _is_translated(language: str) -> bool:
    endpoint = request.endpoint or ""
    room = request.blueprint or ""
    if not endpoint or room in TRANSLATED_ROOMS or room.startswith("api") or endpoint in TRANSLATED_PAGES:
        return True
    return language in WHOLE and not OWNERS_ROOMS.isdisjoint((room, endpoint))
