"""What each column of a file is, as it was chosen on a page."""

from __future__ import annotations

from typing import Any

from flask import flash, request
from flask_babel import gettext as _

from app.formats.schema import NAMES
from app.models import Upload
from app.web.imports.kinds import COLUMN_NAMES


def column_name(look: dict[str, Any], place: int) -> str:
    """Return what the page calls a column: its number, where the file has no names but ours."""
    return str(
        _("Column %(number)s", number=place + 1) if look.get("is_nameless") else look["columns"][place]
    )


def chosen_columns(upload: Upload, prefix: str = "column-") -> dict[str, str] | None:
    """Return our name -> the file's column, as chosen for each column; None where no choice was sent.

    A column that is left out has nothing. The fields of the form are called by a prefix and a number.
    """
    look, kind = upload.report.get("look", {}), upload.kind
    chosen = [request.form.get(f"{prefix}{place}") for place in range(len(look.get("columns", [])))]
    if not any(name is not None for name in chosen):
        return None
    named: dict[str, str] = dict.fromkeys(look.get("fields", {}), "")
    for place, (theirs, ours) in enumerate(zip(look["columns"], chosen, strict=True)):
        if ours not in NAMES[kind]:  # type: ignore[index]
            continue
        if named.get(ours):
            first = column_name(look, look["columns"].index(named[ours]))
            words: dict[str, Any] = {
                "name": COLUMN_NAMES[ours],
                "first": first,
                "second": column_name(look, place),
            }
            flash(_("Two columns were chosen as %(name)s: %(first)s is used, not %(second)s.", **words))
        else:
            named[ours] = theirs
    return named
