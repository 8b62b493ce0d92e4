"""What an import would do, as its preview shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from flask_babel import gettext as _

from app.formats.grades import SKIP, scale_in, table_of, value_key
from app.formats.inflate import TABLES
from app.formats.schema import NAMES
from app.http.languages import later as _l
from app.http.languages import ngettext, translated, written_number
from app.http.project import current_evidence
from app.jobs.uploads.looking import was_read
from app.models.project import Project
from app.models.upload import Upload
from app.sentences import Message, columns_left_out, message, no_text_message
from app.services.collection.unknown_ids import is_least
from app.services.projects.words import ProjectWords
from app.services.scores.leaderboard import leaderboard_of, versions_before
from app.services.scores.overview_parts import verdict_between
from app.services.scores.verdict_text import change_title_of, names_of, title_of
from app.web.imports.columns import column_name
from app.web.imports.kinds import COLUMN_NAMES, KINDS, KindWords
from app.web.imports.problems import Decision, ProblemRow, Tables, decisions_of, plain, rows_of, spoken
from app.web.imports.problems import title_of as title_of_problems
from app.web.numbers import plain as plain_number

Fact = tuple[str, str]
Counts = dict[str, Any]
TIED_SHARE = 0.01
WORDS_OF_AN_ID = 2
# (name in the report, words, whether it is told even when it is 0)
CORPUS = {
    "queries": (
        ("added", _l("New questions"), True),
        ("replaced", _l("Questions replaced"), False),
        ("unchanged", _l("Already here, unchanged"), False),
        ("repeated", _l("Repeated lines, used once"), False),
    ),
    "documents": (
        ("added", _l("New answers"), True),
        ("filled", _l("Answers that get their text"), False),
        ("replaced", _l("Content replaced"), False),
        ("unchanged", _l("Already here, unchanged"), False),
        ("without_text", _l("Without title and text"), False),
        ("repeated", _l("Repeated lines, used once"), False),
    ),
    "judgments": (
        ("added", _l("New ratings"), True),
        ("declined", _l("Of these, “can’t judge”"), False),
        ("replaced", _l("Earlier ratings replaced"), False),
        ("unchanged", _l("Already here, unchanged"), False),
        ("skipped_lines", _l("Unknown questions, lines skipped"), False),
        ("unrated_lines", _l("Lines without a rating, skipped"), False),
        ("mapped_lines", _l("Ratings that you chose to leave out"), False),
        ("negative_lines", _l("Negative ratings, lines skipped"), False),
        ("repeated", _l("Repeated lines, used once"), False),
        ("new_documents", _l("New answers without text"), False),
        ("outside_pool", _l("For answers outside the pool"), False),
    ),
}


LEFT_OUT = (
    "skipped_lines",
    "skipped_queries",
    "unrated_lines",
    "mapped_lines",
    "negative_lines",
    "repeated_lines",
)


def facts_of(kind: str, counts: Counts, *, is_priced: bool = True) -> list[Fact]:
    """Return the counts of a report as (words, number); `is_priced` says what is to rate because of a run."""
    left_out = counts.get("columns_left_out")
    unread = [(_("Columns left out"), columns_left_out([*map(_shown_name, left_out)]))] if left_out else []
    if kind == "run":
        return _run_facts(counts, is_priced=is_priced) + unread
    facts = [
        (str(words), str(written_number(counts[name])))
        for name, words, always in CORPUS[kind]
        # All are outside a pool that has no answers.
        if always or (counts.get(name) and not (name == "outside_pool" and counts.get("pooled") == 0))
    ]
    if annotators := counts.get("annotators"):
        several = ngettext("%(num)s annotator", "%(num)s annotators", len(annotators))
        facts.append((_("Rated by"), annotators[0] if len(annotators) == 1 else several))
    return facts + unread


def _shown_name(column: str) -> str:
    """Return the name of a column, in the language of the page if it says why it is left out."""
    return translated(column) if isinstance(column, Message) else column


def _run_facts(counts: Counts, *, is_priced: bool) -> list[Fact]:
    rated = counts["rated_candidates"]
    textless = counts["textless_candidates"]
    ratable = counts["new_candidates"] - rated - textless
    covered, answers = counts["queries"], str(written_number(ratable))
    facts = [
        (_("Results"), str(written_number(counts["lines"]))),
        (
            _("Questions with results"),
            _(
                "%(n)s of %(of)s",
                n=written_number(covered),
                of=written_number(covered + counts["missing_queries"]),
            ),
        ),
    ]
    if is_priced:
        facts.append((_("New answers to rate (an answer counts once for each question)"), answers))
    if rated:
        facts.append((_("New in the pool, rated earlier"), str(written_number(rated))))
    more = (
        ("new_documents", _("Unknown answers, added without text")),
        ("skipped_queries", _("Unknown questions, skipped")),
        ("repeated_lines", _("Lines that repeat an answer, left out")),
        ("tied_lines", _("Lines with the same score as the one before")),
    )
    return facts + [(words, _left_out(name, counts[name])) for name, words in more if counts[name]]


def _left_out(name: str, number: int) -> str:
    written = str(written_number(number))
    is_more = name == "skipped_queries" and is_least(number)
    return str(_("at least %(n)s", n=written)) if is_more else written


def remarks_of(kind: str, counts: Counts) -> list[str]:
    """Return what should be known about a file, as sentences."""
    return [sentence for sentence, holds in REMARKS[kind](counts).items() if holds]


def _remarks_on_columns(kind: str, look: dict[str, Any], *, adds: bool) -> list[str]:
    """Return what is probably wrong with how columns are read; `adds`: answers that the project lacks."""
    names, fields = look.get("names", ()), look.get("fields", {})
    ids = [cells.get("doc_id", "") for _line, cells in look.get("rows", ())]
    others = [column for column in look.get("columns", ()) if column not in fields.values()]
    told = {
        _(
            "The answer ids in this file look like texts. Give each answer a short id, import the texts as "
            "answers, and use the ids here."
        ): adds and bool(ids) and all(len(each.split()) > WORDS_OF_AN_ID for each in ids),
        _(
            "Weights do not change scores or verdicts. They are used only in the weighted mean, "
            "under “For experts”."
        ): kind == "queries" and "weight" in fields,
        _(
            "No column is read as the text, so people would see only the titles. If one of the columns holds "
            "the text, choose “Text” for it."
        ): "title" in names and "text" not in fields and bool(others),
    }
    return [remark for remark, holds in told.items() if holds]


def remark_on_names(answers: int) -> str:
    """Return what should be known about answers that name the ranker of a run."""
    return ngettext(
        "%(num)s answer seems to name this ranker or version in its source or a shown field, which people "
        "see while they rate. If it does, import the answers again with that field empty.",
        "%(num)s answers seem to name this ranker or version in their source or a shown field, which people "
        "see while they rate. If they do, import the answers again with that field empty.",
        answers,
    )


def _run_remarks(counts: Counts) -> dict[str, bool]:
    share = counts["tied_lines"] / counts["lines"] if counts["lines"] else 0
    missing, wrong, silent = (
        counts[name] for name in ("missing_queries", "rank_disagreements", "textless_candidates")
    )
    own, gapped, odd = (counts.get(name, 0) for name in ("own_targets", "gapped_lists", "other_lengths"))
    lists = written_number(counts["queries"])
    betrayed, own_source = (counts.get(name, 0) for name in ("named_documents", "own_source_documents"))
    return {
        remark_on_names(betrayed): bool(betrayed),
        _(
            "%(number)s answers of this ranker have a source that almost no other answers have. "
            "People see it while they rate: import the answers again with an empty source.",
            number=written_number(own_source),
        ): bool(own_source),
        _(
            "%(share)s %% of the lines have the same score as the line before. "
            "They are ordered by answer id, highest first.",
            share=f"{100 * share:.0f}",
        ): share > TIED_SHARE,
        _(
            "The file has scores, so its places are not used. In %(n)s of %(of)s lists this "
            "changes the order. Equal scores are ordered by answer id, highest first.",
            n=written_number(wrong),
            of=lists,
        ): bool(wrong),
        ngettext(
            "%(num)s question without results in this file: it counts 0 for this ranker.",
            "%(num)s questions without results in this file: each counts 0 for this ranker.",
            missing,
        ): bool(missing),
        translated(no_text_message(silent, counts.get("missing_texts", silent))): bool(silent),
        ngettext(
            "%(num)s line recommending a question to itself, by its id or its title. "
            "Remove such lines from the file.",
            "%(num)s lines recommending a question to itself, by its id or its title. "
            "Remove such lines from the file.",
            own,
        ): bool(own),
        _(
            "In %(n)s of %(of)s lists the places are not 1, 2, 3 and so on without a gap.",
            n=written_number(gapped),
            of=lists,
        ): bool(gapped),
        _(
            "%(n)s of %(of)s lists do not have exactly %(number)s answers.",
            n=written_number(odd),
            of=lists,
            number=counts.get("usual_length", 0),
        ): bool(odd),
    }


def _document_remarks(counts: Counts) -> dict[str, bool]:
    silent, replaced, betraying = counts["without_text"], counts["replaced"], counts.get("betraying")
    fields = counts.get("betraying_fields")
    return {
        _(
            "The column “source” seems to name rankers or versions: %(names)s. People see the source of "
            "an answer while they rate it, and would know whose it is. If it does, rename or remove that "
            "column.",
            names=", ".join(betraying or ()),
        ): bool(betraying),
        _(
            "Fields that are shown name rankers: %(names)s. People see them while they "
            "rate, so they would know whose answer it is. Rename them here, or show others under Settings.",
            names=", ".join(fields or ()),
        ): bool(fields),
        ngettext(
            "%(num)s answer without title and text: nobody can rate it until the text is imported.",
            "%(num)s answers without title and text: nobody can rate them until the text is imported.",
            silent,
        ): bool(silent),
        ngettext(
            "%(num)s answer with changed content. Where the title or text changed, "
            "earlier ratings no longer count.",
            "%(num)s answers with changed content. Where the title or text changed, "
            "earlier ratings no longer count.",
            replaced,
            # Of an imported file, the page says of how many the text changed.
        ): bool(replaced) and not counts.get("edited"),
    }


def _rating_remarks(counts: Counts) -> dict[str, bool]:
    outside, pooled, rated = counts["outside_pool"], counts.get("pooled"), counts.get("rated") or 0
    return {
        _(
            "There are no ranker results yet, so there are no scores. "
            "Import what each ranker returns, best first."
        ): pooled == 0,
        _(
            "%(n)s of the %(of)s answers in the pool are rated. The others count 0 until they are rated.",
            n=written_number(rated),
            of=written_number(pooled or 0),
        ): bool(pooled) and rated != pooled,
        _("All %(n)s answers in the pool are rated.", n=written_number(pooled or 0)): bool(pooled)
        and rated == pooled,
        ngettext(
            "%(num)s rating is for an answer outside the pool: no ranker’s top answers hold it.",
            "%(num)s ratings are for answers outside the pool: no ranker’s top answers hold them.",
            outside,
        ): bool(outside) and pooled != 0,
    }


REMARKS: dict[str, Callable[[Counts], dict[str, bool]]] = {
    "queries": lambda _: {},
    "documents": _document_remarks,
    "run": _run_remarks,
    "judgments": _rating_remarks,
}


STEP = {"waiting": 2, "checking": 2, "checked": 2, "failed": 2}


MOST_COLUMNS = 8
"""Columns of a file that a short list shows."""
GRADE_PROBLEMS = {"grade", "off-scale", "not-mapped", "negative"}


class GradeMapping(NamedTuple):
    """What the file says, on how many lines, and what it will be: the value of an option."""

    value: str
    lines: int
    chosen: str


class OwnColumn(NamedTuple):
    """A column of the file: its place and name, its first different values, our name for it if it is read.

    `is_spare`: texts of questions beside their ids, which are used.
    """

    place: int
    name: str
    examples: list[str]
    meaning: str
    is_spare: bool


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
        Those of a file that is a table, or objects.
    told
        What a file that was chosen together with others is taken for.
    guessed
        Why its columns are what they are; empty where their names tell it, or somebody chose them.
    meanings
        What a column can be: (our name, its words).
    stopped
        Where and why the file was not read to its end; empty if it was.
    grades, asks_grades
        What each rating of the file is on the project's scale, and whether somebody has to look at it.
    scale
        The ratings of the project.
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
    encoding: str
    table: FirstRows | None
    columns: list[OwnColumn]
    told: str
    guessed: str
    meanings: list[tuple[str, str]]
    grades: list[GradeMapping]
    asks_grades: bool
    scale: frozenset[str]
    facts: list[Fact]
    remarks: list[str]
    problems: list[ProblemRow]
    problem_title: str
    # Whether `problems` are the first of more.
    is_cut: bool
    stopped: str
    decisions: list[Decision]
    refusal: str
    price: str
    can_go_on: bool
    done: dict[str, Any] = field(default_factory=dict)

    @property
    def was_read(self) -> bool:
        """Return whether anything of the file could be read at all."""
        return was_read(self.upload)

    @property
    def has_rows(self) -> bool:
        """Return whether the file is a table of rows, such as a spreadsheet, and has no lines."""
        encoding = self.look.get("encoding")
        return isinstance(encoding, Message) and encoding.values.get("name") in TABLES

    @property
    def first_columns(self) -> tuple[list[OwnColumn], list[OwnColumn]]:
        """The columns that a short list shows, in the order of the file, and the others."""
        # What is read comes first: of many columns most are left out.
        by_use = sorted(self.columns, key=lambda column: not column.meaning)
        shown = {column.place for column in by_use[:MOST_COLUMNS]}
        return (
            [column for column in self.columns if column.place in shown],
            [column for column in self.columns if column.place not in shown],
        )

    @property
    def leaves_out(self) -> bool:
        """Return whether lines of the file were left out of what was imported."""
        counts = self.done.get("counts", self.done) or {}
        return any(counts.get(name) for name in LEFT_OUT)

    @property
    def is_off_scale(self) -> bool:
        """Return whether a rating of the file is not on the project's scale, and nobody said what it is."""
        mapped = self.upload.options.get("grades")
        return self.asks_grades and any(
            value_key(row.value) not in self.scale and not (mapped and row.chosen) for row in self.grades
        )

    @property
    def scale_told(self) -> str:
        """What the file's own scale seems to be, as a sentence; empty where its ratings are no numbers."""
        values = [row.value for row in self.grades] or [
            row["said"] for row in self.upload.options.get("grades_seen") or []
        ]
        grades = [int(grade) for grade in self.scale]
        found = scale_in(values, min(grades), max(grades))
        if found is None:
            return ""
        lowest, highest = (written_number(number) for number in found)
        return str(
            _("The file’s scale seems to be %(lowest)s to %(highest)s.", lowest=lowest, highest=highest)
        )

    @property
    def is_at_work(self) -> bool:
        """Return whether somebody is at work on it."""
        return self.upload.state in {"waiting", "checking", "importing"}


