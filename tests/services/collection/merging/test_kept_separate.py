"""Alike documents that an owner keeps apart: listed no more, reversible, and nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.jobs.near_duplicates import find_near_duplicates
from app.models import Event, EventKind, Project
from app.services.collection.duplicates import (
    keep_separate,
    kept_separate,
    merge_documents,
    undo_merge,
    undo_separation,
)
from app.services.collection.near_duplicates import count_similar, similar_page
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.evidence.store import evidence_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tests.services.conftest import Small

WORDS = [f"word{number}" for number in range(100)]


@pytest.fixture
def alike(small: Small) -> Small:
    """Add three of equal texts, e1 e2 e3, and two of nearly equal ones, n1 n2."""
    with small.making() as make:
        near = " ".join(WORDS), " ".join([*WORDS[:-1], "other"])
        for name, text in (*((f"e{n}", "the same") for n in (1, 2, 3)), ("n1", near[0]), ("n2", near[1])):
            small.documents.append(make.document(small.project, name, title="", text=text))
    find_near_duplicates(small.database, small.project.id)
    return small


def do(small: Small, act: Callable[..., Event], what: Any) -> int:
    with small.database.write() as session:
        return act(session, session.get_one(Project, small.project.id), what).revision


def numbers(small: Small, *names: str) -> list[int]:
    return [one.id for name in names for one in small.documents if one.external_id == name]


def listed(small: Small) -> list[str]:
    with small.database.read() as session:
        groups = similar_page(session, small.project.id).groups
        assert count_similar(session, small.project.id) == (
            sum(group.share >= 1 for group in groups),
            sum(group.share < 1 for group in groups),
        )
    return sorted(" ".join(sorted(one.external_id for one in group.documents)) for group in groups)


def test_a_pair_that_is_kept_apart_is_listed_no_more_until_it_is_taken_back(alike: Small) -> None:
    assert listed(alike) == ["e1 e2 e3", "n1 n2"]

    revision = do(alike, keep_separate, numbers(alike, "n2", "n1"))

    assert listed(alike) == ["e1 e2 e3"]
    find_near_duplicates(alike.database, alike.project.id)
    assert listed(alike) == ["e1 e2 e3"], "a new search finds it again, and nobody is asked again"
    do(alike, undo_separation, revision)
    assert listed(alike) == ["e1 e2 e3", "n1 n2"]
    with pytest.raises(ConflictError, match="taken back already"):
        do(alike, undo_separation, revision)


def test_of_equal_texts_only_what_is_kept_apart_falls_away(alike: Small) -> None:
    first = do(alike, keep_separate, numbers(alike, "e1", "e2"))
    assert listed(alike) == ["e1 e2 e3", "n1 n2"], "both are still equal to e3, which nobody spoke about"

    second = do(alike, keep_separate, numbers(alike, "e1", "e3"))
    assert listed(alike) == ["e2 e3", "n1 n2"]

    do(alike, keep_separate, numbers(alike, "e2", "e3"))
    assert listed(alike) == ["n1 n2"]
    do(alike, undo_separation, first)
    assert listed(alike) == ["e1 e2", "n1 n2"]
    do(alike, undo_separation, second)
    assert listed(alike) == ["e1 e2 e3", "n1 n2"]


def test_what_a_document_stands_for_is_kept_apart_with_it(alike: Small) -> None:
    do(alike, keep_separate, numbers(alike, "e2", "e3"))
    merge = do(alike, merge_documents, numbers(alike, "e1", "e2"))

    assert listed(alike) == ["n1 n2"], "e1 stands for e2 now, which is not e3"
    with pytest.raises(ConflictError, match="undo the merge first"):
        do(alike, keep_separate, numbers(alike, "e1", "e2"))
    do(alike, undo_merge, merge)
    assert listed(alike) == ["e1 e2 e3", "n1 n2"]


def test_an_owner_may_change_their_mind_and_merge(alike: Small) -> None:
    do(alike, keep_separate, numbers(alike, "n1", "n2"))
    do(alike, merge_documents, numbers(alike, "n1", "n2"))

    assert listed(alike) == ["e1 e2 e3"]


def test_it_is_an_entry_of_the_ledger_that_moves_nothing(alike: Small) -> None:
    before = evidence_of(alike.database, alike.project.id)
    revision = do(alike, keep_separate, numbers(alike, "n1", "n2"))
    after = evidence_of(alike.database, alike.project.id)

    assert (after.revision, after.structure.positions) == (revision, before.structure.positions)
    with alike.database.read() as session:
        event = session.scalars(select(Event).where(Event.kind == EventKind.DOCUMENTS_KEPT_APART)).one()
        assert event.payload == {"document_ids": numbers(alike, "n1", "n2")}
        (word,) = kept_separate(session, alike.project.id)
        assert ([one.external_id for one in word.documents], word.differs) == (["n1", "n2"], False)


def test_nonsense_is_refused(alike: Small) -> None:
    pair = numbers(alike, "n1", "n2")
    for wanted, error in (
        (pair[:1], InvalidError),
        ([pair[0], pair[0]], InvalidError),
        ([pair[0], 999_999], NotFoundError),
    ):
        with pytest.raises(error):
            do(alike, keep_separate, wanted)
    do(alike, keep_separate, pair)
    with pytest.raises(ConflictError, match="marked as different already"):
        do(alike, keep_separate, pair[::-1])
    with pytest.raises(NotFoundError):
        do(alike, undo_separation, 1)
