"""The page about the API: its viewer is kept here, unchanged, and asks nobody else for anything."""

import hashlib
import re
from pathlib import Path

VENDOR = Path(__file__).parents[3] / "static" / "vendor"
ROW = re.compile(r"^\| (\S+) \| ([\d.]+) \| (\S+) \| (\S+) \| ([0-9a-f]{64}) \|$", re.MULTILINE)


def test_files_by_others_are_as_they_were_published():
    rows = ROW.findall((VENDOR / "README.md").read_text(encoding="utf-8"))
    listed = {file for *_, file, _ in rows}
    code = {str(path.relative_to(VENDOR)) for path in VENDOR.rglob("*") if path.suffix in {".js", ".css"}}

    assert listed == code
    for *_, file, digest in rows:
        assert hashlib.sha256((VENDOR / file).read_bytes()).hexdigest() == digest
        assert (VENDOR / file).with_name("LICENSE").exists()


def test_everybody_may_look_and_the_script_finds_the_description(client):
    page = client.get("/api").text

    assert 'data-description="/api/v1/openapi.json"' in page
    assert "/api/client.py" in page
