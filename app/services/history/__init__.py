"""NDCG over time: under today's ratings, one version as ratings came in, or all as it looked then."""

from app.services.history.days import last_revisions, ratings_per_day
from app.services.history.growth import evidence_growth
from app.services.history.jumps import Jump, Part, jump_between
from app.services.history.moments import bookmarks_of, moments_of, moved_revision, thinned
from app.services.history.points import History, HistoryPoint, Moment
from app.services.history.then import as_it_looked_then
from app.services.history.today import todays_ratings

__all__ = [
    "History",
    "HistoryPoint",
    "Jump",
    "Moment",
    "Part",
    "as_it_looked_then",
    "bookmarks_of",
    "evidence_growth",
    "jump_between",
    "last_revisions",
    "moments_of",
    "moved_revision",
    "ratings_per_day",
    "thinned",
    "todays_ratings",
]
