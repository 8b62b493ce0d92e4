"""`flask import`: queries, documents, runs and judgments into a project."""

from __future__ import annotations

import click

from app.cli.imports.corpus import documents, queries
from app.cli.imports.judgments import judgments, qrels
from app.cli.imports.runs import run
from app.cli.imports.undo import list_, undo


@click.group("import")
def import_() -> None:
    """Import queries, documents, runs and judgments. A file is imported whole or not at all.

    Example: flask --app app import queries cranfield queries.tsv
    """


for command in (queries, documents, run, judgments, qrels, list_, undo):
    import_.add_command(command)
