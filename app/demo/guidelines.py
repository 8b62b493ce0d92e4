"""The two versions of the demo's guidelines, and the week in which the second took over."""

from __future__ import annotations

from app.demo.corpus import DATA

CLARIFIED_IN = 6

GUIDELINES = tuple((DATA / f"guidelines_{number}.md").read_text(encoding="utf-8") for number in (1, 2))


def version_in(week: int) -> int:
    """Return the number of the guidelines in force in a week: 1, and 2 from week 6 on."""
    return 2 if week >= CLARIFIED_IN else 1
