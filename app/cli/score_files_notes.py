"""What stands below the table of scores: what numbers depend on, what was left out, comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli.score_files_hints import silent_lines
from app.cli.score_files_layout import aligned, wrapped
from app.services.wording import counted

if TYPE_CHECKING:
    from app.services.file_scores import FileScores
    from app.services.file_scores.comparing import Comparison

LEFT_OUT = {
    "no_relevant": "without anything relevant",
    "unjudged": "not judged yet",
    "not_listed": "not in the run",
}


def legend_lines(found: FileScores) -> list[str]:
    """Return the full name of each measure, what the range means, and which queries count."""
    lines = [", ".join(one.title(found.ruler) for one in found.asked)]
    if found.ruler.trec:
        lines.append("Scored as trec_eval does.")
    if found.ruler.unjudged == "condensed":
        lines.append("Condensed: unjudged documents are dropped from the lists before they are scored.")
    if found.runs[0].bounds:
        lines.append(
            "Unjudged documents have no gain so far. Low to high: what the score can still become through "
            "those of the pool, which is the union of the runs' top k."
        )
    return [*lines, *_left_out_lines(found), *silent_lines(found)]


def note_lines(found: FileScores, width: int) -> list[str]:
    """Return which runs have tied scores or a rank column that contradicts them."""
    rows = [
        [
            run.name,
            f"{run.tied_lines:,} of {run.lines:,} lines",
            f"{run.disagreeing:,} of {run.lists:,} lists",
        ]
        for run in found.runs
        if run.tied_lines or run.disagreeing
    ]
    if not rows:
        return []
    return [
        *wrapped(
            ["Scores decide the order, then document ids, descending; ranks are only checked:"],
            width,
        ),
        *aligned([["run", "tied with the line before", "rank column disagrees"], *rows], width),
    ]


def comparison_lines(found: FileScores, compared: Comparison) -> list[str]:
    """Return a comparison: its sentence, then its numbers."""
    from app.services.file_scores.wording import sentence_of

    first, second = found.runs[compared.first].name, found.runs[compared.second].name
    verdict = compared.verdict
    note = " [provisional]" if compared.provisional else ""
    lines = [sentence_of(compared, first, second) + note]
    if verdict.interval.n:
        lines.append(
            f"  {second} better / same / worse: {compared.wins} / {compared.ties} / {compared.losses}"
        )
        lines.append(f"  {_test(found, compared)}")
    if compared.bounds is not None:
        lines.append(f"  {_reach(compared)}")
    return lines


def _left_out_lines(found: FileScores) -> list[str]:
    """Return how many queries are left out, by reason; for each run where the runs differ."""
    told = {run.name: _left_out(run.excluded) for run in found.runs}
    if len(set(told.values())) == 1:
        text = next(iter(told.values()))
        return [f"Queries left out: {text}."] if text else []
    return [f"Queries left out for {name}: {text or 'none'}." for name, text in told.items()]


def _left_out(excluded: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {LEFT_OUT[reason]}" for reason, count in excluded.items() if count)


def _test(found: FileScores, compared: Comparison) -> str:
    patterns = f"{'all' if compared.exact else 'random'} {compared.resamples:,} patterns of signs"
    together = ""
    if len(found.comparisons) > 1:
        together = f", {compared.adjusted:.4g} for all {len(found.comparisons)} comparisons together"
    return f"Paired sign-flip test: P = {compared.p:.4g}{together} ({patterns})"


def _reach(compared: Comparison) -> str:
    """Return what the unjudged documents could still make of the difference."""
    if compared.bounds is None or not compared.open_documents:
        return "No document of the pool is unjudged: the difference is exact."
    low, high = compared.bounds
    documents = counted(compared.open_documents, "unjudged document")
    end = _end(compared)
    return f"With {documents} judged too, it can become {low:+.4f} to {high:+.4f}: {end}."


def _end(compared: Comparison) -> str:
    low, high = compared.bounds or (0.0, 0.0)
    if compared.certified:
        return "unjudged documents cannot change this order"
    if low > 0 or high < 0:
        return "only queries that do not count yet could turn it round"
    return "still open who is ahead"
