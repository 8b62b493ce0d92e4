"""Touchstone: collect relevance judgments and score rankers. `create_app` shows the order of construction."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from flask import Flask

    from config import Settings

# NumPy's library for matrices, if it is not loaded yet, starts no threads: ours share the processors, and
# waiting for each other costs more than it saves. Told to the library alone: no setting is read or changed.
os.putenv("OPENBLAS_NUM_THREADS", "1")

# Commands of Flask that need the whole application; ours open the database themselves.
NEED_DOORS = {"run", "routes", "shell"}


def create_app(settings: Settings | None = None) -> Flask:
    """Return the application; under one of our commands without its pages and API, which take time to load.

    :raise SettingError: A setting cannot be right.
    :raise PermissionNotDeclaredError: A route does not say who may use it.
    """
    from flask import Flask

    from app import cli
    from config import ROOT

    app = Flask(
        "app", root_path=str(ROOT / "app"), template_folder=str(ROOT / "templates"), static_folder=None
    )
    # Lines that hold only a statement leave nothing in a page. All templates are kept: they are a known few.
    app.jinja_options = {**app.jinja_options, "cache_size": -1, "trim_blocks": True, "lstrip_blocks": True}
    cli.register(app)
    command = _command_of_process()
    # A command that needs no settings needs no folder for a secret key either.
    if settings is not None or command not in cli.WITHOUT_SETTINGS:
        app.extensions["settings"] = settings or _settings_of_process()
    if command is None or command in NEED_DOORS:
        open_doors(app)
    return app


def open_doors(app: Flask) -> None:
    """Add everything that answers over HTTP: shared parts, then pages and API, then what is around all."""
    from app import api, http, web

    http.configure(app, app.extensions["settings"])
    web.register(app)
    api.register(app)
    http.finish(app, app.extensions["settings"])


def _settings_of_process() -> Settings:
    from config import SettingError, read_settings

    try:
        return read_settings()
    except SettingError as error:
        if click.get_current_context(silent=True) is None:
            raise
        # Under a command: one sentence and exit status 1.
        raise click.ClickException(str(error)) from error


def _command_of_process() -> str | None:
    """Return the command that runs, empty where only the list of them is shown; None under a server."""
    from app.cli import COMMANDS

    if click.get_current_context(silent=True) is None:
        return None
    # The first name counts: `import run` is a command of ours, `run` is Flask's.
    return next((word for word in sys.argv[1:] if word in NEED_DOORS or word in COMMANDS), "")
