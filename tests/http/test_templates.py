"""Compiled templates that outlive a process: no page depends on them."""

import pytest

from app.http import templates
from app.http.templates import keep_compiled


@pytest.fixture
def kept(fresh_app, tmp_path):
    """Keep the templates of an application, after one page was shown."""
    show(fresh_app, tmp_path / "kept")
    return tmp_path / "kept"


def show(app, folder):
    """Show a page as a new process does, and return which templates it compiled."""
    keep_compiled(app, folder)
    app.jinja_env.cache.clear()
    compiled = []
    compile_source = app.jinja_env._compile
    app.jinja_env._compile = lambda source, name: compiled.append(name) or compile_source(source, name)
    reply = app.test_client().get("/sign-in")
    app.jinja_env._compile = compile_source
    assert reply.status_code == 200
    assert "<form" in reply.text
    return compiled


@pytest.mark.thorough
def test_a_new_process_compiles_nothing_again(fresh_app, kept):
    assert show(fresh_app, kept) == []
    assert kept.stat().st_mode & 0o777 == 0o700


@pytest.mark.thorough
@pytest.mark.parametrize("damage", [b"", b"j2", None])
def test_a_damaged_file_is_written_again(fresh_app, kept, damage):
    files = sorted(kept.iterdir())
    for file in files:
        file.write_bytes(file.read_bytes()[:60] if damage is None else damage)

    assert len(show(fresh_app, kept)) == len(files)
    assert show(fresh_app, kept) == []


@pytest.mark.thorough
def test_another_version_compiles_them_again(fresh_app, kept, monkeypatch):
    monkeypatch.setattr(templates, "VERSION", "0.0.1")

    assert len(show(fresh_app, kept)) == len(list(kept.iterdir()))


@pytest.mark.thorough
def test_a_folder_that_cannot_be_made_stops_no_page(fresh_app, tmp_path):
    (tmp_path / "file").write_text("")

    assert show(fresh_app, tmp_path / "file" / "kept")
