"""The column names that files of a field usually have, for projects made from its template."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.formats.preview import preview_of
from app.services.templates import TEMPLATES

if TYPE_CHECKING:
    from app.formats.schema import Kind
    from app.models import Project
    from app.services.import_file import ImportFile
    from app.services.templates import ProjectTemplate


def with_template_columns(project: Project, kind: Kind, file: ImportFile) -> ImportFile:
    """Return the file, read by its template's column names where it has them.

    They hold for a file that has the template's first column of ids, such as `paper_id` or `target_id`.
    What was chosen for this file wins, and no column is taken twice.
    """
    template = TEMPLATES.get(project.options.get("template", ""))
    ours = _columns_of(template, kind) if template else {}
    if not ours:
        return file
    expected = {name: theirs for theirs, name in ours.items()}
    there = preview_of(file.content, kind, file.format, expected).guess.columns
    if next(iter(ours)) not in there:
        return file
    taken = set(file.columns.values())
    found = {name: theirs for theirs, name in ours.items() if theirs in there and theirs not in taken}
    return replace(file, columns={**found, **file.columns})


def _columns_of(template: ProjectTemplate, kind: Kind) -> dict[str, str]:
    return {
        "queries": template.query_columns,
        "documents": template.document_columns,
        "run": template.run_columns,
        "judgments": template.judgment_columns,
    }[kind]
