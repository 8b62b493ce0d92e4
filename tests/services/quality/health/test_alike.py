"""Documents that are alike: found by the search, grouped, and gone once merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.jobs.near_duplicates import find_near_duplicates
from app.models import Document, Event, EventKind, NearDuplicate, NearDuplicateSearch, Project
from app.services.collection.duplicates import merge_documents
from app.services.collection.near_duplicates import (
    Vocabulary,
    note_progress,
    request_search,
    search_state,
    similar_page,
)
from app.services.ledger import record_event

if TYPE_CHECKING:
    from app.services.collection.near_duplicates import SearchState, SimilarPage
    from tests.services.conftest import Small

WORDS = [f"word{number}" for number in range(100)]


@pytest.fixture
def alike(small: Small) -> Small:
    """Add: two of equal text but for their writing, a long text and one with its last word exchanged.

    A third text shares half of the long one; another project holds the long text too.
    """
    with small.making() as make:
        long, nearly = " ".join(WORDS), " ".join([*WORDS[:-1], "other"])
        half = " ".join([*WORDS[:50], *(f"new{number}" for number in range(50))])
        for name, title, text in (
            ("e1", "Turn the KEY", "slowly  twice"),
            ("e2", "turn the key", "slowly twice"),
            ("n1", "", long),
            ("n2", "", nearly),
            ("h1", "", half),
        ):
            small.documents.append(make.document(small.project, name, title=title, text=text))
        make.document(make.project(), "n1", title="", text=long)
    return small


def found(small: Small, page: int = 1) -> SimilarPage:
    with small.database.read() as session:
        return similar_page(session, small.project.id, page=page)


def names(small: Small) -> list[set[str]]:
    return [{one.external_id for one in group.documents} for group in found(small).groups]


def state(small: Small) -> SearchState | None:
    with small.database.read() as session:
        return search_state(session, small.project.id)


def test_equal_texts_show_at_once_and_nearly_equal_ones_after_a_search(alike: Small) -> None:
    assert state(alike) is None
    assert names(alike) == [{"e1", "e2"}]

    find_near_duplicates(alike.database, alike.project.id)

    assert names(alike) == [{"e1", "e2"}, {"n1", "n2"}]
    page = found(alike)
    assert (page.exact, page.near, page.pages) == (1, 1, 1)
    # 98 shingles each, 97 of them shared.
    assert page.groups[1].share == pytest.approx(97 / 99)
    after = state(alike)
    assert after is not None
    assert (after.state, after.stale, after.at_work) == ("done", False, False)


def test_a_group_says_in_how_many_questions_it_meets_and_what_is_rated_most_comes_first(
    alike: Small,
) -> None:
    with alike.making() as make:
        for document in alike.documents[4:6]:
            for query in alike.queries:
                make.candidate(query, document)
    alike.rate(0, 5, 2)

    group = found(alike).groups[0]
    assert (group.questions, group.size) == (2, 2)
    assert [(one.external_id, one.ratings) for one in group.documents] == [("e2", 1), ("e1", 0)]


def test_what_is_merged_is_flagged_no_more_and_neither_is_anything_merged_by_itself(alike: Small) -> None:
    find_near_duplicates(alike.database, alike.project.id)
    with alike.database.read() as session:
        assert session.scalars(select(Document.id).where(Document.merged_into.is_not(None))).all() == []
        kinds = session.scalars(select(Event.kind).where(Event.project_id == alike.project.id)).all()
        assert EventKind.DOCUMENTS_MERGED not in kinds

    with alike.database.write() as session:
        project = session.get_one(Project, alike.project.id)
        merge_documents(session, project, [alike.documents[6].id, alike.documents[7].id])

    assert names(alike) == [{"e1", "e2"}]


def test_a_search_is_out_of_date_once_texts_move_and_only_one_runs(alike: Small) -> None:
    find_near_duplicates(alike.database, alike.project.id)
    with alike.database.write() as session:
        record_event(session, alike.project.id, EventKind.DOCUMENTS_ADDED, {"count": 0, "ranges": []})
    assert state(alike).stale

    with alike.database.write() as session:
        assert request_search(session, alike.project.id)
    with alike.database.write() as session:
        assert not request_search(session, alike.project.id)
        note_progress(session, alike.project.id, "running", 3, 9)
    assert (state(alike).at_work, state(alike).done, state(alike).total) == (True, 3, 9)

    find_near_duplicates(alike.database, alike.project.id)
    assert not state(alike).stale
    with alike.database.read() as session:
        assert len(session.scalars(select(NearDuplicate)).all()) == 1


def test_a_search_that_fails_says_so(alike: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.jobs.near_duplicates.likely_pairs", lambda _sketches: 1 / 0)
    find_near_duplicates(alike.database, alike.project.id)

    assert state(alike).state == "failed"
    with alike.database.read() as session:
        assert session.get_one(NearDuplicateSearch, alike.project.id).total == 0


def test_words_of_scripts_without_blanks_are_told_apart(alike: Small) -> None:
    with alike.making() as make:
        first, second = (
            make.document(alike.project, name, title="", text="水は高い所から低い所へ流れるものである" + end)
            for name, end in (("j1", "。"), ("j2", "か。"))
        )
        one, other = Vocabulary().shingles(make.session, [first.id, second.id])
    assert len(one) > 10
    assert len(set(one.tolist()) & set(other.tolist())) == len(one)
