"""Print what becomes of ratings when the disk is full, read-only or slow, or when the clock jumps.

`make trial-faults` serves the site on SQLite from a small file system in memory, in namespaces of its own
(`unshare`), while four people rate. Five times each, for three seconds: the file system is filled to the last
byte (once more while a backup is made and while a file is imported); what SQLite writes is refused as on a
read-only disk, then each of its syncs takes 50 ms (both by a library that is compiled for it); the clock goes a
day forward, then a day back (`faketime`). Then fifty times the server is halted in mid-work, its database and the write-ahead log are
copied, and the copy is opened elsewhere: it must be whole and hold all that was acknowledged before. Exit status
1 where anything was lost or doubled, where a status other than 503 and 507 came, where a page was not readable
while the disk was full, or where the site needed a restart. What is not installed is named and not tried.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tests.furniture.served import ROOT, Rater, Served, prepare_work
from tests.furniture.stubborn import StubbornCrowd, is_whole, lost_and_doubled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

PEOPLE, QUESTIONS, PAUSE = 4, 10, 0.2
MEGABYTES = 48
SECONDS = 3.0
DAY = 86_400
SNAPSHOTS = 50
# A process is asked to open what is outside of its namespaces.
INSIDE = "TRIAL_FAULTS_INSIDE"
SHIM = Path(__file__).parents[1] / "furniture" / "faults.c"
FAKED_TIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
# 0 is a quiet connection that was closed when the clock jumped; browsers open another one.
CALM = {0, 503, 507}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--snapshots", type=int, default=SNAPSHOTS)
    asked = parser.parse_args()
    if INSIDE not in os.environ:
        words = ["unshare", "--map-root-user", "--mount", sys.executable, *sys.argv]
        os.execvpe(words[0], words, {**os.environ, INSIDE: "1"})
    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", folder], check=True)
        try:
            return trial(Path(folder), Path(outside), asked.times, asked.snapshots)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def trial(folder: Path, outside: Path, times: int, snapshots: int) -> int:
    clock, disk = outside / "clock", outside / "disk"
    clock.write_text(shifted(0))
    disk.write_text("-")
    shim = compiled(outside)
    served = Served(
        folder,
        LD_PRELOAD=":".join(str(one) for one in (shim, FAKED_TIME) if one and one.exists()),
        FAULTS_FILE=str(disk),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1",
        FAKETIME_DONT_FAKE_MONOTONIC="1",
    )
    work = prepare_work(served.url, people=PEOPLE, queries=QUESTIONS, batches=QUESTIONS)
    file = Path(served.url.removeprefix("sqlite:///"))
    faults: dict[str, Callable[[], AbstractContextManager[None]]] = {
        "the disk is full": lambda: full(folder),
        "a full disk, and a backup": lambda: full(folder, lambda: backup(served, folder)),
        "a full disk, and an import": lambda: full(folder, lambda: run_import(served, outside)),
    }
    if shim:
        faults["the disk is read-only"] = lambda: told(disk, "r")
        faults["each sync takes 50 ms"] = lambda: told(disk, "s")
    if FAKED_TIME.exists():
        faults["the clock goes a day forward"] = lambda: told(clock, shifted(DAY))
        faults["the clock goes a day back"] = lambda: told(clock, shifted(-DAY))
    served.start()
    wrong: list[str] = []
    try:
        with StubbornCrowd(served, work, pause=PAUSE) as crowd:
            print("| fault | times | saved meanwhile | refused | saved again after, s | longest, s |")
            print("| --- | --- | --- | --- | --- | --- |")
            for name, fault in faults.items():
                wrong += row(name, crowd, served, fault, times)
            wrong += copied(served, crowd, file, outside, snapshots)
    finally:
        served.stop()
    lost, doubled = lost_and_doubled(served.url, crowd.told)
    print(f"\n{len(crowd.told):,} ratings acknowledged, {lost} lost, {doubled} doubled or out of order.")
    wrong += [] if is_whole(file) else ["the file is damaged"]
    wrong += [f"{lost} lost, {doubled} doubled"] if lost or doubled else []
    if not shim:
        print("Not tried: a read-only and a slow disk (no C compiler was found).")
    if not FAKED_TIME.exists():
        print("Not tried: a clock that jumps (`apt-get install faketime`).")
    print("\n".join(wrong))
    return int(bool(wrong))


def compiled(folder: Path) -> Path | None:
    """Compile what stands between SQLite and the disk; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return None
    library = folder / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SHIM, "-ldl"], check=True)
    return library


