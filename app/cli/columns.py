"""`--column OURS=THEIRS`, as all commands that read files take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from app.formats.errors import BadValueError
from app.formats.schema import columns_named

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns_of(options: Sequence[str]) -> dict[str, str]:
    """Return our name -> the file's column.

    :raise click.BadParameter: An option has no =, or two columns are chosen for one name.
    """
    pairs = [option.partition("=") for option in options]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise click.BadParameter(f"{ours!r} is not OURS=THEIRS.", param_hint="--column")
    try:
        return columns_named((ours, theirs) for ours, _, theirs in pairs)
    except BadValueError as error:
        raise click.BadParameter(f"{error.reason}. {error.remedy}", param_hint="--column") from error
