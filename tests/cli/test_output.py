"""Where `-o` writes: whole files with the mode they had, through links, and into what is no file."""

from __future__ import annotations

import io
import os
import stat
import threading

import pytest

from app.cli.output import opened
from tests.furniture.databases import made_in

QRELS = "q1 0 d1 2\n"


@pytest.fixture
def project(stored):
    return made_in(stored, make_project)


def make_project(make):
    from app.services.collection.judgment_files import JudgmentOptions
    from tests.furniture.files import bring_run, corpus, file_of, import_judgments

    project = make.project(slug="p", k=2, pool_depth=2)
    corpus(make.session, project)
    bring_run(make.session, project, "One", {"q1": "d1 d2"})
    import_judgments(make.session, project, file_of(QRELS, "a.txt"), JudgmentOptions())
    return project


def mode_of(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_pipe_is_written_to_and_stays_a_pipe(project, run_command, tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    # Opened for both ways: neither side waits for the other, whatever the command does.
    ends = os.open(pipe, os.O_RDWR)
    reader = threading.Thread(target=lambda: got.append(os.read(ends, 1000)), daemon=True)
    reader.start()

    result = run_command("export", "qrels", "p", "-o", pipe)

    reader.join(timeout=5)
    os.close(ends)
    assert (result.exit_code, got) == (0, [QRELS.encode()])
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link_and_what_it_points_to_is_written(project, run_command, tmp_path, exists):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "q.txt", tmp_path / "link.txt"
    if exists:
        target.write_text("old")
    link.symlink_to("there/q.txt")

    run_command("export", "qrels", "p", "-o", link)

    assert link.is_symlink()
    assert target.read_text() == QRELS
    assert [path.name for path in target.parent.iterdir()] == ["q.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_file_keeps_its_mode(project, run_command, tmp_path, mode):
    path = tmp_path / "q.txt"
    path.write_text("old")
    path.chmod(mode)

    run_command("export", "qrels", "p", "-o", path)

    assert (path.read_text(), mode_of(path)) == (QRELS, mode)


def test_a_new_file_has_the_mode_that_the_umask_gives(project, run_command, tmp_path):
    path, before = tmp_path / ("n" * 255), os.umask(0o027)
    try:
        run_command("export", "judgments", "p", "-o", path)
    finally:
        os.umask(before)

    assert mode_of(path) == 0o640


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("", "-o is empty: name a file, or leave it out for the terminal."),
        (".", ". is a folder: name a file in it."),
        ("./", ". is a folder: name a file in it."),
        ("/", "/ is a folder: name a file in it."),
        ("loop", "loop cannot be written: Too many levels of symbolic links."),
        ("n" * 256, f"{'n' * 256} cannot be written: File name too long."),
    ],
)
def test_what_is_no_place_for_a_file_is_one_line(project, run_command, tmp_path, monkeypatch, output, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")

    result = run_command("export", "qrels", "p", "-o", output)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {said}\n"


def test_an_empty_name_is_no_folder_for_runs(project, run_command, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    result = run_command("export", "runs", "p", "-o", "")

    assert (result.exit_code, list(folder.iterdir())) == (1, [])


def test_a_terminal_of_another_encoding_gets_what_a_file_would(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="\r\n")
    monkeypatch.setattr("sys.stdout", terminal)

    with opened(None) as file:
        file.write("ж1 0 d1 2\n")

    assert terminal.buffer.getvalue() == "ж1 0 d1 2\n".encode()
