"""Schema of a scripted scenario in YAML: a scene, subtasks, and the expected outcome."""

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
"""Name of the room if the scene is written in the scenario and has only one."""


class Step(BaseModel):
    """One subtask.

    Attributes:
        code: Expected error code of the feedback, None for success.
        names: Text that the feedback must contain.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    do: Annotated[tuple[str, ...], Field(min_length=2, max_length=3)]
    code: ErrorCode | None = None
    names: str = ""


class Scenario(BaseModel):
    """Scene, subtasks and expected final state.

    Attributes:
        seed: Seed of a generated house; else `room` (width and depth, m), `furniture`, `objects` and `robot` define
            the scene, as in a scene spec.
        doorways, rooms: For a scene with several rooms.
        turned: Initial rotation (degrees) of objects about a horizontal axis.
        steps: Subtasks; `bring: [thing, place]` expands to Go to, Pick, Go to and Put.
        at: Expected final places of objects.
        shut, open: Furniture expected to be closed or open at the end.
        free: Whether the hand must be empty at the end.
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
        """Build the house. Raises BadInput or ValidationError for an impossible one."""
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
        """Yield the steps, with `bring` expanded."""
        for step in self.steps:
            if isinstance(step, dict) and "bring" in step:
                item, place = step["bring"]
                for words in (("Go to", item), ("Pick", item), ("Go to", place), ("Put", item, place)):
                    yield Step(do=words)
            else:
                yield Step.model_validate(step if isinstance(step, dict) else {"do": step})


def read(path: Path) -> Scenario:
    """Read a scenario from a file."""
    return Scenario.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def scenarios() -> dict[str, Path]:
    """Return the files of all scenarios by name, sorted."""
    return {path.stem: path for path in sorted(SCRIPTS.glob("*.yaml"))}
