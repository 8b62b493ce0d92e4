"""Print the time from TREC files to means, process start included: `make bench-files`.

Each program is a process of its own that reads qrels and runs, computes ten measures and prints the means of
each run; the means are compared. Budgets: not more processor time than pytrec_eval on any set (D: 63 runs with
long scores and ties); a run of a million lines in 256 MB above what the command takes for a run of one line.
"""

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.benchmarks.bench_engine import MEASURES
from tests.benchmarks.processes import FLASK, peak_of, run, run_in_turns
from tests.benchmarks.sets import made_set, write_long_files
from tests.benchmarks.timing import machine, shown, table, times

OURS = " ".join(row[0] for row in MEASURES)
THEIRS = """
import json, sys, pytrec_eval
qrels, *runs = sys.argv[3:]
with open(qrels) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), sys.argv[1].split())
means = []
for path in runs:
    with open(path) as file:
        found = evaluator.evaluate(pytrec_eval.parse_run(file)).values()
    means.append([sum(row[name] for row in found) / len(found) for name in sys.argv[2].split()])
print(json.dumps(means))
"""
COMMAND, MODULE, PYTREC, TREC = (
    "flask score-files",
    "python -m app.cli.score_files",
    "pytrec_eval",
    "trec_eval",
)


def commands(qrels: Path, runs: list[Path], trec_eval: str | None) -> dict[str, list[object]]:
    """Return every program's command line for the same files."""
    ours = [qrels, *runs, "--trec", "--json", "--measures", OURS]
    theirs = [" ".join(row[1] for row in MEASURES), " ".join(row[2] for row in MEASURES), qrels, *runs]
    found: dict[str, list[object]] = {
        COMMAND: [*FLASK, "score-files", *ours],
        MODULE: [sys.executable, "-m", "app.cli.score_files", *ours],
        PYTREC: [sys.executable, "-c", THEIRS, *theirs],
    }
    if trec_eval:
        asked = " ".join(f"-m {row[1]}" for row in MEASURES)
        program, *files = (shlex.quote(str(one)) for one in (trec_eval, qrels, *runs))
        each = (f"{program} {asked} {files[0]} {path}" for path in files[1:])
        found[TREC] = ["sh", "-c", " && ".join(each)]
    return found


def agree(lines: dict[str, list[object]]) -> bool:
    """Return whether our means are those of pytrec_eval."""
    ours = json.loads(run(lines[MODULE]).output)["runs"]
    means = [[row["measures"][name] for name, *_ in MEASURES] for row in ours]
    return bool(np.allclose(json.loads(run(lines[PYTREC]).output), means, rtol=1e-12, atol=0))


def row_of(name: str, folder: Path, rounds: int, trec_eval: str | None) -> list[str]:
    """Return one row of the table."""
    if name == "D":
        told, files = "D: 50 queries, 1,000 ranks, 63 runs, long scores and ties", write_long_files(folder)
    else:
        made = made_set(name)
        runs, queries, ranks = made.shape
        told, files = f"{name}: {queries:,} queries, {ranks} ranks, {runs} runs", made.write(folder)
    lines = commands(*files, trec_eval)
    print(f"{name}: means {'agree' if agree(lines) else 'DO NOT AGREE'}", file=sys.stderr)
    taken = run_in_turns(lines, rounds)
    others = [times(taken[PYTREC], taken[name]) for name in (COMMAND, MODULE)]
    if trec_eval:
        others.append(times(taken[TREC], taken[COMMAND]))
    return [told, *(shown(taken[name].clock) for name in (COMMAND, MODULE, PYTREC)), *others]


def memory_rows(folder: Path) -> list[list[str]]:
    """Return the peaks of memory of a run of one line, and of a million."""
    qrels, (million, *_) = made_set("B").write(folder)
    single, small = folder / "single.run", folder / "single.qrels"
    single.write_text("q1 Q0 d000001 1 1.0 tag\n")
    small.write_text("q1 0 d000001 1\n")
    rows = []
    for asked in ("nDCG@10 AP", OURS):
        words = ["--json", "--measures", asked]
        base = peak_of([*FLASK, "score-files", small, single, *words])
        peak = peak_of([*FLASK, "score-files", qrels, million, *words])
        label = f"{len(asked.split())} measures, 1,000,000 lines and 500,000 grades"
        rows.append([label, *(f"{size / 2**20:.0f} MB" for size in (base, peak, peak - base))])
    return rows


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sets", nargs="+", default=["A", "B", "C", "D"])
    parser.add_argument(
        "--trec-eval",
        default=os.environ.get("TREC_EVAL") or shutil.which("trec_eval"),
        help="path of a trec_eval built with -O2; without it that of TREC_EVAL, else the one on PATH",
    )
    options = parser.parse_args()
    print(
        "Ten measures from files, process start included; ratios by the clock (processor time in brackets)."
    )
    print(f"Medians of {options.rounds} rounds in turn. {machine()}.")
    if not options.trec_eval:
        print(
            "trec_eval is NOT MEASURED: none is on PATH, and neither TREC_EVAL nor --trec-eval names a binary."
        )
    ratios = [
        "pytrec_eval / command",
        "pytrec_eval / module",
        *(["trec_eval / command"] if options.trec_eval else []),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [row_of(one, folder, options.rounds, options.trec_eval) for one in options.sets]
        table(["set", COMMAND, MODULE, PYTREC, *ratios], rows)
        table(["memory at most", "a run of one line", "a run of a million", "above it"], memory_rows(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
