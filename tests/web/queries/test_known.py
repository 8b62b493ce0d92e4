"""The page on which an owner enters an answer that nobody found."""

import re

import pytest

URL = "/p/help-centre/questions"


@pytest.fixture
def extra(making, rated):
    with making() as make:
        return make.document(
            rated.project, "extra", title="The forgotten answer", text="Turn it <b>left</b>."
        )


def test_an_owner_finds_an_answer_and_enters_it(client_of, rated, extra):
    client, address = client_of(rated.owner), f"{URL}/{rated.queries[0].id}"

    found = client.get(f"{address}/known?q=forgotten")
    number = re.search(r'name="document" value="(\d+)"', found.text)[1]
    done = client.post(f"{address}/known", data={"document": number}, follow_redirects=True)
    again = client.post(
        f"{address}/known", data={"document": number, "q": "forgotten"}, follow_redirects=True
    )

    assert "I know an answer" in client.get(address).text
    assert "The forgotten answer" in found.text
    assert "Turn it &lt;b&gt;left" in found.text
    assert "waits to be rated" in done.text
    assert "3 of 4 pooled answers rated" in done.text
    assert "in the pool of the question already" in again.text
    assert "In the pool already" in again.text


@pytest.mark.parametrize("number", ["", "x", "0", "-1", "99999999999999999999", "1e3"])
def test_an_answer_that_nobody_offered_is_not_found(client_of, rated, number):
    address = f"{URL}/{rated.queries[0].id}/known"

    assert client_of(rated.owner).post(address, data={"document": number}).status_code == 404


def test_a_question_of_nobody_has_no_such_page(client_of, rated):
    for number in (999_999, 10**18):
        assert client_of(rated.owner).get(f"{URL}/{number}/known?q=x").status_code == 404
