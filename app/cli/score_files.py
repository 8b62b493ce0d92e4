"""`flask score-files`: scores of files, without a server and without a database."""

from __future__ import annotations

import atexit
import gc
import json
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from app.cli.columns import columns_of
from app.cli.layout import USUAL_WIDTH, aligned, style_of, terminal_width, wrapped
from app.cli.letters import escape_unknown_letters
from app.formats.encoding import ENCODINGS
from app.formats.errors import FormatError
from app.scoring.choices import DISCOUNTS, FILE_IDEALS, FILE_UNJUDGED, GAINS
from app.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from app.cli.score_files_scores import Choices, FileScores, RunScores
    from app.formats.lines import Reading
    from app.formats.schema import Format, Kind

RANGE = "low to high"
WHICH: dict[Kind, str] = {"judgments": "qrels:", "run": "runs:"}
OTHER: dict[Kind, Kind] = {"judgments": "run", "run": "judgments"}
IMPORT_AS_OTHER = re.compile(r"Import \w+(?: file)? as [\w ]+ \(import \w+\)")
# What may be of the other kind, in a sentence that begins with if.
GIVE_AS = {
    "import the file as results of a ranker (import run)": "give the file as a RUN",
    "import the file as ratings (import qrels)": "give the file as QRELS",
}


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
    "--discount", type=click.Choice(DISCOUNTS), default="log2", show_default=True,
    help="What a rank is worth.",
)  # fmt: skip
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
@click.option("--best", is_flag=True, help="If a list repeats a document, keep only its best place.")
@click.option(
    "--encoding", type=click.Choice(ENCODINGS),
    help="The encoding of the files, if neither UTF-8 nor UTF-16 with a byte order mark.",
)  # fmt: skip
@click.option(
    "--format", "formats", multiple=True, metavar="[qrels:|runs:]FORMAT",
    help="How to read the files; guessed if not given. qrels:FORMAT or runs:FORMAT sets it for these only.",
)  # fmt: skip
@click.option(
    "--column", "columns", multiple=True, metavar="[qrels:|runs:]OURS=THEIRS",
    help="The files' name for one of our columns, such as qrels:grade=stars. Can be repeated.",
)  # fmt: skip
@click.option(
    "--member", "members", multiple=True, metavar="[qrels:|runs:]NAME",
    help="Which file of an archive, or sheet of a workbook, is meant. Can be repeated for an archive.",
)  # fmt: skip
@click.option(
    "--map", "maps", multiple=True, metavar="VALUE=GRADE,...",
    help="What each grade of QRELS is on the scale, such as Exact=3,Partial=1 or 0..0.5=0,0.5..1=3; "
    "VALUE=skip leaves out lines. Can be repeated.",
)  # fmt: skip
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
    formats: tuple[str, ...],
    columns: tuple[str, ...],
    members: tuple[str, ...],
    maps: tuple[str, ...],
    **choices: Any,
) -> None:
    """Print the scores of files: every RUN against QRELS, in TREC's form or any other that imports read.

    A measure is a name with its cutoff, such as nDCG@10 CG@5 DCG@5 IDCG@5 MNDCG@10 MNG@10 F1@5 P@5
    Recall@100 Success@1 RR AP Rprec ERR@10 RBP(0.8) bpref infAP judged@10; the site's help explains all of
    them. Each score comes with the lowest and highest value that rating the runs' top k can still give it. A
    query counts if a judged document has gain; a run without results for it scores 0 on it.

    Example: flask --app app score-files qrels.txt bm25.run lsa.run --measures "nDCG@10 AP" --compare bm25 lsa
    """
    text: str | bytes
    with _for_one_answer():
        from app.cli.score_files_scores import Choices

        if formats or columns or members or maps:
            choices["readings"] = _readings(formats, columns, members, maps)
        found = _scored(qrels, runs, Choices(**choices), compare)
        notes = _notes(found, qrels.name, [run.name for run in runs], as_json=as_json)
        if as_json:
            # Files in JSON are UTF-8, whatever the terminal writes.
            text = as_object(found, per_query=per_query).encode()
        else:
            escape_unknown_letters()
            text = as_text(found, qrels.name, per_query=per_query, width=terminal_width())
    for note in notes:
        click.echo(note, err=True)
    click.echo(text)


