"""Step 3 and 4: a name, and then all of it or nothing."""

from __future__ import annotations

import html
import re

import pytest
from sqlalchemy import select, update

from app.models import Document, Person, Project, Query, Ranker, Run, Upload
from app.services.collection.files import ImportFile
from app.services.collection.queries import import_queries
from app.services.collection.rankers import set_production
from tests.formats.test_bad_archives import zipped
from tests.web.imports.conftest import DOCUMENTS, QRELS, QUERIES, RUN


def test_questions_and_answers_go_in_without_a_name(importer, words):
    page = importer.take("queries", QUERIES, "questions.csv")

    assert "questions.csv New questions 2" in words(page)
    assert importer.counts()["query"] == 2
    assert importer.files() == []


@pytest.mark.thorough
def test_the_same_file_again_changes_nothing(importer, words):
    importer.take("documents", DOCUMENTS)

    page = importer.take("documents", DOCUMENTS)

    assert "New answers 0" in words(page)
    assert "Already here, unchanged 6" in words(page)
    assert importer.counts()["document"] == 6


class TestRuns:
    def test_the_tag_of_the_file_is_suggested_for_a_new_ranker(self, importer):
        importer.prepare()
        importer.give("run", RUN, "other.run")

        page = importer.client.get(f"{importer.path}/name")

        assert 'value="blend"' in page.text
        assert 'type="radio"' not in page.text

    @pytest.mark.thorough
    @pytest.mark.parametrize("date", ["2026-11-19", "20261119", "2026_11_19", "2026-W47"])
    def test_a_date_at_the_end_of_a_name_is_that_of_the_version(self, importer, words, date):
        importer.prepare()
        importer.take("run", RUN.replace("blend", f"bm25-{date}"), name="bm25", version=date)
        importer.give("run", RUN.replace("blend", "bm25-2026-11-26").replace("d1", "d5"))

        form = importer.client.get(f"{importer.path}/name").text

        assert re.search(r'value="bm25"\s+checked|checked[^>]*value="bm25"', form)
        assert 'value="2026-11-26"' in form

    def test_the_date_of_the_file_names_the_version_of_a_plain_tag(self, importer):
        importer.prepare()
        importer.give("run", RUN, "blend-2026-11-26.run")

        form = importer.client.get(f"{importer.path}/name").text

        assert 'value="blend"' in form
        assert 'value="2026-11-26"' in form

    def test_a_number_at_the_end_of_a_name_is_that_of_the_version(self, importer):
        importer.prepare()
        importer.give("run", RUN.replace("blend", "alpha-v2.1"), "other.run")

        form = importer.client.get(f"{importer.path}/name").text

        assert 'value="alpha"' in form
        assert 'value="v2.1"' in form

    def test_a_ranker_of_the_whole_name_keeps_it(self, importer):
        importer.prepare()
        importer.take("run", RUN.replace("blend", "alpha-v2"), name="alpha-v2", version="v1")
        importer.give("run", RUN.replace("blend", "alpha-v2").replace("d1", "d5"), "alpha-v2.run")

        form = importer.client.get(f"{importer.path}/name").text

        assert re.search(r'value="alpha-v2"\s+checked|checked[^>]*value="alpha-v2"', form)
        assert 'value="v2"' not in form

    @pytest.mark.thorough
    def test_a_version_that_is_there_is_not_suggested(self, importer):
        importer.prepare()
        importer.take("run", RUN.replace("blend", "bm25-2026-11-19"), name="bm25", version="2026-11-19")
        importer.give("run", RUN.replace("blend", "bm25-2026-11-19").replace("d1", "d5"))

        form = importer.client.get(f"{importer.path}/name").text

        assert 'value="2026-11-19"' not in form

    @pytest.mark.thorough
    def test_a_run_is_registered_with_version_and_note(self, importer, words):
        importer.prepare()

        page = importer.take("run", RUN, name="Blend", version="2026-11", note="smaller index")

        assert "Blend 2026-11 Results 6" in words(page)
        assert "What changed since the version before" not in words(page)
        with importer.stored.read() as session:
            run, name = session.execute(select(Run, Ranker.name).join(Ranker)).one()
            assert (name, run.version, run.note, run.state) == (
                "Blend",
                "2026-11",
                "smaller index",
                "published",
            )

    @pytest.mark.thorough
    def test_existing_rankers_are_offered_and_get_the_next_version(self, importer, words):
        importer.prepare()
        importer.take("run", RUN)
        importer.give("run", RUN.replace("d1", "d5"))

        form = importer.client.get(f"{importer.path}/name")
        page = importer.post("name", ranker="blend", name="ignored")

        assert 'type="radio" value="blend"' in form.text
        assert "blend v2" in words(page)
        assert "What changed since the version before" in words(page)
        assert importer.count(Ranker) == 1

    @pytest.mark.thorough
    def test_the_same_file_for_the_same_ranker_is_already_registered(self, importer, words):
        importer.prepare()
        importer.take("run", RUN)
        importer.give("run", RUN)

        page = importer.post("name", ranker="blend")

        assert "Already imported This project already has the same file. Nothing was changed." in words(page)
        assert "It was imported before, as v1. Nothing changed." in words(page)
        assert importer.counts()["run"] == 1

    @pytest.mark.thorough
    def test_a_ranker_may_have_any_name_that_the_form_uses_itself(self, importer, words):
        importer.prepare()
        importer.take("run", RUN, name="new")
        importer.give("run", RUN.replace(" d1 1 8 ", " d4 1 8 "))

        page = importer.post("name", ranker="new", name="")

        assert "new v2" in words(page)
        assert importer.count(Ranker) == 1

    @pytest.mark.thorough
    def test_a_name_that_cannot_be_is_said_and_nothing_is_imported(self, importer, words):
        importer.prepare()
        importer.take("run", RUN)
        importer.give("run", RUN.replace("d1", "d5"))
        for named, reason in (
            ({"ranker": "", "name": "  "}, "Give the new ranker a name."),
            ({"ranker": "", "name": "x" * 201}, "Use at most 200 characters."),
            ({"ranker": "", "name": "a\u202eb"}, "Write it on one line"),
            ({"ranker": "blend", "version": "v1"}, "blend has a version 'v1' already"),
            ({"ranker": "blend", "version": "v" * 101}, "Use at most 100 characters."),
            ({"ranker": "nobody"}, "Not a valid choice"),
        ):
            page = importer.post("name", **named)

            assert reason in words(page)
            assert importer.upload().state == "checked", named
            assert importer.counts()["run"] == 1, named

    @pytest.mark.thorough
    def test_a_name_that_sources_of_answers_contain_is_warned_of_before_the_last_click(self, importer, words):
        importer.prepare()
        with importer.stored.write() as session:
            session.execute(update(Document).values(source="Dense index"))
        importer.give("run", RUN)

        page = importer.post("name", ranker="", name="dense")

        assert "6 answers seem to name this ranker or version in their source" in words(page)
        assert importer.upload().state == "checked"
        warned = html.unescape(re.search(r'name="warned" value="([^"]*)"', page.text)[1])
        other = importer.post("name", ranker="", name="index", warned=warned)
        assert ("6 answers seem to name" in words(other), importer.upload().state) == (True, "checked")

        done = importer.post("name", ranker="", name="dense", warned=warned)

        assert "<h1>Imported" in done.text

    @pytest.mark.thorough
    def test_a_name_that_needs_quoting_is_only_a_text(self, importer):
        importer.prepare()

        page = importer.take("run", RUN, name='<script>"x"</script>')

        assert "<script>" not in page.text.split("<main")[1]


