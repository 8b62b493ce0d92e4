"""The command line: groups whose modules are loaded when they are used, because start-up has a budget."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from flask import Flask

# name: (module, attribute, one line for the list of commands)
COMMANDS = {
    "serve": ("app.cli.serve", "serve", "Migrate, then serve the site."),
    "project": ("app.cli.project", "project", "Create and change projects."),
    "import": ("app.cli.imports", "import_", "Import queries, documents, runs and judgments."),
    "export": ("app.cli.exports", "export", "Export what a project holds."),
    "score": ("app.cli.scores", "score", "Print the scores of a project's rankers."),
    "gate": ("app.cli.gate", "gate", "Tell a build pipeline whether a ranker may pass."),
    "pipeline": ("app.cli.pipeline", "pipeline", "Print a step for GitHub Actions or GitLab CI."),
    "ranker": ("app.cli.ranker", "ranker", "List and rename rankers."),
    "version": ("app.cli.version", "version", "Rename, move, withdraw, delete or mark a version."),
    "user": ("app.cli.user", "user", "Create, list, disable, reset and erase accounts."),
    "token": ("app.cli.token", "token", "Create, list and revoke tokens for the API."),
    "demo": ("app.cli.demo", "demo", "Load, reset or remove the demo project."),
    "db": ("app.cli.database", "db", "Upgrade, downgrade and check the database."),
    "check-deploy": ("app.cli.check_deploy", "check_deploy", "Check that a site is fit for a team."),
    "about": ("app.cli.about", "about", "Print the version and where the data is kept."),
    "score-files": ("app.cli.score_files", "score_files", "Score files without a database."),
}
# They read files only, so they work where nothing can be stored.
WITHOUT_SETTINGS = {"score-files"}


class Lazy(click.Command):
    """A command that loads its module when it is used; its list line needs no loading."""

    def __init__(self, name: str, module: str, attribute: str, line: str) -> None:
        super().__init__(name, help=line, add_help_option=False)
        self.ignore_unknown_options = True
        self.allow_extra_args = True
        self._module, self._attribute = module, attribute

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the real command, which takes over from here."""
        from app.cli.letters import escape_unknown_letters

        escape_unknown_letters()
        return self._real().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the real command."""
        return ctx.command.invoke(ctx)

    def _real(self) -> click.Command:
        command = getattr(import_module(self._module), self._attribute)
        assert isinstance(command, click.Command)
        return command


def register(app: Flask) -> None:
    """Add the commands."""
    # Loads Flask, which `python -m app.cli.score_files` does without.
    from app.cli.listing import Commands, hide_commands_of_flask

    app.cli = Commands(app.name)
    hide_commands_of_flask()
    for name, (module, attribute, line) in COMMANDS.items():
        app.cli.add_command(Lazy(name, module, attribute, line), name)
