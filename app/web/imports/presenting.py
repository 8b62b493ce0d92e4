"""One upload as its page shows it: read, checked, at work, or done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.formats.schema import NAMES
from app.services.project_words import ProjectWords
from app.web.imports.facts import facts_of, remarks_of
from app.web.imports.kinds import COLUMN_NAMES, KINDS, KindWords
from app.web.imports.problems import Decision, ProblemRow, decisions_of, plain, rows_of, title_of

if TYPE_CHECKING:
    from app.models import Project, Upload
    from app.web.imports.facts import Fact

STEP = {"waiting": 2, "checking": 2, "checked": 2, "failed": 2}


@dataclass(frozen=True)
class Table:
    """The first rows of a file: heads as (words, class), rows as (line, cells)."""

    heads: list[tuple[str, str]]
    rows: list[tuple[int, list[tuple[str, str]]]]


@dataclass(frozen=True)
class UploadPage:
    """What the page of an upload says.

    Attributes
    ----------
    columns
        For files with names of their own: (our name, its words, the file's name or nothing).
    price
        The pool as it would be then, in a sentence.
    can_go_on
        Whether nothing stands in the way of the import.
    """

    upload: Upload
    words: KindWords
    step: int
    size: str
    look: dict[str, Any]
    table: Table | None
    columns: list[tuple[str, str, str]]
    facts: list[Fact]
    remarks: list[str]
    problems: list[ProblemRow]
    problem_title: str
    decisions: list[Decision]
    refusal: str
    price: str
    can_go_on: bool
    done: dict[str, Any] = field(default_factory=dict)

    @property
    def is_at_work(self) -> bool:
        """Tell whether somebody is at work on it."""
        return self.upload.state in {"waiting", "checking", "importing"}


def upload_page(project: Project, upload: Upload) -> UploadPage:
    """Return what the page of an upload says."""
    words, report, own = KINDS[upload.kind], upload.report, ProjectWords.of(project.wording)
    look, problems = report.get("look", {}), report.get("problems", [])
    done = report.get("done", {})
    counts = (done.get("counts", done) if done else report.get("counts")) or {}
    total = report.get("total", 0)
    refusal = report.get("refusal", "")
    return UploadPage(
        upload=upload,
        words=words,
        step=STEP.get(upload.state, len(words.steps)),
        size=_size_of(upload),
        look=look,
        table=_table(look, report.get("texts", {}), own),
        columns=_columns(upload.kind, look, own),
        facts=_facts(upload.kind, counts, project) if counts else _so_far(upload, total),
        remarks=[own.reworded(remark) for remark in remarks_of(upload.kind, counts)] if counts else [],
        problems=rows_of(problems, own),
        problem_title=title_of(problems, total),
        decisions=decisions_of(upload.kind, problems, upload.options),
        refusal=plain(refusal, own),
        price=report.get("price", ""),
        can_go_on=upload.state == "checked" and not total and not refusal,
        done=done,
    )


def _facts(kind: str, counts: dict[str, Any], project: Project) -> list[Fact]:
    own = ProjectWords.of(project.wording)
    return [(own.reworded(name), value) for name, value in facts_of(kind, counts, project)]


def _so_far(upload: Upload, problems: int) -> list[Fact]:
    """Return what can be said of a file that has problems."""
    if not problems:
        return []
    lines = upload.options.get("lines")
    return [*([("Lines", f"{lines:,}")] if lines else []), ("Problems", f"{problems:,}")]


def _size_of(upload: Upload) -> str:
    lines = upload.options.get("lines")
    told = [f"{lines:,} lines" if lines != 1 else "1 line"] if lines else []
    size = upload.size
    if size < 10_000:
        told.append(f"{size:,} bytes")
    else:
        told.append(f"{size / 1e3:,.0f} KB" if size < 1e6 else f"{size / 1e6:,.1f} MB")
    return " · ".join(told)


def _table(look: dict[str, Any], texts: dict[str, str], own: ProjectWords) -> Table | None:
    if not look.get("rows"):
        return None
    names = list(look["names"])
    heads = [
        (own.reworded(COLUMN_NAMES[name]), "num" if name in {"rank", "score", "grade"} else "")
        for name in names
    ]
    asks = "query_id" in names and "text" not in names
    if asks:
        heads.insert(1, ("Asked as", "hide-narrow"))
    rows = []
    for line, cells in look["rows"]:
        found = [(cells.get(name, ""), name) for name in names]
        if asks:
            found.insert(1, (texts.get(cells.get("query_id", ""), ""), "asked"))
        rows.append((line, found))
    return Table(heads, rows)


def _columns(kind: str, look: dict[str, Any], own: ProjectWords) -> list[tuple[str, str, str]]:
    if look.get("format") in {None, "trec"} or not look.get("columns"):
        return []
    names: tuple[str, ...] = tuple(NAMES[kind])  # type: ignore[index]
    return [(ours, own.reworded(COLUMN_NAMES[ours]), look["fields"].get(ours, "")) for ours in names]
