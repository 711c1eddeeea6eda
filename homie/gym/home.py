"""`homie/Home-v0`: a Fetch in a generated house; an action is one subtask, carried out by Homie's skills.

action          MultiDiscrete (3,): action, target, destination; 0 is no target. `encode("Put", "apple", "table")`
observation     front, left, back, right: pictures; inventory: the word held (0: nothing); feedback: see `CODES`
reward          1 when what the task asks for is so, which ends the episode; else 0
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from gymnasium.spaces import Dict, Discrete, MultiDiscrete
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.catalog_furniture import FURNITURE
from homie.envs.mujoco.blueprints.catalog_objects import OBJECTS
from homie.envs.mujoco.generate.rooms import RoomKind
from homie.envs.mujoco.home.home import PICTURE_SIZE
from homie.gym.base import CODES, SessionEnv, picture_space
from homie.gym.tasks import HouseTask, check_fits, of_goal, of_house, of_suite
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.setup.options import OpenOptions
from homie.kernel.setup.scenes import scene_options
from homie.kernel.types import END, VIEWS
from homie.kernel.vocabulary.actions import listed_actions
from homie.runtime.assembly import choose
from homie.runtime.objects import split

WORDS = ("", *(name.replace("_", " ") for name in sorted({*OBJECTS, *FURNITURE, *get_args(RoomKind)})))
"""What targets and destinations may be, by number: kinds of things, furniture and rooms. The nearest is meant."""


class HomeEnv(SessionEnv[NDArray[np.int64]]):
    """See the module's docstring. Of `options` all that `homie.open` takes but robot and seed."""

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
        """suite, task: a task of a suite by its id, in its own house. goal, instruction: as a suite file has them, in
        the house of any seed. None of them: a task made from house and seed. Raises BadInput."""
        if bool(suite) != bool(task) or (suite and goal is not None):
            raise BadInput("Give suite and task, or goal and instruction, or none of them.")
        self._task: HouseTask | None = of_suite(suite, task) if suite else None
        if goal is not None:
            self._task = of_goal(goal, instruction)
        if self._task is not None and self._task.scene is not None:
            options = {**options, **scene_options("mujoco", self._task.scene.settings)}
            if self._task.scene.spec is not None:
                options["scene"] = self._task.scene.spec
        named, objects = split(options)
        checked = OpenOptions.build(**named)
        shelf = choose(checked, objects).shelf
        self.actions = listed_actions((), [action for skill_set in shelf.sets.values() for action in skill_set.actions])
        shelf.close()
        super().__init__(render_mode, options, checked.rounds)
        self._now: HouseTask | None = None
        size = len(WORDS)
        self.action_space = MultiDiscrete([len(self.actions), size, size])
        picture = picture_space(checked.pixels or PICTURE_SIZE)
        self.observation_space = Dict(
            {**dict.fromkeys(VIEWS, picture), "inventory": Discrete(size), "feedback": Discrete(len(CODES))}
        )

    def encode(self, action: str, target: str = "", destination: str = "") -> NDArray[np.int64]:
        """A subtask as an action of the space. Raises BadInput for a word that is in no list."""
        numbers = []
        for word, known in ((action, self.actions), (target, WORDS), (destination, WORDS)):
            if word not in known:
                raise BadInput(f"'{word}' is in no list of the environment: {suggestion(word, known, 'see WORDS.')}")
            numbers.append(known.index(word))
        return np.array(numbers, dtype=np.int64)

    def step(self, action: NDArray[np.int64]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carry out one subtask; End gives up."""
        number, target, destination = (int(index) for index in action)
        if self.actions[number] == END.action:
            return self._outcome(None, ended=True)
        done = self.session.call(self.actions[number], WORDS[target], WORDS[destination])
        return self._outcome(done, ended=False)

    def success(self) -> bool:
        return self._current.goal.holds(self.session.world_state())

    def instruction(self) -> str:
        return self._current.text

    @property
    def _current(self) -> HouseTask:
        assert self._now is not None, "reset has set it"
        return self._now

    def _begin(self, seed: int) -> None:
        fixed = self._task.scene if self._task is not None else None
        super()._begin(seed if fixed is None or fixed.spec is not None else fixed.seed)
        scene = self.session.robot.scene.model_dump(mode="json")  # type: ignore[attr-defined]
        self._now = self._task or of_house(scene, seed)
        check_fits(self._now, self.session.world_state())

    def _observation(self) -> dict[str, Any]:
        held = self.session.inventory[-1] if self.session.inventory else ""
        inventory = WORDS.index(held) if held in WORDS else 0
        return {**self.session.views(), "inventory": np.int64(inventory), "feedback": np.int64(self._code())}
