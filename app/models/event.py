"""Events: the ledger rows of a project that are not judgments, and its audit trail."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class EventKind(StrEnum):
    """What happened. Payloads hold internal ids as numbers, never what annotators wrote."""

    RULER_SET = "ruler_set"  # {"ruler_id"}
    QUERIES_ADDED = "queries_added"  # {"count", "file"}; the rows carry the revision
    # {"query_ids"} by an import, only while nothing of them is judged; by an edit on its page
    # {"query_ids", "before"}: the earlier {"text", "intent", "tags", "weight"}
    QUERIES_EDITED = "queries_edited"
    QUERIES_REMOVED = "queries_removed"  # {"count", "of"}: an import undone, nothing of it judged
    QUERY_RETIRED = "query_retired"  # {"query_ids"}
    QUERY_RESTORED = "query_restored"  # {"query_ids"}
    DOCUMENTS_ADDED = "documents_added"  # {"count", "ranges", "file"}; ranges: [first, last] of ids
    DOCUMENTS_REMOVED = "documents_removed"  # {"count", "of"}: an import undone, nothing of it judged
    # {"count"}: documents that said nothing before, and so were nobody's to judge
    DOCUMENTS_FILLED = "documents_filled"
    DOCUMENTS_EDITED = "documents_edited"  # {"document_ids"}
    DOCUMENTS_MERGED = "documents_merged"  # {"document_ids"}, the first stays
    MERGE_UNDONE = "merge_undone"  # {"revision"}
    DOCUMENTS_KEPT_APART = "documents_kept_apart"  # {"document_ids"}: alike, but no two of them the same
    APART_UNDONE = "apart_undone"  # {"revision"}
    RUN_PUBLISHED = "run_published"  # {"run_id", "new_candidates", "file"}
    RUN_WITHDRAWN = "run_withdrawn"  # {"run_id"}
    RUN_RESTORED = "run_restored"  # {"run_id"}
    DEPTH_CHANGED = "depth_changed"  # {"before", "depth", "new_candidates"}
    SCALE_CHANGED = "scale_changed"  # {"before", "scale"}, such as "0-3"; only while nothing is judged
    OVERLAP_CHANGED = "overlap_changed"  # {"before", "overlap"}
    QUALITY_CHANGED = "quality_changed"  # {"before", "after"}: see services.quality.options
    FIELDS_CHANGED = "fields_changed"  # {"before", "after"}: see services.collection.answer_fields
    DECLINES_RELEASED = "declines_released"  # {"reason", "count"}; the rows that clear them come just before
    QUERIES_ASSIGNED = "queries_assigned"  # {"person_id", "queries", "tags", "target"}: null for none
    STATE_CHANGED = "state_changed"  # {"before", "state"}
    GUIDELINES_CHANGED = "guidelines_changed"  # {"version"}
    JUDGMENTS_IMPORTED = (
        "judgments_imported"  # {"annotator_ids", "count", "file"}; its judgments come just before
    )
    JUDGMENTS_UNDONE = "judgments_undone"  # {"of", "count"}; the rows that clear them come just before
    NO_GOOD_ANSWER = "no_good_answer"  # {"query_id", "annotator_id", "count"}
    RUN_DELETED = "run_deleted"  # {"run_id", "ranker", "version"}: nothing rested on it
    # {"run_id", "before", "after", "names"}: numbers of its rankers and what they were called then
    RUN_MOVED = "run_moved"
    RANKER_RENAMED = "ranker_renamed"  # {"ranker_id", "before", "after"}: names
    VERSION_RENAMED = "version_renamed"  # {"run_id", "ranker", "before", "after"}: its name then, labels
    PRODUCTION_SET = "production_set"  # {"run_id"}: a number, or null for none
    REQUESTED = "requested"  # {"request_id", "answers"}: to be rated before everything else
    REQUEST_WITHDRAWN = "request_withdrawn"  # {"request_id"}


class Event(Base):
    """One event with its revision. A revision belongs to a judgment or to an event, never to both."""

    __tablename__ = "event"

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(24))
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    payload: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class Bookmark(Base):
    """A labelled moment: a week of the demo, which is a step of its axis, or an owner's note on the chart."""

    __tablename__ = "bookmark"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), index=True)
    revision: Mapped[int] = mapped_column(BigInteger)
    label: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    is_note: Mapped[bool] = mapped_column(default=False)
