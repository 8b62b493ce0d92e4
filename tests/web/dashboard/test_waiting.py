"""Owners see on the overview what waits for them beside ratings; viewers do not."""

import pytest

from app.models import Flag

URL = "/p/help-centre/"


@pytest.fixture
def waiting(making, rated):
    answer = rated.candidates[0]
    with making() as make:
        others = [make.member(rated.project, "annotator") for _ in range(2)]
        for other, grade in zip(others, (0, 1), strict=True):
            make.judgment(answer, other, grade)
        named = {"project_id": rated.project.id, "candidate_id": answer.id, "query_id": answer.query_id}
        make._added(Flag(**named, person_id=rated.annotator.id))
        return make.member(rated.project, "viewer")


def test_owners_are_told_what_waits(client_of, rated, waiting):
    page = client_of(rated.owner).get(URL).text

    assert ">1 to decide</a>" in page
    assert ">1 annotator remark</a>" in page
    assert "to decide" not in client_of(waiting).get(URL).text


def test_where_nothing_waits_nothing_is_said(client_of, rated):
    page = client_of(rated.owner).get(URL).text
    assert "to decide" not in page
    assert "remark" not in page
