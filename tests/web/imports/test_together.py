"""Several files chosen together: each is recognised, and all are imported in order by one click."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from openpyxl import Workbook
from sqlalchemy import select

from app.models import Document, Judgment, Ranker, Run, Upload
from tests.web.imports.conftest import DOCUMENTS, QRELS, QUERIES, RUN

FILES = {"ratings.txt": QRELS, "bm25.txt": RUN, "texts.csv": DOCUMENTS, "asked.csv": QUERIES}


@pytest.fixture
def together(importer):
    """Return what chooses files together and returns the page that lists them."""

    def together(files):
        data = {
            "files": [
                (io.BytesIO(text if isinstance(text, bytes) else text.encode()), name)
                for name, text in files.items()
            ]
        }
        page = importer.client.post(importer.base, data=data, follow_redirects=True)
        importer.path = page.request.path
        return page

    return together


def kinds_in(page):
    """Return what each file is, by its name."""
    names = re.findall(r'name="(kind-[^"]+)" form="begin" aria-label="What ([^"]+) is"', page.text)
    selects = re.findall(r'<select class="select" name="(kind-[^"]+)".*?</select>', page.text, re.DOTALL)
    assert len(names) == len(selects)
    chosen = {}
    for field, name in names:
        body = re.search(rf'name="{field}".*?</select>', page.text, re.DOTALL).group()
        found = re.search(r'value="([^"]*)"\s+selected', body)
        chosen[name] = (field, found.group(1) if found else "")
    return chosen


def begin(importer, page, **changes):
    fields = dict(kinds_in(page).values())
    named = {kinds_in(page)[name.replace("_", ".")][0]: kind for name, kind in changes.items()}
    return importer.client.post(importer.path, data={**fields, **named}, follow_redirects=True)


def test_four_files_in_any_order_are_recognised_and_imported_by_one_click(importer, together, words):
    page = together(FILES)

    assert {name: kind for name, (_, kind) in kinds_in(page).items()} == {
        "asked.csv": "queries",
        "texts.csv": "documents",
        "bm25.txt": "run",
        "ratings.txt": "judgments",
    }
    assert "Ranker: blend" in words(page)
    assert not any(importer.counts().values())
    done = begin(importer, page)
    assert words(done).startswith("Imported All files were imported.")
    assert "blend v1" in words(done)
    assert "blend is the only ranker" in words(done)
    assert importer.counts() == {"query": 2, "document": 6, "run": 1, "judgment": 3}
    assert importer.files() == []


@pytest.mark.thorough
def test_no_file_is_kept_however_often_it_is_told_how_far_they_are(importer, together, monkeypatch):
    monkeypatch.setattr("app.jobs.uploads.watching.EVERY_SECONDS", 0)

    begin(importer, together({"all.zip": packed(**FILES)}))

    assert importer.counts() == {"query": 2, "document": 6, "run": 1, "judgment": 3}
    assert importer.files() == []


def test_a_problem_stops_there_and_the_rest_follows_once_it_is_gone(importer, together, words):
    page = together({**FILES, "texts.csv": DOCUMENTS.replace("d3,", "d1,")})

    stopped = begin(importer, page)

    assert "See the problem with texts.csv" in words(stopped)
    assert "If the files after texts.csv name unknown questions or answers" in words(stopped)
    assert importer.counts() == {"query": 2, "document": 0, "run": 0, "judgment": 0}
    address = re.search(r'href="(/p/[^"]+)">\s*See the problem', stopped.text).group(1)
    importer.client.post(f"{address}/cancel")
    again = importer.client.get(importer.path)
    assert {kind for _, kind in kinds_in(again).values()} == {"run", "judgments"}
    importer.take("documents", DOCUMENTS)
    importer.path = again.request.path
    begin(importer, again)
    assert importer.counts() == {"query": 2, "document": 6, "run": 1, "judgment": 3}


def test_what_cannot_be_recognised_is_asked_for_or_left_out(importer, together, words):
    page = together({"asked.csv": QUERIES, "notes.md": "hello\nworld\n"})

    refused = begin(importer, page)
    done = begin(importer, page, notes_md="leave")

    assert "Choose what notes.md is." in refused.text
    assert words(done).startswith("Imported All files were imported. Left out: notes.md. asked.csv")
    assert importer.counts()["query"] == 2
    assert importer.files() == []


def test_files_of_other_tools_without_names_of_columns_are_recognised(together):
    page = together(
        {
            "book.csv": "query,docid,Ann Lee,Bo Ray\nred shoes,d1,3.0,1\n",
            "rr.csv": '"red shoes","d1","4","d2",0\nblue hats\n',
            "ltr.txt": "3 qid:q1 # d1 red shoes\n0 qid:q2 # d2 blue hats\n",
            "topics.txt": "<top>\n<num> Number: 401\n<title> foreign minorities\n</top>\n",
        }
    )

    assert {name: kind for name, (_, kind) in kinds_in(page).items()} == {
        "book.csv": "judgments",
        "rr.csv": "judgments",
        "ltr.txt": "judgments",
        "topics.txt": "queries",
    }
    assert "a Quepid book: a column of ratings for each person" in page.text


@pytest.mark.thorough
@pytest.mark.parametrize("tag", ["bm25-{date}", "bm25"])
def test_the_runs_of_two_weeks_are_versions_in_the_order_of_their_dates(importer, together, tag):
    importer.prepare()
    weeks = {"2026-11-26": RUN.replace("d1", "d5"), "2026-11-19": RUN}
    files = {f"bm25-{date}.run": run.replace("blend", tag.format(date=date)) for date, run in weeks.items()}

    begin(importer, together(files))

    with importer.stored.read() as session:
        found = session.execute(select(Ranker.name, Run.version).join(Run).order_by(Run.id)).all()
    assert found == [("bm25", "2026-11-19"), ("bm25", "2026-11-26")]


def test_runs_with_numbers_at_the_end_of_their_names_are_versions(importer, together, words):
    importer.prepare()
    lines = "query,document,rank\nq1,{},1\n"
    files = {
        f"{name}.csv": lines.format(f"d{place}")
        for place, name in enumerate(["alpha-v2", "alpha-v1", "beta_v2.1", "Beta V1"], 1)
    }

    page = together(files)
    begin(importer, page)

    assert "Ranker: alpha v2." in words(page)
    with importer.stored.read() as session:
        found = session.execute(select(Ranker.name, Run.version).join(Run).order_by(Run.id)).all()
    assert sorted(found) == [("Beta", "V1"), ("alpha", "v1"), ("alpha", "v2"), ("beta", "v2.1")]
    assert found.index(("alpha", "v1")) < found.index(("alpha", "v2"))


def test_runs_are_imported_in_the_order_of_their_names_and_numbers(importer, together, words):
    importer.prepare()
    names = ["a-week10", "a-week2", "a"]
    runs = {f"{name}.run": RUN.replace("d1", f"d{place}") for place, name in enumerate(names, 1)}

    page = together(runs)

    told = "Files such as bm25-v1 and bm25-v2 become versions of one ranker, in this order."
    assert told in words(page)
    shown = words(page)
    assert shown.index("a.run") < shown.index("a-week2.run") < shown.index("a-week10.run")


def test_a_single_file_is_checked_at_once(importer, together, words):
    page = together({"asked.csv": QUERIES})

    assert words(page).startswith("Check the file before you import it")
    assert importer.upload().kind == "queries"


def test_without_a_file_the_page_says_so(importer, together, words):
    assert "Choose at least one file." in words(together({}))


def packed(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file.getvalue()


@pytest.mark.thorough
def test_an_archive_of_a_collection_and_a_workbook_are_opened_and_imported_in_order(
    importer, together, words
):
    beir = {
        "scifact/corpus.jsonl": '{"_id": "d1", "title": "Tyres", "text": "Turn."}\n',
        "scifact/queries.jsonl": '{"_id": "q1", "text": "how"}\n',
        "scifact/qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t3\n",
        "scifact/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\n",
        "scifact/readme.md": "hello\nworld\n",
    }
    book = Workbook()
    book.active.append(["query_id", "doc_id", "rank"])
    book.active.append(["q1", "d1", 1])
    more = book.create_sheet("More answers")
    more.append(["doc_id", "text"])
    more.append(["d2", "Wind."])
    sheets = io.BytesIO()
    book.save(sheets)

    page = together({"scifact.zip": packed(**beir), "mine.xlsx": sheets.getvalue()})

    assert {name: kind for name, (_, kind) in kinds_in(page).items()} == {
        "scifact.zip: scifact/queries.jsonl": "queries",
        "scifact.zip: scifact/corpus.jsonl": "documents",
        "mine.xlsx: More answers": "documents",
        "mine.xlsx: Sheet": "run",
        "scifact.zip: scifact/qrels/dev.tsv and 1 more": "judgments",
        "scifact.zip: scifact/readme.md": "",
    }
    fields = {field: kind or "leave" for field, kind in kinds_in(page).values()}
    done = importer.client.post(importer.path, data=fields, follow_redirects=True)
    assert words(done).startswith("Imported All files were imported."), words(done)
    assert importer.counts() == {"query": 1, "document": 2, "run": 1, "judgment": 2}
    assert importer.files() == []


def test_an_archive_that_cannot_be_opened_says_why(together, words):
    page = together({"a.zip": packed(a="x" * 99)[:60]})

    assert "The zip archive cannot be read: it is cut off." in words(page)


WORD = packed(**{"[Content_Types].xml": "<x/>", "word/document.xml": "<w/>"})
NO_WORD = "Word and similar files cannot be read. Save the table as CSV or XLSX."


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("real.docx", WORD, NO_WORD),
        (
            "old.xls",
            b"\xd0\xcf\x11\xe0" + b"\0" * 60,
            "This is a file of an old Office program, not a text file.",
        ),
        ("cut.zip", packed(a="x" * 99)[:60], "The zip archive cannot be read: it is cut off."),
    ],
    ids=["docx", "xls", "cut zip"],
)
def test_a_file_that_cannot_be_read_is_one_file_that_is_not_offered(
    importer, together, words, name, content, told
):
    page = together({name: content})

    assert words(page).startswith(f"This file could not be read {name} ")
    assert told in words(page)
    assert "not recognised" not in words(page)
    assert "Import the files" not in words(page)
    assert kinds_in(page) == {}
    assert f"“{name}” could not be read." in words(importer.client.get(importer.base))


def test_several_files_that_cannot_be_read_are_not_offered(together, words):
    page = words(together({"real.docx": WORD, "other.docx": WORD}))

    assert page.startswith("These files could not be read ")
    assert "Import the files" not in page


def test_a_file_that_cannot_be_read_is_left_out_of_those_chosen_with_it(importer, together, words):
    page = together({"real.docx": WORD, "asked.csv": QUERIES})

    assert NO_WORD in words(page)
    assert list(kinds_in(page)) == ["asked.csv"]
    done = begin(importer, page)
    assert "All files were imported. Left out: real.docx." in words(done)
    assert importer.counts()["query"] == 2


@pytest.mark.parametrize("kind", ["queries", "documents", "run", "judgments"])
def test_a_document_as_a_file_of_one_kind_is_refused_with_the_same_sentence(importer, words, kind):
    page = words(importer.give(kind, WORD, "real.docx"))

    assert "This file could not be read" in page
    assert NO_WORD in page


@pytest.mark.thorough
def test_a_decision_about_unknown_answers_holds_for_the_files_that_follow(importer, together, words):
    page = begin(importer, together({name: FILES[name] for name in ("asked.csv", "bm25.txt", "ratings.txt")}))
    stopped = re.search(r'href="(/p/[^"]+/import/files/[^"]+)">\s*See the problem', page.text).group(1)
    page = importer.client.get(stopped)
    assert "also holds for the files that are checked after this one" in words(page)

    importer.client.post(f"{stopped}/check", data={"format": "", "unknown_documents": "add"})

    assert "Continue" not in words(importer.client.get(stopped))
    assert importer.counts() == {"query": 2, "document": 3, "run": 1, "judgment": 3}


def stopped_of(importer, page):
    """Return the page of the file at which the import stopped; the importer's path is its address."""
    importer.path = re.search(r'href="(/p/[^"]+/import/files/[^"]+)">\s*See the problem', page.text).group(1)
    return importer.client.get(importer.path)


