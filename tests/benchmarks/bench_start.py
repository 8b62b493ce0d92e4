"""Print how long every command takes to start: `make bench-start`. Budget: 0.35 s each."""

import argparse
import sys

from app.cli import COMMANDS
from tests.benchmarks.processes import FLASK, run_in_turns
from tests.benchmarks.timing import machine, shown, table

# Help of a command inside a group loads as much as the group itself, and shows more of what is used.
INSIDE = {"import": ["run"], "export": ["qrels"], "project": ["create"], "user": ["create"], "db": ["check"]}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"flask --app app COMMAND --help, process start included. Medians of {rounds} rounds. {machine()}.")
    lines = {name: [*FLASK, name, *INSIDE.get(name, []), "--help"] for name in COMMANDS}
    taken = run_in_turns({"(list of commands)": [*FLASK, "--help"], **lines}, rounds)
    rows = [
        [" ".join([name, *INSIDE.get(name, [])]), shown(one.clock), shown(one.cpu)]
        for name, one in taken.items()
    ]
    table(["command", "by the clock", "of the processor"], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
