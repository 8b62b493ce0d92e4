"""What an owner sees first: the standing of the rankers, coverage, annotators, and the hardest questions.

Every text is computed from the data or left out; texts that explain come from a closed list.
"""

from app.services.overview.contributors import Contributor, contributors_of
from app.services.overview.coverage import Coverage, coverage_of
from app.services.overview.hardest import HardQuestion, hardest_of
from app.services.overview.narrow import Narrow, narrow_of
from app.services.overview.next_step import NextStep, SetUpStep, next_step_of, set_up_steps
from app.services.overview.standing import RankerStanding, Standing, standing_of

__all__ = [
    "Contributor",
    "Coverage",
    "HardQuestion",
    "Narrow",
    "NextStep",
    "RankerStanding",
    "SetUpStep",
    "Standing",
    "contributors_of",
    "coverage_of",
    "hardest_of",
    "narrow_of",
    "next_step_of",
    "set_up_steps",
    "standing_of",
]
