"""What each rating of a file is on the project's scale: choices of a page's table, and what was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wtforms.fields import SelectChoice

from app.formats.grades import SKIP, value_key
from app.models.project import Project
from app.web.grades import grades_of


def grade_choices(project: Project) -> list[SelectChoice]:
    """Return the grades of a project for a select."""
    return [
        SelectChoice(
            str(each.grade),
            str(each.grade) if each.word == str(each.grade) else f"{each.grade}: {each.word}",
        )
        for each in grades_of(project.grade_words, project.grades)
    ]


def chosen_grades(project: Project, values: Sequence[str], form: Mapping[str, str]) -> dict[str, int | None]:
    """Return what each value of a file was said to be; nothing if they are read as they are written.

    Parameters
    ----------
    form
        Each value -> what was chosen for it.
    """
    targets: dict[str, int | None] = {str(grade): grade for grade in project.grades} | {SKIP: None}
    chosen = {each: targets[form[each]] for each in values if form.get(each) in targets}
    is_plain = len(chosen) == len(values) and all(value_key(each) == str(to) for each, to in chosen.items())
    return {} if is_plain else chosen