def test_a_file_that_stopped_offers_to_import_those_after_it(importer, together, words):
    files = {name: FILES[name] for name in ("asked.csv", "bm25.txt", "ratings.txt")}

    page = stopped_of(importer, begin(importer, together(files)))

    assert words(page).startswith(
        "The import stopped at this file Nothing from this file has been saved yet. 1 Choose 2 Check 3 Done"
    )
    assert "Import this and the remaining files" in words(page)
    assert "Check again and import" in words(page)
    assert not re.search(r">\s*Check again\s*<", page.text)


@pytest.mark.thorough
def test_a_corrected_file_says_that_those_after_it_are_imported_too(importer, together, words):
    page = together({"asked.csv": QUERIES + "q1,said twice\n", "texts.csv": DOCUMENTS})
    stopped = stopped_of(importer, begin(importer, page))
    assert "Choose the corrected file" in words(stopped)

    corrected = importer.give(f"queries?instead={importer.upload().id}", QUERIES)

    assert "Import this and the remaining files" in words(corrected)
    importer.post("import")
    assert importer.counts()["document"] == 6


def test_the_last_file_that_stopped_has_the_button_of_its_kind(importer, together, words):
    page = stopped_of(
        importer, begin(importer, together({name: FILES[name] for name in ("asked.csv", "bm25.txt")}))
    )

    assert "Import results" in words(page)
    assert not re.search(r">\s*Check again\s*<", page.text)


