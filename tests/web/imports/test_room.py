"""Room for files: three waiting ones for each person, 1 GB together, and a tenth of the disk kept free."""

from __future__ import annotations

import html
import io
import re
import threading
from typing import NamedTuple

import pytest

from app.http import receiving
from app.models import Role, Upload
from app.services.accounts.memberships import give_role
from tests.formats.test_bad_archives import zipped
from tests.furniture.databases import made_in
from tests.web.imports.conftest import DOCUMENTS, QRELS, QUERIES


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def disk(monkeypatch):
    """Return what makes the disk have so many GB free of 100."""

    def disk(free):
        usage = Usage(100 * 10**9, (100 - free) * 10**9, free * 10**9)
        monkeypatch.setattr(receiving.shutil, "disk_usage", lambda _: usage)

    return disk


@pytest.fixture
def few(monkeypatch):
    """Let three files of a person wait, so that the fourth is one too many."""
    monkeypatch.setattr("app.services.uploads.MOST_WAITING", 3)


def refused(page):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
def test_a_fourth_waiting_file_is_refused_until_one_is_thrown_away(importer):
    for _ in range(3):
        importer.give("queries", QUERIES)
    waiting, before = importer.path, importer.files()

    page = importer.give("queries", QUERIES)

    assert page.status_code == 409
    assert (
        "At most 3 uploads may be unfinished, and you have 3 in all your projects. Import or discard some"
    ) in refused(page)
    assert f"3 unfinished uploads in {importer.slug}" in refused(page)
    assert page.text.count(f'<a href="{importer.base}/files/') == 3
    assert importer.files() == before
    importer.path = waiting
    importer.post("cancel")
    assert importer.give("queries", QUERIES).status_code == 200


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
def test_a_file_chosen_instead_of_a_waiting_one_needs_no_further_place(importer):
    for _ in range(3):
        importer.give("queries", QUERIES)

    page = importer.give(f"queries?instead={importer.upload().id}", QUERIES)

    assert page.status_code == 200
    assert len(importer.files()) == 3


def dropped(importer, *names, **query):
    data = {"files": [(io.BytesIO(QUERIES.encode()), name) for name in names]}
    return importer.client.post(importer.base, data=data, query_string=query, follow_redirects=True)


def test_the_page_says_beforehand_how_many_files_may_wait(importer):
    page = importer.client.get(importer.base)

    assert "Up to 8 files, together up to" in refused(page)
    assert "unfinished" not in refused(page), "how many may wait is said when one is refused"


@pytest.mark.thorough
def test_the_page_counts_only_the_room_that_is_left(importer):
    def told():
        return re.sub(r"up to [\d,]+ MB", "up to N MB", refused(importer.client.get(importer.base)))

    dropped(importer, "a.csv")
    taken = "1 unfinished upload in your projects takes the other place."
    assert f"Up to 7 more files, together up to N MB: {taken}" in told()
    dropped(importer, "b.csv", "c.csv")
    taken = "3 unfinished uploads in your projects take the other places."
    assert f"Up to 5 more files, together up to N MB: {taken}" in told()
    dropped(importer, "d.csv", "e.csv", "f.csv", "g.csv")
    taken = "7 unfinished uploads in your projects take the other places."
    assert f"1 more file, up to N MB: {taken}" in told()
    dropped(importer, "h.csv")
    taken = "8 unfinished uploads in your projects take all places."
    assert f"There is no room for more files: {taken}" in told()


@pytest.mark.thorough
def test_the_page_counts_what_an_archive_holds_beyond_the_places(importer):
    dropped(importer, *(f"{letter}.csv" for letter in "abcdefg"))
    parts = zipped({"questions.csv": QUERIES, "answers.csv": DOCUMENTS, "old.qrels": QRELS})
    importer.client.post(importer.base, data={"files": [(io.BytesIO(parts), "all.zip")]})

    page = refused(importer.client.get(importer.base))

    assert "10 unfinished uploads in your projects take all places." in page


@pytest.mark.usefixtures("few")
def test_too_many_files_at_once_are_refused_with_both_numbers(importer):
    page = dropped(importer, "a.csv", "b.csv", "c.csv", "d.csv")

    assert page.status_code == 409
    assert "Nothing was uploaded" in refused(page)
    assert "These are 4 files, and at most 3 may wait at a time. Choose fewer." in refused(page)
    assert importer.files() == []


