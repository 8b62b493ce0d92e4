"""What was asked to be rated first, what comes next and why, and what finishing costs: for owners.

Nothing here decides what is assigned. The answers come from the very functions that assign them.
"""

from app.services.next_answers.asked import AskedFirst, asked_first
from app.services.next_answers.coming import Begun, Coming, begun_batch, coming_questions
from app.services.next_answers.finishing import PRICED_DEPTH, Finishing, FinishPrice, finishing_of
from app.services.next_answers.first import first_questions, reason_to_rate
from app.services.next_answers.pace import LEAST_TIMED, SECONDS_EACH, Pace, pace_of

__all__ = [
    "LEAST_TIMED",
    "PRICED_DEPTH",
    "SECONDS_EACH",
    "AskedFirst",
    "Begun",
    "Coming",
    "FinishPrice",
    "Finishing",
    "Pace",
    "asked_first",
    "begun_batch",
    "coming_questions",
    "finishing_of",
    "first_questions",
    "pace_of",
    "reason_to_rate",
]
