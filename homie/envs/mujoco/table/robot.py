"""The Panda on a table as a robot: the same interface as the Fetch in a house, with simulated sensors.

Time advances only in `act`, and every command passes the safety gate. The robot is fixed on its table: it has no base,
torso or head, and the gate refuses commands for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Self

import mujoco

from homie.envs.mujoco.render.camera_geometry import FreeCamera
from homie.envs.mujoco.robots.bodies import panda
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.camera_frames import Eyes
from homie.envs.mujoco.robots.grasping import Grasping
from homie.envs.mujoco.robots.joint_servos import Limbs, place
from homie.envs.mujoco.robots.simulated import LEAD, SimulatedRobot
from homie.envs.mujoco.table.build import build
from homie.envs.mujoco.table.locator import TableLocator
from homie.envs.mujoco.table.sampled_tables import scene_of
from homie.envs.mujoco.table.settings import TableSettings
from homie.envs.mujoco.table.table_scene import FAMILIES, FOOT, TableScene
from homie.envs.mujoco.table.world import TableWorld
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Locator
from homie.kernel.robot_factory import Opening
from homie.kernel.types import Command, Image, Pose2, Proprioception
from homie.kernel.world.snapshot import WorldSnapshot

PICTURE_SIZE = TableSettings().pixels
"""Default width and height of images in pixels."""


class FrankaTable(SimulatedRobot):
    """A Panda on its table. `world` is privileged: skills and planners have no access to it."""

    spec = panda.SPEC
    views = ("front", "wrist")
    eye = "wrist"
    actions = ("Move", "Pick", "Put", "End")
    inventory_by = "hand"

    def __init__(self, scene: TableScene, picture_size: tuple[int, int] = PICTURE_SIZE, *, shade: bool = False) -> None:
        self.scene = scene
        self.picture_size = picture_size
        self.built = build(scene)
        self.model = self.built.model
        self.data = mujoco.MjData(self.model)
        self.kinematics = PandaKinematics(FOOT[2])
        self.world = TableWorld(self.built, self.data)
        self.eyes = Eyes(self.model, self.data, self.built.index.geoms, picture_size, shade=shade)
        self.grasping = Grasping(self.model, self.data, self.built.index, panda.HAND, self.spec.period)
        self.lead = max(1.0, LEAD / self.spec.period)
        self._substeps = round(self.spec.period / self.model.opt.timestep)
        self.limbs = Limbs(self.model, self.data, self.spec, panda.HAND.fingers)
        self.reset(seed=scene.seed)

    @classmethod
    def of(cls, family: str, settings: TableSettings) -> Self:
        """Build the table of a run from its scene file, or from its family (`--robot franka:FAMILY`) and seed.

        Raises BadInput for an invalid file, and for an unknown family.
        """
        if not family and settings.scene is None:
            families = ", ".join(FAMILIES)
            raise BadInput(f"Which tasks? Give --robot franka:FAMILY, one of {families}, or a table by --scene.")
        if family and settings.scene is not None:
            raise BadInput(
                f"The scene says what is on the table: with --scene give --robot franka, not franka:{family}."
            )
        scene = scene_of(family, settings.seed, settings.scene)
        return cls(scene, settings.pixels, shade=bool(settings.shade))

    # ------------------------------------------------------------ episode

    def _restart(self, *, seed: int) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.grasping.reset()
        self.world.reset()
        place(self.model, self.data, panda.FILE.keyframe("ready"))
        self._settle()

    def _tell(self, command: Command) -> None:
        self.limbs.tell(command)
        gripper = command.get("gripper")
        if gripper is not None:
            self.data.ctrl[self.limbs.finger_servos] = gripper[0] / 2
            self.grasping.commanded(gripper[0])

    def _pass(self) -> None:
        mujoco.mj_step(self.model, self.data, self._substeps)
        self.check_sound()
        self.grasping.update()
        self.world.update(self.grasping.held_object)

    def _halt(self) -> None:
        """Hold every joint at its position; fingers that hold an object keep squeezing it."""
        self.limbs.hold()
        if not self.grasping.holding:
            self.data.ctrl[self.limbs.finger_servos] = self.limbs.opening() / 2

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        return Proprioception(
            base=Pose2(FOOT[0], FOOT[1], 0.0),
            joints=self.limbs.positions(),
            grippers={"gripper": self.limbs.gripper(self.grasping.contact, self.grasping.holding)},
            velocities=self.limbs.velocities(),
        )

    # ------------------------------------------------------------ privileged

    def background(self) -> Locator:
        return TableLocator(self)

    def snapshot(self) -> WorldSnapshot:
        return self.world.snapshot()

    def _known(self) -> Mapping[str, object]:
        return {"held": self.world.held, "wiped": {name: sorted(tiles) for name, tiles in self.world.wiped.items()}}

    def _take_known(self, known: Mapping[str, object]) -> None:
        held, wiped = known.get("held"), known.get("wiped")
        self.world.reset()
        self.world.held = held if isinstance(held, str) else None
        for name, tiles in wiped.items() if isinstance(wiped, Mapping) else ():
            self.world.wipe(str(name), [int(tile) for tile in tiles])

    def film(self, width: int, height: int, target: str = "") -> Image:
        """Render robot and table from the side."""
        camera = FreeCamera(lookat=(0.06, 0.0, 0.88), distance=1.5, azimuth=2.45, elevation=-0.45)
        return self.eyes.film(camera, width, height)


PANDA = SimulatedBody.of_mjcf(panda.FILE, panda.SPEC, panda.HAND, kinematics=partial(PandaKinematics, FOOT[2]))
"""The Panda of this table as a body, for clients that control an identical one."""

open_table = Opening(TableSettings, FrankaTable.of, "A Panda on a table: `franka:FAMILY`.")
"""Factory of the table robot of a run."""