def test_a_stopped_file_with_a_line_to_correct_is_only_checked_again(importer, together, words):
    faulty = {"asked.csv": QUERIES, "ratings.txt": QRELS + "q9 0 d1 2\nq1 0 d1 0\n"}
    page = stopped_of(importer, begin(importer, together(faulty)))

    assert "Fix the file and choose it again. Some problems you can decide here." in words(page)
    assert "Check again" in words(page)
    assert "Import ratings" not in words(page)


@pytest.mark.thorough
def test_pressed_again_the_import_goes_on_without_the_file_that_stopped(importer, together, words):
    stopped = begin(importer, together({**FILES, "texts.csv": DOCUMENTS.replace("d3,", "d1,")}))
    assert words(stopped).startswith(
        "The import stopped at texts.csv "
        "Solve its problem on its own page, or press “Import the files” again to go on without it."
    )

    gone_on = importer.client.post(
        importer.path,
        data={**dict(kinds_in(stopped).values()), "unknown_documents": "add"},
        follow_redirects=True,
    )

    assert words(gone_on).startswith(
        "Not all files were imported "
        "Solve the problem of each file that was not imported, or leave the file out. asked.csv"
    )
    assert importer.counts() == {"query": 2, "document": 3, "run": 1, "judgment": 3}


@pytest.mark.thorough
def test_a_file_that_stopped_the_import_is_left_out_where_it_is_listed(importer, together, words):
    begin(importer, together({"asked.csv": QUERIES, "texts.csv": DOCUMENTS.replace("d3,", "d1,")}))
    page = importer.client.get(importer.path)
    assert "See the problem with texts.csv Leave it out" in words(page)
    address = re.search(r'action="(/p/[^"]+/cancel)"', page.text).group(1)

    left = importer.client.post(address, data={"together": "y"}, follow_redirects=True)

    assert left.request.path == importer.path
    assert words(left).startswith("Imported All files were imported. Left out: texts.csv. asked.csv")


