"""An environment of Homie with the names that LeRobot knows: `pixels`, `agent_pos`, `info["is_success"]`, `task`.

table   pixels front, wrist; agent_pos (8,): joints (rad), gripper (m); action (7,): `homie/Table-v0`, a pose of
        the tool
home    pixels head, front; agent_pos (14,): x, y (m), yaw, joints torso to head, gripper; action (13,):
        `homie/HomeControl-v0`, targets of all joints

Numbers of an action beyond its space end at the border.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from homie.gym.control import HomeControlEnv
from homie.gym.table import TableEnv
from homie.kernel.errors import BadInput, suggestion

GYM_ID = "lerobot_env_homie/Homie-v0"
CAMERAS = {"table": ("front", "wrist"), "home": ("head", "front")}
FELT = {"table": ("joints", "gripper"), "home": ("base", "joints", "gripper")}
"""What `agent_pos` is made of, in this order."""


class HomieEnv(gymnasium.Env[dict[str, Any], np.ndarray]):
    """See the module's docstring. The scene is opened at the first reset, in the process that steps it."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 (Gymnasium has it so)

    def __init__(
        self,
        *,
        task: str = "table",
        family: str = "pick",
        picture_size: int = 256,
        episode_length: int = 0,
        render_mode: str | None = "rgb_array",
        **options: Any,
    ) -> None:
        """
        Args:
            task: `table` or `home`.
            family: Of the table's tasks: `pick`, `stack`, `sort`, `wipe`.
            picture_size: Pixels of a side.
            episode_length: Steps until an episode is truncated; 0 for 20 on the table and 300 in a home.
            options: Of the environment in Homie (docs/gymnasium.md), such as `rooms`.

        Raises:
            BadInput: There is no such task, or a value is not possible.
        """
        if task not in CAMERAS:
            raise BadInput(f"There is no task '{task}': {suggestion(task, CAMERAS, 'choose table or home.')}")
        steps = episode_length or (20 if task == "table" else 300)
        size = f"{picture_size}x{picture_size}"
        self.task, self.render_mode = task, render_mode
        self._max_episode_steps = steps
        self._env: TableEnv | HomeControlEnv = (
            TableEnv(family=family, render_mode=render_mode, picture_size=size, rounds=steps, **options)
            if task == "table"
            else HomeControlEnv(
                cameras=CAMERAS[task], render_mode=render_mode, picture_size=size, steps=steps, **options
            )
        )
        inner = self._env.observation_space
        self.action_space = self._env.action_space
        count = sum(int(np.prod(inner[name].shape or ())) for name in FELT[task])
        self.observation_space = Dict(
            {
                "pixels": Dict({name: inner[name] for name in CAMERAS[task]}),
                "agent_pos": Box(-np.inf, np.inf, (count,), np.float32),
            }
        )
        self.task_description = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode in the scene of a seed; without one the next is drawn."""
        super().reset(seed=seed)
        seen, info = self._env.reset(seed=seed)
        self.task_description = self._env.instruction()
        return self._observation(seen), {**info, "is_success": bool(info["success"])}

    def step(self, action: np.ndarray) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """One step. Raises BadInput for what is not as many finite numbers."""
        low, high = self.action_space.low, self.action_space.high
        seen, reward, terminated, truncated, info = self._env.step(np.clip(action, low, high))
        return self._observation(seen), reward, terminated, truncated, {**info, "is_success": bool(info["success"])}

    def render(self) -> Any:
        return self._env.render()

    def close(self) -> None:
        self._env.close()

    def _observation(self, seen: dict[str, Any]) -> dict[str, Any]:
        felt = np.concatenate([seen[name] for name in FELT[self.task]]).astype(np.float32)
        return {"pixels": {name: seen[name] for name in CAMERAS[self.task]}, "agent_pos": felt}


def make_env(n_envs: int = 1, use_async_envs: bool = False, cfg: Any = None) -> dict[str, dict[int, VectorEnv]]:
    """As EnvHub calls it: `{suite: {0: vector of n_envs}}`.

    Args:
        n_envs: How many side by side.
        use_async_envs: In processes of their own.
        cfg: A `HomieEnvConfig`; None for the table.

    Raises:
        BadInput: A value that is not possible.
    """
    options = {} if cfg is None else dict(cfg.gym_kwargs)
    makers, same = [partial(HomieEnv, **options)] * n_envs, AutoresetMode.SAME_STEP
    vector: VectorEnv = (
        AsyncVectorEnv(makers, autoreset_mode=same, context="spawn")  # OpenGL does not survive a fork
        if use_async_envs
        else SyncVectorEnv(makers, autoreset_mode=same)
    )
    return {"homie": {0: vector}}


if GYM_ID not in gymnasium.registry:
    # Without wrappers: LeRobot reads `task_description` off the environment itself.
    gymnasium.register(id=GYM_ID, entry_point=HomieEnv, order_enforce=False, disable_env_checker=True)
