"""The page of a question: its answers can be read, its words edited, and it can be retired and restored."""

from __future__ import annotations

import re

import pytest

from app.models import Document, Event, Query
from app.services.collection.queries import CONTENT
from tests.web.conftest import Rated

URL = "/p/help-centre/questions"


@pytest.fixture
def address(rated: Rated) -> str:
    return f"{URL}/{rated.queries[0].id}"


@pytest.fixture
def viewer(rated: Rated, making, client_of):
    with making() as make:
        person = make.member(make.session.merge(rated.project), "viewer")
    return client_of(person)


def stored_query(stored, rated, place=0):
    with stored.read() as session:
        return session.get(Query, rated.queries[place].id)


def test_every_answer_can_be_read_with_address_fields_and_grades(client_of, rated, address, stored):
    with stored.write() as session:
        document = session.get(Document, rated.candidates[0].document_id)
        document.text, document.url = "Turn it <off>.", "https://example.org/help"
        document.extra = {"team": "Support", "format": "text"}

    page = client_of(rated.owner).get(address).text

    assert "Turn it &lt;off&gt;." in page
    assert 'href="https://example.org/help" target="_blank" rel="noreferrer noopener"' in page
    assert '<dt dir="auto">team</dt><dd dir="auto">Support</dd>' in page
    assert '<dt dir="auto">format</dt>' not in page
    assert re.search(r"Anna Annotator</span>:\s*3", page)
    assert page.count('<summary class="sum" dir="auto">') == 3


def test_an_address_that_is_no_web_address_is_no_link(client_of, rated, address, stored):
    with stored.write() as session:
        session.get(Document, rated.candidates[0].document_id).url = "javascript:alert(1)"

    page = client_of(rated.owner).get(address).text

    assert "javascript:alert(1)" in page
    assert 'href="javascript' not in page


def test_only_what_is_unrated_can_be_asked_for(client_of, rated, viewer):
    owner = client_of(rated.owner)
    unrated = f"{URL}/{rated.queries[-1].id}"

    assert (
        owner.get(unrated).text.count(">Have it rated first<") == 4
    )  # the question, and each of three answers
    assert ">Have it rated first<" not in owner.get(f"{URL}/{rated.queries[0].id}").text
    assert ">Have it rated first<" not in viewer.get(unrated).text


@pytest.mark.thorough
def test_the_weight_is_edited_shown_and_beside_the_score(client_of, rated, address, stored):
    owner = client_of(rated.owner)
    words = {"text": stored_query(stored, rated).text, "intent": "", "tags": ""}
    assert 'name="weight" type="text" value="1"' in owner.get(f"{address}/edit").text
    assert "Weighted mean" not in owner.get("/p/help-centre/").text

    for wrong in ("0", "-2", "much", "nan"):
        assert "Give a number above 0" in owner.post(f"{address}/edit", data=words | {"weight": wrong}).text
    before = re.findall(r'<span class="big">\d+</span>', owner.get(address).text)
    owner.post(f"{address}/edit", data=words | {"weight": " 2.5 "})

    assert stored_query(stored, rated).weight == 2.5
    assert "weight 2.5" in owner.get(address).text
    assert "Weighted mean" in owner.get("/p/help-centre/").text
    assert re.findall(r'<span class="big">\d+</span>', owner.get(address).text) == before != []
    owner.post(f"{address}/edit", data=words | {"text": "Other words"})
    assert stored_query(stored, rated).weight == 2.5


