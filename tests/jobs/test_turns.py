"""Turns: one piece for each person at a time, and nobody waits for all the files of somebody else."""

from __future__ import annotations

from app.jobs.turns import Turns, WorkItem, is_undone, is_wanted, seconds_for
from app.models import Upload


def piece(whose, number):
    return WorkItem("checking", f"{whose}{number}", whose, 1)


def all_taken(turns):
    taken = []
    while (found := turns.take()) is not None:
        taken.append(found)
    return taken


def test_a_person_has_one_piece_at_a_time():
    waiting = [piece("a", 1), piece("a", 2), piece("b", 1)]
    turns = Turns(lambda: waiting)

    assert all_taken(turns) == [piece("a", 1), piece("b", 1)]
    waiting.remove(piece("a", 1))
    turns.give_back(piece("a", 1))
    assert all_taken(turns) == [piece("a", 2)]


def test_who_was_served_last_comes_last_however_long_their_files_have_waited():
    waiting = [piece("a", 1), piece("a", 2), piece("a", 3), piece("b", 1)]
    turns = Turns(lambda: waiting)
    taken = []
    while waiting:
        taken.append(turns.take())
        waiting.remove(taken[-1])
        turns.give_back(taken[-1])

    assert [each.number for each in taken] == ["a1", "b1", "a2", "a3"]


def test_what_could_not_be_noted_waits_for_a_while_and_the_others_do_not():
    turns = Turns(lambda: [piece("a", 1), piece("b", 1)])
    first = turns.take()

    turns.give_back(first, later=60)

    assert all_taken(turns) == [piece("b", 1)]


def test_a_large_file_and_a_packed_one_may_take_longer():
    plain, packed = (
        seconds_for(Upload(size=50_000_000, options=options)) for options in ({}, {"packed": True})
    )

    assert (plain, packed) == (320, 2120)


def test_an_import_that_ended_well_is_only_to_be_tidied_up(stored, arrived):
    work = [WorkItem("importing", arrived(state), 1, 60) for state in ("importing", "done", "failed")]

    assert [is_wanted(stored, one) for one in work] == [True, True, False]
    assert [is_undone(stored, one) for one in work] == [True, False, False]
