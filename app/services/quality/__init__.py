"""Quality without nagging: what is rated twice, asked again or known beforehand, and what it shows."""

from app.services.quality.gold import (
    GoldAnswer,
    GoldChoice,
    declare_gold,
    gold_answers,
    gold_choices,
    gold_of,
)
from app.services.quality.options import (
    DEALINGS,
    GOLD,
    SHARE_TWICE,
    Dealing,
    Quality,
    change_quality,
    check_quality,
    default_share_twice,
    quality_of,
)
from app.services.quality.results import ENOUGH_GOLD, ENOUGH_REPEATS, CheckResult, check_results

__all__ = [
    "DEALINGS",
    "ENOUGH_GOLD",
    "ENOUGH_REPEATS",
    "GOLD",
    "SHARE_TWICE",
    "CheckResult",
    "Dealing",
    "GoldAnswer",
    "GoldChoice",
    "Quality",
    "change_quality",
    "check_quality",
    "check_results",
    "declare_gold",
    "default_share_twice",
    "gold_answers",
    "gold_choices",
    "gold_of",
    "quality_of",
]
