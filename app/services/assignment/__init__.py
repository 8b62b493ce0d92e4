"""Who rates what: batches of one query's answers, leased so that each answer gets the ratings it wants."""

from app.services.assignment.allotting import (
    Allotment,
    allot,
    allotments_of,
    queries_of,
    take_back_allotment,
)
from app.services.assignment.choosing import choose
from app.services.assignment.dealing import (
    AHEAD,
    LEASE,
    SHORT_LEASE,
    deal_ahead,
    deal_batch,
    keep_lease,
    lock_dealing,
    open_batches,
    own_batches,
    release_ended,
    take_up,
    take_up_parked,
)
from app.services.assignment.dealt import WHY, Dealt, dealt_batches
from app.services.assignment.desk import (
    best_ranks,
    dealing_seed,
    desk_of,
)
from app.services.assignment.eligibility import open_slots
from app.services.assignment.idle import is_held_elsewhere, others_at_work, release_idle
from app.services.assignment.leaving import (
    close_batch,
    count_unsettled,
    decline_query,
    find_begun,
    finish_batch,
    get_assignment,
    park_batch,
    take_back_decline,
)
from app.services.assignment.openings import Openings, openings_of
from app.services.assignment.order import drawn_twice, is_rated_twice, shuffled
from app.services.assignment.parts import Parts, parts_of, take_all_parts
from app.services.assignment.progress import Progress, progress_of
from app.services.assignment.proposing import (
    Proposal,
    coming_for,
    next_numbers,
    proposal_of_query,
    proposals_for,
)
from app.services.assignment.releasing import PassedOn, passed_on, release_chosen, release_passed_on
from app.services.assignment.requests import (
    Waiting,
    request_answer,
    request_pair,
    request_question,
    requested_first,
    waiting_requests,
    withdraw_request,
)
from app.services.assignment.slots import BATCH_SIZE, Turn, wanted_ratings

__all__ = [
    "AHEAD",
    "BATCH_SIZE",
    "LEASE",
    "SHORT_LEASE",
    "WHY",
    "Allotment",
    "Dealt",
    "Openings",
    "Parts",
    "PassedOn",
    "Progress",
    "Proposal",
    "Turn",
    "Waiting",
    "allot",
    "allotments_of",
    "best_ranks",
    "choose",
    "close_batch",
    "coming_for",
    "count_unsettled",
    "deal_ahead",
    "deal_batch",
    "dealing_seed",
    "dealt_batches",
    "decline_query",
    "desk_of",
    "drawn_twice",
    "find_begun",
    "finish_batch",
    "get_assignment",
    "is_held_elsewhere",
    "is_rated_twice",
    "keep_lease",
    "lock_dealing",
    "next_numbers",
    "open_batches",
    "open_slots",
    "openings_of",
    "others_at_work",
    "own_batches",
    "park_batch",
    "parts_of",
    "passed_on",
    "progress_of",
    "proposal_of_query",
    "proposals_for",
    "queries_of",
    "release_chosen",
    "release_ended",
    "release_idle",
    "release_passed_on",
    "request_answer",
    "request_pair",
    "request_question",
    "requested_first",
    "shuffled",
    "take_all_parts",
    "take_back_allotment",
    "take_back_decline",
    "take_up",
    "take_up_parked",
    "waiting_requests",
    "wanted_ratings",
    "withdraw_request",
]
