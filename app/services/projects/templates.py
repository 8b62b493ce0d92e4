"""Templates of projects: settings, words, column names and sample files to start from.

No data comes with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from app.formats.preview import preview_of
from app.formats.samples import SAMPLES, SampleFile, samples_of
from app.formats.schema import Kind
from app.models.project import PAPER_TEMPLATE, Project
from app.services.collection.files import ImportFile
from app.services.errors import InvalidError
from app.services.projects.practice import Practice, PracticeAnswer, stored_practice
from app.services.projects.projects import NewProject

PAPER_GUIDELINES = """\
Picture the author of the target paper, who has an hour to read. Is the recommended paper worth it?

- **5, must read.** The author would be embarrassed not to know it.
- **4, good.** Same question or same method; the author would read it.
- **3, fair.** One part of it is of use.
- **2, weak.** Same field, hardly of use.
- **1, off topic.** The author would wonder why it was recommended.

## Rate the fit, not the paper

A fine paper about something else is off topic. A plain one that answers the author’s question is a must read.
Names, journals and citations are hidden for that reason: please don’t look them up.

## How much to read

Title and abstract are enough. If they are not, choose “Can’t judge”.

## If the abstract is missing

Rate by the title when it settles the matter, else choose “Can’t judge”.
"""


PAPER_PRACTICE = Practice(
    "How long do swifts stay in the air? A year of tracking nineteen birds",
    (
        PracticeAnswer(
            "Lighter loggers for small birds: what they weigh, how long they last, and how far they err",
            4,
            "The method of the target paper, with other birds: worth reading.",
        ),
        PracticeAnswer(
            "Learning Swift as a first programming language: a survey of 200 students",
            1,
            "It shares a word with the target paper and nothing else.",
        ),
        PracticeAnswer(
            "Ten months without landing: flight records of young swifts",
            5,
            "The same birds and the same question: the author must know it.",
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectTemplate:
    """What a project of one kind starts from; everything but the scale can be changed later.

    `columns` says which of the product's fields each column of the field's usual files becomes; all other
    columns are kept with a document and never shown to annotators.
    """

    key: str
    name: str
    description: str
    headline: str
    scale: str
    k: int
    pool_depth: int
    share_twice: float
    gain: str = "linear"
    discount: str = "log2"
    grade_words: list[dict[str, str]]
    wording: dict[str, str]
    guidelines: str
    practice: Practice
    columns: dict[Kind, dict[str, str]] = field(default_factory=dict)


PAPERS = ProjectTemplate(
    key=PAPER_TEMPLATE,
    name="Paper recommender",
    description="Target papers, papers recommended for each by several models, 1 to 5 stars.",
    headline="How good are the papers that each model recommends?",
    scale="1-5",
    k=8,
    pool_depth=8,
    # One rating for each pair, as such evaluations do; the settings offer to have a share rated twice.
    share_twice=0.0,
    grade_words=[
        {"word": "Off topic", "meaning": "The author would wonder why it was recommended."},
        {"word": "Weak", "meaning": "Same field, hardly of use."},
        {"word": "Fair", "meaning": "One part of it is of use."},
        {"word": "Good", "meaning": "Same question or same method; worth reading."},
        {"word": "Must read", "meaning": "The author would be embarrassed not to know it."},
    ],
    wording={
        "query": "target paper",
        "queries": "target papers",
        "document": "recommended paper",
        "documents": "recommended papers",
    },
    guidelines=PAPER_GUIDELINES,
    practice=PAPER_PRACTICE,
    columns={
        "queries": {"paper_id": "query_id", "title": "text", "abstract": "intent"},
        "documents": {"paper_id": "doc_id", "title": "title", "abstract": "text"},
        "run": {"target_id": "query_id", "paper_id": "doc_id"},
        "judgments": {"target_id": "query_id", "paper_id": "doc_id", "stars": "grade", "rater": "annotator"},
    },
)

TEMPLATES = {template.key: template for template in (PAPERS,)}


SETTINGS = {one.name for one in fields(NewProject)} & {one.name for one in fields(ProjectTemplate)} - {"name"}


def template_settings(template: str) -> dict[str, Any]:
    """Return the settings of a template by the names that a new project takes.

    :raise InvalidError: There is no such template.
    """
    if template not in TEMPLATES:
        raise InvalidError(f"There is no template {template!r}: choose {', '.join(TEMPLATES)}.")
    settings = {name: getattr(TEMPLATES[template], name) for name in SETTINGS}
    # Files of its field are read by their usual column names.
    options = {"template": template, "practice": stored_practice(TEMPLATES[template].practice)}
    return {**settings, "options": options}


def project_from_template(
    template: str | None, slug: str, name: str, chosen: Mapping[str, Any]
) -> NewProject:
    """Return a new project with a template's settings; whatever was chosen (not None) wins over them.

    :raise InvalidError: There is no such template.
    """
    settings = {} if template is None else template_settings(template)
    given = {key: value for key, value in chosen.items() if value is not None}
    if given.get("scale", settings.get("scale")) != settings.get("scale"):
        # Its words and its practice question are for its own scale.
        settings.pop("grade_words", None)
        settings.get("options", {}).pop("practice", None)
    if "k" in given and "pool_depth" not in given:
        settings.pop("pool_depth", None)
    return NewProject(slug=slug, name=name, **{**settings, **given})


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


def with_template_columns(project: Project, kind: Kind, file: ImportFile) -> ImportFile:
    """Return the file, read by its template's column names where it has them.

    They hold for a file that has the template's first column of ids, such as `paper_id` or `target_id`.
    What was chosen for this file wins, and no column is taken twice.
    """
    template = TEMPLATES.get(project.options.get("template", ""))
    ours = template.columns.get(kind, {}) if template else {}
    if not ours:
        return file
    expected = {name: theirs for theirs, name in ours.items()}
    there = preview_of(file.part, kind, file.format, expected).guess.columns
    if next(iter(ours)) not in there:
        return file
    taken = set(file.columns.values())
    found = {name: theirs for theirs, name in ours.items() if theirs in there and theirs not in taken}
    return replace(file, columns={**found, **file.columns})
