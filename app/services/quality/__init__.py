"""Quality without nagging: what is rated twice, asked again or known beforehand, and what it shows."""

from app.services.quality.gold import declare_gold, gold_of, gold_said
from app.services.quality.options import (
    DEALINGS,
    GOLD,
    REPEATS,
    SHARE_TWICE,
    Quality,
    change_quality,
    check_quality,
    default_share_twice,
    quality_of,
)

__all__ = [
    "DEALINGS",
    "GOLD",
    "REPEATS",
    "SHARE_TWICE",
    "Quality",
    "change_quality",
    "check_quality",
    "declare_gold",
    "default_share_twice",
    "gold_of",
    "gold_said",
    "quality_of",
]