class TestRatings:
    def test_ratings_come_under_the_name_that_was_given(self, importer, words):
        importer.prepare()

        page = importer.take("judgments", QRELS, "old.qrels", annotator="Expert panel")

        assert "Rated by Expert panel" in words(page)
        with importer.stored.read() as session:
            kinds = dict(session.execute(select(Person.name, Person.kind)).all())
        assert kinds["Expert panel"] == "imported"

    @pytest.mark.thorough
    def test_what_a_machine_gave_stays_a_machines(self, importer, words):
        importer.prepare()
        importer.take("judgments", QRELS, "old.qrels", annotator="A model", machine="y")
        with importer.stored.read() as session:
            kinds = dict(session.execute(select(Person.name, Person.kind)).all())
        assert kinds["A model"] == "machine"

        importer.give("judgments", QRELS, "old.qrels")
        page = importer.post("name", annotator="A model")

        assert "came from a machine before: give this file's annotator another name" in words(page)

    def test_the_file_suggests_the_name(self, importer):
        importer.prepare()
        importer.give("judgments", QRELS, "old.qrels")

        assert 'value="Imported from old"' in importer.client.get(f"{importer.path}/name").text

    @pytest.mark.thorough
    def test_a_file_that_names_everybody_is_imported_without_another_name(self, importer, words):
        importer.prepare()
        named = "query_id,doc_id,annotator,grade\nq1,d1,Kim,3\nq1,d1,Lee,1\n"

        check = importer.give("judgments", named, "j_kim.csv")
        asked = importer.client.get(f"{importer.path}/name")

        assert "j_kim”" not in words(check)
        assert "Choose a name" not in words(check)
        assert "A machine gave these ratings Import ratings" in words(check)
        assert "Used for ratings that have no name" not in words(asked)
        names = dict(re.findall(r'type="hidden" name="(annotator)" value="([^"]*)"', asked.text))
        done = importer.post("name", **names, machine="y")
        assert "Rated by 2 annotators" in words(done)
        with importer.stored.read() as session:
            kinds = dict(session.execute(select(Person.name, Person.kind)).all())
        assert (kinds["Kim"], kinds["Lee"]) == ("machine", "machine")
        assert "Imported from j_kim" not in kinds

    def test_a_file_that_names_somebody_asks_for_the_name_of_the_others(self, importer, words):
        importer.prepare()
        named = "query_id,doc_id,annotator,grade\nq1,d1,Kim,3\nq1,d1,,1\n"

        check = importer.give("judgments", named, "j_kim.csv")

        assert "Choose a name Import as ratings by “Imported from j_kim”" in words(check)

    def test_ratings_are_told_from_answers_that_could_not_be_judged(self, importer, words):
        importer.prepare()

        check = importer.give("judgments", "query_id,doc_id,grade,reason\nq1,d1,3,\nq1,d2,,unclear\n")

        assert "New ratings 2 Of these, “can’t judge” 1 Rated by" in words(check)
        assert "Of these" not in words(importer.give("judgments", QRELS))

    def test_a_grade_off_the_scale_is_refused(self, importer, words):
        importer.prepare()

        page = importer.give("judgments", QRELS + "q2 0 d2 7\n")

        assert "Line 4 The rating is not on the project's scale 0-3." in words(page)

    @pytest.mark.thorough
    def test_what_contradicts_the_annotator_takes_the_upload_back_to_its_check(self, importer, words):
        importer.prepare()
        importer.take("judgments", QRELS, annotator="Panel")
        importer.give("judgments", "q1 0 d1 1\n", "new.qrels")

        page = importer.post("name", annotator="Panel")

        assert "'Panel' has judged this answer with 3 before" in words(page)
        assert "1 line needs your decision" in words(page)
        assert "The project changed" not in words(page)
        assert importer.counts()["judgment"] == 3
        importer.post("check", replace="yes")
        page = importer.post("name", annotator="Panel")
        assert "Earlier ratings replaced 1" in words(page)


