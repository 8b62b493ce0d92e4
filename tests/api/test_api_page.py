"""The commands and the Python of README and app/API.md, run as they are written."""

import ast
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.api import client as module

LINES = "q1 Q0 d2 1 2.0 new\nq1 Q0 d1 2 1.0 new\n"

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.search(r"### From programs.*?```sh\n(.*?)```", README, re.DOTALL).group(1)
(PYTHON,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
(CLIENT,) = re.findall(r"```python\n(.*?)```", (ROOT / "app/API.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch, token):
    for name in ("new.run", "newer.run"):
        (tmp_path / name).write_text(LINES)
    shutil.copy(module.__file__, tmp_path / "client.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_TOKEN", token()["Authorization"].removeprefix("Bearer "))
    return tmp_path


def here(text, address):
    """Return a text about the site and the project of the test."""
    return text.replace("http://127.0.0.1:8000", address).replace("cranfield", "demo").replace("bm25", "BM25")


@pytest.mark.thorough
def test_the_five_commands_do_what_they_say(demo, folder, address, settings, monkeypatch):
    assert COMMANDS.count("\ncurl ") == 5
    script = here(COMMANDS, address).replace("curl ", "curl -sS --fail-with-body -w '\\n---\\n' ")
    for name, value in {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": ROOT,
        "INSTANCE_PATH": settings.instance_path,
        "DATABASE_URL": settings.database_url,
        "SECRET_KEY": settings.secret_key,
    }.items():
        monkeypatch.setenv(name, str(value))

    done = subprocess.run(["sh", "-e", "-c", script], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    scores, trial, pushed, pool, qrels = done.stdout.strip().removesuffix("---").split("\n---\n")[:5]
    assert '"nDCG@10"' in scores
    assert '"trial":true' in trial
    assert '"version":"v2"' in pushed
    assert '"items":[]' in pool
    assert qrels.startswith("q1 0 d1 3")


@pytest.mark.thorough  # loading pandas and ranx takes seconds
def test_the_python_does_what_it_says(demo, folder, address, ranx, capsys):
    assert [len(ast.parse(block).body) for block in PYTHON.split("\n\n")] == [4, 4, 2, 2]
    (folder / "page.py").write_text(here(PYTHON, address))

    runpy.run_path(str(folder / "page.py"))

    printed = capsys.readouterr().out
    assert "nDCG@10" in printed


@pytest.mark.thorough
def test_the_client_does_what_its_page_says(demo, folder, address, capsys):
    token = os.environ["TOUCHSTONE_TOKEN"]
    text = here(CLIENT, address).replace("tsk_...", token).replace("production", "Dense")
    (folder / "page.py").write_text(text)

    runpy.run_path(str(folder / "page.py"))

    assert capsys.readouterr().out.startswith("Cannot tell: ")
