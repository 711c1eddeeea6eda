"""A scripted scenario as a YAML file: a scene, subtasks, and what is to come of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.types import ErrorCode

SCRIPTS = Path(__file__).with_name("scenario_scripts")
ROOM = "kitchen"
"""The only room of a scene that is written in a scenario."""


class Step(BaseModel):
    """One subtask.

    Attributes:
        code: The error that a robot in its senses answers with.
        names: What its sentence has to name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    do: Annotated[tuple[str, ...], Field(min_length=2, max_length=3)]
    code: ErrorCode | None = None
    names: str = ""


class Scenario(BaseModel):
    """What is played, and how the world is in the end.

    Attributes:
        seed: Of a generated house; else `room` (width and depth, m), `furniture`, `objects` and `robot` make one, as in
            a scene spec.
        doorways, rooms: Of a scene with several rooms.
        turned: Objects that lie turned at the start, by degrees about a level axis.
        steps: Subtasks; `bring: [thing, place]` stands for going, picking, going and putting.
        at: Where things are in the end.
        shut, open: Doors and drawers.
        free: Whether the hand is.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    title: str
    seed: int | None = None
    opened: tuple[str, ...] = ()
    room: tuple[float, float] = (5.4, 4.6)
    rooms: tuple[dict[str, Any], ...] = ()
    doorways: tuple[dict[str, Any], ...] = ()
    furniture: tuple[dict[str, Any], ...] = ()
    objects: tuple[dict[str, Any], ...] = ()
    robot: tuple[float, float, float] = (2.2, 1.6, 0.0)
    turned: dict[str, float] = {}
    steps: tuple[Any, ...]
    at: dict[str, str] = {}
    shut: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    free: bool = True

    def scene(self) -> SceneSpec:
        """The house. Raises BadInput or ValidationError for one that cannot be."""
        if self.seed is not None:
            return generate(self.seed, variation=Variation(opened=list(self.opened)))
        room = {"name": ROOM, "kind": "kitchen", "x0": 0, "y0": 0, "x1": self.room[0], "y1": self.room[1]}
        floor = {"receptacle": ROOM, "surface": "floor"}
        return SceneSpec.model_validate(
            {
                "rooms": self.rooms or [room],
                "doorways": self.doorways,
                "furniture": [{"room": ROOM, "colour": "white", **piece} for piece in self.furniture],
                "objects": [{**({} if "receptacle" in item else floor), **item} for item in self.objects],
                "robot": dict(zip(("x", "y", "yaw"), self.robot, strict=True)),
            }
        )

    def subtasks(self) -> Iterator[Step]:
        """The steps in full."""
        for step in self.steps:
            if isinstance(step, dict) and "bring" in step:
                item, place = step["bring"]
                for words in (("Go to", item), ("Pick", item), ("Go to", place), ("Put", item, place)):
                    yield Step(do=words)
            else:
                yield Step.model_validate(step if isinstance(step, dict) else {"do": step})


def read(path: Path) -> Scenario:
    """A scenario from its file."""
    return Scenario.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def scenarios() -> dict[str, Path]:
    """The files of all scenarios by name, in order."""
    return {path.stem: path for path in sorted(SCRIPTS.glob("*.yaml"))}
