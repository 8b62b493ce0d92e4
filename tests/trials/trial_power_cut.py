"""Print what a power cut would leave of ratings, on a disk that keeps only what it was told to keep.

`make trial-power-cut` serves the site on SQLite while eight people rate without a pause, and writes down in order
each write, truncation and sync of the database and its write-ahead log (by a library that is compiled for it).
Played back whole, the record must give the very files that were there in the end. Then the power is cut at many
places of the record. What had been synced by then is there. Of what was written since, either nothing is there, or
all, or each sector of 512 bytes by the toss of a coin, whatever their order. Such files must be whole, hold
each rating that was acknowledged before the cut, and none twice. Exit status 1 where one does not. To see that
losses would be found, the same is done as if the disk had ignored every sync.
"""

from __future__ import annotations

import argparse
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import DatabaseError

from app.database import Database
from app.services.verification import current_problems, ledger_problems
from tests.furniture.served import Served, prepare_work
from tests.furniture.stubborn import StubbornCrowd, is_whole, lost_and_doubled

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE, QUESTIONS = 8, 10
SECONDS, CUTS = 20.0, 300
SECTOR = 512
RECORDER = Path(__file__).parents[1] / "furniture" / "writes.c"
RECORD = struct.Struct("<dccQQ")
# How the record calls the files.
SUFFIXES = {"d": "", "l": "-wal", "j": "-journal"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--cuts", type=int, default=CUTS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return trial(Path(folder), asked.seconds, asked.cuts)


def trial(folder: Path, seconds: float, cuts: int) -> int:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        print("Not tried: no C compiler was found.")
        return 1
    library, log = folder / "writes.so", folder / "writes"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, RECORDER, "-ldl"], check=True)
    instance = folder / "instance"
    instance.mkdir()
    served = Served(instance, LD_PRELOAD=str(library), WRITES_FILE=str(log))
    work = prepare_work(served.url, people=PEOPLE, queries=QUESTIONS, batches=QUESTIONS)
    file = Path(served.url.removeprefix("sqlite:///"))
    before = {name: read(file, suffix) for name, suffix in SUFFIXES.items()}
    served.start()
    crowd = StubbornCrowd(served, work, pause=0)
    with crowd:
        crowd.stopped.wait(seconds)
    served.kill()
    told = sorted(pair for one in crowd.people for pair in zip(one.told_at, one.told, strict=True))
    writes = list(records(log.read_bytes()))
    print(
        f"{len(told):,} ratings acknowledged; {sum(one.what == 'w' for one in writes):,} writes, "
        f"{sum(one.what == 's' for one in writes):,} syncs, "
        f"{sum(one.what == 'w' and one.file == 'd' for one in writes):,} writes to the database itself."
    )
    whole = Disk(before)
    for one in writes:
        whole.ask(one)
    if any(whole.after(name, 1.0) != read(file, suffix) for name, suffix in SUFFIXES.items()):
        print("The record does not give the files that were there: something was written past it.")
        return 1
    print("\n| the disk | cuts | damaged | acknowledged ratings missing | doubled or out of order |")
    print("| --- | --- | --- | --- | --- |")
    kept = row("keeps what is synced", before, writes, told, cuts, folder)
    ignored = row("ignores every sync", before, writes, told, cuts, folder, ignores=True)
    if not ignored:
        print("No loss was seen where all syncs were ignored: this trial would find none.")
    return int(kept or not ignored)


