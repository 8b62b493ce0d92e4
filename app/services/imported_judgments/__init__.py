"""Judgments that come in a file: those of annotators who never sign in here."""

from app.services.imported_judgments.columns import JudgmentColumns, read_judgment_file
from app.services.imported_judgments.importing import JudgmentImport, import_judgments, prepare_judgments
from app.services.imported_judgments.options import JudgmentOptions, JudgmentsImported
from app.services.imported_judgments.sources import find_or_add_source

__all__ = [
    "JudgmentColumns",
    "JudgmentImport",
    "JudgmentOptions",
    "JudgmentsImported",
    "find_or_add_source",
    "import_judgments",
    "prepare_judgments",
    "read_judgment_file",
]
