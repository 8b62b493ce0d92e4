"""An owner chooses the fields that answers show; annotators and owners read them in that order."""

import io
import re
import zipfile

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, PictureContent, Project
from app.services.collection.answer_fields import AnswerFields
from app.services.judging.adjudication import request_adjudication
from tests.furniture.rating import make_workshop, open_batch
from tests.furniture.routes import PICTURE
from tests.furniture.words import text_of

CHOSEN = {"title": "name", "link": "page", "line_1": "price", "line_3": "brand"}


@pytest.fixture
def shop(making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=2, slug="shop")
        for number, document in enumerate(make.session.scalars(select(Document)), start=1):
            document.extra = {
                "name": f"Pen {number}",
                "price": number + 0.5,
                "brand": "<b>Lamy</b>",
                "page": f"https://shop.example/{number}",
                "hidden": "secret-shelf",
            }
        return shop


@pytest.fixture
def owner(client_of, shop):
    return client_of(shop.owner)


def test_an_owner_chooses_title_link_and_lines(owner, shop, stored):
    assert owner.post("/p/shop/settings/answers", data=CHOSEN).status_code == 302

    with stored.read() as session:
        fields = AnswerFields.of(session.get_one(Project, shop.project.id).options)
    assert fields == AnswerFields(title="name", link="page", lines=("price", "brand"))
    page = owner.get("/p/shop/settings/answers").text
    assert '<option selected value="price">price (such as: 1.5)</option>' in page
    assert "/p/shop/settings/answers" in owner.get("/p/shop/settings").text


def test_annotators_see_the_chosen_fields_as_text_and_no_other(owner, client_of, shop):
    ada = client_of(shop.ada)
    assert "Lamy" not in open_batch(ada, "/p/shop/rate").text

    owner.post("/p/shop/settings/answers", data=CHOSEN)

    page = ada.get("/p/shop/rate/1").text
    for number in (1, 2):
        assert f">Pen {number}</span>" in page
        assert f'href="https://shop.example/{number}"' in page
    assert page.index('<dt dir="auto">price</dt>') < page.index('<dt dir="auto">brand</dt>')
    assert "&lt;b&gt;Lamy&lt;/b&gt;" in page
    assert "secret-shelf" not in page


def test_owners_read_the_fields_beside_the_question(owner, shop, stored):
    owner.post("/p/shop/settings/answers", data=CHOSEN)

    page = owner.get(f"/p/shop/questions/{shop.queries[0].id}").text

    assert 'price <span class="chip">shown</span>' in page
    assert "secret-shelf" in page


def test_a_field_that_names_a_ranker_is_warned_of(owner, shop, making):
    with making() as make:
        make.ranker(make.session.get_one(Project, shop.project.id), "lamy b")
        for document in make.session.scalars(select(Document)):
            document.extra = {**document.extra, "brand": "Lamy-B"}

    owner.post("/p/shop/settings/answers", data=CHOSEN)

    assert "The field “brand” names lamy b." in owner.get("/p/shop/settings/answers").text


def test_a_line_chosen_twice_is_named(owner, shop):
    answer = owner.post("/p/shop/settings/answers", data={"line_1": "price", "line_2": "price"})

    assert answer.status_code == 200
    assert "Choose each line once" in answer.text


def picture_of(page):
    (source,) = set(re.findall(r'<img class="ans__pic" src="([^"]+)"', page))
    return source


@pytest.fixture
def pictured(owner, making):
    with making() as make:
        for number, document in enumerate(make.session.scalars(select(Document))):
            document.extra = {"photo": f"shelf/bm25/Mug {number}.gif", "says": "A blue mug"}
    owner.post("/p/shop/settings/answers", data={"image": "photo", "alt": "says"})
    return owner


def upload(owner, *files):
    data = {"images": [(io.BytesIO(content), name) for name, content in files]}
    return owner.post("/p/shop/settings/answers/upload", data=data, follow_redirects=True).text


@pytest.mark.thorough
def test_uploaded_images_are_shown_under_an_address_that_tells_nothing(pictured, client_of, shop):
    assert "1 image saved." in upload(pictured, ("folder/Mug 0.gif", PICTURE))
    ada = client_of(shop.ada)

    page = open_batch(ada, "/p/shop/rate").text

    address = picture_of(page)
    assert 'alt="A blue mug" width="1" height="1"' in page
    assert re.fullmatch(r"/p/shop/images/[\w-]{22}", address)
    assert "bm25" not in page
    assert "Mug" not in page
    reply = ada.get(address)
    assert (reply.data, reply.mimetype) == (PICTURE, "image/gif")
    assert reply.headers["Cache-Control"] == "no-store"
    assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(reply.headers.keys())
    assert picture_of(pictured.get(f"/p/shop/questions/{shop.queries[0].id}").text) == address
    assert picture_of(pictured.get("/p/shop/rate/preview").text) == address


def test_a_zip_is_unpacked_and_what_is_no_image_is_named(pictured):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("../../Mug 0.gif", PICTURE)
        made.writestr("deep/Mug 1.gif", PICTURE)
        made.writestr("__MACOSX/Mug 1.gif", b"junk")
        made.writestr("evil.svg", b"<svg/>")
        made.writestr("large.png", bytes(3 << 20))

    page = upload(pictured, ("all.zip", packed.getvalue()), ("broken.zip", b"PK\x03\x04 no zip"))

    assert "2 images saved." in page
    assert "evil.svg: it is no PNG, JPEG, GIF or WebP image" in page
    assert "large.png: it is larger than 2 MB" in page
    assert "the zip file is damaged" in page
    assert "2 saved here" in text_of(page)


def test_all_images_can_be_deleted(pictured, stored):
    upload(pictured, ("Mug 0.gif", PICTURE))

    assert "1 image deleted." in pictured.post("/p/shop/settings/answers/remove", follow_redirects=True).text

    with stored.read() as session:
        assert session.scalars(select(PictureContent)).all() == []


def test_nothing_is_fetched_where_the_operator_allows_no_host(pictured, making):
    with making() as make:
        for document in make.session.scalars(select(Document)):
            document.extra = {"photo": "https://images.example.org/1.gif"}

    page = pictured.post("/p/shop/settings/answers/fetch", follow_redirects=True).text

    assert "No image waits" in page
    assert "None is allowed here." in page


def test_who_decides_reads_the_fields_and_sees_the_image(pictured, shop, making):
    upload(pictured, ("Mug 0.gif", PICTURE))
    pictured.post("/p/shop/settings/answers", data={"image": "photo", "line_1": "says"})
    with making() as make:
        project = make.session.get_one(Project, shop.project.id)
        for candidate in make.session.scalars(select(Candidate)):
            request_adjudication(make.session, project, candidate.public_id, actor_id=shop.owner.id)

    page = pictured.get(f"/p/shop/review/{shop.queries[0].id}").text

    assert page.count('<dt dir="auto">says</dt>') == 2
    assert pictured.get(picture_of(page)).data == PICTURE
