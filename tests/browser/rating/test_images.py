"""Images of answers: from this site only, sized before they come, and there while the network is away."""

import time

from sqlalchemy import select

from app.models import Document, Project
from app.services.collection.answer_fields import AnswerFields, change_fields
from app.services.collection.pictures import keep_picture
from tests.browser.rating.conftest import Rater
from tests.furniture.live import start_rating
from tests.furniture.rating import make_workshop
from tests.furniture.routes import PICTURE

KEPT = "async () => (await (await caches.open('touchstone.questions')).keys()).map(one => new URL(one.url).pathname)"
DRAWN = "() => [...document.querySelectorAll('.ans__pic')].map(one => one.complete && one.naturalWidth > 0)"


def test_images_are_shown_also_after_a_reload_without_a_network(live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    with live_site.making() as make:
        shop = make_workshop(make, queries=4, answers=2)
        for document in make.session.scalars(select(Document)):
            document.extra = {"photo": f"{document.external_id}.gif", "price": 7}
            keep_picture(make.session, shop.project.id, f"{document.external_id}.gif", PICTURE)
        project = make.session.get_one(Project, shop.project.id)
        change_fields(make.session, project, AnswerFields(image="photo", lines=("price",)))
    page = start_rating(live_site.page_of(shop.ada, service_workers="allow"), f"/p/{shop.project.slug}/rate")
    hosts = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    ada = Rater(live_site, shop, page)
    ada.expect_ready()
    ada.press("3")
    ada.expect_saved()
    deadline = time.monotonic() + 20
    while sum("/images/" in path for path in page.evaluate(KEPT)) < 6:
        assert time.monotonic() < deadline, "the images of the next questions were not kept"
        page.wait_for_timeout(50)
    page.evaluate("navigator.serviceWorker.ready")

    page.context.set_offline(True)
    page.reload()
    ada.expect_ready()

    page.wait_for_function(f"({DRAWN})().every(Boolean)")
    assert len(page.evaluate(DRAWN)) == 2
    assert hosts == {page.url.split("/")[2]}
