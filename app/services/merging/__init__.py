"""What owners say about documents that are alike: merged, or kept apart; replayable and reversible."""

from app.services.merging.acts import merge_documents, undo_merge
from app.services.merging.apart import keep_apart, undo_apart
from app.services.merging.standing import StandingWord, pairs_apart, standing_apart, standing_merges

__all__ = [
    "StandingWord",
    "keep_apart",
    "merge_documents",
    "pairs_apart",
    "standing_apart",
    "standing_merges",
    "undo_apart",
    "undo_merge",
]
