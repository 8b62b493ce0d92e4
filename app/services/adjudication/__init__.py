"""Adjudication: answers on which ratings lie apart, or that nobody could judge, decided by one person."""

from app.services.adjudication.decided import Decided, decided_of
from app.services.adjudication.deciding import Decision, record_decision, take_back_decision
from app.services.adjudication.hearing import Said, candidate_of, said_about, show_ratings, write_note_on
from app.services.adjudication.naming import name_adjudicator
from app.services.adjudication.pages import Case, QuestionPage, question_order, question_page
from app.services.adjudication.queue import PASSED_BY, Queue, queue_of
from app.services.adjudication.referring import Referable, refer, referable_of, take_referral_back
from app.services.adjudication.waiting import WaitingAnswer, waiting_of

__all__ = [
    "PASSED_BY",
    "Case",
    "Decided",
    "Decision",
    "QuestionPage",
    "Queue",
    "Referable",
    "Said",
    "WaitingAnswer",
    "candidate_of",
    "decided_of",
    "name_adjudicator",
    "question_order",
    "question_page",
    "queue_of",
    "record_decision",
    "refer",
    "referable_of",
    "said_about",
    "show_ratings",
    "take_back_decision",
    "take_referral_back",
    "waiting_of",
    "write_note_on",
]