def upload_page(project: Project, upload: Upload, *, is_priced: bool = True) -> UploadPage:
    """Return what the page of an upload says; `is_priced` also what is to rate because of a run."""
    words, report, own = KINDS[upload.kind], upload.report, ProjectWords.of(project.wording)
    look, problems = report.get("look", {}), report.get("problems", [])
    done, encoding = report.get("done", {}), translated(look.get("encoding", ""))
    grades = _grades(upload, project)
    counts = (done.get("counts", done) if done else report.get("counts")) or {}
    total = report.get("total", 0)
    refusal = report.get("refusal", "")
    said = partial(plain, own=own)
    columns = _columns(look, upload.options if upload.state == "waiting" else {})
    codes = {problem["code"] for problem in problems}
    tables = Tables(bool(grades), bool(columns), bool(report.get("windows_1252")))
    return UploadPage(
        upload=upload,
        words=words,
        step=STEP.get(upload.state, 3),
        size=_size_of(upload),
        # A guess names columns of the file as they are.
        look={**look, "reason": spoken(look.get("reason", ""), str if look.get("format") else said)},
        encoding=f"{encoding[:1].lower()}{encoding[1:]}".rstrip("."),
        table=_table(look, report.get("texts", {})),
        columns=columns,
        told=spoken(upload.options.get("told", "")),
        guessed=_guessed(upload),
        meanings=[(ours, str(COLUMN_NAMES[ours])) for ours in NAMES[upload.kind]],  # type: ignore[index]
        grades=grades,
        asks_grades=bool(upload.options.get("grades")) or not codes.isdisjoint(GRADE_PROBLEMS),
        scale=frozenset(map(str, project.grades)),
        facts=facts_of(upload.kind, counts, is_priced=is_priced) if counts else _so_far(total, report),
        remarks=[spoken(hint, said) for hint in (counts or report).get("hints", ())]
        + (remarks_of(upload.kind, counts) if counts else [])
        + _remarks_on_columns(
            upload.kind, look, adds=bool(counts.get("new_documents")) or "unknown-document" in codes
        ),
        problems=rows_of(problems, own, tables),
        is_cut=total > len(problems),
        problem_title=title_of_problems(problems, total, tables, is_whole="stopped" not in report),
        stopped=translated(report.get("stopped", "")),
        decisions=decisions_of(upload.kind, problems, upload.options),
        refusal=spoken(refusal, said),
        # Of a file that is here already, the price would be another one for another ranker.
        price="" if "known" in report else spoken(report.get("price_of_answers", ""), own.reworded),
        can_go_on=upload.state == "checked" and not total and not refusal,
        done=done,
    )


