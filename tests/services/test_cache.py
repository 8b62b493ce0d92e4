"""The shelf of results that hold as long as the object they were made of is in memory."""

import gc
import weakref

import numpy as np

from app.services.cache import Shelf


def test_a_result_is_made_once_for_an_object_and_a_key():
    shelf, made, lists, others = Shelf(8), [], np.zeros(3), np.zeros(3)

    def ask(of, key):
        return shelf.kept_or_made(of, key, lambda: made.append(key) or len(made))

    assert [ask(lists, "a"), ask(lists, "a"), ask(lists, "b"), ask(others, "a")] == [1, 1, 2, 3]


def test_the_oldest_results_make_room():
    shelf, made, lists = Shelf(2), [], np.zeros(3)
    for key in ("a", "b", "c", "c", "a"):
        shelf.kept_or_made(lists, key, lambda key=key: made.append(key))

    assert made == ["a", "b", "c", "a"]


def test_an_object_is_not_held_and_what_follows_in_its_place_is_made_anew():
    shelf, lists = Shelf(2), np.zeros(3)
    shelf.kept_or_made(lists, "a", lambda: "old")
    gone = weakref.ref(lists)
    (place,) = shelf._kept

    del lists
    gc.collect()
    assert gone() is None

    new = np.ones(3)
    shelf._kept[id(new), "a"] = shelf._kept.pop(place)
    assert shelf.kept_or_made(new, "a", lambda: "new") == "new"


def test_a_newer_result_takes_the_place_of_the_older_one():
    shelf, lists, others = Shelf(2), np.zeros(3), np.zeros(3)
    assert shelf.kept(lists, "a") is None

    shelf.keep(lists, "a", "old")
    shelf.keep(lists, "a", "new")

    assert (shelf.kept(lists, "a"), shelf.kept(others, "a"), len(shelf)) == ("new", None, 1)
    shelf.clear()
    assert (shelf.kept(lists, "a"), len(shelf)) == (None, 0)
