"""Several large runs read at once, each process taking its share of the files.

The processes are copies of this one (``fork``), so that nothing is loaded again and what is known of the
qrels is shared. Where that is not to be had, or anything is odd in any file, the caller reads one file after
the other: problems are then named in the order of the files.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import warnings
from typing import TYPE_CHECKING

import numpy as np

from app.formats.words import HASH_BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.formats.words import Ints
    from app.services.file_scores.ranked import QueryNumbers, RankedRun

    Read = Callable[[Path], RankedRun | None]
    # The query ids that a process met first, and its runs by their place among all.
    Share = tuple[list[str], dict[int, RankedRun]]

# Below this much text one process is as quick.
WORTHWHILE = 4_000_000


def read_side_by_side(
    paths: Sequence[Path], read: Read, queries: QueryNumbers
) -> list[RankedRun | None] | None:
    """Return the runs in the order of their files; None if they are better read one after the other.

    Parameters
    ----------
    read
        Reads one file, numbering new queries in `queries`; None if something is wrong with it.
    """
    count = min(_processors(), len(paths))
    if count < 2 or not _may_fork() or _bytes_of(paths) < WORTHWHILE:
        return None
    pipes = [_start(paths, range(number, len(paths), count), read, queries) for number in range(1, count)]
    known = len(queries)
    own = _read_share(paths, range(0, len(paths), count), read, queries)
    shares = [own, *(_receive(*pipe) for pipe in pipes)]
    runs: dict[int, RankedRun] = {}
    for number, share in enumerate(shares):
        if share is None:
            _forget(queries, known)
            return None
        new_ids, found = share
        renumber = number > 0 and bool(new_ids)
        runs |= {
            place: _renumbered(run, known, queries.of(new_ids)) if renumber else run
            for place, run in found.items()
        }
    return [runs[place] for place in range(len(paths))]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _may_fork() -> bool:
    # A copy has one thread only: what another thread holds would stay held for ever.
    return sys.platform == "linux" and threading.active_count() == 1


def _bytes_of(paths: Sequence[Path]) -> int:
    """Return the size of all files; 0 where one of them is no plain file, which can be read only once."""
    if not all(path.is_file() for path in paths):
        return 0
    return sum(path.stat().st_size for path in paths)


def _start(paths: Sequence[Path], share: range, read: Read, queries: QueryNumbers) -> tuple[int, int]:
    """Start a process on its share of the files; return its number and where its answer can be read."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of threads that NumPy's libraries keep; they are made to be copied so.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.close(reading)
        found = _read_share(paths, share, read, queries)
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(found, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    finally:
        # Neither buffers nor exit handlers of the first process are this one's to run.
        os._exit(0)


def _read_share(paths: Sequence[Path], share: range, read: Read, queries: QueryNumbers) -> Share | None:
    known = len(queries)
    found = {}
    for place in share:
        run = read(paths[place])
        if run is None:
            return None
        found[place] = run
    return list(queries)[known:], found


def _receive(child: int, reading: int) -> Share | None:
    """Return what a process found; None if something is wrong with a file, or with the process."""
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    try:
        share: Share | None = pickle.loads(answer)  # noqa: S301 - from a copy of this process
    except (EOFError, pickle.UnpicklingError):
        return None
    return share


def _forget(queries: QueryNumbers, known: int) -> None:
    """Take out the queries met since."""
    for one in list(queries)[known:]:
        del queries[one]


def _renumbered(run: RankedRun, known: int, numbers: Ints) -> RankedRun:
    """Return a run with the numbers of this process for the queries beyond those known to both."""
    table = np.concatenate([np.arange(known, dtype=np.int64), numbers])
    keys = run.unjudged.keys
    hashes = keys & np.uint64((1 << HASH_BITS) - 1)
    query = table.take((keys >> np.uint64(HASH_BITS)).astype(np.int64)).astype(np.uint64)
    return run._replace(
        query=table.take(run.query),
        unjudged=run.unjudged._replace(keys=(query << np.uint64(HASH_BITS)) | hashes),
    )