class TestChanged:
    def change(self, importer):
        file = ImportFile(content=b"q9\tnew\n", name="x", format="tsv")
        with importer.stored.write() as session:
            project = session.merge(importer.project())
            import_queries(session, project, file)

    @pytest.mark.thorough
    def test_a_project_that_changed_since_the_check_is_checked_again_and_it_is_said(self, importer, words):
        importer.prepare()
        importer.give("run", RUN)
        self.change(importer)

        page = importer.post("name", ranker="", name="blend", version="v7")

        assert "The project changed after this file was checked, so it was checked again." in words(page)
        assert "Questions with results 2 of 3" in words(page)
        assert importer.counts()["run"] == 0
        page = importer.client.get(f"{importer.path}/name")
        assert 'value="v7"' in page.text
        page = importer.post("name", ranker="", name="blend")
        assert "<h1>Imported" in page.text

    @pytest.mark.thorough
    def test_what_a_machine_gave_is_still_a_machines_after_the_file_was_checked_again(self, importer, words):
        importer.prepare()
        importer.give("judgments", QRELS)
        self.change(importer)

        page = importer.post("name", annotator="Panel", machine="y")

        assert "so it was checked again" in words(page)
        assert re.search(r'name="machine" value="y"', page.text)
        named = importer.client.get(f"{importer.path}/name").text
        assert re.search(r"<input[^>]*checked[^>]*>", named)[0].count("machine")

    @pytest.mark.thorough
    def test_the_price_counts_no_rankers_because_another_one_can_be_chosen(self, importer, words):
        importer.prepare()
        importer.take("run", RUN)
        importer.give("run", RUN.replace("d1", "d5"))
        self.change(importer)

        checked = importer.post("name", ranker="", name="other")

        named = importer.client.get(f"{importer.path}/name")
        price = "Pool after the import. 8 answers wait for a first rating. "
        assert price in words(checked)
        assert price in words(named)

    @pytest.mark.thorough
    def test_the_same_for_a_file_without_a_name(self, importer, words):
        importer.give("queries", QUERIES)
        self.change(importer)

        page = importer.post("import")

        assert "changed after this file was checked" in words(page)
        assert importer.counts()["query"] == 1
        assert "<h1>Imported" in importer.post("import").text
        assert importer.counts()["query"] == 3

    @pytest.mark.thorough
    def test_ratings_meanwhile_are_no_change(self, importer, making):
        importer.prepare()
        importer.give("run", RUN)
        with making() as make:
            annotator = make.member(importer.project(), "annotator")
            query = make.session.scalars(select(Query)).first()
            document = make.session.scalars(select(Document)).first()
            make.judgment(make.candidate(query, document, in_pool=False), annotator, 2)

        page = importer.post("name", ranker="", name="blend")

        assert "<h1>Imported" in page.text


