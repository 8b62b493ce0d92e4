"""Step 2: the file is read, checked against the project, and what is wrong is said line by line."""

from __future__ import annotations

import csv
import gzip
import io
import re
import threading
import zipfile
from datetime import timedelta

import pytest
from openpyxl import Workbook
from sqlalchemy import select, update

from app.models import Document, Project, Query, Upload, now_utc
from app.sentences import capitalised
from app.services.collection import unknown_ids
from app.services.projects.settings import change_scale
from app.services.projects.templates import PAPERS
from app.services.uploads import turn_upload
from tests.formats.test_bad_archives import BAD as DAMAGED
from tests.furniture.thorough import share
from tests.web.imports.conftest import DOCUMENTS, QRELS, QUERIES, RUN, Importer

KINDS = ("queries", "documents", "run", "judgments")
BAD = {
    "empty": b"",
    "blank": b"\n\n  \n",
    "zip": b"PK\x03\x04" + b"\x00" * 50,
    "utf-16": "query_id,text\nq1,ja\n".encode("utf-16-le"),
    "latin-1": "query_id\ttext\nq1\tgrün\n".encode("latin-1"),
    "nul": b"q1\ta\x00b\nq2 Q0 d1 1 1 x\n",
    "endless line": b"x" * 1_500_000,
    "endless quotes": b'query_id,text\nq1,"' + b"a\n" * 600_000,
    "array": b'[{"query_id": "q1"}]',
    "deep": b'{"a":' * 5000,
    "surrogate": b'{"query_id": "q1", "text": "\\ud800", "doc_id": "d", "score": 1, "grade": 1}\n',
    "nan": b"q1 Q0 d1 1 nan tag\n",
    "huge number": b'{"query_id": "q1", "doc_id": "d1", "score": 1e999, "grade": 1e999, "text": "x"}\n',
    "cut gzip": gzip.compress(b"q1\ttext\n" * 1000)[:40],
    "gzip bomb": gzip.compress(b"0" * 5_000_000),
    "packed twice": gzip.compress(gzip.compress(b"q1\ttext\n")),
    "bom only": b"\xef\xbb\xbf",
    "one column": b"hello\nworld\n",
    "html": b"<!doctype html><script>alert(1)</script>",
}


@pytest.mark.thorough
@pytest.mark.parametrize("half", [0, 1])
def test_whatever_is_given_is_answered_with_a_page_and_nothing_is_saved(importer, half):
    given = [(name, kind) for place, name in enumerate(BAD) for kind in share(KINDS, place, 2)]
    for name, kind in given[half::2]:
        page = importer.give(kind, BAD[name], f"{name}.csv")

        assert page.status_code == 200, (name, kind)
        assert importer.upload().state == "checked", (name, kind)
        assert importer.upload().report["total"] >= 1, (name, kind)
        assert "<script>alert" not in page.text, (name, kind)
        assert importer.post("import").status_code == 200, (name, kind)
        importer.post("cancel")
        assert set(importer.counts().values()) == {0}, (name, kind)


def test_the_format_is_guessed_and_said_and_the_first_rows_carry_the_questions(importer, words):
    importer.prepare()

    page = importer.give("run", RUN, "blend-v4.run")

    assert "Looks like a TREC run: 6 columns on each of the first 6 lines." in words(page)
    assert "Line Question id Question text Answer id Place Score Ranker" in words(page)
    assert "1 q1 how do I mend a tyre d1 1 8 blend" in words(page)
    assert f"6 lines · {len(RUN)} bytes · read as UTF-8" in words(page)


def test_what_will_happen_is_counted_before_anything_is_written(importer, words):
    importer.prepare()

    page = importer.give("run", RUN)

    assert "Questions with results 2 of 2" in words(page)
    assert "New answers to rate (an answer counts once for each question) 6" in words(page)
    assert "6 answers wait for a first rating. 6 ratings are still needed: about 2 minutes of work." in words(
        page
    )
    assert importer.counts() == {"query": 2, "document": 6, "run": 0, "judgment": 0}


def test_all_problems_are_listed_with_line_value_and_remedy(importer, words):
    importer.prepare()

    page = importer.give("run", RUN + "q1 Q0 d4 4 NaN blend\nq1 Q0 d5\n")

    assert "2 lines to fix" in words(page)
    assert "Line 7 The score is not a number. Give a finite decimal number. NaN Error" in words(page)
    assert "Line 8 The line has 3 columns, not 6. Write six columns: question id, Q0," in words(page)
    assert "answer id, place, score, name of the ranker." in words(page)


def test_only_the_first_hundred_problems_are_shown_and_all_are_counted(importer, words):
    importer.prepare()

    page = importer.give("run", "q1 Q0 d1\n" * 250)

    assert "250 problems Download this list The first 100 are shown." in words(page)
    assert page.text.count('class="line-no"') == 100


