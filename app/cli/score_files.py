"""`flask score-files`: scores of TREC files, without a server and without a database."""

from __future__ import annotations

import atexit
import gc
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from app.scoring.choices import DISCOUNTS, FILE_IDEALS, FILE_UNJUDGED, GAINS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.cli.score_files_scores import Choices, FileScores


@click.command("score-files")
@click.argument("qrels", type=click.Path(path_type=Path))
@click.argument("runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--measures", default="nDCG@10 AP", show_default=True, help="Names separated by spaces or commas."
)
@click.option(
    "--gain", type=click.Choice(GAINS), default="linear", show_default=True, help="What a grade is worth."
)
@click.option(
    "--discount",
    type=click.Choice(DISCOUNTS),
    default="log2",
    show_default=True,
    help="What a rank is worth.",
)
@click.option(
    "--ideal", type=click.Choice(FILE_IDEALS), default="judged", show_default=True,
    help="The ideal list: all judged documents, the run's own list, or the highest grade at every rank "
    "(maximum; the measure then needs a cutoff).",
)  # fmt: skip
@click.option(
    "--unjudged", type=click.Choice(FILE_UNJUDGED), default="zero", show_default=True,
    help="Unjudged documents count 0, and exact bounds are shown; or they are dropped from the lists.",
)  # fmt: skip
@click.option("--lowest", type=int, default=0, show_default=True, help="Lowest grade of the scale.")
@click.option("--highest", type=int, default=None, help="Highest grade.  [default: the largest in QRELS]")
@click.option(
    "--threshold", type=float, default=None,
    help="Lowest grade that counts as relevant.  [default: 3 on a scale 1 to 5, else lowest + 1]",
)  # fmt: skip
@click.option(
    "--trec", is_flag=True,
    help="As trec_eval: negative grades are not judged, queries without a relevant document score 0, "
    "queries that a run does not list are left out, scores are compared as float32.",
)  # fmt: skip
@click.option("--best", is_flag=True, help="Keep a document that a list holds twice at its best place.")
@click.option("--per-query", is_flag=True, help="Print the values of every query, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in full precision.")
@click.option(
    "--compare", nargs=2, multiple=True, metavar="A B",
    help="Compare two runs. Name them by their files without the ending, or by their tags if the files have "
    "the same name. Can be repeated.",
)  # fmt: skip
def score_files(
    qrels: Path,
    runs: tuple[Path, ...],
    *,
    per_query: bool,
    as_json: bool,
    compare: tuple[tuple[str, str], ...],
    **choices: Any,
) -> None:
    """Print the scores of TREC files: every RUN against QRELS. Files may be packed with gzip.

    A measure is a name with its cutoff: nDCG@10 CG@5 DCG@5 IDCG@5 MNDCG@10 P@5 Recall@100 Success@1 RR AP
    Rprec ERR@10 RBP(0.8) bpref infAP judged@10. The pool behind bounds is the union of the runs' top k. A
    query counts if a judged document has gain; a run without results for it scores 0 on it.

    Example: flask --app app score-files qrels.txt bm25.run lsa.run --measures "nDCG@10 AP" --compare bm25 lsa
    """
    text: str | bytes
    with _for_one_answer():
        from app.cli.layout import terminal_width
        from app.cli.score_files_scores import Choices
        from app.cli.score_files_text import as_object, as_text

        found = _scored(qrels, runs, Choices(**choices), compare)
        notes = _notes(found, qrels.name, as_json=as_json)
        if as_json:
            # Files in JSON are UTF-8, whatever the terminal writes.
            text = as_object(found, per_query=per_query).encode()
        else:
            from app.cli.letters import escape_unknown_letters

            escape_unknown_letters()
            text = as_text(found, qrels.name, per_query=per_query, width=terminal_width())
    for note in notes:
        click.echo(note, err=True)
    click.echo(text)


def _notes(found: FileScores, qrels: str, *, as_json: bool) -> list[str]:
    """Return what is said beside the scores, to the error output: the object has no place for it."""
    from app.cli.score_files_text import scale_lines, silent_lines

    chosen = click.get_current_context().get_parameter_source("lowest")
    hints = scale_lines(found, qrels) if chosen is ParameterSource.DEFAULT else []
    return hints + (silent_lines(found) if as_json else [])


@contextmanager
def _for_one_answer() -> Iterator[None]:
    """Spare a process that ends after an answer what only long ones need: a fifth of its time on small files.

    Nothing looks for garbage in cycles, also not at the end: arrays are freed as soon as nothing names them.
    """
    atexit.register(gc.freeze)
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def _scored(
    qrels: Path, runs: tuple[Path, ...], choices: Choices, compare: tuple[tuple[str, str], ...]
) -> FileScores:
    """Return the scores; what cannot be right is one line: exit status 2 for choices, 1 for files."""
    from app.cli.score_files_scores import ChoiceError
    from app.cli.score_files_scores import score_files as score
    from app.formats.errors import FormatError
    from app.scoring.measures import UnknownMeasureError

    try:
        found = score(qrels, runs, choices, comparing=bool(compare))
        if compare:
            from app.cli.score_files_compare import compare_runs  # the tests are only loaded when asked for

            found.comparisons = compare_runs(found, compare)
    except (ChoiceError, UnknownMeasureError) as error:
        raise click.UsageError(str(error)) from error
    except FormatError as error:
        raise click.ClickException(str(error)) from error
    return found


if __name__ == "__main__":
    # `python -m app.cli.score_files` does without Flask, which takes longer to load than files to score.
    score_files()