def test_an_import_that_was_sent_twice_happens_once(importer):
    importer.give("queries", QUERIES)
    importer.post("import")

    again = importer.post("import")

    assert "<h1>Imported" in again.text
    assert importer.counts()["query"] == 2


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "step"), [("queries", "name"), ("run", "import")])
def test_a_step_that_does_not_belong_to_a_kind_leads_back(importer, kind, step):
    importer.prepare()
    importer.give(kind, RUN if kind == "run" else "q7\tnew\n")

    page = importer.post(step)

    assert "<h1>Check" in page.text
    assert importer.upload().state == "checked"


def test_an_upload_whose_file_is_gone_says_so_and_imports_nothing(importer, words):
    importer.give("queries", QUERIES)
    for path in importer.folder.iterdir():
        path.unlink()

    page = importer.post("import")

    assert "The file cannot be read" in words(page)
    assert importer.counts()["query"] == 0


def test_the_list_of_uploads_that_wait_stands_on_the_import_page(importer, words):
    importer.give("queries", QUERIES, "mine.csv")

    page = importer.client.get(importer.base)

    assert "“mine.csv” is checked and ready to import. Continue" in words(page)
    assert importer.count(Upload) == 1


@pytest.mark.parametrize(
    ("kind", "data", "named"),
    [("queries", QUERIES, {}), ("run", RUN, {}), ("judgments", QRELS, {"annotator": "Imported from same"})],
)
def test_a_file_that_is_here_already_is_not_called_ready(importer, words, kind, data, named):
    importer.prepare()
    importer.take(kind, data, **named)
    importer.give(kind, data, "same.txt")

    page = words(importer.client.get(importer.base))

    assert "“same.txt” is checked and would change nothing. Continue" in page


def test_the_next_version_goes_in_under_its_name_and_the_verdict_is_there(importer, words):
    importer.prepare()
    importer.take("run", RUN)
    importer.take("judgments", QRELS)

    checked = importer.give("run", RUN.replace(" d1 1 8 ", " d4 1 8 "), "week-2.run")
    fields = dict(
        re.findall(r'<input type="hidden" name="(ranker|name|version|note)" value="([^"]*)"', checked.text)
    )
    done = importer.post("name", **fields)

    assert "Import as “blend v2”" in words(checked)
    assert words(done).startswith("Imported The whole file was imported.")
    assert re.search(r"blend v2 Results 6 .* needed\. What comes next", words(done))


