"""Scores of files as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli.score_files_layout import USUAL_WIDTH, aligned, wrapped
from app.services.file_scores.figures import style_of
from app.services.wording import counted

if TYPE_CHECKING:
    from app.services.file_scores import FileScores, RunScores

MISSING = "-"
RANGE = "low to high"


def as_text(found: FileScores, qrels: str, *, per_query: bool = False, width: int = USUAL_WIDTH) -> str:
    """Return the runs as a table, best first, with what its numbers depend on, then notes and comparisons.

    No line is longer than the width, unless a single name is.
    """
    from app.cli.score_files_notes import comparison_lines, legend_lines, note_lines

    ruler = found.ruler
    grades, queries = counted(found.judgments, "grade"), counted(found.judged_queries, "query", "queries")
    title = f"{qrels}: {grades} of {queries}, scale {ruler.lowest} to {ruler.highest}"
    rows = _rows(found)
    ranges = {place for place, name in enumerate(rows[0]) if name.startswith(RANGE)}
    blocks = [
        wrapped([title], width),
        aligned(rows, width, ranges),
        wrapped(legend_lines(found), width),
        note_lines(found, width),
    ]
    if per_query:
        blocks += [aligned(_query_rows(found, number), width) for number in range(len(found.runs))]
    blocks += [wrapped(comparison_lines(found, one), width) for one in found.comparisons]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def number_of(value: float | None, style: str = ".4f") -> str:
    """Return a score as the table shows it; a missing one is a dash, never 0."""
    return MISSING if value is None else f"{value:{style}}"


def _rows(found: FileScores) -> list[list[str]]:
    """Return a row of names, then one for each run."""
    headline = found.asked[0].label
    ordered = sorted(found.runs, key=lambda run: -(run.measures[headline] or 0.0))
    names = list(_cells(found, found.runs[0]))
    return [["run", *names], *([scored.name, *_cells(found, scored).values()] for scored in ordered)]


def _cells(found: FileScores, scored: RunScores) -> dict[str, str]:
    """Return name -> text for each column after the name of the run."""
    cells: dict[str, str] = {}
    for one in found.asked:
        style = style_of(run.measures[one.label] for run in found.runs)
        cells[one.label] = number_of(scored.measures[one.label], style)
        if one.label in scored.bounds:
            ends = scored.bounds[one.label]
            # Names must differ to be keys: of several ranges the further ones say whose they are.
            name = RANGE if RANGE not in cells else f"{RANGE} ({one.label})"
            cells[name] = MISSING if ends is None else f"{ends[0]:{style}} to {ends[1]:{style}}"
    for label, value in scored.judged.items():
        cells[label] = number_of(value)
    return cells | {"queries": f"{scored.scored:,}"}


def _query_rows(found: FileScores, number: int) -> list[list[str]]:
    """Return the values of one run, query by query."""
    labels = [one.label for one in found.asked]
    values = found.table.per_query(number, labels)
    styles = {label: style_of(of[label] for of in values.values()) for label in labels}
    rows = [
        [query, *(number_of(of[label], styles[label]) for label in labels)] for query, of in values.items()
    ]
    return [[f"{found.runs[number].name}, query", *labels], *rows]
