"""`homie/HomeControl-v0`: a Fetch in a generated house; an action is the targets of its joints.

action          Box (13,): base m/s and rad/s, torso m, arm (7,) rad, head pan and tilt rad, gripper opening m.
                Positions are absolute; the safety gate limits the speed of the motion
observation     base (3,) x, y in m and yaw in rad; velocity (2,) m/s and rad/s; joints, joint_velocities (10,) in rad
                and m, torso to head; gripper (1,) m; holding 0 or 1; images of the requested cameras
reward          1 when the task succeeds, which terminates the episode; else 0
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray

from homie.envs.mujoco.home.home import PICTURE_SIZE
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.gym.house_tasks import HouseEnv
from homie.gym.reset_and_step import numbers_of, picture_space
from homie.kernel.errors import BadInput
from homie.kernel.robot.action_vector import ActionVector
from homie.kernel.types import Command

_JOINTS = tuple(name for group in SPEC.groups if group.kind not in ("base", "gripper") for name in group.names)
_VECTOR = ActionVector(SPEC)
PERIODS = 5
"""Default number of control periods of 0.04 s per step."""


class HomeControlEnv(HouseEnv[NDArray[np.float32]]):
    """See the module's docstring. `options` are those of `homie.open` except robot and seed."""

    def __init__(
        self,
        *,
        suite: str = "",
        task: str = "",
        goal: object = None,
        instruction: str = "",
        cameras: tuple[str, ...] = (),
        periods: int = PERIODS,
        steps: int = 500,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Create the environment of a task.

        Args:
            suite, task, goal, instruction: As in `HomeEnv`.
            cameras: Cameras in the observation, such as `head` and `front`; rendering one takes longer than a step.
            periods: Control periods of 0.04 s for which an action is repeated.
            steps: Steps after which an episode is truncated.
            render_mode: As in Gymnasium.
            options: Options of `homie.open`.

        Raises:
            BadInput: An option or a value is invalid.
        """
        if periods < 1 or steps < 1:
            raise BadInput(f"periods and steps are 1 or more (got {periods} and {steps}).")
        super().__init__(
            suite=suite,
            task=task,
            goal=goal,
            instruction=instruction,
            render_mode=render_mode,
            options=options,
            steps=steps,
        )
        self._cameras, self._periods = tuple(cameras), periods
        limits = np.clip(_VECTOR.limits, -math.pi, math.pi)  # continuous joints are limited to one turn
        self.action_space = Box(limits[:, 0].astype(np.float32), limits[:, 1].astype(np.float32))
        count, picture = len(_JOINTS), picture_space(self._open_options.pixels or PICTURE_SIZE)
        spaces: dict[str, Space[Any]] = {
            name: Box(-np.inf, np.inf, (size,), np.float32)
            for name, size in (("base", 3), ("velocity", 2), ("joints", count), ("joint_velocities", count))
        }
        spaces |= {"gripper": Box(-np.inf, np.inf, (1,), np.float32), "holding": Discrete(2)}
        self.observation_space = Dict({**spaces, **dict.fromkeys(self._cameras, picture)})

    def encode(self, command: Command) -> NDArray[np.float32]:
        """Encode a command as an action. If omitted, the base gets zero velocity and other groups their current
        positions. Raises BadInput before the first reset."""
        return _VECTOR.numbers(command, self.session.robot.measured()).astype(np.float32)

    def step(self, action: NDArray[np.float32]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Repeat an action for `periods` control periods. Raises BadInput unless it is 13 finite numbers."""
        command = _VECTOR.command(numbers_of(action, len(_VECTOR)))
        for _ in range(self._periods):
            self.session.robot.act(command)
        return self._outcome(None, ended=False)

    def _info(self, execution: object) -> dict[str, Any]:
        return {
            "task": self.instruction(),
            "success": self.success(),
            "robot_seconds": self.session.robot.observe().stamp,
        }

    def _observation(self) -> dict[str, Any]:
        observation = self.session.robot.observe(self._cameras)
        body = observation.body
        proprioception = {
            "base": (body.base.x, body.base.y, body.base.yaw),
            "velocity": body.base_velocity,
            "joints": [body.joints[name] for name in _JOINTS],
            "joint_velocities": [body.velocities[name] for name in _JOINTS],
            "gripper": (body.gripper,),
        }
        return {
            **{name: np.array(values, np.float32) for name, values in proprioception.items()},
            "holding": np.int64(body.holding),
            **{name: frame.rgb.copy() for name, frame in observation.frames.items()},
        }
