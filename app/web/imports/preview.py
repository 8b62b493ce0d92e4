"""What an import would do, as its preview shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.formats.grades import SKIP
from app.formats.schema import NAMES
from app.http.project import current_evidence
from app.models.project import Project
from app.models.upload import Upload
from app.services.collection.pool_price import DepthPrice, ratings_each
from app.services.projects.words import ProjectWords
from app.services.scores.leaderboard import leaderboard_of
from app.services.sentences import counted
from app.web.imports.kinds import COLUMN_NAMES, KINDS, KindWords
from app.web.imports.problems import Decision, ProblemRow, decisions_of, plain, rows_of, title_of

Fact = tuple[str, str]
Counts = dict[str, Any]
TIED_SHARE = 0.01
# (name in the report, words, whether it is told even when it is 0)
CORPUS = {
    "queries": (
        ("added", "New questions", True),
        ("replaced", "Texts replaced", False),
        ("unchanged", "Already here, unchanged", False),
        ("repeated", "Repeated lines, skipped", False),
    ),
    "documents": (
        ("added", "New answers", True),
        ("filled", "Answers that get their text", False),
        ("replaced", "Content replaced", False),
        ("unchanged", "Already here, unchanged", False),
        ("without_text", "Without a text", False),
        ("repeated", "Repeated lines, skipped", False),
    ),
    "judgments": (
        ("added", "New ratings", True),
        ("replaced", "Earlier ratings replaced", False),
        ("unchanged", "Already here, unchanged", False),
        ("skipped_lines", "Unknown questions, lines skipped", False),
        ("unrated_lines", "Lines without a rating, skipped", False),
        ("mapped_lines", "Ratings that you chose to leave out", False),
        ("negative_lines", "Negative ratings, lines skipped", False),
        ("repeated", "Repeated lines, skipped", False),
        ("new_documents", "New answers without text", False),
        ("outside_pool", "Of answers outside the pool", False),
    ),
}


def facts_of(kind: str, counts: Counts, project: Project) -> list[Fact]:
    """Return the counts of a report as (words, number)."""
    if kind == "run":
        return _run_facts(counts, project)
    facts = [(words, f"{counts[name]:,}") for name, words, always in CORPUS[kind] if counts[name] or always]
    if annotators := counts.get("annotators"):
        facts.append(("By", annotators[0] if len(annotators) == 1 else f"{len(annotators):,} annotators"))
    return facts


def _run_facts(counts: Counts, project: Project) -> list[Fact]:
    rated = counts["rated_candidates"]
    textless = counts["textless_candidates"]
    ratable = counts["new_candidates"] - rated - textless
    new = DepthPrice(project.pool_depth, ratable, ratings_each(project))
    facts = [
        ("Lines", f"{counts['lines']:,}"),
        ("Questions covered", f"{counts['queries']:,} of {counts['queries'] + counts['missing_queries']:,}"),
        (
            f"New answers to rate, top {new.depth}",
            f"{new.answers:,}" + (f", {new.time}" if new.answers else ""),
        ),
    ]
    if textless:
        facts.append((f"New in the top {new.depth}, without text", f"{textless:,}"))
    if rated:
        facts.append((f"New in the top {new.depth}, rated already", f"{rated:,}"))
    more = (
        ("new_documents", "Answers added without text"),
        ("skipped_queries", "Unknown questions, skipped"),
        ("repeated_lines", "Repeated lines, skipped"),
        ("tied_lines", "Lines with the same score as the one before"),
    )
    return facts + [(words, f"{counts[name]:,}") for name, words in more if counts[name]]


def remarks_of(kind: str, counts: Counts) -> list[str]:
    """Return what should be known about a file, as sentences."""
    return [sentence for sentence, holds in REMARKS[kind](counts).items() if holds]


def _run_remarks(counts: Counts) -> dict[str, bool]:
    share = counts["tied_lines"] / counts["lines"] if counts["lines"] else 0
    missing, wrong, named = counts["missing_queries"], counts["rank_disagreements"], counts["new_documents"]
    own, gapped, odd = (counts.get(name, 0) for name in ("own_targets", "gapped_lists", "other_lengths"))
    lists = f"{counts['queries']:,} lists"
    betrayed = counts.get("named_documents", 0)
    return {
        (
            f"{counted(betrayed, 'answer')} with the name of this ranker as source or in a shown field. "
            "People see it while they rate: import the answers again without it."
        ): bool(betrayed),
        (
            f"{share:.0%} of the lines have the same score as the line before. "
            "They are ordered by answer id, highest first."
        ): share > TIED_SHARE,
        f"In {wrong:,} of {lists} the places and the scores disagree. The scores are used.": bool(wrong),
        (
            f"{counted(missing, 'question')} without results in this file: {_each(missing)} counts 0 "
            "for this ranker once it is scored."
        ): bool(missing),
        (
            f"{counted(named, 'answer')} without text: nobody can rate {_them(named)} until the "
            "text is imported."
        ): bool(named),
        (
            f"{counted(own, 'line')} recommending a question to itself, by its id or its title. "
            "Remove such lines from the file."
        ): bool(own),
        f"In {gapped:,} of {lists} the places are not 1, 2, 3 and so on without a gap.": bool(gapped),
        f"{odd:,} of {lists} do not have exactly {counts.get('usual_length', 0)} answers.": bool(odd),
    }


def _document_remarks(counts: Counts) -> dict[str, bool]:
    silent, replaced, betraying = counts["without_text"], counts["replaced"], counts.get("betraying")
    fields = counts.get("betraying_fields")
    return {
        (
            f"The column “source” names rankers: {', '.join(betraying or ())}. People see the source of an "
            "answer while they rate it, so they would know whose it is. Rename or remove that column."
        ): bool(betraying),
        (
            f"Fields that are shown name rankers: {', '.join(fields or ())}. People see them while they "
            "rate, so they would know whose answer it is. Rename them here, or show others under Settings."
        ): bool(fields),
        (
            f"{counted(silent, 'answer')} without title and text: nobody can rate {_them(silent)} "
            "until the text is imported."
        ): bool(silent),
        (
            f"{counted(replaced, 'answer')} with changed content. Where the title or text changed, "
            "earlier ratings no longer count."
        ): bool(replaced),
    }


def _rating_remarks(counts: Counts) -> dict[str, bool]:
    outside, pooled, rated = counts["outside_pool"], counts.get("pooled"), counts.get("rated") or 0
    return {
        (
            "There are ratings, but no ranker results yet. "
            "To get scores, import what each ranker returns, best first."
        ): pooled == 0,
        (
            f"{rated:,} of the {pooled or 0:,} answers in the pool are rated. "
            "The others count 0 until they are rated."
        ): bool(pooled) and rated != pooled,
        f"All {pooled or 0:,} answers in the pool are rated.": bool(pooled) and rated == pooled,
        (
            f"{counted(outside, 'rating')} of answers that no ranker returns near the top. "
            "They still count in the best possible order."
        ): bool(outside),
    }


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _each(number: int) -> str:
    return "it" if number == 1 else "each"


REMARKS: dict[str, Callable[[Counts], dict[str, bool]]] = {
    "queries": lambda _: {},
    "documents": _document_remarks,
    "run": _run_remarks,
    "judgments": _rating_remarks,
}


STEP = {"waiting": 2, "checking": 2, "checked": 2, "failed": 2}


GRADE_PROBLEMS = {"grade", "off-scale", "not-mapped", "negative"}


class GradeMapping(NamedTuple):
    """What the file says, on how many lines, and what it will be: the value of an option."""

    value: str
    lines: int
    chosen: str


class FirstRows(NamedTuple):
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
    grades, asks_grades
        What each rating of the file is on the project's scale, and whether somebody has to look at it.
    price
        The pool as it would be then, in a sentence.
    can_go_on
        Whether the import may go on.
    """

    upload: Upload
    words: KindWords
    step: int
    size: str
    look: dict[str, Any]
    table: FirstRows | None
    columns: list[tuple[str, str, str]]
    grades: list[GradeMapping]
    asks_grades: bool
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
        """Return whether somebody is at work on it."""
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
        grades=_grades(upload),
        asks_grades=bool(upload.options.get("grades"))
        or any(problem["code"] in GRADE_PROBLEMS for problem in problems),
        facts=[(own.reworded(name), value) for name, value in facts_of(upload.kind, counts, project)]
        if counts
        else _so_far(upload, total),
        remarks=[own.reworded(remark) for remark in remarks_of(upload.kind, counts)] if counts else [],
        problems=rows_of(problems, own),
        problem_title=title_of(problems, total),
        decisions=decisions_of(upload.kind, problems, upload.options),
        refusal=plain(refusal, own),
        price=report.get("price", ""),
        can_go_on=upload.state == "checked" and not total and not refusal,
        done=done,
    )