def _guessed(upload: Upload) -> str:
    columns = upload.options.get("columns")
    is_guess = columns and columns == (upload.options.get("guessed") or {}).get(upload.kind)
    return spoken(upload.options.get("reason", "")) if is_guess else ""


def has_version_before(done: Mapping[str, Any]) -> bool:
    """Return whether an import made a version that has one before it, to tell the changes from."""
    place = _place_of(done)
    return place is not None and bool(versions_before(current_evidence(), [place]))


def _place_of(done: Mapping[str, Any]) -> int | None:
    """Return the place of the version that an import made; None where there is none in use."""
    if not done.get("run_id") or done.get("withdrawn"):
        return None
    evidence = current_evidence()
    runs = evidence.structure.runs
    return next((place for place in evidence.active_runs() if runs[place].id == done["run_id"]), None)


def verdict_of(uploads: Sequence[Upload]) -> str:
    """Return what is known once files that move scores are all imported; nothing before, and of other files.

    Of one run it is about its version: against the one in production, or else the version before, or else the
    best other ranker. Of a single ranker and of several files it is what the overview says first.
    """
    is_done = all(each.state == "done" for each in uploads)
    if not is_done or all(each.kind in {"queries", "documents"} for each in uploads):
        return ""
    runs = [_place_of(each.report.get("done", {})) for each in uploads if each.kind == "run"]
    about = _about_version(runs[0]) if len(runs) == 1 and runs[0] is not None else ""
    return about or leaderboard_of(current_evidence()).answer.sentence


