"""Settings, changed in steps: what takes long first and in parts, then all changes in one transaction."""

from __future__ import annotations

from app.database import Database
from app.jobs.steps import commit_steps, project_of
from app.services.collection.pool import PoolChange, check_depth, prepare_depth
from app.services.projects.settings import SettingChanges
from app.services.projects.settings import change_settings as write_settings


def change_settings(
    database: Database,
    project_id: int,
    changes: SettingChanges,
    *,
    actor_id: int | None = None,
    network: str | None = None,
) -> PoolChange | None:
    """Change a project's settings, all or none, and return what another depth did to the pool.

    `network` is where it comes from, for the audit trail.

    Raises
    ------
    InvalidError
        A value cannot be right; nothing is changed.
    """
    if changes.pool_depth is not None:
        check_depth(changes.pool_depth)
        with database.importing():
            with database.read() as session:
                steps = list(prepare_depth(session, project_of(session, project_id), changes.pool_depth))
            commit_steps(database, steps)
            return _write(database, project_id, changes, actor_id, network)
    return _write(database, project_id, changes, actor_id, network)


def _write(
    database: Database, project_id: int, changes: SettingChanges, actor_id: int | None, network: str | None
) -> PoolChange | None:
    with database.write() as session:
        session.info["actor"] = actor_id
        if network is not None:
            session.info["network"] = network
        return write_settings(session, project_of(session, project_id), changes, actor_id=actor_id)
