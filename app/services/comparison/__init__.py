"""Is one ranker really better than another? Plans, looks, and the verdict on every pair.

Everything here is a pure function of the evidence, except `record_due`, which writes what is due.
"""

from app.services.comparison.alone import pair_alone
from app.services.comparison.basis import Basis, basis_of
from app.services.comparison.cautions import cautions_of
from app.services.comparison.looks import HeldLook, TakenLook, looks_of, looks_under
from app.services.comparison.matrix import Matrix, matrix_of
from app.services.comparison.pairs import PairVerdict, differences_of, pair_verdicts
from app.services.comparison.plans import Plan, order_of, plan_for, plans_of
from app.services.comparison.questions import (
    OpenQuestion,
    QuestionDifference,
    question_differences,
    reason_for,
    widest_questions,
)
from app.services.comparison.slices import Slice, slices_of
from app.services.comparison.taking import DueWork, find_due, record_due
from app.services.comparison.tested import TestedPair, tested_pairs
from app.services.comparison.waiting import Missing, NextLook, missing_of, next_look_of
from app.services.comparison.walking import PlanState, state_of
from app.services.comparison.wording import (
    chance_sentence,
    early_sentence,
    mean_sentence,
    names_of,
    points_of,
    title_of,
)

__all__ = [
    "Basis",
    "DueWork",
    "HeldLook",
    "Matrix",
    "Missing",
    "NextLook",
    "OpenQuestion",
    "PairVerdict",
    "Plan",
    "PlanState",
    "QuestionDifference",
    "Slice",
    "TakenLook",
    "TestedPair",
    "basis_of",
    "cautions_of",
    "chance_sentence",
    "differences_of",
    "early_sentence",
    "find_due",
    "looks_of",
    "looks_under",
    "matrix_of",
    "mean_sentence",
    "missing_of",
    "names_of",
    "next_look_of",
    "order_of",
    "pair_alone",
    "pair_verdicts",
    "plan_for",
    "plans_of",
    "points_of",
    "question_differences",
    "reason_for",
    "record_due",
    "slices_of",
    "state_of",
    "tested_pairs",
    "title_of",
    "widest_questions",
]