def _readings(
    formats: tuple[str, ...], columns: tuple[str, ...], members: tuple[str, ...], maps: tuple[str, ...]
) -> dict[Kind, Reading]:
    """Return how to read the files of each kind."""
    from app.formats.errors import BadValueError
    from app.formats.grades import GradeMap
    from app.formats.lines import Reading
    from app.formats.schema import ALL_FORMATS, FORMATS, NAMES

    try:
        grades = GradeMap.read(maps)
    except BadValueError as error:
        raise click.BadParameter(
            f"{error.value!r}: {error.reason}. {error.remedy}", param_hint="--map"
        ) from error
    found: dict[Kind, Reading] = {}
    for kind, other in OTHER.items():
        chosen = _said_of(kind, formats, frozenset(FORMATS[other]).difference(FORMATS[kind]))
        if unknown := [each for each in chosen if each not in ALL_FORMATS]:
            raise click.BadParameter(
                f"{unknown[0]!r} is none of {', '.join(ALL_FORMATS)}.", param_hint="--format"
            )
        pairs = _said_of(kind, columns, NAMES[other].keys() - NAMES[kind].keys())
        named = columns_of(pairs)
        found[kind] = Reading(
            cast("Format | None", chosen[-1] if chosen else None),
            named,
            tuple(_said_of(kind, members)),
            grades if kind == "judgments" else None,
        )
    return found


def _said_of(kind: Kind, values: tuple[str, ...], foreign: Collection[str] = ()) -> list[str]:
    """Return the values that are said of a kind of files: with its prefix, or with none.

    Without a prefix what begins with a `foreign` name is said of the other kind alone.
    """
    prefix, prefixes = WHICH[kind], tuple(WHICH.values())
    return [
        value.removeprefix(prefix)
        for value in values
        if value.startswith(prefix) or not (value.startswith(prefixes) or value.partition("=")[0] in foreign)
    ]


def _notes(found: FileScores, qrels: str, runs: list[str], *, as_json: bool) -> list[str]:
    """Return what is said beside the scores, to the error output: the object has no place for it."""
    chosen = click.get_current_context().get_parameter_source("lowest")
    hints = [
        f"Note: no query of {name} is in {qrels}: do the ids belong together?"
        for name, run in zip(runs, found.runs, strict=True)
        if run.is_foreign
    ]
    hints += [f"Note: {_here(hint)}" for hint in found.hints]
    hints += scale_lines(found, qrels) if chosen is ParameterSource.DEFAULT else []
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
    from app.scoring.measures import UnknownMeasureError

    try:
        found = score(qrels, runs, choices, comparing=bool(compare))
        if compare:
            from app.cli.score_files_compare import compare_runs  # the tests are only loaded when asked for

            found.comparisons = compare_runs(found, compare)
    except (ChoiceError, UnknownMeasureError) as error:
        raise click.UsageError(str(error)) from error
    except FormatError as error:
        raise click.ClickException(_refusal(error)) from error
    return found


def _refusal(error: FormatError) -> str:
    """Return what is wrong with the files: of a file of the other kind, that their order is."""
    first = error.problems[0]
    remedy = _here(IMPORT_AS_OTHER.sub("Put the ratings first (score-files QRELS RUN...)", first.remedy))
    # What else is wrong with the files comes from their order, too.
    return str(error) if remedy == first.remedy else str(replace(first, remedy=remedy))


def _here(sentence: str) -> str:
    """Return a sentence about an import as it is done with this command."""
    for imported, given in GIVE_AS.items():
        sentence = sentence.replace(imported, given)
    return sentence