def _about_version(place: int) -> str:
    evidence = current_evidence()
    against, before = evidence.production_run(), versions_before(evidence, [place]).get(place)
    if against is None and before is None:
        others = [entry.place for entry in leaderboard_of(evidence).rankers if entry.place != place]
        against = next(iter(others), None)
    if against not in {None, place, before}:
        pair = verdict_between(evidence, place, against).pair
        names = names_of(evidence, pair.first, pair.second, versions=True)
        return message("%(title)s.", title=title_of(pair, names))
    return "" if before is None else change_title_of(verdict_between(evidence, place, before).pair)


def waits_for_decision(project: Project, upload: Upload) -> bool:
    """Return whether all that is wrong with a file can be decided on its page."""
    page = upload_page(project, upload, is_priced=False)
    return bool(page.problems) and not page.is_cut and all(row.is_open for row in page.problems)


def _grades(upload: Upload, project: Project) -> list[GradeMapping]:
    rows, scale = upload.report.get("grades", []), [project.scale_low, project.scale_high]
    # What was suggested or chosen for another scale would say something else on this one.
    if upload.report.get("scale", scale) != scale:
        fresh = table_of({row["said"]: row["lines"] for row in rows}, *scale)
        return [GradeMapping(row.value, row.lines, _option(row.value, row.proposed, {})) for row in fresh]
    mapped = upload.options.get("grades") or {}
    return [
        GradeMapping(row["said"], row["lines"], _option(row["said"], row["proposed"], mapped)) for row in rows
    ]


