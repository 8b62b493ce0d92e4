"""Where signing in and its neighbours lead: never to another site."""

import pytest

from tests.web.test_targets import ELSEWHERE


def test_signing_in_leads_to_no_other_site(client, ada, sign_in):
    sign_in(client)

    for wanted in ELSEWHERE:
        reply = client.get("/sign-in", query_string={"next": wanted})

        assert reply.location == ("/" if "\0" not in wanted else None), wanted
        assert reply.status_code == (302 if "\0" not in wanted else 400), wanted


@pytest.mark.parametrize("wanted", ["//evil.example", "/\\evil.example", "https://evil.example", "/help"])
def test_the_theme_button_leads_to_no_other_site(client, wanted):
    reply = client.post("/theme", data={"theme": "dark", "next": wanted})

    assert reply.location == ("/help" if wanted == "/help" else "/")


@pytest.mark.parametrize(
    "path", ["//evil.example", "//evil.example/p/x", "/\\evil.example", "/%5C%5Cevil.example"]
)
def test_an_unknown_path_that_looks_like_a_host_leads_nowhere_else(client, ada, sign_in, path):
    asked = client.get(path)

    assert asked.location.startswith("/sign-in")
    assert not sign_in(client, path=asked.location).location.startswith(("//", "/\\", "http"))
