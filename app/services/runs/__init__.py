"""Runs: into the project as packed rankings, out of the pool and back."""

from app.services.runs.checks import find_registered
from app.services.runs.importing import RunImport, import_run
from app.services.runs.lists import RunLists, read_run_file
from app.services.runs.options import RunImported, RunOptions, RunReport
from app.services.runs.planning import RunPlan, plan_run
from app.services.runs.states import find_run, get_run, restore_run, withdraw_run
from app.services.runs.sweeping import sweep_unpublished

__all__ = [
    "RunImport",
    "RunImported",
    "RunLists",
    "RunOptions",
    "RunPlan",
    "RunReport",
    "find_registered",
    "find_run",
    "get_run",
    "import_run",
    "plan_run",
    "read_run_file",
    "restore_run",
    "sweep_unpublished",
    "withdraw_run",
]
