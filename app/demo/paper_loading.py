"""The sample of the paper-recommender template, brought into a project as anybody's files would be."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.demo.paper_sample import build_paper_sample
from app.demo.writing import json_lines, run_file
from app.models import Project
from app.sentences import message
from app.services.collection.documents import import_documents
from app.services.collection.queries import import_queries
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.errors import InvalidError
from app.services.projects.templates import PAPERS


def load_paper_sample(session: Session, project: Project, *, actor_id: int | None = None) -> str:
    """Bring the sample into a project, and return what it is in a sentence; nobody has rated any of it.

    Every part is an import of its own.

    :raise InvalidError: The project is not made from the template.
    """
    if project.options.get("template") != PAPERS.key:
        raise InvalidError(
            "The sample belongs to the paper recommender: choose that template, or leave the sample out.",
            code="sample",
        )
    sample = build_paper_sample()
    targets = json_lines("invented target papers", sample.queries)
    import_queries(session, project, targets, actor_id=actor_id)
    papers = json_lines("invented papers", sample.documents)
    import_documents(session, project, papers, actor_id=actor_id)
    for run in sample.runs:
        options = RunOptions(ranker=run.ranker, version=run.version, note=run.note)
        import_run(session, project, run_file(run), options, actor_id=actor_id)
    return message(
        "The sample is imported: %(targets)s invented target papers, and what %(models)s simple models "
        "recommend for each. Nobody has rated them. To remove the sample before rating begins, delete its "
        "%(models)s versions, then undo the imports of its papers.",
        targets=len(sample.queries),
        models=len(sample.runs),
    )
