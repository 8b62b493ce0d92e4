"""The help about scores: every measure of the registry, as the registry says it, and every verdict word."""

from __future__ import annotations

from gettext import NullTranslations

from app.models import Person
from app.scoring.measures import MEASURES
from app.scoring.measures.names import on_screen
from app.web.help import CHOICES
from tests.furniture.words import text_of


def test_every_measure_is_there_with_its_names_its_meaning_its_formula_and_its_source(rated, client_of):
    text = text_of(client_of(rated.annotator).get("/help/measures").text)

    for measure in MEASURES:
        also = f" also {on_screen(', '.join(measure.aliases))}" if measure.aliases else ""
        usual = "" if measure.usual is None else f" (p is {measure.usual} where none is given)"
        message = (
            f"{on_screen(measure.pattern)}{also} {measure.meaning} {measure.formula}{usual} {measure.source}"
        )
        assert text_of(message) in text, measure.name


def test_what_is_defined_here_is_said_in_the_language_of_the_page(rated, client_of, monkeypatch):
    class Reversed(NullTranslations):
        def ugettext(self, sentence):
            return sentence[::-1] if sentence.startswith("Defined here") else sentence

    monkeypatch.setattr("app.http.languages._translations", lambda **_: Reversed())
    page = client_of(rated.annotator).get("/help/measures").text
    sources = [one.source for one in (*MEASURES, *(choice for _, held in CHOICES for choice in held))]
    own = [source for source in sources if source.startswith("Defined here")]

    assert len(own) > 3
    for source in own:
        assert f'<dd class="small muted">{source[::-1]}</dd>' in page
    assert "Defined here" not in page
    assert '<dd class="small muted" lang="en">Judged@k of ir_measures</dd>' in page


def test_every_choice_of_the_ruler_is_there_in_its_order_with_what_it_means(rated, client_of):
    text = text_of(client_of(rated.annotator).get("/help/measures").text)

    place = 0
    for _, choices in CHOICES:
        for choice in choices:
            message = " ".join(filter(None, (choice.title, choice.meaning, choice.formula, choice.source)))
            place = text.index(text_of(message), place)


def test_every_verdict_word_is_explained(rated, client_of):
    text = text_of(client_of(rated.annotator).get("/help/scores").text)

    words = ("Too early", "Sure", "Surely worse", "Probably better", "Probably worse", "Too close to call")
    for word in (*words, "Not sure yet", "Provisional"):
        assert word in text


def test_the_k_of_a_measure_is_said_to_be_the_number_in_its_name(rated, client_of):
    assert "(k is 5 in NDCG@5)" in text_of(client_of(rated.owner).get("/help/scores").text)


def test_how_often_sure_is_wrong_is_said(rated, client_of):
    text = text_of(client_of(rated.owner).get("/help/scores").text)

    assert "the verdict is still Sure about 1 time in 20" in text
    assert "about 1 time in 6 if you add questions and test again twenty times" in text


def test_what_differs_from_other_tools_and_when_a_range_is_shown_is_said(rated, client_of):
    text = text_of(client_of(rated.owner).get("/help/scores").text)

    measures = text_of(client_of(rated.owner).get("/help/measures").text)
    assert (
        "Rankers’ scores leave out questions rated with the lowest grade only, which trec_eval counts as 0."
        in measures
    )
    assert "“once all is rated” says how far unrated answers can still move the gap." in text
    assert "unrated (higher places weigh more), or the bounds" in text


def test_that_the_lowest_grade_gains_nothing_is_not_said_of_every_gain(rated, client_of):
    text = text_of(client_of(rated.owner).get("/help/scores").text)

    assert "The lowest grade usually gains nothing." in text


def test_what_declaring_ratings_finished_does_is_said_alike_where_it_is_chosen_and_where_it_is_explained(
    rated, client_of
):
    owner = client_of(rated.owner)

    for path in ("/help/scores", "/p/help-centre/settings"):
        text = text_of(owner.get(path).text)
        assert "they still count 0, but no verdict waits for them" in text


def test_the_help_is_short(rated, client_of):
    page = client_of(rated.owner).get("/help/scores").text
    main = text_of(page[page.index("<main") : page.index("</main>")])

    assert len(main.split()) <= 700


def test_whoever_only_annotates_is_led_to_nothing_about_scores(rated, client_of):
    for path in ("/", "/help", "/p/help-centre/rate/done"):
        assert "/help/scores" not in client_of(rated.annotator).get(path).text
    assert 'href="/help/scores"' in client_of(rated.owner).get("/help").text


def test_nobody_reads_the_help_before_signing_in_or_is_led_there(client):
    for path in ("/help", "/help/scores", "/help/measures"):
        assert client.get(path).location == f"/sign-in?next={path}"

    assert "/help" not in client.get("/sign-in").text


def test_the_keys_are_those_that_the_reader_has_chosen(rated, making, client_of):
    usual = text_of(client_of(rated.annotator).get("/help").text)
    for row in (
        "j, k next, previous answer",
        "c clear the rating",
        "u, Shift+u undo, redo",
        "n, f, e note, report",
    ):
        assert row in usual
    with making() as make:
        person = make.session.get_one(Person, rated.annotator.id)
        person.preferences = {"remap": {"next": "x"}}

    assert "x, k next, previous answer" in text_of(client_of(rated.annotator).get("/help").text)
