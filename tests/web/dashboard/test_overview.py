"""The overview: its numbers are the engine's, its part costs nothing while nothing moves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Candidate, Person, Reason
from app.scoring.intervals import MeanInterval
from app.services.assignment.batch_lifecycle import decline_query
from app.services.evidence.store import evidence_of
from app.services.scores.scoreboard import common_means, score_runs
from app.web.numbers import chance, spread
from tests.furniture.assigning import assign_best_batch
from tests.furniture.evidence import bounds_of
from tests.furniture.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from flask import Flask
    from flask.testing import FlaskClient

    from app.database import Database
    from tests.furniture.factories import Make
    from tests.web.conftest import Rated

URL = "/p/help-centre/"


def test_the_numbers_on_the_page_are_the_engines(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    page = client_of(rated.owner).get(URL).text

    evidence = evidence_of(stored, rated.project.id)
    board = score_runs(evidence, evidence.current_runs())
    bounds = bounds_of(evidence, board)
    for mean, bound in zip(common_means(board), bounds, strict=True):
        assert f'<div class="lb__score"><b>{int(mean * 1000 + 0.5) / 10:.1f}</b></div>' in page
        assert f"{mean:.3f}" in page
        assert " to ".join(dict.fromkeys(f"{end:.3f}" for end in bound)) in page
    assert board.ruler.fingerprint[:12] in page
    assert "NDCG@3 (linear, log2)" in page


def test_a_german_owner_reads_german_numbers_and_another_part(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
    stored: Database,
) -> None:
    client = client_of(rated.owner)
    english = client.get(f"{URL}overview/part")
    with making() as make:
        make.session.get_one(Person, rated.owner.id).preferences = {"language": "de"}

    # Who changes the language never keeps the piece in the other one.
    german = client.get(f"{URL}overview/part", headers={"If-None-Match": english.headers["ETag"]})

    evidence = evidence_of(stored, rated.project.id)
    mean = common_means(score_runs(evidence, evidence.current_runs()))[0]
    assert german.status_code == 200
    assert f"{mean:.3f}" in english.text and f"{mean:.3f}" not in german.text
    assert f"{mean:.3f}".replace(".", ",") in german.text
    assert "Ergebnisse im Zeitverlauf" in german.text


def test_a_project_without_a_run_says_what_is_left_to_do(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    with making() as make:
        project = make.project(slug="empty")
        owner = make.member(project, "owner")

    page = text_of(client_of(owner).get("/p/empty/").text)

    assert "No ranker has been imported yet." in page
    assert "Import the questions" in page
    assert "For experts" not in page


def test_the_part_costs_a_304_until_the_revision_moves(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    client = client_of(rated.owner)
    first = client.get(f"{URL}overview/part")
    same = client.get(f"{URL}overview/part", headers={"If-None-Match": first.headers["ETag"]})
    weak = client.get(f"{URL}overview/part", headers={"If-None-Match": f"W/{first.headers['ETag']}"})
    with making() as make:
        make.judgment(rated.candidates[-1], rated.annotator, 3)
    moved = client.get(f"{URL}overview/part", headers={"If-None-Match": first.headers["ETag"]})

    assert first.status_code == 200
    assert [(reply.status_code, reply.data) for reply in (same, weak)] == [(304, b"")] * 2
    assert moved.status_code == 200
    assert moved.headers["ETag"] != first.headers["ETag"]
    assert moved.text != first.text


def test_part_and_api_say_at_once_that_no_member_can_rate_what_is_left(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    client = client_of(rated.owner)
    addresses = f"{URL}overview/part", "/api/v1/projects/help-centre/comparisons"
    decide = "3 of their top answers could not be rated: decide them in Review."
    with making() as make:
        project, annotator = rated.project.id, rated.annotator.id
        batch = assign_best_batch(make.session, project, annotator).batch
    before = [client.get(address) for address in addresses]
    # No rating, and so no revision: only the members' part in it is another one.
    with making() as make:
        decline_query(make.session, project, annotator, batch, Reason.UNCLEAR)

    after = [
        client.get(address, headers={"If-None-Match": reply.headers["ETag"]})
        for address, reply in zip(addresses, before, strict=True)
    ]

    assert [decide in text_of(reply.text) for reply in before] == [False, False]
    assert [reply.status_code for reply in after] == [200, 200]
    assert [decide in text_of(reply.text) for reply in after] == [True, True]


def test_the_page_names_the_tag_with_which_its_part_asks(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    client = client_of(rated.owner)
    page = client.get(URL).text
    tag = re.search(r"data-refresh-etag='(\"[0-9a-f]+\")'", page)

    assert tag is not None
    answer = client.get(f"{URL}overview/part", headers={"If-None-Match": tag[1]})
    assert answer.status_code == 304


def test_both_views_of_the_past_are_offered(rated: Rated, client_of: Callable[[Person], FlaskClient]) -> None:
    client = client_of(rated.owner)

    assert 'aria-current="true">Same ratings' in client.get(URL).text
    assert "A rise can also come from new ratings." in client.get(f"{URL}?view=then").text
    assert 'aria-current="true">Same ratings' in client.get(f"{URL}?view=nonsense").text


def test_an_annotator_is_sent_to_rating(rated: Rated, client_of: Callable[[Person], FlaskClient]) -> None:
    answer = client_of(rated.annotator).get(URL)

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/p/help-centre/rate"


def test_below_ten_scored_questions_it_is_too_early(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    with making() as make:
        project = make.project(slug="early")
        owner = make.member(project, "owner")
        query, document = make.query(project), make.document(project)
        make.run(make.ranker(project, "Only"), {query: [document]})

    page = client_of(owner).get("/p/early/").text

    assert "Only is the only ranker: nothing to compare it with yet." in page
    assert 'class="lb__row lb__row--early"' in page
    assert "NaN" not in page


def test_only_questions_that_are_left_out_are_counted_as_left_out(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    client = client_of(rated.owner)
    assert "Left out of all scores: 1 question with too few ratings yet" in text_of(client.get(URL).text)
    with making() as make:
        make.query(rated.project)
    report = text_of(client.get(f"{URL}report").text)
    assert "Left out: too few ratings yet 1 Left out: no answers yet 1" in report
    assert "fully rated, no good answer" not in report

    with making() as make:
        for candidate in rated.candidates[-3:]:
            make.judgment(candidate, rated.annotator, 0)
    lost = (
        "Left out of all scores: 1 fully rated question with nothing above the lowest grade , and 1 question"
    )
    assert lost in text_of(client.get(URL).text)

    with making() as make:
        make.judgment(rated.candidates[-1], rated.annotator, 3)
    page = text_of(client.get(URL).text)
    assert "Left out of all scores: 1 question without answers ." in page
    assert "Every answer in the pool has a rating." in page
    assert "Import a new version" not in page, "the next step stands at the top"


def test_a_chance_is_never_printed_as_nothing() -> None:
    assert [chance(p) for p in (None, 0.14529, 0.00001)] == ["–", "= 0.1453", "< 0.0001"]


def test_what_was_requested_says_so_instead_of_where_rankers_put_it(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    client, last = client_of(rated.owner), rated.queries[-1]
    before = client.get(f"/p/{rated.project.slug}/").text
    client.post(f"/p/{rated.project.slug}/next/requests", data={"query": str(last.id)})

    after = client.get(f"/p/{rated.project.slug}/").text

    assert "Requested." not in before
    card = after[after.index('id="next-h"') : after.index('id="hard-h"')]
    assert f'/questions/{last.id}"' in card[: card.index("Requested.")]


def test_of_a_question_with_a_few_requested_answers_their_number_is_told(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    client, last = client_of(rated.owner), rated.queries[-1]
    with making() as make:
        wanted = select(Candidate.public_id).where(Candidate.query_id == last.id, Candidate.in_pool)
        answer = make.session.scalars(wanted).first()
    client.post(f"/p/{rated.project.slug}/next/requests", data={"answer": answer})

    page = client.get(f"/p/{rated.project.slug}/").text

    card = page[page.index('id="next-h"') : page.index('id="hard-h"')]
    assert f'/questions/{last.id}"' in card[: card.index("1 requested.")]
    assert "Requested." not in card


GAP = "of the gap paired by question, for one pair alone"


def test_of_a_single_ranker_without_ratings_nothing_is_said_about_gaps_or_hard_questions(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    with making() as make:
        project = make.project(slug="alone")
        owner = make.member(project, "owner")
        make.run(make.ranker(project, "Only"), {make.query(project): [make.document(project)]})
    client = client_of(owner)

    for path in ("/p/alone/", "/p/alone/report"):
        page = text_of(client.get(path).text)
        assert GAP not in page
        assert "Lowest scores so far" in page
        assert "A question appears here once it is scored and some ranker does not reach 100 for it." in page
        assert "Hardest questions" not in page


def test_of_two_rankers_it_is_said_what_the_interval_of_the_gap_covers(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    for path in (URL, f"{URL}report"):
        assert GAP in text_of(client_of(rated.owner).get(path).text)


def test_an_interval_without_width_is_none_since_equal_scores_tell_nothing_of_others(app: Flask) -> None:
    with app.test_request_context():
        shown = [
            spread(MeanInterval(1.0, low, high, 15, 0.95))
            for low, high in ((1.0, 1.0), (0.5, 1.0), (None, None))
        ]

    assert shown == ["–", "0.500 to 1.000", "–"]
