"""The small files that import pages offer: those of a project's template, else the usual ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.samples import SAMPLES, SampleFile, samples_of
from app.services.templates import PAPERS

if TYPE_CHECKING:
    from app.formats.schema import Kind
    from app.models import Project

# All papers are invented.
_TARGETS = """paper_id,title,abstract
t1,Counting swifts from the window,"Forty households counted for a minute a day. Counts agree with radar."
t2,Why bread goes stale faster in winter,"We stored loaves at six humidities. Dry air explains most of it."
"""
_PAPERS = """paper_id,title,abstract,authors,venue,year,citations
p1,Short counts by many,"One minute is enough if two hundred people take part.",A. Moreno,A journal,2021,12
p2,Radar and small birds,"Radar sees flocks. We say what that does to counts.",K. Lind,A meeting,2019,40
p3,Starch and the weather,"Starch forms crystals faster in cold, dry kitchens.",S. Okafor,A journal,2023,3
"""
_MODEL = """target_id,paper_id,rank
t1,p1,1
t1,p2,2
t2,p3,1
t2,p1,2
"""
_STARS = """target_id,paper_id,rater,stars
t1,p1,Kim,5
t1,p2,Kim,3
t2,p3,Kim,4
t2,p1,Kim,1
"""
TEMPLATE_SAMPLES: dict[str, tuple[SampleFile, ...]] = {
    PAPERS.key: (
        SampleFile("queries", "csv", "targets.csv", _TARGETS),
        SampleFile("documents", "csv", "papers.csv", _PAPERS),
        SampleFile("run", "csv", "model.csv", _MODEL),
        SampleFile("judgments", "csv", "stars.csv", _STARS),
    )
}


def samples_for(project: Project, kind: Kind) -> tuple[SampleFile, ...]:
    """Return the samples of one kind."""
    return tuple(sample for sample in _own(project) if sample.kind == kind) or samples_of(kind)


def find_sample(project: Project, name: str) -> SampleFile | None:
    """Return the sample of this name, or None."""
    return next((sample for sample in (*_own(project), *SAMPLES) if sample.name == name), None)


def _own(project: Project) -> tuple[SampleFile, ...]:
    return TEMPLATE_SAMPLES.get(project.options.get("template", ""), ())
