"""What the reader of scores should know though it changes none of them: said beside what programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.file_scores import FileScores


def silent_lines(found: FileScores) -> list[str]:
    """Return how many queries count as 0 because a run does not list them: one line, none without any."""
    told = [f"{run.name} {run.silent:,} of {run.scored:,}" for run in found.runs if run.silent]
    return [f"Queries that a run does not list count as 0: {', '.join(told)}."] if told else []


def scale_lines(found: FileScores, qrels: str) -> list[str]:
    """Return a hint where the scale of the grades may start above the lowest grade that was chosen."""
    least, lowest = found.least_grade, found.ruler.lowest
    # With a single grade nothing is told apart: many files list only what is relevant, as 1.
    if found.ruler.trec or least is None or not lowest < least < found.ruler.highest:
        return []
    start = f"If its scale starts at {least}, where a document is worth nothing, give --lowest {least}."
    return [f"Note: no grade {lowest} occurs in {qrels}. {start}"]
