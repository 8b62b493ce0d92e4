"""Merges of documents that are one and the same: the owner's act, replayable and reversible."""

from app.services.merging.acts import merge_documents, undo_merge
from app.services.merging.standing import StandingMerge, standing_merges

__all__ = ["StandingMerge", "merge_documents", "standing_merges", "undo_merge"]
