"""Places bodies of the home by hand, and sees whether they are in something there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import carriers, quat_of
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.envs.mujoco.world import World
from homie.kernel.types import Mask, Pose

DEEP = 0.003
"""Metres from which two things are in each other: what rests on something is in it by 0.1 mm, what is squeezed by 1."""


class Bodies:
    """The poses of loose things and of the robot, to be set."""

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
        """Where a body is."""
        return Pose(self.world.position(body), self.world.rotation(body))

    def poses(self, names: Sequence[str]) -> dict[int, Pose]:
        """The poses of loose things by their bodies."""
        return {body: self.pose(body) for body in (self.world.objects[name].body for name in names)}

    def move(self, load: Mapping[int, Pose], before: Pose, after: Pose) -> None:
        """Move bodies as one, so that what was at one pose is at another.

        Args:
            load: Their poses before.
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
        """The other bodies that some bodies are in, floors apart. Kinematics and contacts must have been computed."""
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
        """The loose things among bodies, by name."""
        return sorted(name for name, item in self.world.objects.items() if item.body in bodies)