def test_a_file_that_was_not_read_to_its_end_says_so(importer, words, monkeypatch):
    monkeypatch.setattr(unknown_ids, "MOST_UNKNOWN", 200)
    importer.prepare()

    page = importer.give("run", "".join(f"q1 Q0 new{n} {n} 1 blend\n" for n in range(250)))

    assert "At least 250 problems Download this list" in words(page)
    assert "Reading stopped at line 250, because the project lacks more than 200 ids of this file." in words(
        page
    )
    assert "Problems at least 250" in words(page)


def test_the_list_of_problems_can_be_downloaded_safe_for_a_spreadsheet(importer):
    importer.prepare()
    importer.give("run", RUN + "q1 Q0 d4 4 =1+1 blend\n")

    served = importer.client.get(f"{importer.path}/problems.csv")

    assert served.headers["Content-Disposition"].startswith("attachment")
    rows = list(csv.reader(io.StringIO(served.get_data(as_text=True).lstrip("\ufeff"))))
    assert rows == [
        ["line", "value", "problem", "remedy"],
        ["7", "'=1+1", "The score is not a number.", "Give a finite decimal number."],
    ]


def test_a_problem_in_an_archive_names_the_file_and_its_own_line(importer):
    importer.prepare()
    good, bad = "query_id,doc_id,grade\nq1,d1,3\nq1,d2,3\n", "query_id,doc_id,grade\nq1,d3,bad\n"

    page = importer.give("judgments", zipped(a=good, b=bad), "both.zip")

    assert '<span class="line-no">Line 2, <bdi>b.csv</bdi></span>' in page.text
    served = importer.client.get(f"{importer.path}/problems.csv").get_data(as_text=True).lstrip("\ufeff")
    names, row = list(csv.reader(io.StringIO(served)))
    assert names == ["file", "line", "value", "problem", "remedy"]
    assert row[:3] == ["b.csv", "2", "bad"]


@pytest.mark.parametrize("name", ["xlsx broken sheet", "parquet no text"])
def test_a_damaged_table_is_told_with_its_row(importer, words, name):
    data, line, _, told = DAMAGED[name]

    page = importer.give("judgments", data, "ratings")

    assert importer.upload().state == "checked"
    assert f"Row {line} {capitalised(told)}" in words(page)