def verdict_of(uploads: Sequence[Upload]) -> str:
    """Return what the overview says first, once files that move scores are all imported; else nothing."""
    is_done = all(each.state == "done" for each in uploads)
    if not is_done or all(each.kind in {"queries", "documents"} for each in uploads):
        return ""
    return leaderboard_of(current_evidence()).answer.sentence


def _grades(upload: Upload) -> list[GradeMapping]:
    mapped = upload.options.get("grades") or {}
    return [
        GradeMapping(row["said"], row["lines"], _option(row["said"], row["proposed"], mapped))
        for row in upload.report.get("grades", [])
    ]


def _option(value: str, proposed: int | None, mapped: dict[str, int | None]) -> str:
    if value in mapped:
        return SKIP if mapped[value] is None else str(mapped[value])
    return "" if proposed is None or mapped else str(proposed)


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


def _table(look: dict[str, Any], texts: dict[str, str], own: ProjectWords) -> FirstRows | None:
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
    return FirstRows(heads, rows)


def _columns(kind: str, look: dict[str, Any], own: ProjectWords) -> list[tuple[str, str, str]]:
    if look.get("format") in {None, "trec"} or not look.get("columns"):
        return []
    names: tuple[str, ...] = tuple(NAMES[kind])  # type: ignore[index]
    return [(ours, own.reworded(COLUMN_NAMES[ours]), look["fields"].get(ours, "")) for ours in names]
