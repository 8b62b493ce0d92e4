"""What to rate next and why, what finishing costs, and how many ratings the rule has saved: for owners.

Nothing here decides what is dealt. The answers come from the very functions that deal them.
"""

from app.services.next_answers.coming import Begun, Coming, ComingAnswer, begun_batch, coming_questions
from app.services.next_answers.finishing import PRICED_DEPTH, Finishing, FinishPrice, finishing_of
from app.services.next_answers.first import first_questions
from app.services.next_answers.pace import LEAST_TIMED, SECONDS_EACH, Pace, pace_of

__all__ = [
    "LEAST_TIMED",
    "PRICED_DEPTH",
    "SECONDS_EACH",
    "Begun",
    "Coming",
    "ComingAnswer",
    "FinishPrice",
    "Finishing",
    "Pace",
    "begun_batch",
    "coming_questions",
    "finishing_of",
    "first_questions",
    "pace_of",
]
