"""The pages about annotators in a real browser: with one, three and forty of them, at every width."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Candidate, Reason
from tests.furniture.live import DESK, NARROWEST, overflow_of
from tests.furniture.rating import make_workshop

LONG = "Maximiliane Wolkenstein-Trostburgerin von Hohenlohe-Langenburg"


def panel_of(live_site, annotators):
    """Return a project in which so many people rated the same 60 answers, the third of them in great haste."""
    with live_site.making() as make:
        shop = make_workshop(make, queries=12, answers=5, slug=f"panel{annotators}", k=5)
        reverse = {query: list(reversed(shop.documents[query.id])) for query in shop.queries}
        make.run(make.ranker(shop.project, "A ranker with quite a long name"), reverse)
        more = [make.member(shop.project, "annotator", name=f"{LONG} {n}") for n in range(annotators - 2)]
        people = [shop.ada, shop.bo, *more][:annotators]
        answers = make.session.scalars(
            select(Candidate).where(Candidate.project_id == shop.project.id).order_by(Candidate.id)
        ).all()
        for number, person in enumerate(people):
            shown = {"active_ms": 700 if number == 2 else 9_000 + 100 * number, "length": 5}
            for turn, answer in enumerate(answers):
                seen = {**shown, "place": turn % 5 + 1, "batch": turn // 5 + 100 * number + 1}
                grade = (turn * 7 + (number % 3 == turn % 7)) % 4
                passes = turn == number % 60
                make.judgment(
                    answer,
                    person,
                    None if passes else grade,
                    reason=Reason.LANGUAGE if passes else None,
                    **seen,
                )
    return shop, people


@pytest.mark.parametrize(
    ("annotators", "theme", "viewport"),
    [(1, "light", NARROWEST), (3, "dark", NARROWEST), (40, "light", DESK)],
)
def test_everybody_can_use_the_pages_about_annotators(live_site, axe, annotators, theme, viewport):
    shop, people = panel_of(live_site, annotators)
    here = f"/p/panel{annotators}/quality"
    page = live_site.page_of(shop.owner, viewport=viewport, color_scheme=theme)

    pages = ["/effects", "/work", f"/annotators/{people[-1].public_id}", "/order", "/sources"]
    for address in ["", "/annotators", *(pages if annotators == 3 else ())]:
        page.goto(here + address)
        assert overflow_of(page) == 0, address
        axe(page)

    page.goto(f"{here}/annotators")
    rows = page.get_by_role("table").last.get_by_role("row")
    # Whoever has not rated yet is listed as well: there is a row for Bo too.
    expect(rows).to_have_count(1 + max(annotators, 2))
    said = page.get_by_role("main").inner_text()
    assert ("agreement needs 30" in said) == (annotators == 1), "no figure below its sample rule"
    assert ("likely between" in said) == (annotators > 1)


def test_an_owner_reads_what_one_annotator_moves_and_pauses_rating_by_keyboard(live_site):
    shop, people = panel_of(live_site, 3)
    page = live_site.open("/p/panel3/quality/effects", shop.owner, viewport=DESK)
    hurried = page.get_by_role("region", name="Without ratings given very fast", exact=True)
    expect(hurried).to_contain_text(f"59 ratings were unusually fast, by {people[2].name} (59)")

    page.get_by_role("link", name=people[2].name).first.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(people[2].name)
    page.get_by_role("link", name="Quality", exact=True).press("Enter")
    page.get_by_role("link", name="Who rates what").press("Enter")
    page.get_by_role("button", name="Pause rating").press("Enter")

    expect(page.get_by_role("heading", name="Rating is paused")).to_be_visible()
    expect(page.get_by_role("button", name="Open rating")).to_be_visible()
