"""A page that is older than what this device saved learns of it; one that is newer does not."""

from tests.furniture.live import LiveSite


def stale(page):
    """Serve the page as it is now for every later visit, as if it had been asked for just before."""
    reply = page.request.get(page.url)
    page.route(page.url, lambda route: route.fulfill(response=reply, body=reply.body()))


def choose(rater, letter, *grades):
    for grade in grades:
        rater.star(letter, grade).check(force=True)


def test_a_page_that_was_asked_for_just_before_the_last_ratings_shows_them(rate):
    ada = rate()
    choose(ada, "A", 1)
    ada.expect_saved()
    stale(ada.page)
    # Twice on one answer: the page lags two ratings behind.
    choose(ada, "B", 0)
    choose(ada, "A", 3, 2)
    ada.expect_saved()

    for _ in range(2):
        ada.page.reload()
        ada.expect_ready()
        assert ada.chosen() == [2, 0, None]
    # What is rated next builds on what was saved: no question is asked about it.
    choose(ada, "A", 1)
    ada.expect_saved()

    assert ada.chosen() == [1, 0, None]
    assert ada.page.locator('[data-ref="clash"]').is_hidden()
    assert len(ada.stored()) == 5


def test_a_page_that_is_newer_than_what_is_noted_is_left_alone(rate, live_site: LiveSite, shop):
    ada = rate()
    choose(ada, "A", 3)
    ada.expect_saved()
    elsewhere = rate(shop.ada)
    choose(elsewhere, "A", 1)
    elsewhere.expect_saved()

    ada.page.reload()
    ada.expect_ready()

    assert ada.chosen() == [1, None, None]


def test_a_rating_that_is_not_confirmed_yet_is_not_taken_back_by_a_note(rate):
    ada = rate()
    choose(ada, "A", 3)
    ada.expect_saved()
    # The second rating arrives, and its reply is held back while a third one waits.
    held = []
    ada.page.route("**/judgment", lambda route: held.append((route, route.fetch())))
    choose(ada, "A", 2, 1)
    assert ada.waiting() == 2
    ada.page.on("dialog", lambda dialog: dialog.accept())
    ada.page.unroute("**/judgment")
    ada.page.reload()
    ada.expect_ready()

    assert ada.chosen() == [1, None, None]
    ada.expect_saved()
    assert ada.stored() == [(3, None), (2, None), (1, None)]
