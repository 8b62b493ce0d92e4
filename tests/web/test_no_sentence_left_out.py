"""No sentence is left out: in the made-up language every page in other languages holds no English word."""

import re
from html.parser import HTMLParser

import pytest
from sqlalchemy import select

from app.models import Document, Person, Query
from app.services.translations import LANGUAGES
from tests.furniture.crawler import Crawler
from tests.furniture.made_up import in_made_up
from tests.furniture.rating import make_workshop, open_batch
from tests.web.judging.test_rating_page import answers_of, press

SIGN_OUT = ("/sign-out", "/account/sign-out-everywhere", "/language", "/account/tokens")
SPOKEN = ("aria-label", "alt", "title", "placeholder", "aria-description", "label")
# Names of the product and of keys, and what stands for a time zone.
NAMES = {"Touchstone", "UTC", "Ctrl", "Alt", "Meta", "Shift", "Enter", "Esc", "Markdown", "API"}
UNSPOKEN = {"script", "style", "kbd", "code"}
# Letters with accents divide a word, names of languages too.
LATIN = re.compile(r"[A-Za-z]{2,}")


class Spoken(HTMLParser):
    """Collects what a page says: its texts, and attributes that are read aloud."""

    def __init__(self, html):
        super().__init__()
        self.found, self._silent = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self._silent += tag in UNSPOKEN
        self.found += [value for name, value in attributes if name in SPOKEN and value]

    def handle_endtag(self, tag):
        self._silent -= tag in UNSPOKEN

    def handle_data(self, text):
        if not self._silent:
            self.found.append(text)


def english_in(html):
    """Return the words of a page in Latin letters that are no names, each with what stands around it."""
    known = NAMES | {word for name in LANGUAGES.values() for word in LATIN.findall(name)}
    return [
        (word, " ".join(text.split())[:80])
        for text in Spoken(html).found
        for word in LATIN.findall(re.sub(r"\S+@\S+", "", text))
        if word not in known
    ]


@pytest.fixture
def shop(making, made_up):
    """Give a project in which all that people have written is in Greek letters, and an annotator with the language."""
    with making() as make:
        shop = make_workshop(
            make, queries=3, answers=3, name="Έργο", guidelines="# Βαθμοί\n\nΜόνο αυτό.", slug="shop"
        )
        for number, query in enumerate(make.session.scalars(select(Query))):
            query.text, query.intent = f"Ερώτηση {number};", "Γιατί ρωτάει;"
        for number, document in enumerate(make.session.scalars(select(Document))):
            document.title, document.text = (
                f"Τίτλος {number}",
                f"Κείμενο {number}. " * (100 if number % 2 else 1),
            )
        for person in make.session.scalars(select(Person)):
            person.name, person.preferences = "Άντα Μπάιρον", {"language": made_up, "goal": 2}
        return shop


def test_values_and_marks_stay_in_the_made_up_language():
    assert in_made_up("A <b>%(n)s</b> &amp; B") == "א <b>%(n)s</b> &amp; ב"


def test_english_is_found_where_a_sentence_is_left_out():
    assert english_in('<p>Save</p><img alt="Logo"><kbd>Esc</kbd><script>let go</script>') == [
        ("Save", "Save"),
        ("Logo", "Logo"),
    ]


def test_the_pages_of_an_annotator_say_no_english_word(client_of, shop):
    ada = client_of(shop.ada)
    page = open_batch(ada, "/p/shop/rate").text
    assert '<html lang="he" dir="rtl"' in page
    press(ada, page, f"answers/{answers_of(page)[0]}", grade="2")

    for path in (
        "/p/shop/rate/1",
        "/",
        "/account",
        *(f"/p/shop/rate/{name}" for name in ("done", "start", "ratings")),
    ):
        assert english_in(ada.get(path).text) == [], path


@pytest.mark.thorough
def test_nothing_that_an_annotator_can_reach_says_an_english_word(client_of, shop):
    starts = ("/", "/help", "/account", "/p/shop/rate", "/p/shop/rate/done", "/no-such-page")
    answers = Crawler(client_of(shop.ada), shunned=SIGN_OUT).crawl(*starts, most=90)

    pages = [one for one in answers if b"<html" in one.everything and b'lang="he"' in one.everything]
    left = {}
    for one in pages:
        html = one.everything.decode().partition("<!doctype html>")[2]
        for word, around in english_in(html):
            left.setdefault((word, around), one.asked)
    assert left == {}
    asked = " ".join(one.asked for one in pages)
    for address in ("get / ", "/rate/1", "/rate/done", "/rate/start", "/rate/guidelines", "/rate/ratings"):
        assert address in asked


def test_no_page_of_a_stranger_says_an_english_word(client, made_up):
    client.set_cookie("language", made_up)

    for reply in (client.get("/sign-in"), client.post("/sign-in", data={"email": "x"})):
        assert 'dir="rtl"' in reply.text
        assert english_in(reply.text) == []