def test_a_title_without_a_text_is_pointed_out(together, words):
    told = "No column is read as the text, so people would see only the titles."

    assert told in words(together({"a.csv": "doc_id,title,body\nd1,Tyres,Patch it.\n", "b.csv": QUERIES}))
    assert told not in words(together({"a.csv": DOCUMENTS, "b.csv": QUERIES}))


@pytest.mark.thorough
def test_the_page_of_an_imported_file_leads_on_to_the_next_that_stopped(importer, together, words):
    files = {"asked.csv": "Nr;Frage\nq1;How?\nq2;Why?\n", "ratings.txt": "q1 0 d1 9\n"}
    page = together(FILES | files)
    number = kinds_in(page)["asked.csv"][0].removeprefix("kind-")
    fields = {**dict(kinds_in(page).values()), f"column-{number}-0": "", f"column-{number}-1": "text"}
    page = importer.client.post(importer.path, data=fields, follow_redirects=True)
    stopped = re.search(r'href="(/p/[^"]+/import/files/[^"]+)">\s*See the problem', page.text).group(1)

    importer.client.post(f"{stopped}/check", data={"format": "", "column-0": "query_id", "column-1": "text"})

    page = importer.client.get(stopped)
    assert "1 other file is not imported yet." in words(page)
    assert "Continue with ratings.txt" in words(page)