def zipped(**files):
    """Return an archive of tables."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as into:
        for name, content in files.items():
            into.writestr(f"{name}.csv", content)
    return archive.getvalue()


class TestDecisions:
    def test_unknown_names_stop_the_import_until_somebody_decides(self, importer, words):
        importer.prepare()

        page = importer.give("run", RUN + "q41 Q0 d1 1 9 blend\nq1 Q0 e9 9 0.1 blend\n")

        assert "2 problems need your decision" in words(page)
        assert "The project has no question with this id." in words(page)
        assert "--" not in words(page)
        assert "<h1>Check" in importer.post("name", ranker="", name="x").text
        assert importer.counts()["run"] == 0

    @pytest.mark.thorough
    def test_lines_of_unknown_questions_can_be_left_out_and_answers_added_by_name(self, importer, words):
        importer.prepare()
        importer.give("run", RUN + "q41 Q0 d1 1 9 blend\nq1 Q0 e9 9 0.1 blend\n")

        page = importer.post("check", unknown_queries="skip", unknown_documents="add")

        assert "Unknown answers, added without text 1" in words(page)
        assert "Unknown questions, skipped 1" in words(page)
        importer.post("name", ranker="", name="blend")
        assert importer.counts() == {"query": 2, "document": 7, "run": 1, "judgment": 0}

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        ("kind", "data"),
        [
            ("queries", "query_id,text,traffic,lang\nx1,red shoes b,10,en\n"),
            ("run", "query_id,doc_id,score,lang\nq1,d1,2.5,en\n"),
            ("judgments", "query_id,doc_id,grade,lang\nq1,d1,2,en\n"),
        ],
    )
    def test_columns_that_are_not_kept_are_named(self, importer, words, kind, data):
        importer.prepare()

        assert "Columns left out lang" in words(importer.give(kind, data))

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        ("kind", "data"),
        [
            ("run", "query_id,query,doc_id,score\nq1,blue hats,d1,2.5\n"),
            ("judgments", "query_id,query,doc_id,grade\nq1,blue hats,d1,2\n"),
        ],
    )
    def test_a_text_that_is_not_that_of_its_id_is_told(self, importer, words, kind, data):
        importer.prepare()

        page = words(importer.give(kind, data))

        assert "Columns left out query (the id is used)" in page
        assert "Line 2 has the text “blue hats” for the question q1, whose text is “" in page

    def test_a_text_beside_its_id_is_shown_as_left_out(self, importer):
        importer.prepare()
        page = importer.give("judgments", "query_id,query,doc_id,grade\nq1,how do I mend a tyre,d1,2\n")

        shown = {
            place: re.search(rf'name="column-{place}".*?</select>', page.text, re.DOTALL).group()
            for place in (0, 1)
        }

        assert '<option value="query_id" selected>Question id</option>' in shown[0]
        assert re.search(r'<option value="query">left out</option>', shown[1])
        assert "selected" not in shown[1]
        assert "Question id or text" not in shown[1]

    @pytest.mark.thorough
    def test_a_repeated_answer_is_refused_until_its_best_place_is_to_be_kept(self, importer, words):
        importer.prepare()
        page = importer.give("run", RUN + "q1 Q0 d1 9 0.1 blend\n")
        assert "Keep one of the two lines, or choose above to keep the best place." in words(page)
        assert "If you keep the best place, the other lines with this answer are not imported." in words(page)

        page = importer.post("check", best="yes")

        assert "Lines that repeat an answer, left out 1" in words(page)
        importer.post("name", ranker="", name="blend")
        assert importer.counts()["run"] == 1

    @pytest.mark.thorough
    def test_other_content_is_refused_until_it_is_taken_over(self, importer, words):
        importer.prepare()

        page = importer.give("documents", "doc_id,title,text\nd1,Answer 1,Another text\n")

        assert "1 line needs your decision" in words(page)
        page = importer.post("check", replace="yes")
        assert "Content replaced 1" in words(page)
        importer.post("import")
        assert importer.upload().report["done"]["edited"] == 1

    def test_an_imported_change_of_a_text_says_once_that_ratings_no_longer_count(self, importer, words):
        importer.prepare()
        importer.give("documents", "doc_id,title,text\nd1,Answer 1,Another text\n")
        page = words(importer.post("check", replace="yes"))
        assert "1 answer with changed content. Where the title or text changed" in page

        importer.post("import")

        page = words(importer.client.get(importer.path))
        assert "1 answer has a new title or text. Any ratings of the old one no longer count." in page
        assert page.count("no longer count") == 1

    def test_negative_ratings_can_be_left_out(self, importer, words):
        importer.prepare()

        importer.give("judgments", QRELS + "q2 0 d2 -1\n")
        page = importer.post("check", negative="skip")

        assert "New ratings 3" in words(page)
        assert "Negative ratings, lines skipped 1" in words(page)

    @pytest.mark.thorough
    def test_ratings_of_another_scale_are_mapped_by_a_table_before_anything_is_saved(self, importer, words):
        importer.prepare()

        page = importer.give("judgments", "query_id,doc_id,grade\nq1,d1,4\nq1,d2,Exact\nq2,d1,0\n")
        assert "What each rating in the file means here" in words(page)
        assert (
            "Some ratings in the file are not on this project’s scale. The file’s scale seems to be 0 to 4."
            in words(page)
        )
        assert "Exact Needs a decision" in words(page)
        assert "You can decide this above." in words(page)
        assert "Fix the file" not in words(page)
        assert importer.post("name", annotator="x").request.path == importer.path
        page = importer.post("check", format="", **{"grade-4": "2", "grade-Exact": "3", "grade-0": ""})
        assert "Choose above what this rating is on this scale." in words(page)
        assert "map of ratings" not in words(page)
        page = importer.post("check", format="", **{"grade-4": "2", "grade-Exact": "3", "grade-0": "skip"})

        assert "New ratings 2" in words(page)
        assert "Ratings that you chose to leave out 1" in words(page)
        importer.post("name", annotator="Old ratings")
        assert importer.upload().report["done"]["added"] == 2

    @pytest.mark.thorough
    @pytest.mark.parametrize("line", ["q1,d2,,\n", "q1,d2,0,other\n", "q1,d9,0,\n"])
    def test_nobody_looks_for_a_rating_off_the_scale_where_there_is_none(self, importer, words, line):
        importer.prepare()

        page = importer.give("judgments", f"query_id,doc_id,grade,reason\nq1,d1,3,\n{line}")
        assert "If the file has another scale, change them here." in words(page)
        page = importer.post("check", format="", **{"grade-3": "2", "grade-0": "0"})

        # What is unknown may be on several lines.
        assert ("1 problem" if "d9" in line else "1 line") in words(page)
        assert "not on this project’s scale" not in words(page)

    def test_a_column_of_reasons_is_for_lines_without_a_rating(self, importer, words):
        importer.prepare()

        page = importer.give("judgments", "query_id,doc_id,grade,reason\nq1,d1,3,other\nq1,d2,,bad\n")

        assert "There is a rating and a reason for “can’t judge”. Keep one." in words(page)
        assert "This is not a reason for “can’t judge”. Leave the column out, or use one of" in words(page)
        assert "Reason for “can’t judge”" in words(page)

    def test_a_question_is_looked_for_by_its_id_and_by_its_text(self, importer, words):
        importer.prepare()

        page = importer.give("judgments", "query,doc_id,grade\nq1,d1,3\n44,d1,3\n")

        assert "The project has no question with this id or text." in words(page)
        assert "Question id or text" in words(page)

    @pytest.mark.thorough
    def test_ratings_on_the_scale_are_taken_as_they_are_and_no_other_value_is(self, importer, words):
        importer.prepare()
        importer.give("judgments", QRELS)

        page = importer.post("check", format="", **{"grade-3": "3", "grade-0": "0", "grade-1": "1"})
        assert importer.upload().options["grades"] == {}
        assert "If the file has another scale, change them here." in words(page)

        importer.post("check", format="", **{"grade-3": "9", "grade-0": "0", "grade-7": "1"})
        assert importer.upload().options["grades"] == {"0": 0}

    def test_values_that_nobody_offers_change_nothing(self, importer):
        importer.prepare()
        importer.give("run", RUN + "q41 Q0 d1 1 9 blend\n")

        importer.post("check", unknown_queries="everything", format="exe", ranker="x", attempts="9")

        options = importer.upload().options
        assert options["format"] is None
        assert set(options) == {"format", "columns", "lines", "packed", "suggested", "suggested_version"}


def workbook_of(sheets):
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(file := io.BytesIO())
    return file.getvalue()


class TestReading:
    def test_a_file_of_no_format_is_told_in_the_words_of_the_pages(self, importer, words):
        page = importer.give("queries", "once upon a time\nand they lived")

        assert "No format was recognised." in words(page)
        assert words(page).count("This does not look like any format") == 1
        assert "This does not look like any format for questions. Give CSV" in words(page)
        assert "2 lines" in words(page)

    def test_a_file_of_another_kind_is_told_in_the_words_of_the_pages(self, importer, words):
        page = words(importer.give("documents", '{"q1": {"d1": 0.5}}'))

        assert "by question and answer, which does not hold answers. Import it as" in page

    def test_scores_offered_as_ratings_are_told_what_the_page_has(self, importer, words):
        page = words(importer.give("judgments", "query_id,doc_id,score\nq1,d1,1.5\nq1,d2,1.4\n"))

        told = "Import them as results of a ranker. If they are ratings, say which column is which."
        assert f"These are scores of a run, not ratings. {told}" in page
        assert "--column" not in page
        assert "You can decide this above." in page

    def test_columns_with_unknown_names_are_decided_in_their_table(self, importer, words):
        page = words(importer.give("queries", "Kennung,Inhalt\na,b\n"))

        assert "Rename the columns, or say which column is which. Kennung, Inhalt Needs a decision" in page
        assert "1 problem needs your decision" in page
        assert "Choose above which column is which. If none fits, fix the file and choose it again." in page
        assert "You can decide this above." not in page

    def test_a_missing_column_is_to_fix_where_no_column_is_left_to_be_it(self, importer, words):
        page = words(importer.give("run", "query_id,rank,score\nq1,1,3\nq1,2,2\n"))

        assert "There is no column doc_id (Answer id)." in page
        assert "1 problem to fix" in page
        assert "Fix the file and choose it again." in page
        assert "You can decide this above." not in page
        assert "Needs a decision" not in page

    def test_a_workbook_of_several_sheets_says_once_what_to_do_on_the_page(self, importer, words):
        book = workbook_of({"Notes": [["remark", "by"], ["a", "b"]], "More": [["remark", "by"], ["c", "d"]]})

        page = words(importer.give("queries", book, "book.xlsx"))

        assert page.count("The spreadsheet has 2 sheets with content.") == 1
        assert "Choose the file again under “All files at once” and leave out what you do not want." in page
        assert "--member" not in page

    def test_a_sheet_of_questions_beside_one_of_notes_is_read(self, importer, words):
        questions = [["query_id", "text"], ["q1", "how"]]
        book = workbook_of({"Notes": [["remark", "by"], ["a", "b"]], "Questions": questions})

        assert "New questions 1" in words(importer.give("queries", book, "book.xlsx"))

    def test_columns_without_names_are_numbered(self, importer, words):
        page = words(importer.give("queries", "q1\thow\nq2\twhy\n", "q.tsv"))

        assert "Read as Column 1 q1 q2" in page
        assert "Column 2 how why" in page
        assert "query_id" not in page
        page = importer.post("check", **{"column-0": "text", "column-1": "text"}).text
        assert "Two columns were chosen as Text: Column 1 is used, not Column 2." in page

    def test_pasted_questions_are_not_told_to_be_a_file(self, importer, words):
        def pasted(text):
            data = {"text": text}
            return importer.client.post(f"{importer.base}/queries/paste", data=data, follow_redirects=True)

        good, bad = words(pasted("q1\thow\nq2\twhy")), words(pasted("q1\thow\nq1\twhy"))

        assert "Correct the questions and paste them again." in bad
        assert bad.endswith("Paste them again")
        for page in (good, bad):
            assert "pasted questions 2 lines Paste them again" in page
            assert "file" not in page.casefold()

    def test_a_line_of_json_that_breaks_off_names_its_end(self, importer, words):
        page = importer.give("queries", '{"query_id": "q1"\n', format="jsonl")

        assert "The line is not JSON (at character 18)" in words(page)

    def test_a_file_is_read_again_as_another_format(self, importer, words):
        page = importer.give("queries", QUERIES)
        assert "Looks like CSV" in words(page)

        page = importer.post("check", format="jsonl")
        assert "The line is not JSON" in words(page)

        page = importer.post("check", format="csv")
        assert "New questions 2" in words(page)

    @pytest.mark.thorough
    def test_one_json_object_is_read_as_ratings_of_another_scale(self, importer, words):
        importer.prepare()

        page = importer.give("judgments", '{"q1": {"d1": 10, "d2": 0},\n "q2": {"d1": 5}}', "ratings.json")
        assert "Looks like one JSON object" in words(page)
        assert "Line Question id Question text Answer id Rating" in words(page)
        page = importer.post("check", format="", **{"grade-0": "0", "grade-5": "2", "grade-10": "3"})

        assert "New ratings 3" in words(page)
        importer.post("name", annotator="Old ratings")
        assert importer.counts()["judgment"] == 3

    def test_columns_can_be_named(self, importer, words):
        page = importer.give("queries", "Kennung;Frage\nq1;wie\n")
        assert "There is no column query_id" in words(page)
        assert "Kennung q1 left out Question id" in words(page)

        page = importer.post("check", format="", **{"column-0": "query_id", "column-1": "text"})

        assert "New questions 1" in words(page)
        assert "q1 wie" in words(page)

    def test_a_column_that_is_no_longer_chosen_is_left_out(self, importer, words):
        importer.give("queries", "query_id,text,intent\nq1,How?,why\n")

        page = importer.post(
            "check", format="", **{"column-0": "query_id", "column-1": "text", "column-2": ""}
        )

        assert importer.upload().options["columns"] == {"query_id": "query_id", "text": "text", "intent": ""}
        assert "Line Question id Text 2 q1 How?" in words(page)

    @pytest.mark.thorough
    def test_of_two_columns_with_one_meaning_the_first_is_used(self, importer, words):
        importer.give("queries", "query_id,text,other\nq1,How?,why\n")

        page = importer.post(
            "check", format="", **{"column-0": "query_id", "column-1": "text", "column-2": "text"}
        )

        assert importer.upload().options["columns"] == {"query_id": "query_id", "text": "text"}
        assert "Two columns were chosen as Text: text is used, not other." in page.text

    def test_what_no_page_offers_is_not_taken(self, importer):
        importer.give("queries", QUERIES)

        importer.post("check", format="", **{"column-0": "__class__", "column-1": "text", "column-9": "tags"})

        assert importer.upload().options["columns"] == {"query_id": "", "text": "text"}

    def test_a_packed_file_is_read(self, importer, words):
        page = importer.give("queries", gzip.compress(QUERIES.encode()), "q.csv.gz")

        assert "New questions 2" in words(page)

    def test_a_byte_order_mark_and_windows_line_ends_are_no_problem(self, importer, words):
        page = importer.give("queries", b"\xef\xbb\xbf" + QUERIES.replace("\n", "\r\n").encode())

        assert "New questions 2" in words(page)


class TestWhose:
    @pytest.fixture
    def others(self, importer, making, client_of):
        importer.give("queries", QUERIES)
        with making() as make:
            project = importer.project()
            colleague = make.member(project, "owner")
            stranger = make.person()
            elsewhere = make.project()
            make.session.flush()
            from app.models import Role
            from app.services.accounts.memberships import give_role

            give_role(make.session, elsewhere.id, stranger.id, Role.OWNER)
            slug = elsewhere.slug
        return client_of(colleague), client_of(stranger), slug

    @pytest.mark.thorough
    def test_nobody_else_sees_an_upload_or_does_anything_with_it(self, importer, others):
        colleague, stranger, slug = others

        for step in ("", "/part", "/name", "/problems.csv"):
            assert importer.client.get(importer.path + step).status_code != 404, step
            assert colleague.get(importer.path + step).status_code == 404, step
            assert stranger.get(importer.path.replace(importer.slug, slug) + step).status_code == 404, step
        for step in ("check", "import", "name", "cancel"):
            assert colleague.post(f"{importer.path}/{step}").status_code == 404, step
            assert stranger.post(f"{importer.path.replace(importer.slug, slug)}/{step}").status_code == 404, (
                step
            )
            assert importer.upload().state == "checked", step
            assert importer.counts()["query"] == 0, step


def test_a_cancelled_upload_is_gone_with_its_file(importer, words):
    importer.give("queries", QUERIES)

    page = importer.post("cancel")

    assert "The upload is cancelled" in page.text
    assert importer.files() == []
    assert importer.client.get(importer.path).status_code == 404


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["files/{id}", "files/{id}/name", "together/none"])
def test_the_page_of_a_file_that_is_gone_leads_to_the_import_and_doubts_no_address(importer, words, path):
    importer.give("queries", QUERIES)
    importer.post("cancel")

    gone = importer.client.get(f"{importer.base}/{path.format(id=importer.path.rsplit('/', 1)[-1])}")

    assert "no longer here" in words(gone)
    assert "Check the address" not in words(gone)
    assert f'href="{importer.base}">Import</a>' in gone.text


def test_a_file_that_was_chosen_instead_throws_the_other_away(importer):
    page = importer.give("queries", "q1\n")
    before, link = importer.path, re.search(r'href="([^"]*\?instead=[^"]*)"', page.text).group(1)

    importer.give(link.rsplit("/", 1)[1], QUERIES)

    assert importer.client.get(before).status_code == 404
    assert importer.files() == [importer.upload().id]


def test_nobody_elses_file_can_be_thrown_away_by_choosing_another(importer, making, client_of):
    importer.give("queries", QUERIES)
    with making() as make:
        colleague = make.member(importer.project(), "owner")
    theirs = Importer(client_of(colleague), importer.slug, importer.stored, None)
    theirs.folder = importer.folder

    theirs.give(f"queries?instead={importer.upload().id}", QUERIES)

    assert importer.upload().state == "checked"
    assert importer.client.get(importer.path).status_code == 200


def test_the_work_is_left_to_the_worker_and_waited_for_only_a_moment(importer, monkeypatch):
    taken = []
    monkeypatch.setattr("app.jobs.worker.Worker.take", lambda _self, *work: taken.append(work[1]))
    monkeypatch.setattr("app.web.imports.uploads.MOMENT_SECONDS", 0.1)

    page = importer.give("queries", QUERIES)

    assert taken == ["checking"]
    assert "<h1>Checking the file" in page.text


def test_no_more_than_two_requests_wait_for_the_worker(importer, monkeypatch):
    monkeypatch.setattr("app.jobs.worker.Worker.take", lambda *_: None)
    monkeypatch.setattr("app.web.imports.uploads.close_read_session", lambda: pytest.fail("it waits"))
    monkeypatch.setattr("app.web.imports.uploads._waiting", threading.Semaphore(0))

    assert "<h1>Checking the file" in importer.give("queries", QUERIES).text


def test_an_upload_waits_for_a_day_and_no_longer(importer):
    importer.give("queries", QUERIES)
    with importer.stored.write() as session:
        session.get(Upload, importer.upload().id).expires_at = now_utc() - timedelta(seconds=1)

    assert importer.client.get(importer.path).status_code == 404
    assert importer.post("import").status_code == 404


def test_a_page_that_waits_asks_for_its_part_and_nothing_new_is_a_304(importer, words):
    importer.give("queries", QUERIES)
    with importer.stored.write() as session:
        upload = session.get(Upload, importer.upload().id)
        upload.state, upload.progress_done, upload.progress_total = "checking", 50, 200

    page = importer.client.get(importer.path)
    part = importer.client.get(f"{importer.path}/part")

    assert 'data-controller="refresh"' in page.text
    assert "Checking against the project : 25 %" in words(page)
    assert "Refresh" in words(page)
    assert '<progress max="200" value="50"' in part.text
    assert "<html" not in part.text
    for tag in (part.headers["ETag"], f"W/{part.headers['ETag']}"):
        again = importer.client.get(f"{importer.path}/part", headers={"If-None-Match": tag})
        assert again.status_code == 304


def test_a_checked_page_asks_for_nothing(importer):
    page = importer.give("queries", QUERIES)

    assert "data-refresh-url" not in page.text


@pytest.mark.thorough
def test_the_same_run_for_the_same_ranker_is_said_before_it_is_tried(importer, words):
    importer.prepare()
    importer.take("run", RUN)

    page = importer.give("run", RUN)

    assert "This file was already imported as blend v1" in words(page)
    assert "Pool after the import" not in words(page)
    named = words(importer.client.get(f"{importer.path}/name"))
    assert named.endswith("What will happen Nothing, unless you choose another ranker.")


def test_documents_without_a_text_are_said(importer, words):
    page = importer.give("documents", DOCUMENTS + "d9,,\n")

    assert "1 answer without title and text: nobody can rate it until the text is imported." in words(page)


def test_a_project_of_papers_reads_the_columns_that_papers_have_and_says_so(importer, making, words):
    with making() as make:
        project = make.session.scalar(select(Project).where(Project.slug == importer.slug))
        project.options = {**project.options, "template": "papers"}

    page = importer.give("queries", "paper_id,title,abstract\nt1,Owls at night,We listened.\n", "targets.csv")

    assert "Line Question id Text Abstract" in words(page)
    assert "What the person wants" not in words(page)
    assert "2 t1 Owls at night We listened." in words(page)
    importer.post("import")
    with importer.stored.read() as session:
        assert session.scalars(select(Query.text)).one() == "Owls at night"


@pytest.mark.thorough
def test_a_source_that_names_a_ranker_is_said_before_the_import(importer, words):
    importer.prepare()
    importer.take("run", RUN)

    page = importer.give("documents", "doc_id,text,source\nn1,New text,Blend\n")

    assert "The column “source” seems to name rankers or versions: Blend. People see the source" in words(
        page
    )


@pytest.mark.thorough
def test_a_file_that_is_not_utf8_shows_how_it_would_read_and_asks(importer, words):
    page = importer.give("queries", "query_id,text\nq1,Wo ist das Café?\n".encode("cp1252"), "fragen.csv")

    assert "This file is not UTF-8. Is it Windows-1252?" in words(page)
    assert "Line 2 q1,Wo ist das Café?" in words(page)
    assert "or choose above to read it as Windows-1252." in words(page)
    read = importer.post("check", encoding="windows-1252")
    assert "read as Windows-1252" in words(read)
    again = importer.post("check", encoding="")
    assert "Is it Windows-1252?" in words(again)
    importer.post("check", encoding="windows-1252")
    importer.post("import")
    with importer.stored.read() as session:
        assert session.scalars(select(Query.text)).all() == ["Wo ist das Café?"]


@pytest.mark.thorough
def test_an_import_is_cancelled_while_it_runs_and_not_once_it_is_done(importer):
    importer.give("queries", QUERIES)
    with importer.stored.write() as session:
        turn_upload(session, importer.upload().id, ["checked"], "importing")

    assert f'action="{importer.path}/cancel"' in importer.client.get(importer.path).text
    assert "Nothing was saved." in importer.post("cancel").text
    assert importer.files() == []
    importer.take("queries", QUERIES)
    assert "This file was imported before you cancelled it." in importer.post("cancel").text


@pytest.mark.thorough
def test_a_run_that_may_be_ratings_says_so_before_and_after_its_import(importer, words):
    importer.prepare()
    told = "The scores take few different values. If they are ratings, import the file as ratings"

    page = importer.give("run", "query_id,doc_id,score\nq1,d1,50\nq1,d2,50\n", "r.csv")
    done = importer.post("name", ranker="", name="blend")

    assert told in words(page)
    assert told in words(done)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["queries", "documents"])
def test_what_another_program_did_to_a_file_is_said_on_its_page(importer, words, kind):
    name = {"queries": "query_id", "documents": "doc_id"}[kind]

    page = importer.give(kind, f"{name},text\n1-Mar,cafÃ©\n", "new.csv")

    assert (
        "A spreadsheet seems to have changed some ids, such as '1-Mar'. Make the file again from its source: "
        "format the column as text before the ids go in, or use no spreadsheet." in words(page)
    )
    assert "Some texts look garbled, such as 'cafÃ©'." in words(page)
    assert "A spreadsheet seems to have changed some ids" in words(importer.post("import"))


def test_what_another_program_did_to_ids_is_said_beside_the_problems_that_come_from_it(importer, words):
    importer.prepare()

    page = importer.give("judgments", "q1 0 1-Mar 3\n", "qrels.txt")

    assert "A spreadsheet seems to have changed some ids, such as '1-Mar'." in words(page)


def test_question_texts_are_a_column_where_any_is_known(importer, words):
    page = importer.give("run", RUN)

    assert "Line Question id Answer id Place Score Ranker" in words(page)


@pytest.mark.thorough
def test_ratings_are_suggested_anew_once_the_project_has_another_scale(importer, words, stored):
    importer.prepare()
    importer.give("judgments", "q1 0 d1 1\nq1 0 d2 3\nq2 0 d1 5\n")

    with stored.write() as session:
        project = session.scalars(select(Project)).one()
        change_scale(session, project, "1-5")
    page = importer.client.get(importer.path)

    assert "Check what each rating means here, then choose “Check again”." in words(page)
    assert "If the file has another scale" not in words(page)
    tables = page.text.split('name="grade-')[1:]
    suggested = [(one[0], re.search(r'value="(\d)"\s+selected', one)[1]) for one in tables]
    assert suggested == [("1", "1"), ("3", "3"), ("5", "5")]
    page = importer.post("check", format="", **{f"grade-{each}": each for each in "135"})
    assert "New ratings 3" in words(page)
    assert "If the file has another scale, change them here." in words(page)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        ("queries", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "This is a PDF file, not a text file."),
        (
            "documents",
            b"\xd0\xcf\x11\xe0" + b"\0" * 40,
            "This is a file of an old Office program, not a text",
        ),
        (
            "judgments",
            b"query_id,doc_id,score\nq1,d1,1.5\nq1,d2,1.4\n",
            "If they are ratings, say which column is which.",
        ),
        ("queries", b"version https://git-lfs.github.com/spec/v1\nsize 1\n", "This is a pointer of Git LFS"),
    ],
)
def test_what_a_broken_file_is_stays_in_its_own_words(importer, words, kind, data, told):
    assert told in words(importer.give(kind, data))


def test_of_scores_that_cannot_be_read_nobody_is_told_that_they_may_be_ratings(importer, words):
    importer.prepare()

    page = importer.give("run", "query_id,doc_id,score\nq1,d1,good\nq1,d2,bad\n")

    assert "The score is not a number." in words(page)
    assert "few different values" not in words(page)


def test_a_problem_of_a_spreadsheet_is_in_a_row(importer, words):
    book, content = Workbook(), io.BytesIO()
    for row in (["query_id", "text"], ["q1", "how"], ["q1", "why"]):
        book.active.append(row)
    book.save(content)

    page = words(importer.give("queries", content.getvalue(), "asked.xlsx"))

    assert "Row 3 Row 2 has the same id and other content." in page
    assert not re.search(r"\bLine\b", page)


def test_names_of_formats_and_the_heading_keep_their_words_in_a_project_with_its_own(importer, words):
    with importer.stored.write() as session:
        session.scalar(select(Project)).wording = dict(PAPERS.wording)

    page = words(importer.client.get(f"{importer.base}/run"))
    ratings = words(importer.client.get(f"{importer.base}/judgments"))
    settings = words(importer.client.get(f"/p/{importer.slug}/settings"))

    assert "Retrieve and Rank predictions: question, answer, score" in page
    assert "Import results The recommended papers that one version" in page
    assert "Watson training queries or questions, JSON" in ratings
    assert "Heading of the overview (optional) For example: How well does our search work?" in settings


@pytest.mark.thorough
def test_columns_of_answers_that_are_not_read_are_kept_and_said_to_be(importer, words):
    page = importer.give("documents", "id,kind,body\nA,hat,Red hat\nB,coat,Green coat\n", "letters.csv")
    assert "kind hat coat kept as an extra column Answer id" in words(page)

    chosen = {"column-0": "doc_id", "column-1": "", "column-2": "text"}
    importer.post("check", **chosen)
    importer.post("import")
    with importer.stored.read() as session:
        kept = {each.external_id: each.extra for each in session.scalars(select(Document))}
    assert kept == {"A": {"kind": "hat"}, "B": {"kind": "coat"}}

    page = words(importer.give("queries", "query_id,text,lang\nq1,red shoes,en\n"))
    assert "lang en left out Question id" in page


def test_a_column_of_answers_that_is_not_to_be_the_title_is_kept_too(importer):
    importer.give("documents", "doc_id,title,text\nA,hat,Red hat\n")
    importer.post("check", **{"column-0": "doc_id", "column-1": "", "column-2": "text"})
    importer.post("import")

    with importer.stored.read() as session:
        found = session.scalar(select(Document))
    assert (found.title, found.extra) == ("", {"title": "hat"})


def test_a_file_of_another_kind_is_not_called_broken(importer, words):
    page = words(importer.give("queries", RUN, "solr.run"))

    assert "Import it as results of a ranker." in page
    assert "Fix the file and choose it again." not in page
    assert page.endswith("Choose another file")


def test_a_file_in_windows_1252_is_a_decision_on_the_page(importer, words):
    page = words(importer.give("queries", "query_id;text\nx1;größe\n".encode("cp1252"), "latin.csv"))

    assert "1 line needs your decision" in page
    assert "You can decide this above." in page
    assert "Fix the file and choose it again." not in page


def test_a_file_of_nothing_but_names_says_what_its_one_line_is(importer, words):
    page = words(importer.give("queries", "query_id,text\n", "head.csv"))

    assert "There is nothing below the names of the columns. Choose another file." in page
    assert "Fix the file and choose it again." not in page


TEXTS_AS_IDS = "question,answer,stars\nq1,Open it and press Save.,3\nq2,Write to the team today.,1\n"


def test_texts_in_the_place_of_ids_are_pointed_out(importer, words):
    importer.prepare()

    page = importer.give("judgments", TEXTS_AS_IDS, "feedback.csv")

    assert "The answer ids in this file look like texts. Give each answer a short id" in words(page)
    assert "look like texts" in words(importer.post("check", unknown_documents="add"))
    assert "look like texts" not in words(importer.give("judgments", QRELS + "q1 0 d99 3\n"))


@pytest.mark.thorough
def test_before_there_is_a_ranker_nothing_is_said_of_a_pool_or_of_scores(importer, words):
    importer.prepare()

    checked = importer.give("judgments", QRELS)
    done = importer.post("name", annotator="Panel")

    for page in (checked, done):
        assert "There are no ranker results yet, so there are no scores." in words(page)
        assert "outside the pool" not in words(page)
        assert "near the top" not in words(page)
    assert "What comes next Import results Import more" in words(done)


def test_an_archived_project_takes_no_file_in(importer, words):
    importer.prepare()
    with importer.stored.write() as session:
        session.execute(update(Project).values(state="archived"))

    for kind in ("run", "judgments"):
        page = importer.give(kind, "q1 Q0 d1 1 9 blend\n")
        assert "is archived: restore it first" in words(page)

    with importer.stored.read() as session:
        assert session.scalars(select(Upload).where(Upload.kind.in_(["run", "judgments"]))).all() == []
