"""What a version is compared with when nobody says: the one in production, else the version before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.errors import InvalidError, NotFoundError
from app.services.runs.naming import find_version, version_name

if TYPE_CHECKING:
    from app.services.evidence import Evidence


def baseline_of_version(evidence: Evidence, place: int, against: str | None) -> int:
    """Return the place of what a registered version is compared with.

    Parameters
    ----------
    place
        Of the version.
    against
        The name of the other one, as `find_version` takes it.

    Raises
    ------
    NotFoundError
        There is no such version, or none before.
    InvalidError
        It is the version itself.
    """
    own = evidence.structure.runs[place]
    if against is not None:
        found = find_version(evidence, against)
        if found == place:
            raise InvalidError(f"{version_name(own)} cannot be compared with itself.", code="same_version")
        return found
    production = evidence.production_run()
    if production is not None and production != place:
        return production
    before = [other for other in _versions(evidence, own.ranker) if other < place]
    if not before:
        raise NotFoundError(
            f"There is no version before {version_name(own)}: name another one with --against."
        )
    return before[-1]


def baseline_of_file(evidence: Evidence, ranker: str | None, against: str | None, *, same: set[int]) -> int:
    """Return the place of what a file is compared with.

    Parameters
    ----------
    evidence
        Before the file.
    ranker
        Whose file it is.
    same
        The places of versions with the very lists of the file: it is not compared with itself, unless that
        is asked for or such a version is in production.

    Raises
    ------
    NotFoundError
        There is no such version, or none to compare with.
    InvalidError
        Nothing says what to compare with.
    """
    if against is not None:
        return find_version(evidence, against)
    production = evidence.production_run()
    if production is not None:
        return production
    if ranker is None:
        raise InvalidError(
            "No version is marked in production: name one with --against, or name the file's ranker with "
            "--ranker.",
            code="against",
        )
    others = [place for place in _versions(evidence, ranker) if place not in same]
    if not others:
        raise NotFoundError(
            f"{ranker} has no other version, and none is marked in production: name one with --against."
        )
    return others[-1]


def _versions(evidence: Evidence, ranker: str) -> list[int]:
    """Return the places of the active versions of a ranker, oldest first."""
    runs = evidence.structure.runs
    return [
        place
        for place in evidence.active_runs()
        if runs[place].kind == "system" and runs[place].ranker == ranker
    ]
