"""What is wrong with a file in the words of the pages, and what can be decided about it there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from flask_babel import gettext

from app.http.languages import current_language, ngettext, translated, written_number
from app.http.languages import later as _l
from app.sentences import capitalised
from app.services.projects.words import USUAL, ProjectWords
from app.services.translations import SOURCE
from app.web.imports.kinds import COLUMN_NAMES

PLAIN = {
    "query": "question",
    "queries": "questions",
    "document": "answer",
    "documents": "answers",
    "judgment": "rating",
    "judgments": "ratings",
    "grade": "rating",
    "grades": "ratings",
    "rank": "place",
}
# Not in quotes, and not as part of a name: those are other people's words.
_WORDS = re.compile(rf"'[^']*'|(?<![\w.-])(?:{'|'.join(PLAIN)})(?![\w-]|\.\w)")
# These name columns as files have them.
LITERAL = {"header", "column"}
# Names of columns whose fields the page calls otherwise.
_IDS = re.compile(r"'[^']*'|(?<![\w.-])(?:query_id|doc_id|query|text|title|rank|score|grade)(?![\w-])")
_GUESS = re.compile(r"Did you mean '(.*?)'\? ")
REMEDIES = {
    "unknown-query": _l("Import the question first, or choose above to skip its lines."),
    "unknown-document": _l("Import the answer first, or choose above to add it without text."),
    "other-content": _l("Give it another id, or choose above to use the content of this file."),
    "other-grade": _l("Choose above to use the ratings of this file, or give its annotator another name."),
    "off-scale": _l("Choose above what each rating of the file is on this scale."),
    "not-mapped": _l("Choose above what this rating is on this scale."),
    "negative": _l("Choose above to skip such lines."),
    "document-twice": _l("Keep one of the two lines, or choose above to keep the best place."),
}

# The file is not what was asked for, or holds nothing: nobody has to repair it.
OTHER = {"format", "empty"}
# Decided by the page's table of ratings, where there is one.
MAPPED = {"off-scale", "not-mapped"}

# What is typed on the command line stands in brackets, in every language; names of columns have some, too.
_TYPED = re.compile(r" \((?:import \w+|--(?:[^()]|\([^()]*\))*)\)")
# What the page offers where the command line has an option.
CHOICES = {
    "give --encoding windows-1252": "choose above to read it as Windows-1252",
    "Name the one that is meant with --member": "Choose the file again under “All files at once” and "
    "leave out what you do not want",
}
# What the page's table of columns decides.
OF_COLUMNS = ("which column is which", "which field is which")
# Every column of the file is something already: none is left to be the one that is missing.
NONE_LEFT = "Add what is missing"


@dataclass(frozen=True)
class Decision:
    """What can be decided about one kind of problem; the first choice stops the import.

    Attributes
    ----------
    choices
        (value of the option, words).
    consequence
        What the other choice leads to; empty where there is nothing to say.
    """

    code: str
    option: str
    title: str
    choices: tuple[tuple[str, str], tuple[str, str]]
    consequence: str


STOP = _l("stop the import")
DECISIONS = {
    decision.code: decision
    for decision in (
        Decision(
            "unknown-query",
            "unknown_queries",
            _l("Questions that this project does not have"),
            (("reject", STOP), ("skip", _l("skip these lines"))),
            _l("If you skip them, these lines are not imported."),
        ),
        Decision(
            "unknown-document",
            "unknown_documents",
            _l("Answers that this project does not have"),
            (("reject", STOP), ("add", _l("add them without text"))),
            _l("Nobody can rate them until their text is imported."),
        ),
        Decision(
            "other-content",
            "replace",
            _l("Known ids with different content"),
            (("", STOP), ("yes", _l("use the content of this file"))),
            _l(
                "When the title or text of an answer changes, its earlier ratings no longer count and it is "
                "rated again. An empty cell deletes what the project has there, and undo does not bring "
                "it back."
            ),
        ),
        Decision(
            "other-grade",
            "replace",
            _l("Other ratings by the same annotator"),
            (("", STOP), ("yes", _l("use the ratings of this file"))),
            _l("The earlier ratings stay in the history but no longer count."),
        ),
        Decision(
            "document-twice",
            "best",
            _l("Answers that a list has twice"),
            (("", STOP), ("yes", _l("keep the best place"))),
            _l("If you keep the best place, the other lines with this answer are not imported."),
        ),
        Decision(
            "negative",
            "negative",
            _l("Negative ratings"),
            (("reject", STOP), ("skip", _l("skip these lines"))),
            _l("Some collections use them for answers that nobody rated."),
        ),
    )
}


@dataclass(frozen=True)
class ProblemRow:
    """One problem as a page shows it; `member` and `is_row` are those of `app.formats.errors.Problem`.

    It `is_other` where another file, or another page, is needed: which one says its remedy. It `is_header`
    where a column is missing or called otherwise: the table of columns may hold it, or not.
    """

    line: int | None
    value: str
    reason: str
    remedy: str
    is_open: bool
    member: str = ""
    is_row: bool = False
    is_other: bool = False
    is_header: bool = False


def plain(text: str, own: ProjectWords = USUAL) -> str:
    """Return a sentence with the words of the front: questions, answers, ratings, or the project's own."""
    return _WORDS.sub(lambda match: own.reworded(PLAIN.get(match.group(), match.group())), text)


def spoken(sentence: str, english: Callable[[str], str] = str) -> str:
    """Return a sentence in the language of the page; an English page changes it with `english`."""
    return english(on_page(sentence)) if current_language() == SOURCE else on_page(translated(sentence))