@pytest.mark.usefixtures("few")
def test_files_dropped_again_can_take_the_place_of_those_that_wait(importer):
    dropped(importer, "a.csv", "b.csv")
    before = importer.files()
    index = importer.client.get(importer.base)
    address = re.search(r'formaction="([^"]+)"', index.text).group(1)

    refused_page = dropped(importer, "a.csv", "b.csv")
    page = dropped(importer, "a.csv", "b.csv", **dict([address.partition("?")[2].split("=")]))

    assert refused_page.status_code == 409
    assert (page.status_code, len(importer.files())) == (200, 2)
    assert not set(before) & set(importer.files())


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
def test_all_that_wait_are_discarded_by_one_click(importer):
    dropped(importer, "a.csv", "b.csv", "c.csv")
    page = dropped(importer, "a.csv")
    assert "3 unfinished uploads in" in refused(page)
    assert f'action="{importer.base}/discard"' in page.text
    assert f'action="{importer.base}/discard"' in importer.client.get(importer.base).text

    done = importer.client.post(f"{importer.base}/discard", follow_redirects=True)

    assert "3 uploads are discarded. Nothing was saved." in refused(done)
    assert importer.files() == []
    assert dropped(importer, "a.csv").status_code == 200


@pytest.mark.usefixtures("few")
def test_files_in_several_projects_are_listed_by_project_and_discarded_together(importer, stored, owner):
    def another(make):
        project = make.project()
        give_role(make.session, project.id, owner.id, Role.OWNER)
        return project.slug

    slug = made_in(stored, another)
    dropped(importer, "a.csv", "b.csv")
    importer.client.post(
        f"/p/{slug}/import", data={"files": [(io.BytesIO(QUERIES.encode()), "c.csv")]}, follow_redirects=True
    )

    page = dropped(importer, "d.csv")
    assert f"2 unfinished uploads in {importer.slug}" in refused(page)
    assert f"1 unfinished upload in {slug}" in refused(page)
    importer.client.post(f"/p/{slug}/import/discard")
    assert len(importer.files()) == 2
    importer.client.post(f"/p/{slug}/import/discard", data={"everywhere": "y"})
    assert importer.files() == []


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
def test_files_that_are_imported_wait_no_more(importer):
    for _ in range(4):
        importer.take("queries", QUERIES)


@pytest.mark.usefixtures("few")
def test_files_arriving_at_the_same_time_are_counted_together(importer, monkeypatch):
    arriving, go_on = threading.Semaphore(0), threading.Event()
    whole = receiving.refuse_beyond_share

    def slow(*args, **values):
        whole(*args, **values)
        arriving.release()
        go_on.wait(30)

    monkeypatch.setattr(receiving, "refuse_beyond_share", slow)
    clients = [importer.client.application.test_client() for _ in range(3)]
    for client in clients:
        with importer.client.session_transaction() as mine, client.session_transaction() as its:
            its.update(mine)
    threads = [
        threading.Thread(target=lambda client=client: client.post(f"{importer.base}/queries"))
        for client in clients
    ]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert arriving.acquire(timeout=30)

    page = importer.give("queries", QUERIES)

    go_on.set()
    for thread in threads:
        thread.join()
    assert page.status_code == 409
    assert receiving._arriving._numbers == {}
    assert importer.give("queries", QUERIES).status_code == 200


def test_files_of_more_than_a_gigabyte_together_are_refused(importer):
    importer.give("queries", QUERIES)
    with importer.stored.write() as session:
        session.get(Upload, importer.upload().id).size = (1 << 30) - 100

    page = importer.give("queries", QUERIES)

    assert page.status_code == 409
    assert "more than 1,074 MB: import or cancel some of them" in refused(page)


@pytest.mark.usefixtures("few")
def test_pasted_questions_take_a_place_like_any_file(importer):
    for _ in range(3):
        importer.give("queries", QUERIES)

    page = importer.client.post(f"{importer.base}/queries/paste", data={"text": "where is the lamp?"})

    assert page.status_code == 409
    assert len(importer.files()) == 3


def test_a_disk_with_less_than_a_tenth_free_takes_no_file_and_says_how_much_is_free(importer, disk):
    disk(9)

    page = importer.give("queries", QUERIES)

    assert page.status_code == 507
    assert "9.0 GB of 100.0 GB are free, and a tenth is kept free. Nothing was saved." in refused(page)
    assert importer.files() == []
    assert importer.client.get(f"{importer.base}/queries").status_code == 200
    disk(11)
    assert importer.give("queries", QUERIES).status_code == 200
