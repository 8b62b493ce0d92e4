"""The cache of results that hold as long as the object they were made of is in memory."""

import gc
import weakref

import numpy as np

from app.services.cache import Cache


def test_a_result_is_made_once_for_an_object_and_a_key():
    cache, made, lists, others = Cache(8), [], np.zeros(3), np.zeros(3)

    def ask(of, key):
        return cache.get_or_make(of, key, lambda: made.append(key) or len(made))

    assert [ask(lists, "a"), ask(lists, "a"), ask(lists, "b"), ask(others, "a")] == [1, 1, 2, 3]


def test_the_oldest_results_make_room():
    cache, made, lists = Cache(2), [], np.zeros(3)
    for key in ("a", "b", "c", "c", "a"):
        cache.get_or_make(lists, key, lambda key=key: made.append(key))

    assert made == ["a", "b", "c", "a"]


def test_an_object_is_not_held_and_what_follows_in_its_place_is_made_anew():
    cache, lists = Cache(2), np.zeros(3)
    cache.get_or_make(lists, "a", lambda: "old")
    gone = weakref.ref(lists)
    (place,) = cache._kept

    del lists
    gc.collect()
    assert gone() is None

    new = np.ones(3)
    cache._kept[id(new), "a"] = cache._kept.pop(place)
    assert cache.get_or_make(new, "a", lambda: "new") == "new"


def test_a_newer_result_takes_the_place_of_the_older_one():
    cache, lists, others = Cache(2), np.zeros(3), np.zeros(3)
    assert cache.get(lists, "a") is None

    cache.put(lists, "a", "old")
    cache.put(lists, "a", "new")

    assert (cache.get(lists, "a"), cache.get(others, "a"), len(cache)) == ("new", None, 1)
    cache.clear()
    assert (cache.get(lists, "a"), len(cache)) == (None, 0)
