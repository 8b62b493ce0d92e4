"""As what each export can be written, in one table: the page, the commands and the API read it."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from app.formats.schema import Format
from app.sentences import message

Exported = Literal["qrels", "ratings", "results", "scores", "queries", "documents", "pool", "remarks"]
"""What is exported."""
By = Literal["people", "machines"]
BY: tuple[By, ...] = get_args(By)
"""Who gave the ratings."""
EXACT = "data"
"""Of a CSV: every text as it is. Else none of them runs as a formula in a spreadsheet."""


class FileForm(NamedTuple):
    """One form of a file.

    Attributes
    ----------
    name
        What commands and the API call it.
    format
        What reads it.
    suffix
        The end of its file name.
    lost
        What it does not hold, a sentence; empty if it holds everything that its export says.
    by_text
        It knows questions by their texts alone.
    """

    name: str
    label: str
    format: Format
    suffix: str
    lost: str = ""
    by_text: bool = False

    @property
    def refused(self) -> str:
        """What is refused before the first line, because the file cannot hold it; empty if nothing is."""
        if self.by_text:
            return message("Two questions with the same text are refused.")
        return message("Ids with spaces are refused.") if self.format == "trec" else ""

    @property
    def limits(self) -> tuple[str, ...]:
        """What it cannot hold, as sentences."""
        return tuple(filter(None, (self.lost, self.refused)))

    @property
    def is_csv(self) -> bool:
        """Whether spreadsheets open it, so that there are two ways to write its texts."""
        return self.suffix.endswith(".csv")


_TABLES = (
    FileForm("csv", "CSV", "csv", ".csv"),
    FileForm("tsv", "TSV", "tsv", ".tsv"),
    FileForm("jsonl", "JSON Lines", "jsonl", ".jsonl"),
)
_BY_TEXT = message("Questions are named by their texts; ids are left out.")
FORMS: dict[Exported, tuple[FileForm, ...]] = {
    "qrels": (
        FileForm("trec", message("TREC qrels"), "trec", ".txt"),
        FileForm("quepid", message("Quepid ratings, CSV"), "csv", "-quepid.csv", _BY_TEXT, by_text=True),
        FileForm(
            "workbench",
            message("Search relevance workbench, JSON"),
            "workbench",
            "-workbench.json",
            _BY_TEXT,
            by_text=True,
        ),
        FileForm(
            "rank-eval",
            message("_rank_eval request, JSON"),
            "rank-eval",
            "-rank-eval.json",
            message(
                "_index is the project’s short name, and the template searches all fields: replace both with "
                "your own."
            ),
        ),
        FileForm("json-pairs", message("ranx or pytrec_eval, JSON"), "json-pairs", ".json"),
    ),
    "ratings": (
        *_TABLES,
        FileForm(
            "quepid",
            message("Quepid book, CSV"),
            "book-csv",
            "-quepid.csv",
            message(
                "Each annotator has a column. Ids of questions, retired questions, times and reasons for "
                "“can’t judge” are left out."
            ),
            by_text=True,
        ),
    ),
    "results": (
        FileForm("trec", message("TREC run"), "trec", ".run"),
        *_TABLES,
        FileForm(
            "json-pairs",
            message("ranx or pytrec_eval, JSON"),
            "json-pairs",
            ".json",
            message(
                "The name of the ranker is left out. "
                "Results without scores get -1, -2 and so on, by their places."
            ),
        ),
        FileForm(
            "quepid",
            message("Quepid snapshot, CSV"),
            "csv",
            "-quepid.csv",
            message(
                "Scores, ids of questions, retired questions and the number of a Quepid case are left out."
            ),
            by_text=True,
        ),
    ),
    "scores": _TABLES,
    "queries": (
        *_TABLES,
        FileForm(
            "quepid",
            message("Quepid information needs, CSV"),
            "csv",
            "-quepid.csv",
            message("Ids, tags and weights are left out."),
            by_text=True,
        ),
        FileForm(
            "workbench",
            message("Search relevance workbench, JSON"),
            "workbench",
            "-workbench.json",
            message("Ids, intents, tags and weights are left out."),
            by_text=True,
        ),
    ),
    "documents": _TABLES,
    "pool": (
        *_TABLES,
        FileForm(
            "quepid",
            message("Quepid ratings, CSV"),
            "csv",
            "-quepid.csv",
            message(
                "Ids of questions, texts of answers and numbers of ratings are left out. Ratings are empty: "
                "fill them in, and import the file as ratings."
            ),
            by_text=True,
        ),
        FileForm(
            "quepid-book",
            message("Quepid book, JSON"),
            "quepid",
            "-quepid-book.json",
            message(
                "Ids of questions and numbers of ratings are left out. The book has no ratings: rate it in "
                "Quepid, and import the book from there as ratings."
            ),
            by_text=True,
        ),
    ),
    "remarks": _TABLES,
}
"""The first form of each export is written if none is named."""
assert tuple(FORMS) == get_args(Exported)


def names_of(what: Exported) -> tuple[str, ...]:
    """Return what commands and the API call the forms of an export."""
    return tuple(form.name for form in FORMS[what])


def form_of(what: Exported, name: str) -> FileForm:
    """Return the form of this name.

    :raise KeyError: This export has none.
    """
    return {form.name: form for form in FORMS[what]}[name]


def about(what: Exported) -> str:
    """Return what commands and the API say of the forms of an export that are no tables."""
    others = (form for form in FORMS[what] if form not in _TABLES)
    return " ".join(" ".join((f"{form.name}: {form.label}.", *form.limits)) for form in others)
