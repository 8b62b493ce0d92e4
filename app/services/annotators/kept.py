"""Results that hold for one revision: worked out when first asked for, and kept until the ledger moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence import Evidence

Result = TypeVar("Result")


def kept_until_moved(evidence: Evidence, name: str, make: Callable[[], Result]) -> Result:
    """Return `make()`, or what it returned before at this revision.

    It must depend on the evidence alone: names and roles of people change without a revision.
    """
    key = f"annotators.{name}"
    held: tuple[int, Result] | None = evidence.memory.kept.get(key)
    if held is None or held[0] != evidence.revision:
        held = (evidence.revision, make())
        evidence.memory.kept[key] = held
    return held[1]
