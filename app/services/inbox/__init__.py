"""Remarks: flags, notes and "can't judge" of its annotators, and what owners do about them."""

from app.services.inbox.handling import TURNS, Handled, handle
from app.services.inbox.listing import EACH, Remark, count_open, count_remarks, people_of, remarks_of
from app.services.inbox.replies import Reply, mark_replies_seen, replies_to
from app.services.inbox.said import KINDS, STATES, Wanted

__all__ = [
    "EACH",
    "KINDS",
    "STATES",
    "TURNS",
    "Handled",
    "Remark",
    "Reply",
    "Wanted",
    "count_open",
    "count_remarks",
    "handle",
    "mark_replies_seen",
    "people_of",
    "remarks_of",
    "replies_to",
]
