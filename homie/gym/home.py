"""`homie/Home-v0`: a Fetch in a generated house; an action is one subtask, executed by Homie's skills.

action          MultiDiscrete (3,): action, target, destination; 0: no target. `encode("Put", "apple", "table")`
observation     front, left, back, right: images; inventory: index of the held word (0: none); feedback: see `CODES`
reward          1 when the task succeeds, which terminates the episode; else 0
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from gymnasium.spaces import Dict, Discrete, MultiDiscrete
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS
from homie.envs.mujoco.generate.rooms import RoomKind
from homie.envs.mujoco.home.home import PICTURE_SIZE
from homie.gym.house_tasks import HouseEnv
from homie.gym.reset_and_step import CODES, indices_of, picture_space
from homie.kernel.actions import listed_actions
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.types import END, VIEWS
from homie.runtime.assembly import choose

WORDS = ("", *(name.replace("_", " ") for name in sorted({*OBJECTS, *FURNITURE, *get_args(RoomKind)})))
"""Targets and destinations by index: kinds of objects, furniture and rooms; each denotes the nearest instance."""


class HomeEnv(HouseEnv[NDArray[np.int64]]):
    """See the module's docstring. `options` are those of `homie.open` except robot and seed."""

    def __init__(
        self,
        *,
        suite: str = "",
        task: str = "",
        goal: object = None,
        instruction: str = "",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Create the environment of a task. With neither a suite nor a goal, the task is sampled from house and seed.

        Args:
            suite, task: A task of a suite by its id, in its own house.
            goal, instruction: Goal as in a suite file, and its instruction, in the house of any seed.

        Raises:
            BadInput: A name, an option or a value is invalid.
        """
        super().__init__(
            suite=suite, task=task, goal=goal, instruction=instruction, render_mode=render_mode, options=options
        )
        loaded = choose(self._open_options, self._objects).loaded_skills
        self.actions = listed_actions(
            (), [action for skill_set in loaded.sets.values() for action in skill_set.actions]
        )
        loaded.close()
        size = len(WORDS)
        self._sizes = [len(self.actions), size, size]
        self.action_space = MultiDiscrete(self._sizes)
        picture = picture_space(self._open_options.pixels or PICTURE_SIZE)
        self.observation_space = Dict(
            {**dict.fromkeys(VIEWS, picture), "inventory": Discrete(size), "feedback": Discrete(len(CODES))}
        )

    def encode(self, action: str, target: str = "", destination: str = "") -> NDArray[np.int64]:
        """Encode a subtask as an action. Raises BadInput for an unknown word."""
        numbers = []
        for word, known in ((action, self.actions), (target, WORDS), (destination, WORDS)):
            if word not in known:
                raise BadInput(f"'{word}' is in no list of the environment: {suggestion(word, known, 'see WORDS.')}")
            numbers.append(known.index(word))
        return np.array(numbers, dtype=np.int64)

    def step(self, action: NDArray[np.int64]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Execute one subtask; End terminates the episode. Raises BadInput for an action outside the space."""
        number, target, destination = indices_of(action, self._sizes)
        if self.actions[number] == END.action:
            return self._outcome(None, ended=True)
        execution = self.session.call(self.actions[number], WORDS[target], WORDS[destination])
        return self._outcome(execution, ended=False)

    def _observation(self) -> dict[str, Any]:
        held = self.session.inventory[-1] if self.session.inventory else ""
        inventory = WORDS.index(held) if held in WORDS else 0
        return {**self.session.views(), "inventory": np.int64(inventory), "feedback": np.int64(self._code())}
