"""What README and its companions say is so: their commands, targets, files and settings exist, and none is left out."""

import re
from pathlib import Path

import click
import pytest
from flask import Flask

from app import cli

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
MOST_LINES = 150
# The pages that README leads to. Links in them are read from the folder in which they are.
COMPANIONS = (
    "app/API.md",
    "app/ADDING.md",
    "app/FORMATS.md",
    "app/RUNNING.md",
    "app/SIGNING_IN.md",
    "app/DECISIONS.md",
    "tests/benchmarks/README.md",
    "tests/deployment/README.md",
)
DECISION = re.compile(
    r"^### .+\nContext: .+(?:\n.+)*?\nDecision: .+(?:\n.+)*?\nConsequence: .+(?:\n.+)*", re.MULTILINE
)
COMMAND = re.compile(r"flask --app app ((?:[^\n`#]|\\\n)+)")
TARGET = re.compile(r"\bmake ([a-z][a-z0-9-]*)")
LINK = re.compile(r"\]\(([^)#\s]+)")
NAMED = re.compile(r"`([\w.{},*-]+/[\w./{},*-]*)`")
SETTING = re.compile(r"`([A-Z]{3,}(?:_[A-Z]+)*)`")


@pytest.fixture(scope="module")
def readme():
    return README.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def texts(readme):
    return "\n".join([readme, *((ROOT / name).read_text(encoding="utf-8") for name in COMPANIONS)])


@pytest.fixture(scope="module")
def commands():
    app = Flask("docs")
    cli.register(app)
    return app.cli


def real(command):
    """Return the command behind one that is loaded when it is used."""
    return command._real() if hasattr(command, "_real") else command


def refusals_of(line, commands):
    """Return what is wrong with a command line: words that are no commands, options that nobody takes."""
    said = line.replace("\\\n", " ").replace("\\|", "|")  # a table escapes its bars
    words = [word.strip("[]") for word in said.split()]
    found = [commands]
    while words and any(isinstance(command, click.Group) for command in found):
        word = words.pop(0)
        names = word.split("|")
        unknown = [name for name in names if not any(name in group.commands for group in found)]
        if unknown:
            return [f"{line!r}: no command {name!r}" for name in unknown]
        found = [real(group.commands[name]) for group in found for name in names if name in group.commands]
    options = {option for command in found for parameter in command.params for option in parameter.opts}
    # What follows a | or && belongs to another program.
    ours = words[
        : next((place for place, word in enumerate(words) if word in {"|", "&&", ">", ";"}), len(words))
    ]
    asked = {part.split("=")[0] for word in ours for part in word.split("|") if part.startswith("-")}
    return [f"{line!r}: no option {option}" for option in sorted(asked - options - {"--help", "-"})]


def test_readme_is_short_and_leads_to_the_rest(readme):
    assert len(readme.splitlines()) <= MOST_LINES
    assert [name for name in COMPANIONS if f"]({name})" not in readme] == []


def test_the_formats_that_readme_names_are_not_those_of_plain_text_alone(readme):
    (named,) = re.findall(r"\*Import\*: .*? \((.*?)\)", readme)

    assert named == "TREC, CSV, TSV, JSON, XLSX, Parquet and more"


def test_every_decision_has_its_context_and_consequence():
    decisions = (ROOT / "app/DECISIONS.md").read_text(encoding="utf-8")
    written = DECISION.findall(decisions)

    assert len(written) == len(re.findall("^### ", decisions, re.MULTILINE)) > 20
    assert [text.splitlines()[0] for text in written if len(text.splitlines()) > 6] == []


def test_every_command_exists_with_its_options(texts, commands):
    lines = COMMAND.findall(texts)

    assert len(lines) >= 5
    assert [refusal for line in lines for refusal in refusals_of(line, commands)] == []


def test_every_group_of_commands_is_told(readme, commands):
    assert {
        name for name in commands.commands if not re.search(rf"flask --app app {name}\b", readme)
    } == set()


def test_every_command_has_an_example(commands):
    silent = []
    waiting = [(name, real(command)) for name, command in commands.commands.items()]
    for name, command in waiting:
        if isinstance(command, click.Group):
            waiting += [(f"{name} {word}", real(below)) for word, below in command.commands.items()]
        if f"flask --app app {name.split()[0]}" not in (command.help or ""):
            silent.append(name)

    assert silent == []


def test_every_target_exists(readme, texts):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    targets |= {path.stem.replace("_", "-") for path in ROOT.glob("tests/*/*.py")}
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", texts, re.DOTALL))

    assert {"run", "test", "check"} <= set(TARGET.findall(readme))
    assert set(TARGET.findall(code)) <= targets


def test_every_target_that_people_call_has_a_line_of_help():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.findall(r"^\.PHONY: ([^$]*)$", makefile, re.MULTILINE)

    assert set(" ".join(phony).split()) == set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))


def test_every_file_that_is_linked_or_named_exists(readme, texts):
    links = [link for link in LINK.findall(readme) if not re.match(r"[a-z]+:", link)]
    top = {path.name for path in ROOT.iterdir()}
    named = [name for name in NAMED.findall(texts) if name.split("/")[0] in top and "{" not in name]

    assert [name for name in links + named if not list(ROOT.glob(name.rstrip("/")))] == []


def test_every_setting_is_told(texts):
    told = set(SETTING.findall(texts))
    read = set(re.findall(r'"([A-Z]{3,}(?:_[A-Z]+)*)"', (ROOT / "config.py").read_text()))

    assert read - told == set()


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("db nothing", "no command 'nothing'"),
        ("nothing", "no command 'nothing'"),
        ("db check --nothing", "no option --nothing"),
        ("db check|nothing", "no command 'nothing'"),
    ],
)
def test_a_wrong_line_would_be_found(commands, line, refusal):
    (told,) = refusals_of(line, commands)

    assert told.endswith(refusal)


def test_right_lines_are_taken(commands):
    for line in ("db upgrade|downgrade REVISION", "db check --help", "db check | less -N", "serve"):
        assert refusals_of(line, commands) == []
