"""`flask demo` on a database of its own."""

from __future__ import annotations

import pytest


@pytest.fixture
def demo(app, run_command):
    """Return what runs `flask demo` with options."""

    def demo(*options):
        with app.app_context():
            return run_command("demo", *options)

    return demo


@pytest.mark.thorough
def test_the_demo_is_loaded_once_reset_and_removed(demo):
    message = [demo(*options) for options in ([], [], ["--reset"], ["--remove"], ["--remove"])]

    assert [result.output.strip() for result in message] == [
        "The demo project is loaded.",
        "Error: The demo is loaded already: use `--reset` to reload it.",
        "The demo project is loaded again.",
        "The demo project is removed.",
        "Error: There is no demo project to remove.",
    ]
    assert [result.exit_code for result in message] == [0, 1, 0, 0, 1]


def test_reset_and_remove_exclude_each_other(demo):
    result = demo("--reset", "--remove")

    assert result.exit_code == 2
    assert "not both" in result.output


@pytest.mark.parametrize("option", ["--reset", "--remove"])
def test_the_help_names_both_options(demo, option):
    assert option in demo("--help").output