def test_saving_the_form_as_it_is_shown_changes_nothing(client_of, rated, address, stored):
    owner = client_of(rated.owner)
    owner.post(
        f"{address}/edit", data={"text": "Line one", "intent": "to know", "tags": "a; b", "weight": "2.5"}
    )
    shown = owner.get(f"{address}/edit").text
    fields = dict(re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', shown))
    fields |= dict(re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>\s*([^<]*)<', shown))
    fields = {name: value for name, value in fields.items() if name not in {"csrf_token", "next"}}

    assert set(fields) == set(CONTENT)
    assert "Nothing was changed." in owner.post(f"{address}/edit", data=fields, follow_redirects=True).text


def test_an_edit_after_ratings_warns_and_keeps_the_earlier_words(client_of, rated, address, stored):
    owner, before = client_of(rated.owner), stored_query(stored, rated).text

    form = owner.get(f"{address}/edit").text
    saved = owner.post(
        f"{address}/edit", data={"text": "How is it repaired?", "intent": "", "tags": "bikes; wheels"}
    )

    page, query = owner.get(address).text, stored_query(stored, rated)
    assert "3 ratings were given for this question" in form
    assert saved.status_code == 302
    assert (query.text, query.tags) == ("How is it repaired?", ["bikes", "wheels"])
    assert "As it was before (1)" in page
    assert before in page
    assert 'changed by <span dir="auto">Olga Owner</span>' in page


def test_an_edit_without_ratings_does_not_warn(client_of, rated):
    assert (
        "given for this question" not in client_of(rated.owner).get(f"{URL}/{rated.queries[-1].id}/edit").text
    )


@pytest.mark.parametrize("text", ["", "   ", "x" * 20_001])
def test_words_that_cannot_be_stored_are_refused_on_the_form(client_of, rated, address, stored, text):
    refused = client_of(rated.owner).post(f"{address}/edit", data={"text": text, "intent": "", "tags": ""})

    assert refused.status_code == 200
    assert 'class="err"' in refused.text
    assert stored_query(stored, rated).text == rated.queries[0].text


@pytest.mark.parametrize("tags", ["a; " + "x" * 201, "a\tb"])
def test_tags_that_no_file_could_hold_are_refused_on_the_form(client_of, rated, address, stored, tags):
    refused = client_of(rated.owner).post(
        f"{address}/edit", data={"text": "New?", "intent": "", "tags": tags}
    )

    assert "A tag holds at most 200 characters" in refused.text
    assert stored_query(stored, rated).text == rated.queries[0].text


def test_a_question_with_nothing_left_to_rate_waits_for_no_score(client_of, rated, making):
    with making() as make:
        for candidate in rated.candidates[-3:-1]:
            make.judgment(candidate, rated.annotator, 0)
    address = f"{URL}/{rated.candidates[-1].query_id}"
    waiting = client_of(rated.owner).get(address).text
    with making() as make:
        make.judgment(rated.candidates[-1], rated.annotator, 0)
    done = client_of(rated.owner).get(address).text

    assert "No score yet" in waiting
    assert "No score yet" not in done
    assert "No score" in done


@pytest.mark.parametrize(("typed", "weight"), [("1,5", 1.5), ("0,125", 0.125), ("1,000", None)])
def test_a_weight_may_have_a_decimal_comma(client_of, rated, address, stored, typed, weight):
    words = {"text": "Line one", "intent": "", "tags": "", "weight": typed}

    answer = client_of(rated.owner).post(f"{address}/edit", data=words)

    # A comma before three digits may part thousands.
    assert ("Give a number above 0" in answer.text) == (weight is None)
    assert stored_query(stored, rated).weight == (weight or 1)


def test_a_question_is_retired_and_restored_from_its_page(client_of, rated, address, stored):
    owner = client_of(rated.owner)

    owner.post(f"{address}/state", data={"turn": "retire"})
    retired, listed = owner.get(address).text, owner.get(f"{URL}?state=retired").text
    everything = owner.get(URL).text
    owner.post(f"{address}/state", data={"turn": "restore"})

    assert "Restore this question" in retired
    assert "No score while it is retired" in retired
    assert "has the lowest grade" not in retired
    assert "How do I mend q00?" in listed
    assert "How do I mend q00?" not in everything
    assert stored_query(stored, rated).retired_revision is None
    assert "Retire this question" in owner.get(address).text


def test_only_owners_change_a_question_of_their_own_project(client_of, rated, address, making, viewer):
    with making() as make:
        foreign = make.query(make.project(name="Other", slug="other"), "x1")
    owner = client_of(rated.owner)

    for path in (f"{URL}/{foreign.id}/edit", f"{URL}/{10**18}/edit"):
        assert owner.get(path).status_code == 404
    assert viewer.get(f"{address}/edit").status_code == 404
    assert viewer.post(f"{address}/state", data={"turn": "retire"}).status_code == 404
    assert "Retire this question" not in viewer.get(address).text


def test_every_ranker_has_a_column_and_every_matching_question_a_square(client_of, rated):
    owner = client_of(rated.owner)

    everything, found = owner.get(URL).text, owner.get(f"{URL}?q=q03").text

    assert re.findall(r'<span dir="auto">(Forward|Backward)</span></th>', everything) == [
        "Forward",
        "Backward",
    ]
    assert everything.count('<path class="cell"') == 12
    assert 'aria-label="How do I mend q03?: fully rated"' in everything
    assert found.count('<path class="cell"') == 1


def test_an_unknown_turn_changes_nothing(client_of, rated, address, stored):
    client_of(rated.owner).post(f"{address}/state", data={"turn": "explode"})

    with stored.read() as session:
        kinds = {event.kind for event in session.query(Event)}
    assert not kinds & {"query_retired", "query_restored"}


def as_sent(page: str) -> dict[str, str]:
    """Return what a browser sends of the form as it is shown."""
    main = page[page.index("<main") :]
    fields = dict(re.findall(r'<input[^>]* name="([\w-]+)"[^>]* value="([^"]*)"', main))
    fields |= dict(re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>\s*([^<]*)<', main))
    return fields


def test_what_another_owner_changed_meanwhile_stays(client_of, rated, address, stored):
    owner = client_of(rated.owner)
    opened = as_sent(owner.get(f"{address}/edit").text)
    owner.post(f"{address}/edit", data=opened | {"weight": "7", "tags": "theirs"})

    owner.post(f"{address}/edit", data=opened | {"text": "Better words"})

    query = stored_query(stored, rated)
    assert (query.text, query.weight, query.tags) == ("Better words", 7, ["theirs"])


def test_a_field_that_another_owner_changed_meanwhile_is_shown_before_it_is_replaced(
    client_of, rated, address, stored
):
    owner = client_of(rated.owner)
    opened = as_sent(owner.get(f"{address}/edit").text)
    owner.post(f"{address}/edit", data=opened | {"text": "Their words"})

    refused = owner.post(f"{address}/edit", data=opened | {"text": "My words", "weight": "3"}).text

    assert "This was changed meanwhile to “Their words”. Save again to replace that." in refused
    assert stored_query(stored, rated).text == "Their words"
    assert as_sent(refused)["text"] == "My words"
    owner.post(f"{address}/edit", data=as_sent(refused))
    query = stored_query(stored, rated)
    assert (query.text, query.weight) == ("My words", 3)


def test_a_tag_with_a_semicolon_survives_a_save_of_other_fields(client_of, rated, address, stored):
    with stored.write() as session:
        session.get(Query, rated.queries[0].id).tags = ["a;b", "c"]
    owner = client_of(rated.owner)
    opened = as_sent(owner.get(f"{address}/edit").text)

    untouched = owner.post(f"{address}/edit", data=opened, follow_redirects=True).text
    owner.post(f"{address}/edit", data=opened | {"text": "Other words"})

    query = stored_query(stored, rated)
    assert "Nothing was changed." in untouched
    assert (query.text, query.tags) == ("Other words", ["a;b", "c"])
