"""`score-files` as a process of its own: what it loads, what it needs, and what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SECOND = 1 / 1.584962500721156
"""The discount of the second rank."""


def start(*words, cwd, **environ):
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def small(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 2\nq1 0 c 0\nq2 0 a 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 b 1 3.0 first\nq1 Q0 a 2 2.0 first\nq2 Q0 a 1 9.0 first\n")
    return tmp_path


def near(value):
    return pytest.approx(value, abs=1e-12)


@pytest.mark.thorough
def test_a_comparison_is_data_and_one_sentence(tmp_path):
    (tmp_path / "many.txt").write_text("".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in range(12)))
    good = "".join(f"q{n} Q0 a 1 2.0 t\nq{n} Q0 b 2 1.0 t\n" for n in range(12))
    (tmp_path / "good.run").write_text(good)
    (tmp_path / "bad.run").write_text(good.replace("1 2.0", "1 0.5"))

    done = start(
        *("-m", "app.cli.score_files", "many.txt", "good.run", "bad.run", "--json"),
        *("--measures", "nDCG@2", "--compare", "bad", "good"),
        cwd=tmp_path,
    )
    found = json.loads(done.stdout)["comparisons"][0]

    lead = 1 - SECOND
    sample = found.pop("sample")
    assert (sample["queries"], sample["all_judged"], sample["mean"]) == (12, True, near(lead))
    assert found == {
        "a": "bad",
        "b": "good",
        "measure": "nDCG@2",
        "queries": 12,
        "means": {"a": near(SECOND), "b": 1.0},
        "difference": near(lead),
        "interval": near([lead, lead]),
        "p": 2**-11,
        "p_adjusted": 2**-11,
        "test": {"name": "paired sign-flip", "patterns": 4096, "exact": True, "adjusted_for": 1},
        "b_wins": 12,
        "ties": 0,
        "b_losses": 0,
        "bounds": near([lead, lead]),
        "certificate": near([12 * lead, 12 * lead]),
        "unjudged_documents": 0,
        "unjudged_where_counted": 0,
        "provisional": False,
        "stays_ahead_whatever_is_unjudged": None,
        "final_p": 2**-11,
        "queries_to_add": None,
        "verdict": "sure",
        "ahead": "good",
        "sentence": "good is surely better than bad in nDCG@2: good minus bad is +0.3691 "
        "(95% +0.3691 to +0.3691, 12 queries).",
    }


@pytest.mark.thorough
def test_neither_a_database_nor_a_folder_to_write_to_is_needed(small):
    done = start(
        *("-m", "flask", "--app", "app", "score-files", "qrels.txt", "one.run"),
        cwd=small,
        INSTANCE_PATH="/proc/nowhere",
        DATABASE_URL="nonsense",
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "\none   0.8155" in done.stdout


NEEDLESS = (
    *("sqlalchemy", "flask", "jinja2"),
    # Other readers, and comparisons.
    *("app.formats.runs", "app.scoring.bounds_pairs", "app.scoring.significance"),
    "app.cli.score_files_compare",
)


@pytest.mark.thorough
def test_what_plain_files_do_not_need_is_not_even_loaded(small):
    code = (
        "import sys; sys.argv = ['x', 'qrels.txt', 'one.run', '--json']\n"
        "from app.cli.score_files import score_files\n"
        "score_files(standalone_mode=False)\n"
        f"print([name for name in {NEEDLESS} if name in sys.modules])"
    )

    done = start("-c", code, cwd=small)

    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.thorough
def test_the_collector_of_the_process_that_asks_works_on_as_before(small):
    code = (
        "import gc; from app.cli.score_files import score_files\n"
        "score_files(['qrels.txt', 'one.run'], standalone_mode=False)\n"
        "try:\n"
        "    score_files(['qrels.txt', 'none.run'], standalone_mode=False)\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, gc.isenabled())\n"
    )

    done = start("-c", code, cwd=small)

    assert done.stdout.splitlines()[-1] == "ClickException True", done.stderr


@pytest.mark.parametrize("words", [("app.cli.score_files",), ("flask", "--app", "app", "score-files")])
@pytest.mark.thorough
def test_ids_that_the_terminal_has_no_letters_for_are_printed_all_the_same(tmp_path, words):
    (tmp_path / "qrels.txt").write_text("ж1 0 a 1\n", encoding="utf-8")
    (tmp_path / "run.run").write_text("ж1 Q0 a 1 1 t\n", encoding="utf-8")

    def said(*more):
        told = (*words, "qrels.txt", "run.run", "--measures", "P@1", "--per-query", *more)
        return start("-m", *told, cwd=tmp_path, PYTHONIOENCODING="cp1252")

    assert json.loads(said("--json").stdout)["runs"][0]["per_query"] == {"ж1": {"P@1": 1.0, "bounds": {}}}
    assert said().stdout.splitlines()[-1].split() == [r"\u04361", "1.0000"]
