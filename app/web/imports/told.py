"""What readers of files and checks say in English, said in the language of the page.

Reports keep one English sentence, which commands, the API and pages show alike. In another language its
pattern is found again, with the values in it: `n`, `num` and `of` are numbers, a name that begins with `part`
is itself such a phrase, `list` is several of them, and `names` are names of columns. What is not known stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from app.http.languages import current_language, translated, written_number
from app.sentences import COUNTS, Message, message
from app.services.translations import SOURCE

_PLACE = re.compile(r"%\\\((\w+)\\\)s")
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z0-9\"'])")
_ITEMS = re.compile(r", | or | and ")
# Between names of columns.
_AND = re.compile(r"(?:,? )(and|or)(?: no field| no column)? ")
KNOWN = (
    message("query id"),
    message("document id"),
    message("query text"),
    message("name of a column"),
    message("run tag"),
    message("text"),
    message("title"),
    message("url"),
    message("source"),
    message("intent"),
    message("tags"),
    message("weight"),
    message("rank"),
    message("score"),
    message("grade"),
    message("annotator"),
    message("ranker"),
    message("queries"),
    message("documents"),
    message("run"),
    message("judgments"),
    message("results of a ranker"),
    message("ratings"),
    message("tabs"),
    message("commas"),
    message("semicolons"),
    message("no score"),
    message("a score"),
    message("a machine"),
    message("a person"),
    message("people"),
    message("a zip archive"),
    message("a zip archive of %(n)s files"),
    message("a spreadsheet (XLSX)"),
    message("a Parquet file"),
    message("a spreadsheet"),
    message("%(name)s and %(n)s more in %(part)s"),
    message("%(name)s in a zip archive"),
    message("%(name)s in a zip archive of %(n)s files"),
    message("the zip archive holds files of several kinds"),
    message("the zip archive cannot be read: %(part)s"),
    message("it holds no file"),
    message("it holds no file %(name)s"),
    message("it holds %(n)s files, more than %(of)s"),
    message("it unpacks to more than %(n)s times its size or 4 GB"),
    message("Pack it again, or unpack it and choose its files."),
    message("Name the one that is meant with --member, or unpack it."),
    message("the spreadsheet has %(n)s sheets with content"),
    message("a file in the archive is packed again"),
    message("Unpack it first."),
    message("this is %(part)s, and %(name)s, which reads it, is not installed here"),
    message("Install it with pip install %(name)s, or %(part)s."),
    message("save the sheet as CSV UTF-8"),
    message("write it as JSON Lines"),
    message("an archive cannot be read from a pipe"),
    message("Give the file itself."),
    message("the Parquet file cannot be read"),
    message("the spreadsheet cannot be read"),
    message("Save it as CSV UTF-8."),
    message("Write it again, or as JSON Lines."),
    message("the gzip file cannot be read: %(part)s"),
    message("it is cut off"),
    message("its packed data is damaged"),
    message("Compress it again, or use it uncompressed."),
    message("the gzip file unpacks to more than %(n)s times its size or 4 GB"),
    message("Use the file uncompressed, or in parts."),
    message("this is a %(part)s, not a text file"),
    message("Unpack or export it as one text file."),
    message("zip archive in another one"),
    message("zip archive without files"),
    message("bzip2 file"),
    message("xz file"),
    message("zstd file"),
    message("7-Zip archive"),
    message("RAR archive"),
    message("PDF document"),
    message("database file"),
    message("tar archive"),
    message("the file is packed twice"),
    message("Unpack it once."),
    message("this holds %(n)s files of this kind"),
    message("this is a document of an office program, not a table"),
    message("Save it as XLSX or CSV UTF-8."),
    message("file packed with LZ4"),
    message("Feather file"),
    message("HDF5 file"),
    message("spreadsheet or document of an old Office program"),
    message("Python pickle"),
    message(
        "This is a JSON array of rows without names of columns: write it as an array of objects, in "
        "pandas with orient='records'."
    ),
    message("Looks like a table of pandas, written with orient='%(name)s'."),
    message("%(part)s, in row %(n)s"),
    message("a column has several names or none"),
    message("Name each column by one text."),
    message("a row does not have %(n)s values"),
    message("this is not a table as pandas writes it"),
    message("Write it in pandas with orient='records'."),
    message("This is HTML or XML without %(part)s: export it as CSV or JSON Lines."),
    message("vertical bars"),
    message("the line is not UTF-8"),
    message("the line is not UTF-8; it looks like Windows-1252"),
    message("Save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')."),
    message("Save it as UTF-8 (in a spreadsheet: 'CSV UTF-8'), or give --encoding windows-1252."),
    message("the file is %(name)s, not UTF-8"),
    message("the file begins as UTF-16 and is not"),
    message("line %(n)s has the byte %(name)s, which Windows-1252 does not have"),
    message("the line is longer than 1 MB"),
    message("Check that the file has line ends."),
    message("Read as %(name)s."),
    message("Some lines are not UTF-8."),
    message("Not read."),
    message("The file is empty."),
    message("Looks like %(part)s."),
    message("Looks like %(part)s: it has the member %(name)s."),
    message("Looks like JSON Lines: one object per line."),
    message("Looks like one JSON array of objects."),
    message("Looks like one JSON object that has the documents of each query, each with its %(part)s."),
    message("TREC run"),
    message("TREC qrels file"),
    message("Looks like a %(part)s: %(n)s columns on %(num)s of the first %(of)s lines."),
    message("Looks like a %(part)s: %(n)s columns on each of the first %(of)s lines."),
    message("Neither a line of column names nor the %(n)s columns of a %(part)s were found."),
    message("Looks like %(name)s: %(n)s columns separated by %(part)s, names in the first line."),
    message(
        "Looks like %(name)s: %(n)s columns separated by %(part)s, no names, so they are read as %(list)s."
    ),
    message("Looks like %(part)s: %(n)s columns, names in the first row."),
    message("The first column has no name and is left out."),
    message("Quotation marks are part of the text."),
    message("This is %(part)s, which does not hold %(part_kind)s: import it as %(list)s."),
    message("This does not look like any format for %(part)s: give %(list)s."),
    message("There is no %(name)s format for %(part)s: give %(list)s."),
    message("This is a TREC run, not a file of ratings: import it as results of a ranker."),
    message("This is a file of ratings (TREC qrels), not a run: import it as ratings."),
    message("This file cannot be read as one."),
    message("What this file holds was not recognised."),
    message("Ranker: %(name)s."),
    message("TREC topics or documents in SGML or XML"),
    message("LETOR or SVMlight: grade, qid and document on each line"),
    message("a Quepid book: a column of ratings for each person"),
    message("a question on each line, then answers with their labels, without names of columns"),
    message("a Quepid book"),
    message("a Quepid case"),
    message("judgments of the search relevance workbench"),
    message("a query set of the search relevance workbench"),
    message("a _rank_eval request"),
    message("a _rank_eval response"),
    message("a _search response"),
    message("an _msearch response"),
    message("a Solr response"),
    message("ratings of the Rated Ranking Evaluator"),
    message("an export of Label Studio"),
    message("questions of Watson"),
    message("training queries of Watson Discovery"),
    message("there are more than %(n)s columns"),
    message("Remove the columns that are not needed, and check that the first line ends where it should."),
    message("two columns have the same name"),
    message("Give each column a different name."),
    message("the object has no field %(names)s"),
    message("there is no column %(names)s"),
    message("and"),
    message("or"),
    message("Every object needs the fields %(names)s: rename its fields, or choose which field is which."),
    message("The first line must name %(names)s: rename the columns, or choose which column is which."),
    message("%(part)s have no column of this name"),
    message("Use one of %(name)s."),
    message("the file has no column of this name"),
    message("It has %(names)s."),
    message("no columns"),
    message("no fields"),
    message("the column is chosen twice, as %(name)s and as %(other)s"),
    message("Choose another column for one of them."),
    message("the line has 1 cell where the first line has %(of)s"),
    message("the line has %(n)s cells where the first line has %(of)s"),
    message("Give every line the same number of cells, and quote cells that hold the separator."),
    message("the line has %(n)s cells, and an answer without a label"),
    message("Write a question, then an answer and its label, as often as needed."),
    message("there is a quotation mark inside a cell"),
    message("Quote the whole cell and write the mark twice."),
    message("a quotation mark that opens here is never closed"),
    message("Close it."),
    message("there is a carriage return outside quotes"),
    message("Save it with plain line ends."),
    message("the quoted cells that begin here are never closed"),
    message("Close the quotes."),
    message("the line has 1 column, not %(of)s"),
    message("the line has %(n)s columns, not %(of)s"),
    message("Write it as: %(name)s."),
    message("the run tag differs from '%(name)s', the tag of the lines before"),
    message("Give one file per run."),
    message("the file begins with %(n)s blanks"),
    message("Remove them."),
    message("the file has no lines to read"),
    message("Choose another file."),
    message("the file cannot be read (%(name)s)"),
    message("Choose the file again."),
    message("what begins here is never closed"),
    message("what begins here is longer than 4 MB"),
    message("Close it with its tag."),
    message("the line is not JSON (at character %(n)s)"),
    message("the line is not a JSON object"),
    message("Write one object per line."),
    message("the file is not the JSON that it begins as (near character %(n)s)"),
    message("Write the file again with the program that made it."),
    message("the file is too deep"),
    message("the object is nested more than %(n)s deep"),
    message("Use fewer levels."),
    message("an object has this key twice"),
    message("a key appears twice in one object"),
    message("Keep one of them."),
    message("the value is not a number that JSON knows"),
    message("Give a finite number."),
    message("the number is too large"),
    message("a number has too many digits"),
    message("Write long numbers in quotes."),
    message("a text holds NUL or half a character"),
    message("Remove it, or write the file again."),
    message("the query has no object of documents"),
    message('Write it as {"document": 1}.'),
    message("the item of the array is not an object"),
    message("Write an array of objects."),
    message("%(part)s, in the query '%(name)s'"),
    message("there is no %(name)s where the tool writes one"),
    message("Export the file again from the tool that made it."),
    message("the file does not look like one of this format"),
    message("Leave its format to be guessed."),
    message("the response does not say which query it answers"),
    message("Give each query of the search a _name, or save each response in a file named after its query."),
    message("the data of the task does not name its question and its answer"),
    message("Give it the fields query_id (or query) and doc_id."),
    message("the line has no document behind #"),
    message("the line is not GRADE qid:QUERY # DOCUMENT"),
    message("Write it as 3 qid:1 # d7, with features before the #."),
    message("the %(part)s is empty"),
    message("Every line needs its %(part)s."),
    message("the %(part)s is not a text"),
    message("Write the %(part)s in quotes."),
    message("the %(part)s is longer than %(n)s bytes"),
    message("Give it a shorter id."),
    message("the %(part)s holds half a character"),
    message("Write the file as UTF-8 again."),
    message("the %(part)s begins or ends with a space, or contains one that is not a plain one"),
    message("Use plain spaces, and only inside it."),
    message("the %(part)s holds a control character"),
    message("Remove the invisible character."),
    message("the %(part)s is not a number"),
    message("Give a finite decimal number."),
    message("the %(part)s is too large for a number"),
    message("the weight is not above 0 and at most %(n)s"),
    message("Give a number above 0, at most %(n)s."),
    message("the rank is not a whole number"),
    message("the rank is above %(n)s"),
    message("Number the places 1, 2, 3 and so on."),
    message("the grade is not a whole number"),
    message("the grade is beyond %(n)s"),
    message("Use a whole number from the scale."),
    message("the grade is negative"),
    message("Leave such lines out with --negative skip."),
    message("the %(part)s holds a character that cannot be stored"),
    message("Remove it."),
    message("the %(part)s is too long or holds control characters"),
    message("Give a name of at most %(n)s characters on one line."),
    message("the reason is not known"),
    message("the time is not a date and time"),
    message("Write it as 2026-11-21T09:30:00Z."),
    message("the query has no text"),
    message("Write what was asked."),
    message("line %(n)s has the same id and other content"),
    message("Keep one of the two lines."),
    message("there is no grade"),
    message("Give a grade, or a reason why there is none."),
    message("there is a grade and a reason for having none"),
    message("Keep one."),
    message("the line has neither rank nor score"),
    message("Give one of them."),
    message("the line has %(part)s where the lines before have %(part_before)s"),
    message("Score every line, or none."),
    message("the query has this document already, on line %(n)s"),
    message("another document of the query has this rank already, on line %(n)s"),
    message("Give each document of a query a different rank, or give scores."),
    message("the project has no query with this id"),
    message("the project has no query with this text"),
    message("the project has no document with this id"),
    message("%(part)s (used on %(n)s lines)"),
    message("%(part)s (used on at least %(n)s lines)"),
    message("Reading stopped at line %(n)s, because the project lacks more than %(of)s ids of this file."),
    message("The lines after it may have more problems."),
    message("the project has different content for this id"),
    message("answers to this query are rated, so its text cannot change here"),
    message("Edit it on its page, or add the new text as a separate query and retire this one."),
    message("the grade is not on the project's scale %(low)s-%(high)s"),
    message("the map of grades does not say what this value is"),
    message("'%(name)s' has judged this answer %(part)s before"),
    message("with %(number)s"),
    message("without a grade"),
    message("Replace the earlier grade with --replace, or import this one as --annotator NAME."),
    message("Say what each grade of the file is on this scale, such as --map %(name)s."),
    message("the file has ratings by %(n)s people, who may disagree"),
    message("Import it into a project, which combines them, or give the ratings of one."),
    message("The file names one question in two ways, %(name)s and %(other)s: keep one of them."),
    message("The project %(slug)s is archived: restore it first."),
    message("The project was changed during this import: start it again."),
    message("Queries or documents of the project were removed during this import: start it again."),
    message(
        "Ratings under the name %(name)s came from %(part)s before: give this file's annotator "
        "another name, or say that %(part_same)s gave these too."
    ),
    message("An annotator's name has 1 to 200 characters on one line."),
    message("%(ranker)s has a version %(version)s already: choose another label."),
    message("%(file)s answers none of the queries of %(slug)s."),
    message("Paste at least one question, one per line."),
    message("Something went wrong on our side while reading this file. Nothing was saved. Try again."),
    message(
        "Reading this file takes more memory than an import may use. Nothing was saved. Split it "
        "into smaller files, or import it with the command line."
    ),
    message(
        "The server's disk is full. Nothing was saved. Ask the people who run this site to make "
        "room, then try again."
    ),
    message("The file is no longer here. Choose it again."),
    message("1 answer"),
    message("%(n)s answers"),
    message("0 minutes"),
    message("about 1 minute"),
    message("about %(n)s minutes"),
    message("about %(n)s hours"),
    message("%(n)s ratings for each answer"),
    message("about %(share)s %% of them rated twice"),
    message("%(n)s rankers."),
    message("1 ranker."),
    message("%(n)s ranker (%(of)s versions)."),
    message("%(n)s rankers (%(of)s versions)."),
    message("Depth %(n)s: %(part)s."),
    message("Depth %(n)s: %(part)s, %(part_time)s."),
    message("Depth %(n)s: %(part)s, %(part_time)s for one person at %(of)s seconds each."),
    message("Depth %(n)s: %(part)s, %(part_time)s for one person at %(of)s seconds each, %(part_more)s."),
    message("None of them has a text, so nobody can rate them yet."),
    message("1 answer has no text, so nobody can rate it yet."),
    message("%(n)s answers have no text, so nobody can rate them yet."),
    message("The time includes the 1 answer that is rated already."),
    message("The time includes the %(n)s answers that are rated already."),
    message(
        "Each ranker adds at most %(num)s questions x depth %(n)s = %(part)s, %(part_time)s for one "
        "person at %(of)s seconds each."
    ),
    message(
        "Each ranker adds at most %(num)s questions x depth %(n)s = %(part)s, %(part_time)s for one "
        "person at %(of)s seconds each, %(part_more)s."
    ),
    message("%(n)s answers in the pool, %(part_time)s for one person at %(of)s seconds each."),
    message("%(n)s answers in the pool, %(part_time)s for one person at %(of)s seconds each, %(part_more)s."),
    message("1 query"),
    message("%(n)s queries"),
    message("1 document"),
    message("%(n)s documents"),
    message("1 judgment"),
    message("%(n)s judgments"),
    message("1 rating"),
    message("%(n)s ratings"),
    message("run %(name)s"),
    message("run %(name)s (withdrawn)"),
    message("All of it is removed already."),
    message("Removes %(part)s."),
    message("%(part)s is in use and is kept."),
    message("%(part)s are in use and are kept."),
    message("None of these ratings counts any more."),
    message("Clears 1 rating: it no longer counts, but stays in the history."),
    message("Clears %(n)s ratings: they no longer count, but stay in the history."),
    message("Importing the file again restores them."),
)


def told(text: str, english: Callable[[str], str] = str) -> str:
    """Return an English sentence in the language of the page; an English page changes it with `english`."""
    if current_language() == SOURCE:
        return english(text)
    if isinstance(text, Message):
        return translated(text)
    found = _told(text)
    if found is None:
        each = [_told(sentence) for sentence in _SENTENCES.split(text)]
        found = " ".join(filter(None, each)) if None not in each else text
    return found


def _told(text: str) -> str | None:
    """Return one phrase in the language of the page; None if it is not known."""
    bare = f"{text[:1].lower()}{text[1:]}"
    for asked, end in ((text, ""), (bare, ""), (bare.removesuffix("."), ".")):
        loose = None
        for pattern, regex in _known():
            if found := regex.fullmatch(asked):
                values = {name: _value(name, value) for name, value in found.groupdict().items()}
                said = translated(message(pattern))
                if values:
                    said %= {name: value or found[name] for name, value in values.items()}
                said += end
                if None not in values.values():
                    return said
                loose = loose or said
        if loose is not None:
            return loose
    return None


def _value(name: str, value: str) -> str | None:
    """Return a value in the language of the page; None for a phrase that is not known."""
    if name in COUNTS:
        return str(written_number(int(value.replace(",", ""))))
    if name.startswith("part"):
        return _told(value)
    if name == "names":
        return _AND.sub(lambda found: f" {_told(found[1])} ", value)
    if name == "list":
        *first, last = [told(item) for item in _ITEMS.split(value)]
        listed = message("%(first)s or %(last)s", first=", ".join(first), last=last)
        return translated(listed) if first else last
    return value


@cache
def _known() -> list[tuple[str, re.Pattern[str]]]:
    plain = ((str(pattern), re.escape(pattern.replace("%%", "%"))) for pattern in KNOWN)
    return [(pattern, re.compile(_PLACE.sub(_group, escaped))) for pattern, escaped in plain]


def _group(place: re.Match[str]) -> str:
    return f"(?P<{place[1]}>" + (r"[\d,]+)" if place[1] in COUNTS else ".+?)")
