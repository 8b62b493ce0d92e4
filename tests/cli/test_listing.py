"""What `flask --help` says, as a process of its own: Flask loads the application only for the list."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from app.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
GROUPS = [
    name
    for name, (module, attribute, _) in COMMANDS.items()
    if isinstance(getattr(import_module(module), attribute), click.Group)
]


@pytest.fixture
def flask(tmp_path):
    def flask(*words, **environ):
        return subprocess.run(
            [Path(sys.executable).with_name("flask"), *words],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "INSTANCE_PATH": str(tmp_path), **environ},
            capture_output=True,
            text=True,
            check=False,
        )

    return flask


@pytest.mark.thorough
def test_the_help_speaks_of_the_product_and_lists_its_commands_alone(flask):
    told = flask("--app", "app", "--help")

    lines = told.stdout.splitlines()
    named = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :]]
    assert told.returncode == 0
    assert lines[2] == "  Collect relevance judgments and score rankers."
    assert "Flask applications" not in told.stdout
    assert told.stdout.count("Usage:") == 1
    assert {"import", "score-files", "serve"} < set(named)
    assert not {"run", "routes", "shell"} & set(named)


@pytest.mark.parametrize("group", [(), *((name,) for name in GROUPS)])
def test_the_list_of_commands_cuts_no_sentence_off(run_command, monkeypatch, group):
    monkeypatch.setenv("COLUMNS", "80")

    told = run_command(*group, "--help").output

    listed = told[told.index("Commands:") :].splitlines()[1:]
    assert listed
    assert [line for line in listed if not line.endswith(".")] == []
    assert [line for line in listed if line.endswith("...")] == []


@pytest.mark.thorough
def test_commands_of_flask_still_work(flask):
    told = flask("--app", "app", "routes")

    assert told.returncode == 0
    assert told.stdout.startswith("Endpoint")


@pytest.mark.thorough
def test_a_shell_completes_our_commands(flask):
    told = flask(_FLASK_COMPLETE="bash_complete", COMP_WORDS="flask --app app sc", COMP_CWORD="3")

    assert told.stdout.split() == ["plain,score", "plain,score-files"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            "run",
            (
                "It is a TREC run, a table with query_id or query, doc_id, and rank or score, or a file of "
                "another tool."
            ),
        ),
        ("run", "[trec|csv|tsv|jsonl|json|json-pairs|pandas|rank-eval|search|solr|predictions]"),
        ("qrels", "Let these grades replace earlier ones of the same annotator."),
        ("qrels", "imported: people (the default); machine: a machine."),
        ("documents", "Columns: doc_id, and text or title; where known, url and source."),
        (
            "judgments",
            (
                "Columns: query_id or query, doc_id, and grade or (for “can’t judge”) reason; where known, "
                "annotator and judged_at."
            ),
        ),
        (
            "queries",
            (
                "Columns: query_id and text, or a TSV of two columns. Without ids, one column named question "
                "is enough."
            ),
        ),
    ],
)
def test_the_help_of_imports_says_what_a_file_needs(run_command, command, told):
    shown = " ".join(run_command("import", command, "--help").output.split())

    assert told in shown
