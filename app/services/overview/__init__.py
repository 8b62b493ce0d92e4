"""What an owner sees first: the rankers with their gaps and verdicts, coverage, and the hardest questions.

Every text is computed from the data or left out; texts that explain come from a closed list.
"""

from app.services.overview.answer import Answer
from app.services.overview.between import Between, verdict_between
from app.services.overview.contributors import Contributor, contributors_of
from app.services.overview.coverage import Coverage, coverage_of
from app.services.overview.hardest import HardQuestion, hardest_of
from app.services.overview.leaderboard import (
    Entry,
    Leaderboard,
    decimals_of,
    leaderboard_of,
    versions_before,
)
from app.services.overview.narrow import Narrow, narrow_of
from app.services.overview.other_view import (
    OtherEntry,
    OtherView,
    measure_of,
    offered_measures,
    other_board,
    other_view,
    tagged_queries,
    tags_of,
)
from app.services.overview.set_up import SetUpStep, set_up_steps

__all__ = [
    "Answer",
    "Between",
    "Contributor",
    "Coverage",
    "Entry",
    "HardQuestion",
    "Leaderboard",
    "Narrow",
    "OtherEntry",
    "OtherView",
    "SetUpStep",
    "contributors_of",
    "coverage_of",
    "decimals_of",
    "hardest_of",
    "leaderboard_of",
    "measure_of",
    "narrow_of",
    "offered_measures",
    "other_board",
    "other_view",
    "set_up_steps",
    "tagged_queries",
    "tags_of",
    "verdict_between",
    "versions_before",
]
