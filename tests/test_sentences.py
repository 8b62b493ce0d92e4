"""Sentences keep their patterns and values, also where they are stored."""

import json

import pytest

from app.sentences import message, number_message, packed, together, unpacked

PLACES = message("%(first)s or %(last)s", first=[message("queries"), message("documents")], last="JSON")


@pytest.mark.parametrize(
    "sentence",
    [
        message("Keep one of them."),
        message("the file has %(n)s lines", n=1200),
        number_message("%(num)s answer", "%(num)s answers", 2),
        together(message("Looks like %(kind)s.", kind=PLACES), message("Read it.")),
    ],
)
def test_a_sentence_comes_back_from_json_with_its_values(sentence):
    stored = json.loads(json.dumps(packed({"found": [sentence]})))

    found = unpacked(stored)

    assert found == {"found": [sentence]}
    again = found["found"][0]
    assert (again.pattern, again.many, again.values) == (sentence.pattern, sentence.many, sentence.values)


def test_what_was_stored_without_values_stays_as_it_is():
    assert unpacked({"problems": [{"reason": "line 3 has no text"}]}) == {
        "problems": [{"reason": "line 3 has no text"}]
    }


def test_a_list_is_said_with_commas_and_a_sentence_after_another():
    assert PLACES == "queries, documents or JSON"
    assert together("One.", "", "Two.", "Three.") == "One. Two. Three."
    assert message("%(Found)s: %(remedy)s.", Found="no line", remedy="Add one") == "No line: Add one."
