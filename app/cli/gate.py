"""`flask gate`: exit status and one sentence for build pipelines."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.imports.files import file_of, format_option, open_project
from app.cli.imports.runs import best_option, unknown_queries_option
from app.formats.schema import FORMATS

if TYPE_CHECKING:
    from app.jobs.gate import Gated
    from app.services.scores.gate import GateRules

STATUS = {"passed": 0, "failed": 1, "cannot tell": 3}
UNSURE = {"pass": 0, "fail": 1}
OUTPUTS = ("text", "json", "markdown", "junit")


class Share(click.FloatRange):
    """A number from 0 to 1; "nan" is none, though it is in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


SHARE = Share(0, 1)


@click.command()
@click.argument("slug")
@click.option(
    "--run",
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Score the run in this file. It is not registered: nothing is written.",
)
@click.option(
    "--ranker",
    metavar="NAME",
    help="Without --run, the version to check: RANKER@VERSION, or RANKER for its newest. With --run, the "
    "ranker that made the file.",
)
@click.option(
    "--against",
    metavar="VERSION",
    help="What to compare with: production, RANKER@VERSION, or RANKER for its newest. If not given, the "
    "version in production, else the version before.",
)
@click.option(
    "--max-drop", type=SHARE, default=0.03, show_default=True, help="The drop to rule out: 0.03 is 3 points."
)
@click.option(
    "--min-coverage",
    type=SHARE,
    default=0.9,
    show_default=True,
    help="The share of rated top answers (judged@k) that both need at least; not checked after project set "
    "--unjudged complete.",
)
@click.option("--unsure", type=click.Choice(list(UNSURE)), help="End with 0 or 1 instead of 3.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--format",
    type=click.Choice([*OUTPUTS, *FORMATS["run"]]),
    metavar=f"[{'|'.join(OUTPUTS)}]",
    help="How to print the answer: one sentence (text, if not given), one JSON object in full precision, "
    "Markdown "
    "for a comment or a job summary, or JUnit for a list of tests.",
)
@format_option("run", "--run-format")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="OURS=THEIRS",
    help="The file's name for one of our columns, such as query_id=Question. Can be repeated.",
)
@click.option(
    "--unknown-documents",
    type=click.Choice(["reject", "add"]),
    default="reject",
    show_default=True,
    help="Document ids that the project does not have: refuse the file, or count them as not rated.",
)
@unknown_queries_option
@best_option
def gate(
    slug: str,
    *,
    max_drop: float,
    min_coverage: float,
    unsure: str | None,
    as_json: bool,
    format: str | None,
    run_format: str | None,
    **asked: Any,
) -> None:
    """Tell whether a version in project SLUG may replace another.

    Exit status 0: passed, with 95% certainty the score drops by less than --max-drop (a one-sided bound: the
    95% interval that pages show is two-sided and reaches lower). 1: failed, a drop is likely (95% interval
    below 0) and could exceed --max-drop. 3: cannot tell, because there are too few questions, too few rated
    answers, or the gap is uncertain. 2: a wrong option or name, a file that cannot be read, or no database.

    Both are scored with the ratings of today on the questions that both cover. Answers that nobody has
    rated count as not relevant, so with too many of them it cannot tell. With fewer than 100 questions, a
    drop of 2 points can rarely be ruled out, even between two equally good versions. Use a larger
    --max-drop, or add questions.

    Mark a version in production: without the mark, each new version is compared with the one imported
    before it, even if that one failed here.

    Example: flask --app app gate kettle-lane --run new.run --ranker Blend --against production
    """
    from app.services.exports.gate_report import junit_of, markdown_of
    from app.services.exports.objects import gate_object
    from app.services.scores.gate import GateRules

    try:
        # Version 1.0 called the option that reads the file --format.
        read_as = run_format or (None if format in OUTPUTS else format)
        found = _found(slug, GateRules(max_drop, min_coverage), format=read_as, **asked)
    except click.ClickException as refusal:
        # 1 would read as a ranker that failed.
        refusal.show()
        raise SystemExit(2) from refusal
    outcome = found.answer.outcome
    status = UNSURE[unsure] if unsure and outcome == "cannot tell" else STATUS[outcome]
    told = gate_object(slug, found.answer, found.evidence, ranker=found.ranker, file=found.file)
    if as_json or format == "json":
        click.echo(json.dumps(told | {"status": status}, ensure_ascii=False).encode())
    elif format == "markdown":
        click.echo(markdown_of(told).encode(), nl=False)
    elif format == "junit":
        click.echo(junit_of(told, status).encode(), nl=False)
    else:
        click.echo(found.answer.sentence)
    raise SystemExit(status)


def _found(
    slug: str,
    rules: GateRules,
    *,
    file: Path | None,
    ranker: str | None,
    against: str | None,
    format: str | None,
    columns: tuple[str, ...],
    **unknown: Any,
) -> Gated:
    from app.jobs.gate import gate_file, gate_version

    if file is None and ranker is None:
        raise click.UsageError("Name a file with --run, or a registered version with --ranker.")
    with open_project(slug) as (database, project_id):
        if file is None:
            return gate_version(database, project_id, ranker or "", against, rules)
        source = file_of("run", file, format=format, columns=columns)
        return gate_file(database, project_id, source, rules, ranker=ranker, against=against, **unknown)
