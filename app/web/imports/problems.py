"""What is wrong with a file in the words of the pages, and what can be decided about it there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from app.services.projects.words import USUAL, ProjectWords
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
LITERAL = {"header", "column", "columns", "format"}
# Names of columns whose fields the page calls otherwise.
_IDS = re.compile(r"'[^']*'|(?<![\w.-])(?:query_id|doc_id|query|rank|grade)(?![\w-])")
_GUESS = re.compile(r"Did you mean '.*?'\? ")
REMEDIES = {
    "unknown-query": "Import the question first, or choose above to skip its lines.",
    "unknown-document": "Import the answer first, or choose above to add it without text.",
    "other-content": "Give it another id, or choose above to use the content of this file.",
    "other-grade": "Choose above to use the ratings of this file, or give its annotator another name.",
    "off-scale": "Choose above what each rating of the file is on this scale.",
    "not-mapped": "Choose above what this rating is on this scale.",
    "negative": "Choose above to skip such lines.",
}

# What the page offers where the command line has an option.
CHOICES = {
    "give --encoding windows-1252": "choose above to read it as Windows-1252",
    "Name the one that is meant with --member": "Choose it on the import page under “All files at once”",
}


@dataclass(frozen=True)
class Decision:
    """What can be decided about one kind of problem; the first choice stops the import.

    Attributes
    ----------
    choices
        (value of the option, words).
    consequence
        What the other choice leads to.
    """

    code: str
    option: str
    title: str
    choices: tuple[tuple[str, str], tuple[str, str]]
    consequence: str


STOP = "stop the import"
DECISIONS = {
    decision.code: decision
    for decision in (
        Decision(
            "unknown-query",
            "unknown_queries",
            "Questions that this project does not have",
            (("reject", STOP), ("skip", "skip these lines")),
            "These lines are not imported.",
        ),
        Decision(
            "unknown-document",
            "unknown_documents",
            "Answers that this project does not have",
            (("reject", STOP), ("add", "add them without text")),
            "Nobody can rate them until their text is imported.",
        ),
        Decision(
            "other-content",
            "replace",
            "Known ids with different content",
            (("", STOP), ("yes", "use the content of this file")),
            "When the text of an answer changes, its earlier ratings no longer count and it is rated again.",
        ),
        Decision(
            "other-grade",
            "replace",
            "Other ratings by the same annotator",
            (("", STOP), ("yes", "use the ratings of this file")),
            "The earlier ratings stay in the history but no longer count.",
        ),
        Decision(
            "negative",
            "negative",
            "Negative ratings",
            (("reject", STOP), ("skip", "skip these lines")),
            "Some collections use them for answers that nobody rated.",
        ),
    )
}


@dataclass(frozen=True)
class ProblemRow:
    """One problem as a page shows it."""

    line: int | None
    value: str
    reason: str
    remedy: str
    is_open: bool


def plain(text: str, own: ProjectWords = USUAL) -> str:
    """Return a sentence with the words of the front: questions, answers, ratings, or the project's own."""
    return _WORDS.sub(lambda match: own.reworded(PLAIN.get(match.group(), match.group())), text)


def rows_of(problems: list[dict[str, Any]], own: ProjectWords = USUAL) -> list[ProblemRow]:
    """Return the problems of a report as a page shows them."""
    return [_row(problem, own) for problem in problems]


def _row(problem: dict[str, Any], own: ProjectWords) -> ProblemRow:
    code, remedy = problem["code"], problem["remedy"]
    for option, choice in CHOICES.items():
        remedy = remedy.replace(option, choice)
    if code in REMEDIES:
        guess = _GUESS.match(remedy)
        remedy = (guess.group() if guess else "") + own.reworded(REMEDIES[code])

    def say(text: str) -> str:
        return _with_fields(text, own) if code in LITERAL else plain(text, own)

    reason = say(problem["reason"])
    return ProblemRow(
        problem["line"],
        problem["value"],
        f"{reason[:1].upper()}{reason[1:]}.",
        say(remedy),
        code in DECISIONS,
    )


def _with_fields(text: str, own: ProjectWords) -> str:
    """Return a sentence about columns of a file, each id with the name of its field on the page."""

    def named(match: re.Match[str]) -> str:
        field = COLUMN_NAMES.get(match.group())
        return f"{match.group()} ({own.reworded(field)})" if field else match.group()

    return _IDS.sub(named, text)


def decisions_of(kind: str, problems: list[dict[str, Any]], options: dict[str, Any]) -> list[Decision]:
    """Return what can be decided now: what came up, and what was decided before."""
    codes = {problem["code"] for problem in problems}
    rival = "other-content" if kind == "judgments" else "other-grade"
    return [
        decision
        for code, decision in DECISIONS.items()
        if code in codes or (code != rival and _is_decided(decision, options))
    ]


def _is_decided(decision: Decision, options: dict[str, Any]) -> bool:
    return options.get(decision.option) in {decision.choices[1][0], decision.choices[1][0] == "yes"} - {False}


def title_of(problems: list[dict[str, Any]], total: int) -> str:
    """Return the heading of a list of problems."""
    if total > len(problems):
        return f"{total:,} problems; the first {len(problems)} are shown"
    to_decide = sum(problem["code"] in DECISIONS for problem in problems)
    to_fix = total - to_decide
    fix = f"{to_fix} to fix" if to_fix else ""
    needs = "needs" if to_decide == 1 else "need"
    decide = f"{to_decide} {needs} your decision" if to_decide else ""
    lines = {problem["line"] for problem in problems}
    noun = "line" if None not in lines and len(lines) == len(problems) else "problem"
    nouns = noun if (to_fix or to_decide) == 1 else f"{noun}s"
    remedy = ", ".join(each for each in (fix, decide) if each)
    return remedy.replace(" ", f" {nouns} ", 1)
