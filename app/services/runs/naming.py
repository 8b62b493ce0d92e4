"""How a version is named in commands: `RANKER@VERSION`, a ranker alone for its newest, or `production`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.errors import NotFoundError

if TYPE_CHECKING:
    from app.services.evidence.structure import RunFact
    from app.services.evidence.timeline import Timeline

PRODUCTION = "production"
MOST_NAMED = 12


def version_name(run: RunFact) -> str:
    """Return the name that `find_version` takes."""
    return f"{run.ranker}@{run.version}"


def find_version(evidence: Timeline, name: str, *, withdrawn: bool = False) -> int:
    """Return the place of a named version within `evidence.structure.runs`.

    `RANKER@VERSION` comes first, then `production`, then a ranker: its newest version. Both names may hold
    an @ themselves.

    Parameters
    ----------
    withdrawn
        A withdrawn version can be named too, and be a ranker's newest.

    Raises
    ------
    NotFoundError
        No version is called so; it says which there are.
    """
    runs, active = evidence.structure.runs, set(evidence.active_runs())
    # Answers that people knew of are pooled, but no ranker returned them.
    named = [place for place, run in enumerate(runs) if run.kind == "system"]
    there = [place for place in named if withdrawn or place in active]
    if exact := [place for place in there if version_name(runs[place]) == name]:
        return exact[-1]
    if name == PRODUCTION:
        return _marked(evidence)
    if versions := [place for place in there if runs[place].ranker == name]:
        return versions[-1]
    gone = [place for place in named if name in {version_name(runs[place]), runs[place].ranker}]
    if gone:
        raise NotFoundError(f"{name} is withdrawn: restore it first, or name another version.")
    raise NotFoundError(f"There is no version {name!r}: {_known([runs[place] for place in there], name)}.")


def _marked(evidence: Timeline) -> int:
    found = evidence.production_run()
    if found is None:
        raise NotFoundError("No version is marked in production: mark one first, or name a version.")
    return found


def _known(runs: list[RunFact], name: str) -> str:
    """Return which versions of the ranker that a name begins with there are, else which rankers."""
    if not runs:
        return "no ranker has one yet"
    own = {version_name(run): None for run in runs if name.startswith(f"{run.ranker}@")}
    known = list(own or {run.ranker: None for run in runs})
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f"there is {', '.join(known[:MOST_NAMED])}{more}"
