"""`flask score`: the scores of a project's rankers, as a table or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from app.cli.layout import aligned
from app.cli.session import open_database
from app.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.models import Project
    from app.services.scores.scoreboard import RunScore, Scoreboard


@click.command()
@click.argument("slug")
@click.option(
    "--measures",
    default="",
    help='Which measures, such as "nDCG@10 P@5 RR RBP(0.8)"; the project\'s nDCG@k if none is named.',
)
@click.option("--per-query", is_flag=True, help="Print the values of every query, too.")
@click.option(
    "--all-versions", is_flag=True, help="Every active version, not only the newest of each ranker."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in full precision.")
def score(slug: str, measures: str, *, per_query: bool, all_versions: bool, as_json: bool) -> None:
    """Print the scores of project SLUG: the newest active version of each ranker.

    Each mean is over today's scored queries, without those added after the run was imported. A query
    without results counts 0. The overview's mean is over the queries scored for all of its rankers.
    With --json it also has the overview's sentence, and each version compared with the one in production
    (else the leader) and with the version before it.

    Example: flask --app app score kettle-lane --measures "P@5 RR"
    """
    from app.scoring.measures import UnknownMeasureError
    from app.services.evidence.store import evidence_of
    from app.services.exports.objects import asked_labels, comparison_object, scores_object
    from app.services.projects.projects import get_project
    from app.services.scores.context import context_for_members
    from app.services.scores.scoreboard import score_runs, weighted_means

    with open_database() as database, database.read() as session:
        project = get_project(session, slug)
        evidence = evidence_of(database, project.id)
        runs = evidence.active_runs() if all_versions else evidence.current_runs()
        try:
            board = score_runs(evidence, runs, measures=measures, session=session)
            weighted = weighted_means(evidence, board)
        except UnknownMeasureError as error:
            raise click.ClickException(str(error)) from error
        context = context_for_members(session, evidence, project) if as_json else None
    asked = asked_labels(board, measures)
    if context is not None:
        from app.services.scores.leaderboard import leaderboard_of

        told = scores_object(project, board, asked, per_query=per_query, weighted=weighted)
        told |= comparison_object(leaderboard_of(evidence, context))
        click.echo(json.dumps(told, ensure_ascii=False).encode())
        return
    click.echo(as_table(project, board, asked))
    if per_query:
        click.echo(per_query_table(board, asked))


def per_query_table(board: Scoreboard, asked: Sequence[str]) -> str:
    """Return the values of every query that counts as lines for a terminal, ranker by ranker."""
    from app.services.exports.objects import per_query_values

    rows = [["ranker", "version", "query", *asked]]
    for place, scored in enumerate(board.runs):
        name = [scored.run.ranker, scored.run.version]
        for query, values in per_query_values(board, place, asked).items():
            rows.append([*name, query, *(f"{values[label]:.4f}" for label in asked)])
    return "\n".join(["", *aligned(rows, words=3)])


def as_table(project: Project, board: Scoreboard, asked: Sequence[str]) -> str:
    """Return the scores as lines for a terminal, best first."""
    ruler = f"{board.ruler.name}, settings {board.ruler.fingerprint[:12]}"
    title = f"{project.slug} at revision {board.revision}: {ruler}{', demo data' if project.is_demo else ''}"
    if not board.runs:
        return f"{title}\nNo ranker has an active run yet: import one with `flask --app app import run`."
    first = board.runs[0]
    labels = [*(label for label in asked if label in first.measures), *first.judged]
    ordered = sorted(board.runs, key=lambda run: -(run.measures[board.headline] or 0.0))
    rows = [["ranker", "version", *labels, "queries"], *(_line(run, labels) for run in ordered)]
    lines = aligned(rows, words=2)
    lost, unknown, empty = board.left_out
    excluded = {
        "with the lowest grade only": lost,
        "with too few ratings yet": unknown,
        "without answers": empty,
    }
    left_out = ", ".join(f"{count:,} {why}" for why, count in excluded.items() if count)
    scored = counted(int(board.scored.sum()), "query", "queries")
    total = f"{scored} scored.{f' Left out: {left_out}.' if left_out else ''}"
    return "\n".join([title, *lines, total, _basis(board)])


def _basis(board: Scoreboard) -> str:
    """Return which queries the means are over: on the overview all rankers are held to the same ones."""
    return (
        "Each mean is over today's scored queries, without those added after the run was imported. A query "
        "without results counts 0. The overview's mean is over the "
        f"{counted(int(board.common.sum()), 'query', 'queries')} scored for all of these runs."
    )


def _line(run: RunScore, labels: list[str]) -> list[str]:
    values = run.measures | run.judged
    numbers = [f"{values[label]:.4f}" if values[label] is not None else "-" for label in labels]
    return [run.run.ranker, run.run.version, *numbers, str(run.scored)]
