"""Offer files that are made up, changed again and again towards code that no earlier one reached.

`make trial-made-up-files` (half an hour; `ARGS="--seconds 60"` for less) needs atheris, a fuzzer, which no other command
needs: `.venv/bin/python -m pip install atheris`. It begins with the bad files of the tests. Each file is read as questions,
documents, results or ratings: it is accepted or refused in sentences, within ten seconds and two gigabytes. The first
file with which anything else happens ends the trial with status 1; it is printed and kept.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# By their place here a file says in its first byte what it is read as.
CORPORA = {
    "queries": "test_bad_queries",
    "documents": "test_bad_documents",
    "run": "test_bad_runs",
    "judgments": "test_bad_ratings",
}
KINDS = list(CORPORA)
LONGEST = 6_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument(
        "--keep", default=tempfile.gettempdir(), help="folder for a file that was not read as it should"
    )
    asked = parser.parse_args()
    try:
        atheris = import_module("atheris")
    except ImportError:
        sys.exit("This trial needs atheris: .venv/bin/python -m pip install atheris")
    # What is watched must be imported here, and nothing of it before.
    with atheris.instrument_imports(include=["app.formats"]):
        reading = import_module("tests.formats.reading")
        refusing = import_module("tests.formats.refusing")

    def offer(data: bytes) -> None:
        if data:
            _, log = refusing.read_as_offered(KINDS[data[0] % len(KINDS)], data[1:])
            for problem in log.problems:
                reading.assert_is_a_clear_sentence(problem)

    with tempfile.TemporaryDirectory() as folder:
        for number, file in enumerate(beginnings()):
            Path(folder, str(number)).write_bytes(file)
        limits = (
            "-timeout=10",
            "-rss_limit_mb=2048",
            f"-max_len={LONGEST}",
            f"-artifact_prefix={asked.keep}{os.sep}",
        )
        atheris.Setup([sys.argv[0], folder, f"-max_total_time={asked.seconds}", *limits], offer)
        atheris.Fuzz()


def beginnings() -> Iterator[bytes]:
    """Yield the files to begin with, each after the byte of its kind."""
    for kind, name in CORPORA.items():
        for data, *_ in import_module(f"tests.formats.{name}").BAD.values():
            file = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
            if len(file) < LONGEST:
                yield bytes([KINDS.index(kind)]) + file
    broken = import_module("tests.formats.test_broken")
    for what, files in broken.GOOD.items():
        for text in files.values():
            yield bytes([KINDS.index(broken.KINDS[what])]) + text.encode()
    for archive in broken.ARCHIVES.values():
        yield bytes([KINDS.index("judgments")]) + archive


if __name__ == "__main__":
    main()