def as_object(found: FileScores, *, per_query: bool = False) -> str:
    """Return the scores as JSON, in full precision."""
    runs = [_run(found, number, per_query=per_query) for number in range(len(found.runs))]
    return json.dumps({"runs": runs, "comparisons": found.comparisons}, ensure_ascii=False, allow_nan=False)


def _run(found: FileScores, number: int, *, per_query: bool) -> dict[str, Any]:
    scored = found.runs[number]
    told: dict[str, Any] = {
        "run": scored.name,
        "tag": scored.tag,
        "measures": scored.measures,
        "bounds": scored.bounds,
        "judged": scored.judged,
        "queries": {"scored": scored.scored, "excluded": scored.excluded},
    }
    if per_query:
        values = found.per_query(number, [one.label for one in found.asked])
        bounds = found.bounds_per_query(number)
        told["per_query"] = {query: row | {"bounds": bounds[query]} for query, row in values.items()}
    return told


def as_text(found: FileScores, qrels: str, *, per_query: bool = False, width: int = USUAL_WIDTH) -> str:
    """Return the runs as a table, best first, with what its numbers depend on, then notes and comparisons.

    No line is longer than the width, unless a single name is.
    """
    ruler = found.ruler
    grades, queries = counted(found.judgments, "grade"), counted(found.judged_queries, "query", "queries")
    title = f"{qrels}: {grades} of {queries}, scale {ruler.lowest} to {ruler.highest}"
    ordered = sorted(found.runs, key=lambda run: -(run.measures[found.asked[0].label] or 0.0))
    rows = [
        ["run", *_cells(found, found.runs[0])],
        *([run.name, *_cells(found, run).values()] for run in ordered),
    ]
    ranges = {place for place, name in enumerate(rows[0]) if name.startswith(RANGE)}
    blocks = [
        wrapped([title], width),
        aligned(rows, width, together=ranges),
        wrapped(_legend(found, qrels), width),
        _order_notes(found, width),
    ]
    if per_query:
        blocks += [aligned(_query_rows(found, number), width) for number in range(len(found.runs))]
    blocks += [wrapped(_comparison(one), width) for one in found.comparisons]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def silent_lines(found: FileScores) -> list[str]:
    """Return how many queries count as 0 because a run does not list them: one line, none without any."""
    told = [f"{run.name} {run.silent:,} of {run.scored:,}" for run in found.runs if run.silent]
    return [f"Queries that a run does not list count as 0: {', '.join(told)}."] if told else []


def scale_lines(found: FileScores, qrels: str) -> list[str]:
    """Return a hint where the scale of the grades may start above the lowest grade that was chosen."""
    least, lowest = found.least_grade, found.ruler.lowest
    # A single grade distinguishes nothing: many files list only what is relevant, as 1.
    if found.ruler.trec or least is None or not lowest < least < found.ruler.highest:
        return []
    start = f"If {least} is its lowest grade, worth nothing, give --lowest {least}."
    return [f"Note: no grade {lowest} occurs in {qrels}. {start}"]


def _number(value: float | None, style: str = ".4f") -> str:
    """Return a score as the table shows it; a missing one is a dash, never 0."""
    return "-" if value is None else f"{value:{style}}"


def _cells(found: FileScores, scored: RunScores) -> dict[str, str]:
    """Return name -> text for each column after the name of the run."""
    cells: dict[str, str] = {}
    for one in found.asked:
        style = style_of(run.measures[one.label] for run in found.runs)
        cells[one.label] = _number(scored.measures[one.label], style)
        if one.label in scored.bounds:
            ends = scored.bounds[one.label]
            # Names must differ to be keys: of several ranges the further ones say whose they are.
            name = RANGE if RANGE not in cells else f"{RANGE} ({one.label})"
            cells[name] = "-" if ends is None else f"{ends[0]:{style}} to {ends[1]:{style}}"
    cells |= {label: _number(value) for label, value in scored.judged.items()}
    return cells | {"queries": f"{scored.scored:,}"}