def _option(value: str, proposed: int | None, mapped: dict[str, int | None]) -> str:
    if value in mapped:
        return SKIP if mapped[value] is None else str(mapped[value])
    return "" if proposed is None or mapped else str(proposed)


def _so_far(problems: int, report: dict[str, Any]) -> list[Fact]:
    """Return what can be said of a file that has problems."""
    if not problems:
        return []
    number = str(written_number(problems))
    least = str(_("at least %(n)s", n=number)) if "stopped" in report else number
    return [(_("Problems"), least)]


def _size_of(upload: Upload) -> str:
    lines = upload.options.get("lines")
    parts = [ngettext("%(num)s line", "%(num)s lines", lines)] if lines else []
    if upload.options.get("pasted"):
        return "".join(parts)
    size = upload.size
    if size < 10_000:
        parts.append(_("%(n)s bytes", n=written_number(size)))
    else:
        parts.append(f"{size / 1e3:.0f} KB" if size < 1e6 else f"{plain_number(size / 1e6, 1)} MB")
    return " · ".join(parts)


def _table(look: dict[str, Any], texts: dict[str, str]) -> FirstRows | None:
    if not look.get("rows"):
        return None
    names = list(look["names"])
    heads = [(str(COLUMN_NAMES[name]), "num" if name in {"rank", "score", "grade"} else "") for name in names]
    asks = "text" not in names and any(texts.get(cells.get("query_id", "")) for _line, cells in look["rows"])
    if asks:
        heads.insert(1, (_("Question text"), "hide-narrow"))
    rows = []
    for line, cells in look["rows"]:
        found = [(cells.get(name, ""), name) for name in names]
        if asks:
            found.insert(1, (texts.get(cells.get("query_id", ""), ""), "asked"))
        rows.append((line, found))
    return FirstRows(heads, rows)


def _columns(look: dict[str, Any], options: dict[str, Any]) -> list[OwnColumn]:
    """Return the columns of a file with what each is, as chosen in its options, else as it looks."""
    if look.get("format") in {None, "trec"}:
        return []
    meanings = {theirs: ours for ours, theirs in (options.get("columns") or look["fields"]).items()}
    examples = look.get("examples", {})
    return [
        OwnColumn(
            place,
            column_name(look, place),
            examples.get(name, []),
            meanings.get(name, ""),
            is_spare=meanings.get(name) == "query" and "query_id" in meanings.values(),
        )
        for place, name in enumerate(look.get("columns", []))
        if name
    ]
