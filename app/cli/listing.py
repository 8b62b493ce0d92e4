"""What `flask --help` says: our text and our commands, where Flask speaks of any application."""

from __future__ import annotations

import click
from flask.cli import AppGroup, FlaskGroup, routes_command, run_command, shell_command

HELP = """Collect relevance judgments and score rankers.

Every command has a --help of its own.

Example: flask --app app score-files qrels.txt bm25.run
"""


class Commands(AppGroup):
    """Our commands; their list brings the text that stands above it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return their names. The application is loaded for them when the text above is written already."""
        group = ctx.command
        if isinstance(group, FlaskGroup) and group.help != HELP and not ctx.resilient_parsing:
            group.help = HELP
            click.echo(ctx.get_help(), color=ctx.color)
            raise SystemExit
        return super().list_commands(ctx)


def hide_commands_of_flask() -> None:
    """Leave out of the list what serves developers; it still works."""
    for command in (run_command, routes_command, shell_command):
        command.hidden = True
