"""The same pages in another language: complete, never half, and chosen by whoever reads them."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from html import unescape
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from app.models import Person, Project
from app.services.projects.projects import GRADE_WORDS
from app.services.translations import CATALOGUES, LANGUAGES, SOURCE, WHOLE, catalogue_of
from app.web.grades import USUAL
from tests.furniture.extraction import sentences_in
from tests.furniture.rating import make_workshop, open_batch

ROOT = Path(__file__).parents[2]
GERMAN = {"Accept-Language": "de-AT,de;q=0.9"}
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def texts_of(found):
    return [found] if isinstance(found, str) else list(found)


def extracted(mapping, folder):
    """Return every sentence that what a mapping names says."""
    marks = re.search(r"^MARKED := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    found = folder / "messages.pot"
    command = [Path(sys.executable).parent / "pybabel", "-q", "extract", "-F", mapping, *marks]
    subprocess.run(
        [*command, "-o", found, "."],
        cwd=ROOT,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": "."},
    )
    with found.open("rb") as file:
        return [message for message in read_po(file) if message.id]


@pytest.fixture(scope="module")
def replies(tmp_path_factory):
    """Return what is to be translated, by language: what everybody reads, or all that pages say."""
    said = extracted("pyproject.toml", tmp_path_factory.mktemp("said"))
    return {
        language: extracted(CATALOGUES / language / "sentences.toml", tmp_path_factory.mktemp(language))
        if language in WHOLE
        else said
        for language in TRANSLATED
    }


@pytest.fixture
def reply(replies, language):
    """Return every sentence to be translated into a language."""
    return replies[language]


TRANSLATED = sorted(LANGUAGES.keys() - {SOURCE})


def test_every_module_with_sentences_of_pages_is_searched_for_them():
    mappings = tomllib.loads((CATALOGUES / "de" / "sentences.toml").read_text())["mappings"]
    patterns = [one["pattern"] for one in mappings]
    searched = {
        path for each in patterns if isinstance(each, list) for one in each for path in ROOT.glob(one)
    }

    marks = re.compile(r"\b(later|gettext|ngettext)\b")
    texts = {path: path.read_text() for path in (ROOT / "app").rglob("*.py")}
    modules = {
        path for path, text in texts.items() if "app.http.languages import" in text and marks.search(text)
    }
    assert len(modules) >= 50
    assert modules - searched == set()


@pytest.mark.thorough
@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated_and_no_value_is_lost(reply, language):
    catalogue = catalogue_of(language)
    problems = []
    for message in reply:
        found = catalogue.get(message.id if isinstance(message.id, str) else message.id[0])
        if found is None or not all(texts_of(found.string)):
            problems.append(f"not translated: {message.id}")
            continue
        wanted = set().union(*(PLACEHOLDER.findall(text) for text in texts_of(message.id)))
        for text in texts_of(found.string):
            # "One project" may do without its number.
            missing = (
                wanted
                - set(PLACEHOLDER.findall(text))
                - ({"num", "n"} if len(texts_of(message.id)) > 1 else set())
            )
            if missing or set(PLACEHOLDER.findall(text)) - wanted - {"num"}:
                problems.append(f"other values: {text}")
        if len(texts_of(found.string)) != (1 if isinstance(message.id, str) else 2):
            problems.append(f"other forms: {message.id}")

    assert problems == []
    assert len(reply) > 300


@pytest.mark.thorough
@pytest.mark.parametrize("language", TRANSLATED)
def test_the_catalogue_holds_no_sentence_that_nobody_says(reply, language):
    spoken = {texts_of(message.id)[0] for message in reply}
    kept = [message.id for message in catalogue_of(language) if message.id]

    assert [sentence for sentence in kept if texts_of(sentence)[0] not in spoken] == []


@pytest.mark.thorough
def test_the_extraction_finds_what_scripts_say_wherever_it_is_written(replies):
    spoken = {texts_of(message.id)[0] for message in replies["fr"]}
    scripts = " ".join(path.read_text() for path in (ROOT / "static" / "js").rglob("*.js"))

    said = set(re.findall(r'\bt\("([^"]+)"', scripts))
    assert len(said) > 50
    assert said - spoken == set()


@pytest.mark.thorough
def test_readers_of_files_give_values_beside_their_sentences():
    readers = [*(ROOT / "app/formats").glob("*.py"), *(ROOT / "app/services/collection").glob("*.py")]
    merged = [
        f"{path.name}: {ast.unparse(said)}"
        for path in readers
        for said in sentences_in(path.read_text())
        if isinstance(said, ast.JoinedStr)
    ]

    assert merged == []


def test_a_stranger_reads_what_the_browser_asks_for_and_switches(client):
    german = client.get("/sign-in", headers=GERMAN).text
    assert '<html lang="de"' in german
    assert "Es gibt noch kein Konto" in german
    assert 'value="en" lang="en">English</button>' in german

    reply = client.post("/language", data={"language": "en", "next": "/sign-in"})

    assert reply.location == "/sign-in"
    assert '<html lang="en"' in client.get("/sign-in", headers=GERMAN).text
    client.post("/language", data={"language": "xx"})
    assert '<html lang="en"' in client.get("/sign-in", headers=GERMAN).text


@pytest.mark.parametrize(
    ("asked", "language", "said"),
    [
        ("es-MX,es;q=0.9", "es", "Aún no hay ninguna cuenta."),
        ("fr-CA,fr;q=0.9", "fr", "Il n’y a pas encore de compte."),
    ],
)
def test_every_language_is_asked_for_by_the_browser_and_chosen_by_its_own_name(client, asked, language, said):
    page = client.get("/sign-in", headers={"Accept-Language": asked}).text

    assert f'<html lang="{language}"' in page
    assert said in page
    other = client.get("/sign-in", headers=GERMAN).text
    assert f'value="{language}" lang="{language}">{LANGUAGES[language]}</button>' in other


def test_refusals_are_said_in_the_language_of_the_page(client):
    refused = client.post("/sign-in", data={"email": "x"}, headers=GERMAN).text

    assert "Geben Sie Ihr Passwort ein." in refused
    assert "<title>Fehler" in refused
    wrong = client.post("/sign-in", data={"email": "x@example.org", "password": "wrong"}, headers=GERMAN).text
    assert "E-Mail-Adresse und Passwort passen nicht zusammen." in wrong


@pytest.fixture
def shop(making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=2)
        shop.ada.preferences = {"language": "de"}
        shop.owner.preferences = {"language": "de"}
        return shop


@pytest.mark.thorough
def test_every_page_of_an_annotator_follows_the_account(client_of, shop):
    ada, slug = client_of(shop.ada), shop.project.slug
    for path in (
        "/",
        "/help",
        f"/p/{slug}/rate/start",
        f"/p/{slug}/rate/done",
        f"/p/{slug}/rate/guidelines",
        f"/p/{slug}/rate/ratings",
        "/account",
        "/account/password",
        "/no-such-page",
    ):
        page = ada.get(path).text
        assert '<html lang="de"' in page, path
        for english in ("rating", "answers", "Sign out", "Your "):
            assert english not in re.sub(r"<[^>]*>|data-words=\"[^\"]*\"", " ", page.partition("<body")[2]), (
                path,
                english,
            )


def test_the_words_of_grades_are_translated_where_no_owner_wrote_others(client_of, shop, making):
    ada, path = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    page = open_batch(ada, path).text
    assert "Keine Hilfe" in page and "Wer fragt, könnte aufhören zu suchen." in page
    assert "No help" not in page
    usual = {entry[key] for scale in GRADE_WORDS.values() for entry in scale for key in ("word", "meaning")}
    assert usual == set(USUAL)

    with making() as make:
        project = make.session.get_one(Project, shop.project.id)
        project.grade_words = [{"word": f"Stufe {n}", "meaning": "Solves it"} for n in range(4)]
        project.options = {**project.options, "language": "fr"}
    page = open_batch(ada, path).text
    assert '<b lang="fr">Stufe 3.</b> <span lang="fr">Solves it</span>' in page
    assert '<span class="star__word" lang="fr">' in page


def test_the_rating_page_brings_the_words_of_its_scripts(client_of, shop):
    page = open_batch(client_of(shop.ada), f"/p/{shop.project.slug}/rate").text
    words = json.loads(unescape(re.search(r'data-words="([^"]*)"', page)[1]))

    assert "Wie gut hilft Antwort A?" in page
    # The table of keys: nouns keep their capitals.
    assert "<span>Liste der Tasten</span>" in page
    assert words["All ratings saved"] == "Alle Bewertungen gespeichert"
    assert words["%(n)s rating"] == ["%(n)s Bewertung", "%(n)s Bewertungen"]
    assert "data-words" not in open_batch(client_of(shop.bo), f"/p/{shop.project.slug}/rate").text


def test_a_sentence_with_values_is_translated_at_the_door(client_of, shop):
    reply = client_of(shop.ada).patch("/api/v1/session/preferences", json={"remap": {"next": "k"}})

    assert reply.json["detail"] == (
        "k kann nicht „nächste Antwort“ und „vorige Antwort“ zugleich bedeuten. Wählen Sie für eines davon eine andere Taste."
    )


SAID = {
    "import": "Import",
    "settings": "Einstellungen",
    "trail": "Wer was getan hat",
    "next": "Was als Nächstes bewertet wird",
    "review": "Prüfen",
    "quality": "Qualität",
    "questions": "Fragen",
    "export": "Export",
    "compare": "Noch nichts zu vergleichen",
}


def test_a_german_owner_reads_german_and_a_french_one_english(client_of, shop, making):
    owner, path = client_of(shop.owner), f"/p/{shop.project.slug}"
    for address, said in SAID.items():
        german = owner.get(f"{path}/{address}").text
        assert '<html lang="de"' in german and f"<h1>{said}</h1>" in german, address
        assert ">Abmelden<" in german, address

    with making() as make:
        make.session.get_one(Person, shop.owner.id).preferences = {"language": "fr"}
    for address in SAID:
        english = owner.get(f"{path}/{address}").text
        assert '<html lang="en"' in english and ">Sign out<" in english, address
        assert "Abmelden" not in english, address
