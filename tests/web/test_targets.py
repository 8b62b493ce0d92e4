"""Where people are sent after a form: to a page of this site, and nowhere else."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.navigation import local_target

SITE = "http://rate.example.org"
ELSEWHERE = [
    "http://evil.example",
    "https://evil.example/",
    "HTTPS://evil.example",
    "//evil.example",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "\\/evil.example",
    "/\\/evil.example",
    "//evil.example\\@rate.example.org",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r/evil.example",
    "\t//evil.example",
    " //evil.example",
    "\x00//evil.example",
    "/\x00/evil.example",
    "/path\r\nSet-Cookie: a=b",
    "/path\nLocation: //evil.example",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "ftp://evil.example",
    "mailto:eve@evil.example",
    "evil.example",
    "evil.example/path",
    "www.evil.example",
    "@evil.example",
    ".evil.example",
    ":80",
    "http:evil.example",
    "http:/evil.example",
    "http:///evil.example",
    "https:evil.example/path",
    "?next=//evil.example",
    "#//evil.example",
    "",
    " ",
    "/ /evil.example",
    "\u2028//evil.example",
    "\ufeff//evil.example",
    "\u3000//evil.example",
    "http://rate.example.org/",
    "//rate.example.org/",
    "//[::1",
    "http://[::1",
    "/\x7f/evil.example",
    "account",
    "../account",
]
HERE = [
    "/",
    "/account",
    "/p/help-centre/rate/3?ask=later#answer-1",
    "/p/help-centre/questions?q=http://evil.example",
    "/@evil.example",
    "/.evil.example",
    "/%2F%2Fevil.example",
    "/%5Cevil.example",
    "/%09/evil.example",
    "/path//evil.example",
    "/../evil.example",
    "/;//evil.example",
    "/ä",
    "/javascript:alert(1)",
]


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_nothing_leads_to_another_site(wanted):
    assert local_target(wanted) == "/"


def test_nothing_wanted_leads_home():
    assert local_target(None) == "/"


@pytest.mark.parametrize("wanted", HERE)
def test_pages_of_this_site_are_taken_as_they_are(wanted):
    assert local_target(wanted) == wanted


@given(st.text(alphabet="/\\:@?#.htpsevil \t\r\n\x00%2F5C[]", max_size=24) | st.text(max_size=24))
def test_whatever_is_wanted_a_browser_stays_on_the_site(wanted):
    # Browsers take backslashes for slashes and drop tabs and line ends before they look.
    seen = local_target(wanted).replace("\\", "/").translate({9: None, 10: None, 13: None}).strip()

    assert urlsplit(urljoin(SITE, seen)).netloc == "rate.example.org"
    assert seen.startswith("/")
    assert not seen.startswith("//")
