"""`homie/Table-v0`: a Panda on a table; an action is seven numbers as in EmbodiedBench.

action          Box (7,): cell x, y, z (0 to 99), roll, pitch, yaw (0 to 119, 3 degrees each), gripper (0 closed, 1
                open). Rounded to integers. skills/discrete_actions/arm_actions.py defines the workspace.
observation     front, wrist: images; joints (7,) rad; gripper (1,) m; feedback: see `CODES`
reward          1 when the task succeeds, which terminates the episode; else 0
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from homie.envs.mujoco.robots.bodies import panda
from homie.envs.mujoco.table.robot import PICTURE_SIZE, FrankaTable
from homie.envs.mujoco.table.sampled_tables import scene_of
from homie.gym.reset_and_step import CODES, SessionEnv, numbers_of, picture_space
from homie.kernel.options import OpenOptions
from homie.kernel.registry import split

HIGHEST = (99, 99, 99, 119, 119, 119, 1)
"""Maximum of each of the seven numbers; the minimum is 0 (EmbodiedBench, appendix C.4)."""


class TableEnv(SessionEnv[NDArray[np.float32]]):
    """See the module's docstring. `options` are those of `homie.open` except robot and seed."""

    def __init__(self, *, family: str = "pick", render_mode: str | None = None, **options: Any) -> None:
        """Create the environment.

        Args:
            family: `pick`, `stack`, `sort` or `wipe`; the seed determines the table.

        Raises:
            BadInput: The family does not exist.
        """
        scene_of(family, 0)  # raises BadInput for an unknown family
        options["robot"] = f"franka:{family}"
        checked = OpenOptions.build(**split(options)[0])
        super().__init__(render_mode, options, checked.rounds)
        self.action_space = Box(np.zeros(7, np.float32), np.array(HIGHEST, np.float32))
        picture = picture_space(checked.pixels or PICTURE_SIZE)
        low, high = panda.SPEC.chain.limits.T.astype(np.float32)
        self.observation_space = Dict(
            {
                **dict.fromkeys(FrankaTable.views, picture),
                "joints": Box(low - np.float32(0.1), high + np.float32(0.1)),  # contacts push a joint past its limit
                "gripper": Box(0.0, panda.SPEC.gripper_max + 0.01, (1,), np.float32),
                "feedback": Discrete(len(CODES)),
            }
        )

    def step(self, action: NDArray[np.float32]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Move the tool to a pose, then open or close the gripper. Raises BadInput unless given 7 finite numbers."""
        numbers = [int(number) for number in np.rint(numbers_of(action, len(HIGHEST)))]
        return self._outcome(self.session.call("Move", str(numbers)), ended=False)

    def success(self) -> bool:
        return bool(self.session.world_state().success)

    def instruction(self) -> str:
        return self.session.world_state().instruction

    def _observation(self) -> dict[str, Any]:
        observation = self.session.observe()
        joints = np.array([observation.body.joints[name] for name in panda.SPEC.chain.names], np.float32)
        gripper = np.array([max(observation.body.gripper, 0.0)], np.float32)
        pictures = {name: frame.rgb.copy() for name, frame in observation.frames.items()}
        return {**pictures, "joints": joints, "gripper": gripper, "feedback": np.int64(self._code())}
