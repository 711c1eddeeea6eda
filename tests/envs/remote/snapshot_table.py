"""The Panda's table as a world of somebody else's: goals come from its snapshot and from nothing else."""

from __future__ import annotations

from homie.envs.mujoco.table.robot import FrankaTable
from homie.envs.mujoco.table.settings import TableSettings
from homie.envs.snapshot_robot import SnapshotLocator, SnapshotRobot
from homie.kernel.interfaces import Locator
from homie.kernel.robot_factory import Opening


class SnapshotTable(FrankaTable, SnapshotRobot):
    """A `SnapshotRobot` with the physics of the table."""

    def background(self) -> Locator:
        return SnapshotLocator(self)


open_snapshot_table = Opening(TableSettings, SnapshotTable.of)