def shifted(seconds: int) -> str:
    """Return how far a clock is off, in as many letters whatever it is."""
    return f"{seconds:+09d}"


def row(
    name: str,
    crowd: StubbornCrowd,
    served: Served,
    fault: Callable[[], AbstractContextManager[None]],
    times: int,
) -> list[str]:
    """Let something happen several times while people rate, print a row about it, and return what went wrong."""
    saved, again, wrong, before = 0, [], [], crowd.refused
    for _ in range(times):
        crowd.seconds_until_saved()
        with fault():
            count = len(crowd.told)
            time.sleep(SECONDS / 2)
            status, _ = Rater(served.port, "").get("/sign-in")
            if status != 200:
                wrong.append(f"{name}: a page was answered {status}")
            time.sleep(SECONDS / 2)
            saved += len(crowd.told) - count
        again.append(crowd.seconds_until_saved())
    refused = crowd.refused - before
    if unexpected := set(refused) - CALM:
        wrong.append(f"{name}: answered {sorted(unexpected)}")
    statuses = ", ".join(f"{count} times {status}" for status, count in sorted(refused.items())) or "0"
    print(
        f"| {name} | {times} | {saved} | {statuses} | {sorted(again)[len(again) // 2]:.1f} | {max(again):.1f} |"
    )
    return wrong


@contextmanager
def full(folder: Path, act: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Fill a file system to its last byte, do something, and give the room back in the end."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    try:
        act()
        yield
    finally:
        filler.unlink()


def backup(served: Served, folder: Path) -> None:
    """Try to make a backup, which must fail and leave nothing."""
    there = folder / "copy.tar.gz"
    done = command(served, "db", "backup", there)
    if done.returncode == 0 or there.exists():
        raise SystemExit(f"a backup on a full disk: status {done.returncode}, file there: {there.exists()}")


def run_import(served: Served, outside: Path) -> None:
    """Try to import documents, which must fail and leave nothing."""
    file = outside / "documents.tsv"
    with file.open("w") as rows:
        rows.write("doc_id\ttext\n")
        rows.writelines(f"new-{number}\t{'A text of some length. ' * 20}\n" for number in range(2_000))
    done = command(served, "import", "documents", "load", file)
    with closing(sqlite3.connect(served.url.removeprefix("sqlite:///"))) as database:
        stored = database.execute("SELECT count(*) FROM document WHERE external_id LIKE 'new-%'").fetchone()
    if done.returncode == 0 or stored != (0,):
        raise SystemExit(f"an import on a full disk: status {done.returncode}, {done.stderr}")


def command(served: Served, *words: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "flask", "--app", "app", *map(str, words)]
    return subprocess.run(
        line, cwd=ROOT, env=served.environment, capture_output=True, text=True, check=False, timeout=120
    )


@contextmanager
def told(note: Path, what: str) -> Iterator[None]:
    """Write down for a library inside the server what it shall do, and take that back in the end."""
    usual = note.read_text()
    overwrite(note, what)
    try:
        yield
    finally:
        overwrite(note, usual)


def overwrite(note: Path, what: str) -> None:
    """Write as many bytes as there are: a mapped file that is emptied for a moment ends who reads it."""
    with note.open("r+") as file:
        file.write(what)


def copied(served: Served, crowd: StubbornCrowd, file: Path, outside: Path, times: int) -> list[str]:
    """Copy the halted server's files again and again, and return what the copies lack."""
    copy, wrong, most = outside / "copy.sqlite3", Counter[str](), 0
    for _ in range(times):
        crowd.seconds_until_saved()
        before = crowd.told
        os.killpg(served.pid, signal.SIGSTOP)
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{file}{suffix}", f"{copy}{suffix}")
        os.killpg(served.pid, signal.SIGCONT)
        lost, doubled = lost_and_doubled(f"sqlite:///{copy}", before)
        wrong.update({"lost": lost, "doubled": doubled, "damaged": int(not is_whole(copy))})
        most = max(most, len(before))
        for left in outside.glob("copy.sqlite3*"):
            left.unlink()
    print(
        f"\n{times} copies of the halted server's files, with up to {most:,} ratings: {wrong['damaged']} damaged, "
        f"{wrong['lost']} acknowledged ratings missing, {wrong['doubled']} doubled."
    )
    return [f"copies: {count} {what}" for what, count in wrong.items() if count]


if __name__ == "__main__":
    sys.exit(main())
