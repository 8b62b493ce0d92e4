"""Is one ranker really better than another? The verdict on every pair, and what stands beside it.

Everything here is a pure function of the evidence: reading a page writes nothing.
"""

from app.services.comparison.basis import Basis, basis_of
from app.services.comparison.cautions import cautions_of
from app.services.comparison.changes import Changes, Move, QuestionChange, changes_of
from app.services.comparison.families import (
    AloneTest,
    Family,
    alone_test,
    family_of,
    final_tests,
    single_tests,
)
from app.services.comparison.matrix import Matrix, matrix_of
from app.services.comparison.missing import Missing, missing_of, unrated_by_question
from app.services.comparison.pairs import PairVerdict, differences_of, pair_verdicts
from app.services.comparison.questions import (
    QuestionDifference,
    question_differences,
    reason_for,
)
from app.services.comparison.slices import Slice, slices_of, tags_by_query

__all__ = [
    "AloneTest",
    "Basis",
    "Changes",
    "Family",
    "Matrix",
    "Missing",
    "Move",
    "PairVerdict",
    "QuestionChange",
    "QuestionDifference",
    "Slice",
    "alone_test",
    "basis_of",
    "cautions_of",
    "changes_of",
    "differences_of",
    "family_of",
    "final_tests",
    "matrix_of",
    "missing_of",
    "pair_verdicts",
    "question_differences",
    "reason_for",
    "single_tests",
    "slices_of",
    "tags_by_query",
    "unrated_by_question",
]
