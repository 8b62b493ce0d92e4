"""`flask pipeline`: steps that are YAML, and whose command is the client's."""

import shlex

import pytest
import yaml


@pytest.mark.parametrize(("system", "where"), [("github", "run"), ("gitlab", "script")])
def test_a_step_is_yaml_with_the_command_of_the_client(run_command, system, where):
    printed = run_command("pipeline", system, "demo", "--ranker", "Full text", "--run", "out/new.run")

    found = yaml.safe_load(printed.output)
    step = found[0] if system == "github" else found["touchstone gate"]
    lines = step[where].splitlines() if system == "github" else step[where]
    (line,) = [line for line in lines if "client.py gate" in line]
    words = shlex.split(line.partition("python ")[2].partition(">")[0])
    assert words[:3] == ["client.py", "gate", "out/new.run"]
    assert words[3:] == [
        "--address",
        "http://127.0.0.1:8000",
        "--project",
        "demo",
        "--ranker",
        "Full text",
        "--format",
        "markdown",
    ]
    assert "TOUCHSTONE_TOKEN" in printed.output
    assert "/api/client.py" in printed.output
