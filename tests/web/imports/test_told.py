"""What readers of files say is known by its pattern, so that a page can say it in another language."""

import ast
import re
from pathlib import Path

import pytest

from app.web.imports.told import told

ROOT = Path(__file__).parents[3] / "app"
READERS = [*(ROOT / "formats").glob("*.py"), *(ROOT / "services/collection").glob("*files.py")]
# What commands alone say: files that they write, whole projects, measures of files without a project.
ELSEWHERE = {
    "errors.py",
    "grades.py",
    "holding.py",
    "pictures.py",
    "project_files.py",
    "samples.py",
    "writing.py",
}
SAID_BY = {"BadValueError": 2, "Problem": 4, "Guess": 1}
FOLLOWS = {"looks": ""}
PHRASE = re.compile(r"[a-z]{2,} [a-z]{2,}")
KEPT_IN = {"reason", "remedy", "REMEDY", "CONTRADICTS"}


def sentence(node):
    """Return a sentence of the code with 1 in place of each value, and with the first of two forms."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(sentence(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return (
            sentence(node.value)
            if isinstance(node.value, ast.IfExp)
            else FOLLOWS.get(ast.unparse(node.value), "1")
        )
    return sentence(node.body) if isinstance(node, ast.IfExp) else ""


def sentences_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and (skip := SAID_BY.get(getattr(node.func, "id", ""))):
            yield from (found for argument in node.args[skip:] if " " in (found := sentence(argument)))
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in KEPT_IN:
            yield sentence(node.value)


def test_every_reason_and_remedy_of_a_reader_is_known(app):
    readers = [path for path in READERS if path.name not in ELSEWHERE]
    with app.test_request_context("/p/x/import", headers={"Accept-Language": "de"}):
        unknown = {
            (path.name, said)
            for path in readers
            for said in sentences_of(path)
            if PHRASE.search(said) and told(said) == said
        }

    assert unknown == set()


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("the document id is longer than 1,200 bytes", "Länger als 1.200 Bytes: Id der Antwort"),
        (
            "2 rankers (3 versions). Depth 10: 1,500 answers, about 8 hours for one person at 20 seconds each.",
            "2 Ranker (3 Versionen). Tiefe 10: 1.500 Antworten, etwa 8 Stunden für eine Person bei je 20 Sekunden.",
        ),
        ("nobody knows this sentence", "nobody knows this sentence"),
    ],
)
def test_a_sentence_is_said_again_with_its_values(app, english, german):
    with app.test_request_context("/p/x/import", headers={"Accept-Language": "de"}):
        assert told(english) == german
