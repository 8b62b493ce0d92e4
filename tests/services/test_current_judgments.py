"""What counts now is the fold of the ledger, whatever happened and in whatever order."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from app.models import Candidate, CurrentJudgment, Document, Event, EventKind, Judgment, Origin, Reason
from app.services.assignment.passes import release_passed_on
from app.services.collection.documents import import_documents
from app.services.collection.duplicates import merge_documents, undo_merge
from app.services.collection.import_undo import undo_import
from app.services.collection.judgment_files import JudgmentOptions
from app.services.current_judgments import COUNTED, rebuild_current_judgments
from app.services.errors import ServiceError
from app.services.evidence.columns import kinds_of
from app.services.evidence.store import read_evidence
from app.services.projects.purging import purge_project
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus, file_of, import_judgments
from tests.furniture.properties import tried

DOCUMENTS = st.integers(1, 4)
SAYS = st.sampled_from([0, 1, 3, Reason.CLEARED, Reason.UNCLEAR])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("rate"), DOCUMENTS, st.integers(0, 2), SAYS, st.sampled_from([*COUNTED, *Origin])),
        st.tuples(st.just("edit"), DOCUMENTS),
        st.tuples(st.just("merge"), DOCUMENTS, DOCUMENTS),
        st.tuples(st.just("part")),
        st.tuples(st.just("import"), DOCUMENTS, st.integers(0, 3), st.sampled_from(["imported", "machine"])),
        st.tuples(st.just("undo")),
        st.tuples(st.just("ask again")),
    ),
    max_size=14,
)
NAMES = ("candidate_id", "annotator_id", "kind", "project_id", "revision", "grade", "reason", "role")


class World:
    """A project with one question, in which steps happen."""

    def __init__(self, session):
        self.session, self.make = session, Make(session)
        self.project = self.make.project(k=2, pool_depth=4)
        corpus(session, self.project)
        bring_run(session, self.project, "one", {"q1": "d1 d2 d3 d4"})
        self.people = [self.make.member(self.project, "annotator") for _ in range(3)]
        rows = session.execute(
            select(Candidate, Document)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.project_id == self.project.id)
        )
        self.answers = {document.external_id: (candidate, document) for candidate, document in rows}
        self.texts = 0

    def do(self, what, *values):
        # What is refused changes nothing; it may be refused for any reason.
        with suppress(ServiceError):
            getattr(self, f"do_{what.replace(' ', '_')}")(*values)

    def do_rate(self, document, person, says, role):
        reason = says if isinstance(says, Reason) else None
        candidate, _ = self.answers[f"d{document}"]
        self.make.judgment(candidate, self.people[person], None if reason else says, reason=reason, role=role)

    def do_edit(self, document):
        self.texts += 1
        text = f"doc_id\ttext\nd{document}\tText number {self.texts}.\n"
        import_documents(self.session, self.project, file_of(text), replace=True)

    def do_merge(self, first, second):
        chosen = [self.answers[f"d{number}"][1].id for number in (first, second)]
        merge_documents(self.session, self.project, chosen)

    def do_part(self):
        undo_merge(self.session, self.project, self._last(EventKind.DOCUMENTS_MERGED))

    def do_import(self, document, grade, kind):
        options = JudgmentOptions(annotator=f"A {kind}", replace=True, kind=kind)
        file = file_of(f"q1 0 d{document} {grade}\nq1 0 d{document % 4 + 1} {grade}\n", "q.txt")
        import_judgments(self.session, self.project, file, options)

    def do_undo(self):
        undo_import(self.session, self.project, self._last(EventKind.JUDGMENTS_IMPORTED))

    def do_ask_again(self):
        release_passed_on(self.session, self.project, Reason.UNCLEAR)

    def _last(self, kind):
        wanted = select(Event.revision).where(Event.project_id == self.project.id, Event.kind == kind.value)
        return self.session.scalars(wanted.order_by(Event.revision.desc())).first() or 0

    def folded(self):
        """Return what the ledger says, row by row."""
        document_of = {candidate.id: document.id for candidate, document in self.answers.values()}
        events = self.session.scalars(select(Event).where(Event.project_id == self.project.id))
        rows = self.session.scalars(select(Judgment).where(Judgment.project_id == self.project.id))
        said = {}
        for one in sorted([*events, *rows], key=lambda row: row.revision):
            if isinstance(one, Judgment):
                kind = 0 if one.role in COUNTED else int(one.role)
                said[one.candidate_id, one.annotator_id, kind] = one
            elif one.kind == EventKind.DOCUMENTS_EDITED:
                gone = one.payload["document_ids"]
                said = {key: row for key, row in said.items() if document_of[key[0]] not in gone}
        return {
            key: (row.project_id, row.revision, row.grade, row.reason, row.role) for key, row in said.items()
        }

    def stored(self):
        """Return what the projection holds."""
        columns = [getattr(CurrentJudgment, name) for name in NAMES]
        rows = self.session.execute(select(*columns).where(CurrentJudgment.project_id == self.project.id))
        return {tuple(row[:3]): tuple(row[3:]) for row in rows}

    def on_arrays(self):
        """Return what counts now as the evidence has it, by the place of the answer."""
        evidence = read_evidence(self.session, self.project.id)
        ledger = evidence.ledger
        kinds = kinds_of(ledger.role)
        return {
            (int(evidence.candidate_index[row]), int(ledger.annotator[row]), int(kinds[row])): int(
                ledger.revision[row]
            )
            for row in np.flatnonzero(evidence.current)
        }

    def of_merged(self):
        """Return what the projection says of every answer, which several documents may be."""
        structure = read_evidence(self.session, self.project.id).structure
        newest = {}
        for (candidate, annotator, kind), row in sorted(self.stored().items(), key=lambda one: one[1][1]):
            (candidate_index,) = structure.indexes_of(np.array([candidate])).tolist()
            newest[candidate_index, annotator, kind] = row[1]
        return newest


@given(steps=STEPS)
@settings(
    max_examples=tried(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_counts_now_is_the_fold_of_the_ledger_and_so_is_what_is_rebuilt(session, steps):
    world = World(session)
    for step in steps:
        world.do(*step)

    assert world.stored() == world.folded()
    session.execute(delete(CurrentJudgment))
    rebuild_current_judgments(session)
    assert world.stored() == world.folded()
    assert world.on_arrays() == world.of_merged()


def test_all_kinds_of_steps_change_what_counts(session):
    """None of the steps above is refused all the time."""
    world = World(session)
    seen = [world.stored()]
    for step in (
        ("rate", 1, 0, 3, Origin.PLANNED),
        ("rate", 1, 0, 1, Origin.GOLD),
        ("rate", 1, 0, 2, Origin.ADJUDICATION),
        ("rate", 1, 0, Reason.CLEARED, Origin.EXTRA),
        ("rate", 2, 1, Reason.UNCLEAR, Origin.PLANNED),
        ("ask again",),
        ("edit", 1),
        ("import", 2, 3, "machine"),
        ("import", 1, 3, "imported"),
        ("undo",),
    ):
        world.do(*step)
        seen.append(world.stored())

    assert all(before != after for before, after in pairwise(seen))
    world.do("merge", 3, 4)
    assert world.answers["d4"][1].merged_into == world.answers["d3"][1].id
    world.do("part")
    assert world.answers["d4"][1].merged_into is None


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_the_command_works_out_again_what_is_wrong(database, run_command):
    with database.write() as session:
        world = World(session)
        world.do("rate", 1, 0, 3, Origin.PLANNED)
        world.do("rate", 2, 1, Reason.UNCLEAR, Origin.PLANNED)
        right = world.stored()
        session.execute(update(CurrentJudgment).values(grade=0, reason=None))
        session.execute(delete(CurrentJudgment).where(CurrentJudgment.annotator_id == world.people[1].id))

    assert run_command("db", "rebuild").output == "2 current ratings rebuilt from the ledger.\n"

    with database.read() as session:
        world.session = session
        assert world.stored() == right


@pytest.mark.parametrize("other", [False, True])
def test_a_purge_takes_what_counts_of_its_own_project_along(session, other):
    world = World(session)
    world.do("rate", 1, 0, 3, Origin.PLANNED)
    gone = World(session).project if other else world.project
    gone.state = "archived"

    purge_project(session, gone, typed_slug=gone.slug)

    assert bool(world.stored()) is other