@pytest.mark.thorough
def test_the_page_of_a_corrected_file_leads_on_to_the_files_that_still_wait(importer, together, words):
    stopped = together({**FILES, "asked.csv": "query_id,text\nq1,How?\nq1,Why?\nq2,What?\n"})
    where = importer.path
    begin(importer, stopped)
    assert importer.counts()["query"] == 0

    page = importer.take("queries", QUERIES, "mended.csv")

    assert "4 other files are not imported yet. Continue" in words(page)
    assert f'href="{where}"' in page.text


@pytest.mark.thorough
def test_a_corrected_file_takes_the_place_of_the_one_that_stopped(importer, together, words):
    page = together({**FILES, "asked.csv": "query_id,text\nq1,How?\nq1,Why?\nq2,What?\n"})
    where = importer.path
    stopped = begin(importer, page)
    problem = importer.client.get(re.search(r'href="(/p/[^"]+)">\s*See the problem', stopped.text).group(1))
    choose = re.search(r'href="([^"]+)">\s*Choose the corrected file', problem.text).group(1)

    data = {"file": (io.BytesIO(QUERIES.encode()), "corrected.csv")}
    checked = importer.client.post(choose, data=data, follow_redirects=True)
    importer.client.post(f"{checked.request.path}/import")

    listed = words(importer.client.get(where))
    assert listed.startswith("Imported All files were imported.")
    assert "Left out" not in listed
    assert "corrected.csv" in listed
    assert "asked.csv" not in listed
    assert importer.counts() == {"query": 2, "document": 6, "run": 1, "judgment": 3}


def test_the_front_page_says_what_is_left_of_files_chosen_together(importer, together, words):
    together(FILES)

    front = words(importer.client.get(importer.base))

    assert "“ratings.txt” is not imported yet; it was chosen together with other files." in front


def test_the_front_page_says_that_files_follow_while_one_is_at_work(importer, together, words):
    together(FILES)
    with importer.stored.write() as session:
        session.scalars(select(Upload).where(Upload.kind == "queries")).one().state = "importing"

    front = words(importer.client.get(importer.base))

    assert "“ratings.txt” is imported soon, with the files that were chosen together." in front


@pytest.mark.thorough
def test_a_run_that_the_project_has_is_not_said_to_be_imported_now(importer, together, words):
    begin(importer, together(FILES))

    page = words(begin(importer, together({"bm25.txt": RUN, "again.txt": QRELS})))

    assert "Already imported" in page
    assert "(already" not in page


OWN = {
    "asked.csv": QUERIES,
    "ours.csv": "query_id,document,rank,system\nq1,d1,1,ours\nq2,d2,1,ours\n",
    "labels.csv": "query_id,document,label,judge\nq1,d1,Exact,Kim\nq2,d2,Partial,Kim\nq2,d3,Irrelevant,Kim\n",
}


def shown_fields(page):
    """Return what a browser would send from the page: each select of the form with its chosen value."""
    fields = {}
    for name, body in re.findall(
        r'<select class="select"[^>]*?name="([^"]+)"[^>]*>(.*?)</select>', page.text, re.DOTALL
    ):
        chosen = re.search(r'value="([^"]*)"\s+selected', body)
        first = re.search(r'value="([^"]*)"', body)
        fields[name] = (chosen or first).group(1)
    return fields


def test_labels_and_unknown_answers_are_decided_before_one_click_imports_all(importer, together, words):
    page = together(OWN)
    fields = shown_fields(page)

    assert [fields[name] for name in fields if name.startswith("grade-")] == ["3", "0", "1"]
    assert (fields["unknown_documents"], fields["unknown_queries"]) == ("add", "reject")
    done = importer.client.post(importer.path, data=fields, follow_redirects=True)

    assert words(done).startswith("Imported All files were imported.")
    assert importer.counts() == {"query": 2, "document": 3, "run": 1, "judgment": 3}
    with importer.stored.read() as session:
        assert sorted(session.scalars(select(Judgment.grade))) == [0, 1, 3]


