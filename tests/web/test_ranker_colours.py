"""Of more than eight rankers the same ones have the same shape and hue wherever they stand."""

import re

import pytest

from app.models import Document
from app.services.evidence.store import evidence_of
from app.services.scores.leaderboard import leaderboard_of
from app.web.charts.axes import painted
from app.web.ranker_colours import ranker_colours

MARK = r'<svg class="mk mk-(\d)"[^>]*><use[^>]*/></svg>\s*(?:<span dir="auto">)*(Forward|Backward|Also \d)'


@pytest.fixture
def crowd(making, rated):
    """Return the project with ten rankers; those that came later are better."""
    with making() as make:
        documents = {
            query: [
                make.session.get_one(Document, one.document_id)
                for one in rated.candidates
                if one.query_id == query.id
            ]
            for query in rated.queries
        }
        for number in range(8):
            lists = {
                query: found if place < number else found[::-1]
                for place, (query, found) in enumerate(documents.items())
            }
            make.run(make.ranker(rated.project, f"Also {number}"), lists)
    return rated


def marks_in(page):
    """Return the tones that stand before each ranker's name."""
    found = {}
    for tone, name in re.findall(MARK, page):
        found.setdefault(name, set()).add(int(tone))
    return found


def test_list_chart_question_and_matrix_agree(client_of, crowd, stored):
    client = client_of(crowd.owner)
    evidence = evidence_of(stored, crowd.project.id)
    ranked = [one.run for one in leaderboard_of(evidence).rankers]
    tones = {run.ranker: {ranker_colours(evidence)[run.ranker_id]} for run in ranked}

    overview = client.get("/p/help-centre/").text
    question = client.get(f"/p/help-centre/questions/{crowd.queries[0].id}").text
    compare = client.get("/p/help-centre/compare").text

    assert len({tone for run in ranked[:4] for tone in tones[run.ranker]} - {0}) == 4
    assert [tones[run.ranker] for run in ranked[4:]] == [{0}] * 6
    assert marks_in(overview) == tones
    assert marks_in(question) == tones
    matrix = compare[compare.index('id="pairs"') :]
    assert marks_in(matrix) == tones


def test_a_chosen_ranker_has_a_colour_in_list_chart_and_download(client_of, crowd, stored):
    client = client_of(crowd.owner)
    last = leaderboard_of(evidence_of(stored, crowd.project.id)).rankers[-1].run

    address = f"?ranker={last.ranker_id}"
    overview = client.get(f"/p/help-centre/{address}").text
    drawing = client.get(f"/p/help-centre/overview/history.svg{address}").text

    assert marks_in(client.get("/p/help-centre/").text)[last.ranker] == {0}
    (tone,) = marks_in(overview)[last.ranker]
    assert tone > 0
    assert f'class="c{tone} pt"' in overview
    assert re.search(rf"<text {painted(f'lab t{tone}')} [^>]*>{last.ranker} ", drawing)
