"""`flask gate`: exit status and one sentence for build pipelines."""

from __future__ import annotations

import math
from typing import Any

import click

from app.cli.session import open_database


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
@click.option("--ranker", required=True, metavar="NAME", help="Whose newest version wants to pass.")
@click.option("--against", metavar="BASELINE", help="Another ranker; without it, the version of NAME before.")
@click.option(
    "--max-drop", type=SHARE, default=0.01, show_default=True, help="How far its NDCG may lie below, 0 to 1."
)
@click.option(
    "--min-coverage",
    type=SHARE,
    default=0.9,
    show_default=True,
    help="The least judged@k of both; not asked where grades are declared complete.",
)
@click.option("--sure", is_flag=True, help="Pass only if it is surely ahead: verdict Sure.")
def gate(
    slug: str, ranker: str, against: str | None, max_drop: float, min_coverage: float, *, sure: bool
) -> None:
    """Tell whether a ranker of project SLUG may pass: exit status 0 or 1, and one sentence.

    Exit status 2 says that there was nothing to tell: a wrong name or option, no version before, or no
    database.

    Both versions are scored with today's ratings on the questions that both cover. Below 10 scored
    questions nothing passes. A planned test that is due is taken first.

    Example: flask --app app gate help-centre --ranker Blend --against "Full text" --max-drop 0.02
    """
    from app.jobs.looks import take_due_look
    from app.services.comparison.gate import GateRules, gate_of
    from app.services.projects import get_project

    try:
        with open_database() as database:
            with database.read() as session:
                project_id = get_project(session, slug).id
            basis = take_due_look(database, project_id)
            answer = gate_of(basis, ranker, against, GateRules(max_drop, min_coverage, sure))
    except click.ClickException as refusal:
        # 1 would read as a ranker that failed.
        refusal.show()
        raise SystemExit(2) from refusal
    click.echo(answer.sentence)
    raise SystemExit(0 if answer.passed else 1)
