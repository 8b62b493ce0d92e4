"""How a person likes to rate; kept with the account, so that it follows them to every device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from app.models.person import Person
from app.sentences import message
from app.services.errors import InvalidError

# What single keys do on the rating page. Digits are grades and stay; Shift redoes what undo undoes.
KEYS = {
    "next": "j",
    "previous": "k",
    "cant": "s",
    "clear": "c",
    "undo": "u",
    "note": "n",
    "flag": "f",
    "full": "e",
    "marks": "m",
    "guide": "g",
    "help": "?",
}
ACTIONS = {
    "next": message("next answer"),
    "previous": message("previous answer"),
    "cant": message("can’t judge"),
    "clear": message("clear"),
    "undo": message("undo"),
    "note": message("note"),
    "flag": message("report a problem"),
    "full": message("full text"),
    "marks": message("highlight the question’s words"),
    "guide": message("how to rate"),
    "help": message("list of keys"),
}
# Letters of any script: a Greek keyboard has no j.
COMBINATION = re.compile(r"(?:Ctrl\+)?(?:Alt\+)?(?:Meta\+)?(?:[^\W\d_]|[?!.,;:/+*#=_'\"()<>\[\]-])")
# Undo and redo everywhere; the browser's own keys for windows, tabs, pages and texts.
RESERVED = {f"{held}+{key}" for held in ("Ctrl", "Meta") for key in "acflnopqrstvwxyz"}

# When a star that is tapped or clicked moves on: never, always, or where somebody works with a finger.
TAPS = ("touch", "always", "never")
MOST_A_DAY = 5000
# The e-mails that a person may get where the operator has named a server for them.
MAILS = ("invitation", "replies", "work", "weekly")

# Single keys rate; a digit moves on to the next answer by itself, and so does a tap or click; one answer
# fills a phone's screen; the question's words are marked in answers; answers a day that they want to rate
# (0: no goal); the interface's language (empty: as the browser asks); which e-mails; by project
# number: guidelines last seen, and where the introduction was taken or left.
DEFAULTS: dict[str, Any] = {
    "keys": True,
    "advance": True,
    "tap": "touch",
    "single": False,
    "marks": False,
    "goal": 0,
    "language": "",
    "mails": MAILS,
    "remap": {},
    "guidelines": {},
    "introduced": {},
}


def preferences_of(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return all preferences: what is stored of them, and the defaults of the others."""
    return {name: stored.get(name, default) for name, default in DEFAULTS.items()}


def keys_of(preferences: Mapping[str, Any]) -> dict[str, str]:
    """Return the key of every action, with a person's own choices.

    Marks came later than the other keys: where somebody had chosen theirs already, marks have none.
    """
    chosen: dict[str, str] = preferences["remap"]
    usual = KEYS | {"marks": ""} if KEYS["marks"] in chosen.values() else KEYS
    return usual | chosen


def check_keys(remap: dict[str, str]) -> dict[str, str]:
    """Return the choices that differ from the usual keys.

    Raises
    ------
    InvalidError
        An action is not known, a key cannot be used, or two actions would have the same one.
    """
    remap = {action: key for action, key in remap.items() if key or action != "marks"}
    for action, key in remap.items():
        if action not in KEYS:
            raise InvalidError(f"There is no action {action[:40]!r}.", code="unknown_action")
        if not COMBINATION.fullmatch(key) or key[-1] != key[-1].lower():
            raise InvalidError(
                message(
                    "%(key)s cannot be used. Choose a letter or a symbol, alone or with Ctrl or Alt. "
                    "Digits are grades.",
                    key=repr(key[:20]),
                ),
                code="bad_key",
            )
        if action == "undo" and key[-1].upper() == key[-1]:
            raise InvalidError(
                message(
                    "%(key)s cannot be the key for undo, because redo is the same key with Shift. "
                    "Choose a letter.",
                    key=key,
                ),
                code="bad_key",
            )
        if key in RESERVED:
            raise InvalidError(
                message("The browser uses %(key)s. Choose another key.", key=key), code="key_taken"
            )
    taken: dict[str, str] = {}
    for action, key in keys_of({"remap": remap}).items():
        if key in taken:
            raise InvalidError(
                message(
                    "%(key)s cannot mean both “%(one)s” and “%(other)s”. Choose another key for one of them.",
                    key=key,
                    one=ACTIONS[taken[key]],
                    other=ACTIONS[action],
                ),
                code="key_taken",
            )
        taken[key] = action
    return {action: key for action, key in remap.items() if key != KEYS[action]}


def change_preferences(session: Session, person_id: int, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Change some of a person's preferences and return all of them.

    Raises
    ------
    InvalidError
        A choice of keys cannot be right.
    """
    checked = dict(chosen)
    if not 0 <= checked.get("goal", 0) <= MOST_A_DAY:
        raise InvalidError(message("Choose 0 to %(most)s answers a day.", most=MOST_A_DAY), code="goal")
    if "remap" in checked:
        checked["remap"] = check_keys(checked["remap"])
    person = session.get_one(Person, person_id)
    person.preferences = {**person.preferences, **checked}
    session.flush()
    return preferences_of(person.preferences)


def record_guidelines_seen(session: Session, person_id: int, project_id: int, version: int) -> None:
    """Remember which version of a project's guidelines a person has before their eyes."""
    _remember(session, person_id, "guidelines", project_id, version)


def record_introduced(session: Session, person_id: int, project_id: int) -> None:
    """Remember that a person has seen a project's introduction, or does not want to."""
    _remember(session, person_id, "introduced", project_id, True)


def _remember(session: Session, person_id: int, name: str, project_id: int, value: int) -> None:
    person = session.get_one(Person, person_id)
    by_project = {**person.preferences.get(name, {}), str(project_id): value}
    person.preferences = {**person.preferences, name: by_project}
    session.flush()