def row(
    name: str,
    before: dict[str, bytes | None],
    writes: list[Write],
    told: list[tuple[float, bytes]],
    cuts: int,
    folder: Path,
    *,
    ignores: bool = False,
) -> bool:
    """Cut the power at many places, print a line, and return whether anything was wrong."""
    chance, disk, found, copy = random.Random(1), Disk(before), Counter[str](), folder / "cut.sqlite3"
    # Half of them while the log is brought into the database.
    into = [place for place, one in enumerate(writes) if one.file == "d"]
    places = {*chance.sample(range(len(writes)), cuts // 2), *chance.sample(into, min(len(into), cuts // 2))}
    for place, one in enumerate(writes):
        if not (ignores and one.what == "s"):
            disk.ask(one)
        if place in places:
            acknowledged = [number for at, number in told if at < one.time]
            for share in (0.0, 1.0, 0.5):
                for there, suffix in SUFFIXES.items():
                    write(copy, suffix, disk.after(there, share, chance))
                found.update(cuts=1, **problems(copy, acknowledged))
    print(f"| {name} | {found['cuts']} | {found['damaged']} | {found['lost']} | {found['doubled']} |")
    return bool(found["damaged"] or found["lost"] or found["doubled"])


def problems(copy: Path, acknowledged: list[bytes]) -> dict[str, int]:
    """Return what a database lacks or holds wrongly once it is opened; its files are removed then."""
    url = f"sqlite:///{copy}"
    try:
        lost, doubled = lost_and_doubled(url, acknowledged)
        damaged = not is_whole(copy) or is_unlike_its_ledger(url)
        return {"lost": lost, "doubled": doubled, "damaged": int(damaged)}
    except DatabaseError:
        return {"lost": len(acknowledged), "doubled": 0, "damaged": 1}
    finally:
        for left in copy.parent.glob(f"{copy.name}*"):
            left.unlink()


def is_unlike_its_ledger(url: str) -> bool:
    database = Database(url)
    with database.read() as session:
        found = ledger_problems(session) + current_problems(session)
    database.dispose()
    return bool(found)


@dataclass(frozen=True)
class Write:
    """What was asked of the disk: `w` write, `t` truncate, `s` sync, `u` remove."""

    time: float
    what: str
    file: str
    place: int
    count: int
    data: bytes


def records(log: bytes) -> Iterator[Write]:
    """Yield what was asked of the disk, in order."""
    start = 0
    while start < len(log):
        time, what, file, place, count = RECORD.unpack_from(log, start)
        start += RECORD.size
        length = count if what == b"w" else 0
        yield Write(time, what.decode(), file.decode(), place, count, log[start : start + length])
        start += length


@dataclass
class Disk:
    """What is kept for certain of each file, and what was asked since."""

    kept: dict[str, bytes | None]
    since: dict[str, list[Write]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.kept = dict(self.kept)

    def ask(self, one: Write) -> None:
        """Take note of one more thing that is asked."""
        if one.what == "s":
            self.kept[one.file] = self.after(one.file, 1.0)
            self.since[one.file].clear()
        else:
            self.since[one.file].append(one)

    def after(self, file: str, share: float, chance: random.Random | None = None) -> bytes | None:
        """Return a file as a cut leaves it, None where it is not there.

        `share` of what was not synced is there: each sector of a write, and each truncation and removal, is there
        or not independently of the others.
        """
        kept = self.kept[file]
        image = None if kept is None else bytearray(kept)
        for one in self.since[file]:
            for start, part in parts(one):
                if 0 < share < 1:
                    assert chance is not None
                    is_there = chance.random() < share
                else:
                    is_there = bool(share)
                if is_there:
                    image = changed(image, one, start, part)
        return None if image is None else bytes(image)


def parts(one: Write) -> Iterator[tuple[int, bytes]]:
    """Yield the sectors of a write with their places; what is no write is one part."""
    if one.what != "w":
        yield one.place, b""
    start, end = one.place, one.place + len(one.data)
    while start < end:
        after = min((start // SECTOR + 1) * SECTOR, end)
        yield start, one.data[start - one.place : after - one.place]
        start = after


def changed(image: bytearray | None, one: Write, start: int, part: bytes) -> bytearray | None:
    """Return a file's bytes after one part of what was asked."""
    if one.what == "u":
        return None
    image = bytearray() if image is None else image
    end = one.place if one.what == "t" else start + len(part)
    image.extend(bytes(max(end - len(image), 0)))
    if one.what == "t":
        del image[end:]
    else:
        image[start:end] = part
    return image


def read(file: Path, suffix: str) -> bytes | None:
    path = Path(f"{file}{suffix}")
    return path.read_bytes() if path.exists() else None


def write(file: Path, suffix: str, image: bytes | None) -> None:
    if image is not None:
        Path(f"{file}{suffix}").write_bytes(image)


if __name__ == "__main__":
    sys.exit(main())