def on_page(sentence: str) -> str:
    """Return a sentence without what is typed on the command line."""
    for option, choice in CHOICES.items():
        sentence = sentence.replace(option, choice)
    return _TYPED.sub("", sentence)


class Tables(NamedTuple):
    """Which tables the page has, to decide with, and whether it asks for the encoding."""

    has_grades: bool = False
    has_columns: bool = False
    has_encodings: bool = False

    def decide(self, problem: dict[str, Any]) -> bool:
        """Return whether a problem can be decided on the page."""
        return (
            problem["code"] in DECISIONS
            or (self.has_grades and problem["code"] in MAPPED)
            or (self.has_encodings and problem["code"] == "encoding")
            or (self.has_columns and _is_in_columns(problem.get("remedy", "")))
        )


def _is_in_columns(remedy: str) -> bool:
    return any(words in remedy for words in OF_COLUMNS) and not remedy.startswith(NONE_LEFT)


NO_TABLES = Tables()


def rows_of(
    problems: list[dict[str, Any]], own: ProjectWords = USUAL, tables: Tables = NO_TABLES
) -> list[ProblemRow]:
    """Return the problems of a report as a page shows them."""
    return [_row(problem, own, is_open=tables.decide(problem)) for problem in problems]


def _row(problem: dict[str, Any], own: ProjectWords, *, is_open: bool) -> ProblemRow:
    reason, remedy = _english(problem, own) if current_language() == SOURCE else _told(problem)
    if problem["code"] in LITERAL:
        reason = _with_fields(reason, own)
    if problem["code"] == "header":
        remedy = _with_fields(remedy, own, said=reason)
    # The page's table of ratings is not called a map, and the remedy says it all.
    is_said = is_open and problem["code"] == "not-mapped"
    return ProblemRow(
        problem["line"],
        problem["value"],
        "" if is_said else f"{capitalised(reason)}.",
        remedy,
        is_open,
        problem.get("member", ""),
        is_row="is_row" in problem,
        is_other=problem["code"] in OTHER,
        is_header=problem["code"] == "header",
    )


def _told(problem: dict[str, Any]) -> tuple[str, str]:
    remedy, guess = problem["remedy"], _GUESS.match(problem["remedy"])
    if problem["code"] not in REMEDIES:
        return spoken(problem["reason"]), spoken(remedy)
    meant = gettext("Did you mean '%(name)s'?", name=guess[1]) if guess else ""
    return translated(problem["reason"]), f"{meant} {REMEDIES[problem['code']]}".strip()


def _english(problem: dict[str, Any], own: ProjectWords) -> tuple[str, str]:
    code, remedy = problem["code"], on_page(problem["remedy"])
    if code in REMEDIES:
        guess = _GUESS.match(remedy)
        remedy = (guess.group() if guess else "") + own.reworded(str(REMEDIES[code]))

    if code in LITERAL:
        return problem["reason"], remedy
    return plain(problem["reason"], own), plain(remedy, own)


def _with_fields(text: str, own: ProjectWords, *, said: str = "") -> str:
    """Return a sentence about columns of a file, each with its field on the page, if that is another word.

    What stands in brackets, and what the sentence `said` before it names, is left as it is.
    """
    known = {match.group() for match in _IDS.finditer(said)}

    def named(match: re.Match[str]) -> str:
        name, before = match.group(), match.string[: match.start()]
        field = own.reworded(str(COLUMN_NAMES.get(name, "")))
        is_clear = name in known or field.lower() in {"", name} or before.count("(") > before.count(")")
        return name if is_clear else f"{name} ({field})"

    return _IDS.sub(named, text)


def decisions_of(kind: str, problems: list[dict[str, Any]], options: dict[str, Any]) -> list[Decision]:
    """Return what can be decided now: what came up, and what was decided before."""
    codes = {problem["code"] for problem in problems}
    rival = "other-content" if kind == "judgments" else "other-grade"
    return [
        # It is about answers: no file changes the text of a question whose answers are rated.
        replace(decision, consequence="") if (kind, code) == ("queries", "other-content") else decision
        for code, decision in DECISIONS.items()
        if code in codes or (code != rival and _is_decided(decision, options))
    ]


def _is_decided(decision: Decision, options: dict[str, Any]) -> bool:
    return options.get(decision.option) in {decision.choices[1][0], decision.choices[1][0] == "yes"} - {False}


def title_of(
    problems: list[dict[str, Any]], total: int, tables: Tables = NO_TABLES, *, is_whole: bool = True
) -> str:
    """Return the heading of a list of problems; of a file that was not read to its end it has the least."""
    shown = len(problems)
    if total > shown and not is_whole:
        return str(gettext("At least %(n)s problems", n=written_number(total)))
    if total > shown:
        return str(gettext("%(n)s problems", n=written_number(total)))
    to_decide = sum(map(tables.decide, problems))
    to_fix = total - to_decide
    lines = {problem["line"] for problem in problems}
    # An id that is not known may be on several lines.
    are_lines = None not in lines and len(lines) == len(problems)
    if are_lines and not any(problem["code"].startswith(("unknown-", "header")) for problem in problems):
        fix = ngettext("%(num)s line to fix", "%(num)s lines to fix", to_fix)
        decide = ngettext("%(num)s line needs your decision", "%(num)s lines need your decision", to_decide)
    else:
        fix = ngettext("%(num)s problem to fix", "%(num)s problems to fix", to_fix)
        decide = ngettext(
            "%(num)s problem needs your decision", "%(num)s problems need your decision", to_decide
        )
    if not to_fix or not to_decide:
        return fix if to_fix else decide if to_decide else ""
    also = ngettext("%(num)s needs your decision", "%(num)s need your decision", to_decide)
    return f"{fix}, {also}"
