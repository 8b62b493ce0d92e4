"""The people, files and machines behind the ratings: what they gave, how far they agree, what each moves.

Everything here is for owners. Nothing is deleted for what it shows.
"""

from app.services.annotators.agreement import Agreements, said_of_agreement
from app.services.annotators.closer import (
    AtPlace,
    HastyGrade,
    TimeOfGrade,
    grades_by_place,
    hasty_grades,
    time_by_grade,
)
from app.services.annotators.drift import AnnotatorDrift
from app.services.annotators.effect import Effect, Moved, VerdictChange
from app.services.annotators.order import OrderReport
from app.services.annotators.people import AnnotatorFact, annotators_of, get_annotator
from app.services.annotators.profiles import NOTHING, Profile
from app.services.annotators.rated import Rated, rated_of
from app.services.annotators.sources import (
    SourceComparison,
    compare_sources,
    scores_with_and_without_machines,
)

__all__ = [
    "NOTHING",
    "Agreements",
    "AnnotatorDrift",
    "AnnotatorFact",
    "AtPlace",
    "Effect",
    "HastyGrade",
    "Moved",
    "OrderReport",
    "Profile",
    "Rated",
    "SourceComparison",
    "TimeOfGrade",
    "VerdictChange",
    "annotators_of",
    "compare_sources",
    "get_annotator",
    "grades_by_place",
    "hasty_grades",
    "rated_of",
    "said_of_agreement",
    "scores_with_and_without_machines",
    "time_by_grade",
]
