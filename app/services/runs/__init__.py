"""Runs: into the project as packed rankings, out of the pool and back."""

from app.services.runs.checks import find_registered
from app.services.runs.deleting import delete_run, obstacle_to_deleting
from app.services.runs.importing import RunImport, import_run
from app.services.runs.lists import RunLists, read_run_file
from app.services.runs.naming import find_version, version_name
from app.services.runs.options import RunImported, RunOptions, RunReport
from app.services.runs.planning import RunPlan, plan_run
from app.services.runs.production import end_production, marked_run, set_production
from app.services.runs.rankers import get_ranker
from app.services.runs.renaming import move_run, rename_ranker, rename_version
from app.services.runs.states import find_run, get_run, restore_run, withdraw_run
from app.services.runs.sweeping import sweep_unpublished

__all__ = [
    "RunImport",
    "RunImported",
    "RunLists",
    "RunOptions",
    "RunPlan",
    "RunReport",
    "delete_run",
    "end_production",
    "find_registered",
    "find_run",
    "find_version",
    "get_ranker",
    "get_run",
    "import_run",
    "marked_run",
    "move_run",
    "obstacle_to_deleting",
    "plan_run",
    "read_run_file",
    "rename_ranker",
    "rename_version",
    "restore_run",
    "set_production",
    "sweep_unpublished",
    "version_name",
    "withdraw_run",
]
