"""The search for near-duplicates, beside everything else: many short sessions, no long one."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from app.database import Database
from app.scoring.arrays import Ints
from app.scoring.shingles import NEAR, Sketches, likely_pairs, resemblance, sketches_of, smallest_of
from app.services.bulk import batches
from app.services.collection.near_duplicates import (
    TEXTS_AT_ONCE,
    Vocabulary,
    documents_to_compare,
    note_progress,
    replace_near_duplicates,
    texts_revision,
)

log = logging.getLogger(__name__)
SECONDS = 1.0
"""How often progress is written down."""


def find_near_duplicates(database: Database, project_id: int) -> None:
    """Find the near-duplicates of a project and keep them; asked for twice, it does the same again."""
    try:
        _find(database, project_id)
    except Exception:
        log.exception("the search for near-duplicates of project %s failed", project_id)
        with database.write() as session:
            note_progress(session, project_id, "failed")


def _find(database: Database, project_id: int) -> None:
    with database.read() as session:
        revision = texts_revision(session, project_id)
        numbers = documents_to_compare(session, project_id)
    vocabulary = Vocabulary()
    progress = _Progress(database, project_id, len(numbers))
    sketches = _sketches(database, numbers, vocabulary, progress)
    parts: list[Ints] = [np.zeros((0, 2), dtype=np.int64)]
    for some in likely_pairs(sketches):
        parts.append(some)
        progress.advance(0)  # a sign of life
    pairs: Ints = np.concatenate(parts)
    found = list(_near(database, numbers, pairs, vocabulary))
    with database.write() as session:
        replace_near_duplicates(session, project_id, revision, found)


def _sketches(
    database: Database, numbers: list[int], vocabulary: Vocabulary, progress: _Progress
) -> Sketches:
    smallest, sizes = [], []
    for some in batches(numbers, TEXTS_AT_ONCE):
        with database.read() as session:
            shingles = vocabulary.shingles(session, some)
        # Whole sets of 100,000 texts would not fit: the sketches do.
        smallest += [smallest_of(one) for one in shingles]
        sizes += [len(one) for one in shingles]
        progress.advance(len(some))
    return sketches_of(smallest, sizes)


def _near(
    database: Database, numbers: list[int], pairs: Ints, vocabulary: Vocabulary
) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs that are near-duplicates, by the whole of their texts."""
    of_first: defaultdict[int, list[int]] = defaultdict(list)
    for first, second in pairs.tolist():
        of_first[numbers[first]].append(numbers[second])
    for some in batches(list(of_first), TEXTS_AT_ONCE // 10):
        wanted = sorted({*some, *(other for first in some for other in of_first[first])})
        with database.read() as session:
            shingles = dict(zip(wanted, vocabulary.shingles(session, wanted), strict=True))
        for first in some:
            for second in of_first[first]:
                share = resemblance(shingles[first], shingles[second])
                if share >= NEAR:
                    yield first, second, share


class _Progress:
    """Writes down how far the work is, now and then."""

    def __init__(self, database: Database, project_id: int, total: int) -> None:
        self._database, self._project_id = database, project_id
        self._done, self._total = 0, total
        self._told = 0.0
        self._tell()

    def advance(self, count: int) -> None:
        self._done += count
        if time.monotonic() - self._told >= SECONDS:
            self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        with self._database.write() as session:
            note_progress(session, self._project_id, "running", self._done, self._total)
