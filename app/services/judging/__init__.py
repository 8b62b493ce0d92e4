"""Rating: what an annotator says about answers, recorded in the ledger and shown back to them alone."""

from app.services.judging.breaks import break_hint, has_rated
from app.services.judging.feedback import closed_queries, others_gave, record_disclosure, untold
from app.services.judging.no_good_answer import Step, record_no_good_answer, take_back_no_good_answer
from app.services.judging.own_ratings import OwnAnswer, OwnRatings, own_ratings
from app.services.judging.pages import AnswerCard, BatchPage, batch_page
from app.services.judging.preview import preview_page
from app.services.judging.rating import Annotator, BatchProgress, OwnRating, Rating, Recorded
from app.services.judging.recent import Flagged, RecentRating, flagged_by, last_ratings
from app.services.judging.recording import record_judgment
from app.services.judging.remarks import flag_answer, flag_query, write_note
from app.services.judging.steps import Moved, redo_last, undo_last

__all__ = [
    "Annotator",
    "AnswerCard",
    "BatchPage",
    "BatchProgress",
    "Flagged",
    "Moved",
    "OwnAnswer",
    "OwnRating",
    "OwnRatings",
    "Rating",
    "RecentRating",
    "Recorded",
    "Step",
    "batch_page",
    "break_hint",
    "closed_queries",
    "flag_answer",
    "flag_query",
    "flagged_by",
    "has_rated",
    "last_ratings",
    "others_gave",
    "own_ratings",
    "preview_page",
    "record_disclosure",
    "record_judgment",
    "record_no_good_answer",
    "redo_last",
    "take_back_no_good_answer",
    "undo_last",
    "untold",
    "write_note",
]
