"""NDCG over time: under today's ratings, one version as ratings came in, or all as it looked then."""

from app.services.history.days import last_revisions, ratings_per_day
from app.services.history.growth import evidence_growth
from app.services.history.jumps import Jump, Part, jump_between
from app.services.history.moments import moments_of, moved_revision, thinned
from app.services.history.notes import Marked, Note, add_note, change_note, delete_note, marked_of, set_target
from app.services.history.points import History, HistoryPoint, Moment
from app.services.history.then import as_it_looked_then
from app.services.history.today import todays_ratings

__all__ = [
    "History",
    "HistoryPoint",
    "Jump",
    "Marked",
    "Moment",
    "Note",
    "Part",
    "add_note",
    "as_it_looked_then",
    "change_note",
    "delete_note",
    "evidence_growth",
    "jump_between",
    "last_revisions",
    "marked_of",
    "moments_of",
    "moved_revision",
    "ratings_per_day",
    "set_target",
    "thinned",
    "todays_ratings",
]
