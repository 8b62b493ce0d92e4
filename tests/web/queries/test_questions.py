"""The pages of questions: found by search, shown with their lists, downloadable."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.models import Person
    from tests.web.conftest import Rated

URL = "/p/help-centre/questions"


def test_questions_are_searched_and_filtered(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    client = client_of(rated.owner)

    found = client.get(f"{URL}?q=mend+q03").text
    unknown = client.get(f"{URL}?state=unknown").text

    assert "How do I mend q03?" in found
    assert "How do I mend q04?" not in found
    assert "How do I mend q11?" in unknown
    assert "How do I mend q03?" not in unknown


@pytest.mark.parametrize("arguments", ["?sort=nothing", "?page=x", "?page=99999999999", "?q=%27"])
def test_an_address_that_means_nothing_still_gives_a_page(
    rated: Rated, client_of: Callable[[Person], FlaskClient], arguments: str
) -> None:
    assert client_of(rated.owner).get(URL + arguments).status_code == 200


def test_the_page_of_a_question_shows_the_working_of_the_chosen_ranker(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    client = client_of(rated.owner)
    address = f"{URL}/{rated.queries[0].id}"

    best = client.get(address).text
    other = client.get(f"{address}?ranker={rated.runs[1].ranker_id}").text

    assert "How Forward got its 100" in best
    assert "How Backward got its" in other
    assert "Anna Annotator" in best


def test_an_unscored_question_says_what_it_waits_for(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    page = client_of(rated.owner).get(f"{URL}/{rated.queries[-1].id}").text

    assert "3 answers wait for a rating" in page


def test_a_question_is_downloaded_in_full_precision(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    answer = client_of(rated.owner).get(f"{URL}/{rated.queries[0].id}.json")

    found = json.loads(answer.text)
    assert found["query"]["id"] == "q00"
    assert found["lists"][0]["nDCG@3"] == 1.0
    assert answer.headers["Content-Disposition"].startswith("attachment")


def test_unknown_questions_are_not_found(rated: Rated, client_of: Callable[[Person], FlaskClient]) -> None:
    assert client_of(rated.owner).get(f"{URL}/999999").status_code == 404
