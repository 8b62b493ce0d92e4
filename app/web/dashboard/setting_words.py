"""The settings of a ruler in words: what changed, from what to what."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.rulers import RulerValues

NAMES = {
    "scale_low": "lowest grade",
    "scale_high": "highest grade",
    "k": "k",
    "ideal": "ideal over",
    "ties": "ties",
    "threshold": "relevant from grade",
}


def settings_changed(before: RulerValues, after: RulerValues) -> list[str]:
    """Return each setting that differs between two rulers, in words."""
    old, new = asdict(before), asdict(after)
    return [setting_text(name, old[name], new[name]) for name in old if old[name] != new[name]]


def setting_text(name: str, old: object, new: object) -> str:
    """Return one changed setting in words."""
    if name == "unjudged":
        return "unrated answers treated as not relevant" if new == "complete" else "unrated answers kept open"
    if name == "only_blind":
        which = "ratings by people who could see rankers"
        return f"{which} left out" if new else f"{which} count again"
    if name == "machines":
        return "ratings by machines count" if new else "ratings by machines no longer count"
    return f"{NAMES.get(name, name)} from {_value(old)} to {_value(new)}"


def _value(value: object) -> str:
    return str(value).replace("_", " ")
