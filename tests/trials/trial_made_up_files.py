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
from pathlib import Path
from typing import TYPE_CHECKING

try:
    import atheris
except ImportError:
    sys.exit("This trial needs atheris: .venv/bin/python -m pip install atheris")

with atheris.instrument_imports(include=["app.formats"]):
    from tests.formats.refusing import read_as_offered

from tests.formats import test_bad_documents, test_bad_queries, test_bad_ratings, test_bad_runs, test_broken
from tests.formats.reading import READERS, assert_is_a_clear_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = list(READERS)
LONGEST = 6_000
CORPORA = {
    "queries": test_bad_queries,
    "documents": test_bad_documents,
    "run": test_bad_runs,
    "judgments": test_bad_ratings,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument(
        "--keep", default=tempfile.gettempdir(), help="folder for a file that was not read as it should"
    )
    asked = parser.parse_args()
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
    """Yield the files to begin with; the first byte of each is its kind."""
    for kind, module in CORPORA.items():
        for data, *_ in module.BAD.values():
            file = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
            if len(file) < LONGEST:
                yield bytes([KINDS.index(kind)]) + file
    for what, files in test_broken.GOOD.items():
        for text in files.values():
            yield bytes([KINDS.index(test_broken.KINDS[what])]) + text.encode()
    for archive in test_broken.ARCHIVES.values():
        yield bytes([KINDS.index("judgments")]) + archive


def offer(data: bytes) -> None:
    """Read one file; what it is read as stands in its first byte."""
    if data:
        _, log = read_as_offered(KINDS[data[0] % len(KINDS)], data[1:])
        for problem in log.problems:
            assert_is_a_clear_sentence(problem)


if __name__ == "__main__":
    main()
