"""How a person likes to rate: defaults, choices, and keys that never collide."""

import pytest

from app.services.accounts.preferences import (
    ACTIONS,
    KEYS,
    change_preferences,
    check_keys,
    keys_of,
    preferences_of,
    record_guidelines_seen,
)
from app.services.errors import InvalidError


def test_everybody_starts_with_the_usual_keys():
    assert keys_of(preferences_of({})) == KEYS
    assert preferences_of({"keys": False})["advance"] is True
    assert ACTIONS.keys() == KEYS.keys()


def test_only_what_differs_is_kept():
    assert check_keys({**KEYS, "next": "x", "undo": "Alt+u"}) == {"next": "x", "undo": "Alt+u"}
    assert check_keys({"undo": "ä", "next": "!", "help": "/"}) == {"undo": "ä", "next": "!", "help": "/"}
    assert check_keys({"next": "k", "previous": "j"}) == {"next": "k", "previous": "j"}


@pytest.mark.parametrize(
    ("remap", "code"),
    [
        ({"next": "k"}, "key_taken"),
        ({"next": "x", "cant": "x"}, "key_taken"),
        ({"next": "Ctrl+z"}, "key_taken"),
        ({"next": "Ctrl+t"}, "key_taken"),
        ({"next": "1"}, "bad_key"),
        ({"next": ""}, "bad_key"),
        ({"next": "Enter"}, "bad_key"),
        ({"next": "Shift+x"}, "bad_key"),
        ({"next": "jj"}, "bad_key"),
        # Shift with the key of undo redoes: of a sign it makes another one, that of help for instance.
        ({"undo": "!"}, "bad_key"),
        ({"undo": "/"}, "bad_key"),
        ({"undo": "Ctrl+."}, "bad_key"),
        ({"undo": "\u05d0"}, "bad_key"),
        ({"rate": "x"}, "unknown_action"),
    ],
)
def test_keys_that_cannot_work_are_refused(remap, code):
    with pytest.raises(InvalidError) as refusal:
        check_keys(remap)

    assert refusal.value.code == code


def test_who_had_the_key_of_marks_before_it_was_one_keeps_it():
    had = {"remap": {"note": "m"}}

    assert (keys_of(had)["note"], keys_of(had)["marks"]) == ("m", "")
    assert check_keys(keys_of(had)) == {"note": "m"}
    with pytest.raises(InvalidError, match="cannot mean both"):
        check_keys({"note": "m", "marks": "m"})


def test_a_refused_choice_changes_nothing(session, make):
    person = make.person()
    change_preferences(session, person.id, {"keys": False})

    with pytest.raises(InvalidError, match="cannot mean both"):
        change_preferences(session, person.id, {"remap": {"note": "f"}, "keys": True})

    assert preferences_of(person.preferences)["keys"] is False


def test_guidelines_seen_are_remembered_for_each_project(session, make):
    person = make.person()

    record_guidelines_seen(session, person.id, 1, 2)
    record_guidelines_seen(session, person.id, 7, 1)

    assert preferences_of(person.preferences)["guidelines"] == {"1": 2, "7": 1}