@pytest.mark.thorough
def test_what_was_chosen_stands_when_the_import_stops_at_another_file(importer, together, words):
    files = {**OWN, "texts.csv": DOCUMENTS.replace("d3,", "d1,")}
    fields = shown_fields(together(files))
    grades = [name for name in fields if name.startswith("grade-")]
    chosen = {**fields, **dict(zip(grades, ("1", "skip", "2"), strict=True)), "unknown_queries": "skip"}

    stopped = importer.client.post(importer.path, data=chosen, follow_redirects=True)

    assert "The import stopped at texts.csv" in words(stopped)
    again = shown_fields(stopped)
    assert [again[name] for name in grades] == ["1", "skip", "2"]
    assert again["unknown_queries"] == "skip"
    assert {name: again[name] for name in again if name.startswith("column-")} == {
        name: chosen[name] for name in again if name.startswith("column-")
    }
    importer.client.post(importer.path, data={**again, grades[1]: "0"}, follow_redirects=True)
    with importer.stored.read() as session:
        stored = session.scalars(select(Upload).where(Upload.kind == "judgments")).one()
    assert sorted(stored.options["grades"].values()) == [0, 1, 2]


def test_unknown_answers_stop_the_import_where_answers_are_there_or_come_too(importer, together):
    with_texts = shown_fields(together({**OWN, "texts.csv": DOCUMENTS}))
    importer.prepare()
    with_project = shown_fields(together(OWN))

    assert with_texts["unknown_documents"] == with_project["unknown_documents"] == "reject"


@pytest.mark.thorough
def test_a_label_that_nobody_knows_is_to_be_chosen_and_stops_the_import_if_it_is_not(
    importer, together, words
):
    page = together({**OWN, "labels.csv": OWN["labels.csv"] + "q1,d2,Dunno,Kim\n"})
    fields = shown_fields(page)

    assert sorted(fields[name] for name in fields if name.startswith("grade-")) == ["", "0", "1", "3"]
    stopped = importer.client.post(importer.path, data=fields, follow_redirects=True)
    assert "See the problem with labels.csv" in words(stopped)


def test_ratings_on_the_scale_of_the_project_have_no_table(importer, together):
    assert not [name for name in shown_fields(together(FILES)) if name.startswith("grade-")]


def test_labels_in_an_archive_are_decided_there_too(importer, together, words):
    together({"all.zip": packed(**{name.replace(".", "_"): text for name, text in OWN.items()})})
    page = importer.client.get(importer.path)
    fields = shown_fields(page)

    assert [fields[name] for name in fields if name.startswith("grade-")] == ["3", "0", "1"]


GERMAN = {
    "fragen.csv": "frage_nr;wortlaut\n1;wie flicke ich einen Reifen\n2;nehmt ihr alte Räder\n3;was kostet ein Licht\n",
    "artikel.csv": "art_nr;bezeichnung;inhalt\n"
    + "".join(f"a{n};Anleitung {n} kurz;Drehen Sie Schraube {n} fest.\n" for n in range(1, 7)),
    "suche.csv": "frage_nr;art_nr;stelle;wert\n"
    + "".join(f"{q};a{d};{d};{9 - d},5\n" for q in (1, 2, 3) for d in (1, 2, 3)),
    "noten.csv": "frage_nr;art_nr;note\n1;a1;3\n1;a2;0\n2;a1;1\n3;a1;2\n",
}


@pytest.mark.thorough
def test_files_under_own_names_are_guessed_shown_and_imported_by_one_click(importer, together, words):
    page = together(GERMAN)

    assert {name: kind for name, (_, kind) in kinds_in(page).items()} == {
        "fragen.csv": "queries",
        "artikel.csv": "documents",
        "suche.csv": "run",
        "noten.csv": "judgments",
    }
    assert (
        "Guessed from the values: “frage_nr” holds ids of questions, “art_nr” ids of answers, and “stelle” "
        "counts the places of each question."
    ) in words(page)
    assert "wie flicke ich einen Reifen" in words(page)
    fields = shown_fields(page)
    assert [kind for name, kind in fields.items() if name.startswith("column-")] == [
        *("query_id", "text"),
        *("doc_id", "title", "text"),
        *("query_id", "doc_id", "rank", "score"),
        *("query_id", "doc_id", "grade"),
    ]
    done = importer.client.post(importer.path, data=fields, follow_redirects=True)
    assert words(done).startswith("Imported All files were imported.")
    assert importer.counts() == {"query": 3, "document": 6, "run": 1, "judgment": 4}