def _query_rows(found: FileScores, number: int) -> list[list[str]]:
    """Return the values of one run, query by query."""
    labels = [one.label for one in found.asked]
    values = found.per_query(number, labels)
    styles = {label: style_of(of[label] for of in values.values()) for label in labels}
    rows = [[query, *(_number(of[label], styles[label]) for label in labels)] for query, of in values.items()]
    return [[f"{found.runs[number].name}, query", *labels], *rows]


def _legend(found: FileScores, qrels: str) -> list[str]:
    """Return the full name of each measure, what the range means, and which queries count."""
    lines = [", ".join(one.title(found.ruler) for one in found.asked)]
    if found.ruler.trec:
        lines.append("Scored as trec_eval does.")
    if found.ruler.unjudged == "condensed":
        lines.append("Condensed: unjudged documents are dropped from the lists before they are scored.")
    if found.runs[0].bounds:
        lines.append(
            "Unjudged documents have no gain so far. Low to high: the score if those in the runs' top k turn "
            "out as bad or as good as can be."
        )
    told = {run.name: _left_out(run, qrels) for run in found.runs}
    text = next(iter(told.values()))
    if len(set(told.values())) > 1:
        lines += [f"Queries left out for {name}: {text or 'none'}." for name, text in told.items()]
    elif text:
        lines.append(f"Queries left out: {text}.")
    return lines + silent_lines(found)


def _left_out(run: RunScores, qrels: str) -> str:
    not_listed = run.excluded.get("not_listed", 0)
    told = {
        "with nothing above the lowest grade": sum(run.excluded.values()) - run.unknown - not_listed,
        f"that {qrels} does not have": run.unknown,
        "not in the run": not_listed,
    }
    return ", ".join(f"{count:,} {words}" for words, count in told.items() if count)


def _order_notes(found: FileScores, width: int) -> list[str]:
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
    title = "Scores decide the order, then document ids, descending; ranks are only checked:"
    table = aligned([["run", "tied with the line before", "rank column disagrees"], *rows], width)
    return [*wrapped([title], width), *table] if rows else []


def _comparison(told: dict[str, Any]) -> list[str]:
    """Return a comparison: its sentence, then its numbers."""
    lines = [
        told["sentence"] + (" Provisional: many documents are not judged." if told["provisional"] else "")
    ]
    if told["queries"]:
        results = " / ".join(str(told[key]) for key in ("b_wins", "ties", "b_losses"))
        lines.append(f"  {told['b']} better / same / worse: {results}")
        test, together = told["test"], ""
        if test["adjusted_for"] > 1:
            together = f", {told['p_adjusted']:.4g} for all {test['adjusted_for']} comparisons together"
        patterns = f"{'all' if test['exact'] else 'random'} {test['patterns']:,} ways to flip the signs"
        lines.append(f"  Paired sign-flip test: P = {told['p']:.4g}{together} ({patterns})")
    if told["bounds"] is not None:
        lines.append(f"  {_reach(told)}")
    return lines


def _reach(told: dict[str, Any]) -> str:
    """Return what the unjudged documents could still make of the difference."""
    if not told["unjudged_documents"]:
        return "No document of the pool is unjudged: the difference is exact."
    low, high = told["bounds"]
    end = "still open who is ahead"
    if told["stays_ahead_whatever_is_unjudged"]:
        end = "unjudged documents cannot change this order"
    elif low > 0 or high < 0:
        end = "only queries that do not count yet could reverse it"
    here = told["unjudged_where_counted"]
    # The queries of the others may count once one of them is relevant, and change the mean.
    others = counted(told["unjudged_documents"] - here, "unjudged document")
    if not here:
        return f"Nothing is unjudged on the queries that count; other queries have {others}: {end}."
    more = f"; other queries have {others}" if here < told["unjudged_documents"] else ""
    documents = counted(here, "unjudged document")
    return f"With {documents} judged too, the difference can become {low:+.4f} to {high:+.4f}{more}: {end}."


if __name__ == "__main__":
    # `python -m app.cli.score_files` does without Flask, which takes longer to load than files to score.
    score_files()
