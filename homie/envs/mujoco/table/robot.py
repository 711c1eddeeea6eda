"""The Panda on a table as a robot: the same interface as the Fetch in a house, with simulated sensors.

Time passes only in `act`, every command goes through the safety gate. The robot stands on its table: a base command is
clamped to nothing, and the record says so. It has no head and no torso either.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from homie.envs.mujoco.render.rendering import FreeCamera
from homie.envs.mujoco.robots.eyes import Eyes
from homie.envs.mujoco.robots.grasping import Grasping
from homie.envs.mujoco.robots.panda import panda
from homie.envs.mujoco.robots.panda.kinematics import PandaKinematics
from homie.envs.mujoco.robots.panda.panda_model import FINGER_RANGE
from homie.envs.mujoco.robots.simulated import SimulatedRobot
from homie.envs.mujoco.table.build import build
from homie.envs.mujoco.table.families import generate
from homie.envs.mujoco.table.locator import TableLocator
from homie.envs.mujoco.table.scene import FAMILIES, FOOT, TableScene
from homie.envs.mujoco.table.world import TableWorld
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.interfaces import Locator
from homie.kernel.options import HOUSE, OpenOptions
from homie.kernel.safety import GateState, SafetyGate
from homie.kernel.types import Command, Image, Observation, Pose2, Proprioception, SentCommand
from homie.kernel.world import WorldSnapshot

PICTURE_SIZE = (500, 500)
"""Width and height of a picture where none is asked for, as in EmbodiedBench."""
SETTLE = 25
"""Control periods at the start of an episode in which things come to rest."""


def open_table(options: OpenOptions) -> FrankaTable:
    """The table of a run: its scene file, or the task of its family (`--robot franka:FAMILY`) and seed.

    Raises BadInput for a bad file, a family that does not exist, grasps by friction, which do not hold here, and
    options of a house.
    """
    if options.grasp != "weld":
        raise BadInput(f"The robot franka holds things by a weld only: leave out --grasp {options.grasp}.")
    family = options.robot.partition(":")[2]
    usual = {name: OpenOptions.model_fields[name].get_default(call_default_factory=True) for name in HOUSE[1:]}
    useless = [f"--{name}" for name, value in usual.items() if getattr(options, name) != value]
    if useless:
        raise BadInput(f"The robot franka stands at a table, not in a house: leave out {' and '.join(useless)}.")
    if not family and options.scene is None:
        raise BadInput(f"Which tasks? Give --robot franka:FAMILY, one of {', '.join(FAMILIES)}, or a table by --scene.")
    if family and options.scene is not None:
        raise BadInput(f"The scene says what is on the table: with --scene give --robot franka, not franka:{family}.")
    scene = scene_of(family, options.seed, options.scene)
    return FrankaTable(scene, options.pixels or PICTURE_SIZE, shade=options.shade)


def scene_of(family: str, seed: int, file: Path | None = None) -> TableScene:
    """The scene of a file, or of a family by name ("" is the first) and seed. Raises BadInput."""
    if file is not None:
        return TableScene.load(file)
    for known in FAMILIES:
        if family in (known, ""):
            return generate(known, seed)
    hint = suggestion(family, FAMILIES, f"choose one of: {', '.join(FAMILIES)}.")
    raise BadInput(f"There is no family of tasks '{family}' for the robot franka: {hint}")


def instruction_of(family: str, seed: int, file: Path | None = None) -> str:
    """What a table asks for, for runs that are given no instruction. Raises BadInput."""
    return scene_of(family, seed, file).instruction


class FrankaTable(SimulatedRobot):
    """A Panda before its table. `world` is privileged: skills and planners never get it."""

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
        self.gate = SafetyGate(self.spec)
        self.eyes = Eyes(self.model, self.data, self.built.index.geoms, picture_size, shade=shade)
        self.grasping = Grasping(self.model, self.data, self.built.index, panda.HAND_NAMES)
        self._substeps = round(self.spec.period / self.model.opt.timestep)
        self._arm = [int(self.model.joint(panda.PREFIX + name).qposadr[0]) for name in panda.ARM_JOINTS]
        self._fingers = [int(self.model.joint(panda.PREFIX + name).qposadr[0]) for name in panda.FINGERS]
        self._arm_ctrl = [self.model.actuator(panda.PREFIX + name).id for name in panda.ARM_JOINTS]
        self._finger_ctrl = [self.model.actuator(panda.PREFIX + name).id for name in panda.FINGERS]
        self.reset(seed=scene.seed)

    # ------------------------------------------------------------ episode

    def reset(self, *, seed: int) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.gate.reset()
        self.grasping.reset()
        self.world.reset()
        self.data.qpos[self._fingers] = FINGER_RANGE
        self.data.ctrl[self._finger_ctrl] = FINGER_RANGE
        panda.set_posture(self.model, self.data, panda.HOME)
        for _ in range(SETTLE):
            self.act(Command())
        self.gate.reset()

    def act(self, command: Command) -> SentCommand:
        state = self._gate_state()
        checked = self.gate.check(self.resolved(command, state), state)
        sent = replace(checked, requested=command)
        now = sent.sent
        if now.arm is not None:
            self.data.ctrl[self._arm_ctrl] = now.arm
        if now.gripper is not None:
            self.data.ctrl[self._finger_ctrl] = now.gripper / 2
            self.grasping.commanded(now.gripper)
        mujoco.mj_step(self.model, self.data, self._substeps)
        self.check_sound()
        self.grasping.update()
        self.world.update(self.grasping.held_object)
        return sent

    def stop(self) -> None:
        """Every joint holds where it is."""
        self.gate.stop()
        self.data.ctrl[self._arm_ctrl] = self.data.qpos[self._arm]

    def _gate_state(self) -> GateState:
        return GateState(self.data.qpos[self._arm].copy(), 0.0, np.zeros(2), self._width())

    def _width(self) -> float:
        return float(self.data.qpos[self._fingers].sum())

    # ------------------------------------------------------------ senses

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        joints = dict(zip(panda.ARM_JOINTS, (float(v) for v in self.data.qpos[self._arm]), strict=True))
        body = Proprioception(
            base=Pose2(FOOT[0], FOOT[1], 0.0),
            base_velocity=(0.0, 0.0),
            joints=joints,
            gripper=self._width(),
            finger_contact=self.grasping.contact,
            holding=self.grasping.holding,
        )
        return self.seen(body, cameras)

    # ------------------------------------------------------------ privileged

    def background(self) -> Locator:
        return TableLocator(self)

    def snapshot(self) -> WorldSnapshot:
        return self.world.snapshot()

    def film(self, width: int, height: int) -> Image:
        """Robot and table from the side."""
        camera = FreeCamera(lookat=(0.06, 0.0, 0.88), distance=1.5, azimuth=2.45, elevation=-0.45)
        return self.eyes.film(camera, width, height)