@pytest.mark.thorough
def test_a_file_that_its_ranker_has_is_not_offered_as_a_version(importer, words):
    importer.prepare()
    importer.take("run", RUN)

    checked = importer.give("run", RUN)

    assert "Nothing, unless you choose another ranker." in words(checked)
    assert "Import as" not in words(checked)
    assert "Choose ranker and version" in words(checked)


CHANGED = "The project changed after this file was checked."


@pytest.mark.thorough
def test_problems_that_may_be_solved_since_the_check_are_said_to_be_of_before(importer, words):
    assert CHANGED not in words(importer.give("run", RUN))
    importer.prepare()

    assert f"{CHANGED} Check again" in words(importer.client.get(importer.path))
    assert CHANGED not in words(importer.post("check"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("questions.zip", b"PK\x03\x04" + b"\x00" * 50),
        ("questions.docx", zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<w/>"})),
        ("questions.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 60),
    ],
    ids=["zip", "docx", "xls"],
)
def test_a_file_that_cannot_be_read_is_not_said_to_be_checked_before_a_change(importer, words, name, content):
    told = words(importer.give("queries", content, name))
    importer.prepare()

    assert "This file could not be read" in told
    assert CHANGED not in told
    assert CHANGED not in words(importer.client.get(importer.path)), "checking it again finds the same"


def test_what_was_tried_over_the_api_and_refused_is_not_said_to_be_checked_before_a_change(importer, words):
    importer.give("run", RUN)
    with importer.stored.write() as session:
        session.get_one(Upload, importer.upload().id).checked_revision = None

    assert CHANGED not in words(importer.client.get(importer.path))


def test_pasted_questions_with_problems_can_be_checked_again_after_a_change(importer, words):
    page = importer.client.post(
        f"{importer.base}/queries/paste", data={"text": "q1\thow\nq1\twhy"}, follow_redirects=True
    )
    importer.path = page.request.path
    importer.prepare()

    assert CHANGED not in words(page)
    assert f"{CHANGED} Check again" in words(importer.client.get(importer.path))
    assert CHANGED not in words(importer.post("check"))


MANY = range(1, 13)


@pytest.mark.thorough
def test_what_is_said_of_a_new_ranker_is_about_it(importer, words):
    importer.take("queries", "query_id,text\n" + "".join(f"q{q},words {q}\n" for q in MANY))
    importer.take("documents", DOCUMENTS)
    for name, first in (("good", 1), ("poor", 3)):
        importer.take("run", run_of(name, first), name=name)
    importer.take("judgments", "".join(f"q{q} 0 d{d} {4 - d}\n" for q in MANY for d in (1, 2, 3)))

    done = importer.take("run", run_of("new", 2), name="new")

    assert re.search(r"good v1 is better than new v1, by \d+ points\.", words(done))


def run_of(tag, first):
    """Return a run of twelve questions with one answer first."""
    lists = [[first, *(d for d in (1, 2, 3) if d != first)] for _ in MANY]
    return "".join(
        f"q{q} Q0 d{d} {place} {9 - place} {tag}\n"
        for q, each in zip(MANY, lists, strict=True)
        for place, d in enumerate(each, 1)
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("production", "said"),
    [
        ("", r"blend v2 is better than v1, by \d+ points\."),
        ("best", r"best v1 is better than blend v2, by \d+ points\."),
    ],
)
def test_what_is_said_of_an_imported_version_is_about_it(importer, words, production, said):
    importer.take("queries", "query_id,text\n" + "".join(f"q{q},words {q}\n" for q in MANY))
    importer.take("documents", DOCUMENTS)
    importer.take("run", run_of("best", 1), name="best")
    importer.take("run", run_of("blend", 3), name="blend")
    importer.take("judgments", "".join(f"q{q} 0 d{d} {4 - d}\n" for q in MANY for d in (1, 2, 3)))
    if production:
        with importer.stored.write() as session:
            run = session.scalars(select(Run).join(Ranker).where(Ranker.name == production)).one()
            set_production(session, session.scalars(select(Project)).one(), run)

    done = importer.take("run", run_of("blend", 2), name="", ranker="blend")

    assert re.search(said, words(done)), words(done)