@pytest.mark.thorough
def test_a_new_version_under_own_names_is_guessed_by_the_ids_of_the_project(importer, together, words):
    first = together(GERMAN)
    importer.client.post(importer.path, data=shown_fields(first), follow_redirects=True)

    page = together({"suche.csv": GERMAN["suche.csv"].replace(";a1;1;", ";a4;1;")})

    assert words(page).startswith("Check what each file is")
    done = importer.client.post(importer.path, data=shown_fields(page), follow_redirects=True)
    assert "suche v2" in words(done)


@pytest.mark.thorough
def test_a_wrong_guess_is_changed_in_place(importer, together, words):
    page = together(GERMAN)
    fields = shown_fields(page)
    title = next(name for name, chosen in fields.items() if chosen == "title")

    importer.client.post(importer.path, data={**fields, title: ""}, follow_redirects=True)

    with importer.stored.read() as session:
        assert {(each.title, bool(each.text)) for each in session.scalars(select(Document))} == {("", True)}


@pytest.mark.thorough
def test_what_another_kind_makes_of_the_columns_is_shown_before_it_is_imported(importer, together, words):
    page = together({"eins.csv": GERMAN["fragen.csv"], "asked.csv": QUERIES})
    assert kinds_in(page)["eins.csv"][1] == ""

    again = begin(importer, page, eins_csv="documents")

    assert "Check what the columns of eins.csv will be, then import." in again.text
    assert not any(importer.counts().values())
    fields = shown_fields(again)
    assert [fields[name] for name in fields if name.startswith("column-")][-2:] == ["doc_id", "text"]
    importer.client.post(importer.path, data=fields, follow_redirects=True)
    assert importer.counts()["document"] == 3


@pytest.mark.thorough
def test_tables_of_one_workbook_under_own_names_tell_each_other(importer, together):
    book = Workbook()
    book.remove(book.active)
    for name, text in GERMAN.items():
        sheet = book.create_sheet(name.partition(".")[0])
        for line in text.splitlines():
            cells = [cell.replace(",", ".") for cell in line.split(";")]
            sheet.append([float(cell) if cell.replace(".", "").isdigit() else cell for cell in cells])
    sheets = io.BytesIO()
    book.save(sheets)

    together({"alles.xlsx": sheets.getvalue()})
    page = importer.client.get(importer.path)

    assert [kind for _, kind in kinds_in(page).values()] == ["queries", "documents", "run", "judgments"]
    importer.client.post(importer.path, data=shown_fields(page), follow_redirects=True)
    assert importer.counts() == {"query": 3, "document": 6, "run": 1, "judgment": 4}


@pytest.mark.thorough
def test_results_that_name_questions_by_ids_in_a_column_query_are_results(importer, together, words):
    importer.prepare()
    found = "Query,Product,Position\n" + "".join(f"q{q},d{d},{d}\n" for q in (1, 2) for d in (1, 2, 3))

    page = together({"vector.csv": found, "more.csv": "query_id,text\nq3,what is a hub\n"})

    assert kinds_in(page)["vector.csv"][1] == "run"
    done = importer.client.post(importer.path, data=shown_fields(page), follow_redirects=True)
    assert words(done).startswith("Imported All files were imported.")
    assert importer.counts() == {"query": 3, "document": 6, "run": 1, "judgment": 0}


def test_results_chosen_as_questions_say_how_to_import_them(importer, words):
    page = words(importer.give("queries", "Query,Product,Position\ns1,p7,1\ns1,p9,2\n", "vector.csv"))

    assert "“Query” holds ids, not texts, so these look like results of a ranker." in page
    assert "Import them as results of a ranker. If they are texts, say which column is which." in page
    again = words(importer.post("check", **{"column-0": "text", "column-1": "", "column-2": ""}))
    assert "New questions" in again


@pytest.mark.thorough
def test_what_is_left_to_rate_is_said_once_after_the_last_file(importer, together, words):
    begin(importer, together(FILES))

    page = words(importer.client.get(importer.path))

    assert page.startswith("Imported All files were imported.")
    assert "Questions with results 2 of 2" in page
    assert "New answers to rate" not in page
    assert page.count("answers wait for a first rating.") == 1
    assert "3 answers wait for a first rating." in page


def test_a_list_of_texts_that_may_be_questions_or_answers_is_asked_about(together, words):
    page = words(together({"a.csv": "nr,satz\ns1,waterproof hiking boots\ns2,kids rain jacket\n"}))

    assert "Questions or answers? Guessed from the values: “nr” is different on each line" in page
    assert "was not recognised" not in page
