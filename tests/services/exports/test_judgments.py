"""The table of judgments: one line for what each annotator says now."""

from __future__ import annotations

from app.models import Origin, Reason
from app.services.exports.judgments import export_judgments, export_qrels


def test_cleared_ratings_are_left_out_and_reasons_are_kept(session, make):
    project = make.project()
    candidate = make.candidate(make.query(project, "qa"), make.document(project, "da"))
    first, second = (make.member(project, "annotator", name=name) for name in ("Ada", "Bo"))
    for person, grade, reason in (
        (first, 2, None),
        (first, None, Reason.CLEARED),
        (second, None, Reason.LANGUAGE),
    ):
        make.judgment(candidate, person, grade, reason=reason)

    lines = list(export_judgments(session, project, data=True).lines)

    assert [line.split(",")[:5] for line in lines[1:]] == [["qa", "da", "Bo", "", "language"]]


def test_namesakes_are_told_apart_and_no_address_is_written(session, make):
    project = make.project()
    candidate = make.candidate(make.query(project, "qa"), make.document(project, "da"))
    for grade in (1, 2):
        person = make.member(project, "annotator", name="Ada", email=f"ada{grade}@example.org")
        make.judgment(candidate, person, grade)

    text = "".join(export_judgments(session, project, data=True).lines)

    assert [line.split(",")[2] for line in text.splitlines()[1:]] == ["Ada", "Ada (2)"]
    assert "@" not in text


def test_adjudications_are_no_annotators_own_rating(session, make):
    project = make.project()
    candidate = make.candidate(make.query(project, "qa"))
    make.judgment(candidate, make.member(project, "owner"), 3, role=Origin.ADJUDICATION)

    assert len(list(export_judgments(session, project).lines)) == 1


def test_ratings_by_machines_are_left_out_and_counted(session, make):
    project = make.project()
    candidate = make.candidate(make.query(project, "qa"), make.document(project, "da"))
    make.judgment(candidate, make.member(project, "annotator", name="Ada"), 2)
    before = export_judgments(session, project).notes
    machine = make.member(project, "annotator", name="Robot", kind="machine")
    for grade in (1, 3):
        make.judgment(candidate, machine, grade, role=Origin.MACHINE)
    taken_back = make.candidate(make.query(project, "qb"))
    for grade, reason in ((1, None), (None, Reason.CLEARED)):
        make.judgment(taken_back, machine, grade, reason=reason, role=Origin.MACHINE)

    made = export_judgments(session, project)

    assert not any("machine" in note for note in before)
    assert made.notes[-1] == "1 rating by machines is left out."
    assert "Robot" not in "".join(made.lines)
    assert "1 rating by machines is left out." in export_qrels(session, project).notes
