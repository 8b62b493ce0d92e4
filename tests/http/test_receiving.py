"""Files on their way in: to their folder while they arrive, and away again if nobody keeps them."""

from __future__ import annotations

import errno
import hashlib
import io
import stat

import pytest
from werkzeug.exceptions import ServiceUnavailable

from app.http.receiving import ReceivedFile, written

TEXT = b"query_id,text\nq1,how\n"


def test_a_received_file_knows_its_size_hash_and_lines(tmp_path):
    file = ReceivedFile(tmp_path)
    for start in range(0, len(TEXT), 3):
        file.write(TEXT[start : start + 3])

    assert (file.size, file.lines, file.head) == (len(TEXT), 2, b"quer")
    assert file.sha256 == hashlib.sha256(TEXT).digest()
    file.write(b"q2")
    assert file.lines == 3
    file.close()


def test_a_kept_file_stays_under_its_name_and_another_one_goes(tmp_path):
    kept, other = written(tmp_path / "new", TEXT), written(tmp_path / "new", TEXT)

    kept.keep_as("random-id")
    kept.close()
    other.close()

    assert [path.name for path in (tmp_path / "new").iterdir()] == ["random-id"]
    assert (tmp_path / "new" / "random-id").read_bytes() == TEXT
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new", tmp_path / "new" / "random-id")]
    assert modes == [0o700, 0o600]


def test_a_file_that_is_forgotten_half_way_goes(tmp_path):
    file = written(tmp_path, TEXT)

    del file

    assert list(tmp_path.iterdir()) == []


def test_it_can_be_read_like_any_stream(tmp_path):
    file = written(tmp_path, TEXT)
    file.seek(0)

    assert file.read() == TEXT
    assert not file.closed
    file.close()


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path, monkeypatch):
    file = ReceivedFile(tmp_path)
    real = file._file
    file._file = type("Full", (), {"write": full, "close": real.close, "flush": full})()

    with pytest.raises(ServiceUnavailable):
        file.write(TEXT)
    with pytest.raises(ServiceUnavailable):
        file.keep_as("x")
    file.close()

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_a_page_and_not_a_failure(making, client_of, monkeypatch, settings):
    with making() as make:
        project = make.project()
        owner = make.member(project, "owner")
    monkeypatch.setattr(ReceivedFile, "write", lambda *_: full_page())

    page = client_of(owner).post(
        f"/p/{project.slug}/import/queries", data={"file": (io.BytesIO(TEXT), "q.csv")}
    )

    assert page.status_code == 503
    assert "no room for this file" in page.text
    assert list(settings.uploads_path.iterdir()) == []


def full_page():
    from app.http.receiving import FULL

    raise ServiceUnavailable(FULL)
