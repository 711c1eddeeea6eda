"""Set poses of the home's bodies directly, and check for penetrations there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import carriers, quat_of
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.envs.mujoco.world import World
from homie.kernel.types import Mask, Pose

DEEP = 0.003
"""Minimum depth (m) of a penetration: resting contacts are 0.1 mm deep, squeezed ones 1 mm."""


class Bodies:
    """Sets poses of loose objects, and finds penetrations of objects and robot."""

    def __init__(self, world: World) -> None:
        self.world, self.model, self.data = world, world.model, world.data
        model = self.model
        names = [model.body(body).name for body in range(model.nbody)]
        self.robot = [body for body, name in enumerate(names) if name.startswith(PREFIX)]
        self._body_of = carriers(model)[model.geom_bodyid]
        self._floors: Mask = np.array(
            [geom in world.home.index.geoms and world.home.index.geoms[geom].entity.startswith("floor/")
             for geom in range(model.ngeom)]
        )  # fmt: skip

    def pose(self, body: int) -> Pose:
        """Return the pose of a body in the world frame."""
        return Pose(self.world.position(body), self.world.rotation(body))

    def poses(self, names: Sequence[str]) -> dict[int, Pose]:
        """Return the poses of loose objects, by body."""
        return {body: self.pose(body) for body in (self.world.objects[name].body for name in names)}

    def move(self, load: Mapping[int, Pose], before: Pose, after: Pose) -> None:
        """Move bodies rigidly, by the motion that takes the pose `before` to `after`.

        Args:
            load: Poses of the bodies before the motion.
        """
        turn = after.rotation @ before.rotation.T
        for body, pose in load.items():
            joint = int(self.model.body_jntadr[body])
            at, dof = int(self.model.jnt_qposadr[joint]), int(self.model.jnt_dofadr[joint])
            self.data.qpos[at : at + 3] = after.position + turn @ (pose.position - before.position)
            self.data.qpos[at + 3 : at + 7] = quat_of(turn @ pose.rotation)
            self.data.qvel[dof : dof + 6] = 0.0
        mujoco.mj_forward(self.model, self.data)

    def cut(self, moved_bodies: Collection[int], *, ignored: Collection[int] = ()) -> set[int]:
        """Return the other bodies that some bodies penetrate, except floors. Kinematics and contacts must be up to
        date."""
        contact, count = self.data.contact, self.data.ncon
        geoms = contact.geom[:count][contact.dist[:count] < -DEEP]
        geoms = geoms[~self._floors[geoms].any(axis=1)]
        body_set, ignored_set = set(moved_bodies), set(ignored)
        bodies: set[int] = set()
        for first, second in self._body_of[geoms].tolist():
            if (first in body_set) != (second in body_set):
                bodies.add(second if first in body_set else first)
        return bodies - ignored_set

    def called(self, bodies: Collection[int]) -> list[str]:
        """Return the names of the loose objects among bodies."""
        return sorted(name for name, item in self.world.objects.items() if item.body in bodies)
