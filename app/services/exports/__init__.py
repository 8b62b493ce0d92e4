"""What goes out: qrels, judgments, runs and scores, as lines that are made while they are written."""

from app.services.exports.histories import export_history
from app.services.exports.judgments import export_judgments
from app.services.exports.lines import DEMO_NOTE, Export
from app.services.exports.qrels import export_qrels
from app.services.exports.runs import active_run_facts, export_runs
from app.services.exports.scores import export_scores
from app.services.exports.standing import count_machine_ratings

__all__ = [
    "DEMO_NOTE",
    "Export",
    "active_run_facts",
    "count_machine_ratings",
    "export_history",
    "export_judgments",
    "export_qrels",
    "export_runs",
    "export_scores",
]
