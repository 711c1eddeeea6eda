"""A table as data: what stands on it, the instruction, and what has to be so in the end. `scene.json` of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from homie.envs.mujoco.blueprints.palette import COLOURS
from homie.envs.mujoco.table.outlines import SHAPES
from homie.kernel.errors import BadInput

Family: TypeAlias = Literal["pick", "stack", "sort", "wipe"]
FAMILIES: tuple[Family, ...] = ("pick", "stack", "sort", "wipe")

Subset: TypeAlias = Literal["base", "visual", "spatial"]
"""What tells the things of an instruction apart from others on the table: their kinds do, looks, places. EmbodiedBench
has subsets of these names; its common sense, complex instructions and long horizons are not among Homie's tasks."""

KINDS = (*SHAPES, "container", "shape sorter", "sponge", "area")
TABLE_TOP = 0.75
"""Height of the table (m)."""
FOOT = (-0.3, 0.0, TABLE_TOP)
"""Where the robot stands (m)."""


_PLACES = {"in": ("container",), "sorted": ("shape sorter",), "on": SHAPES}


class Thing(BaseModel):
    """Something on the table. x, y: its middle (m), in the frame of the room; yaw: rad about z.

    kind: a shape of `outlines.SHAPES`, or container, shape sorter, sponge, area. holes: of a sorter, the shapes of its
    holes in the order of `things.hole_places`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")
    kind: str
    colour: str
    x: float = Field(ge=-0.4, le=0.6, allow_inf_nan=False)
    y: float = Field(ge=-0.5, le=0.5, allow_inf_nan=False)
    yaw: float = Field(default=0.0, allow_inf_nan=False)
    holes: tuple[str, ...] = Field(default=(), max_length=4)

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.name == "table":
            raise ValueError("a thing cannot be called table")
        said = [("kind", self.kind, KINDS), ("colour", self.colour, COLOURS)]
        for what, word, known in (*said, *(("shape", hole, SHAPES) for hole in self.holes)):
            if word not in known:
                raise ValueError(f"there is no {what} '{word}' (there are: {', '.join(known)})")
        return self

    @property
    def words(self) -> str:
        """What a person would call it."""
        return self.name.replace("_", " ")


class Condition(BaseModel):
    """What has to be so: a thing is in a container, on another thing, sorted (in its hole of a sorter); an area is
    wiped, the others are not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relation: Literal["in", "on", "sorted", "wiped"]
    thing: str
    place: str = ""


class TableScene(BaseModel):
    """A task on a table. Its things do not touch each other, and the robot reaches all of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    family: Family
    seed: int
    subset: Subset = "base"
    instruction: str
    things: tuple[Thing, ...]
    conditions: tuple[Condition, ...]

    @model_validator(mode="after")
    def _sound(self) -> Self:
        kinds = {thing.name: thing.kind for thing in self.things}
        if len(kinds) < len(self.things):
            raise ValueError("two things have the same name")
        for condition in self.conditions:
            kind = kinds.get(condition.thing, "")
            if condition.relation == "wiped":
                sound = kind == "area" and "sponge" in kinds.values()
            else:
                sound = kind in SHAPES and kinds.get(condition.place, "") in _PLACES[condition.relation]
            if condition.relation == "sorted" and sound:
                sound = kind in self.thing(condition.place).holes
            if not sound:
                raise ValueError(f"nothing on the table fits the condition '{condition.relation}' of {condition.thing}")
        return self

    @classmethod
    def load(cls, path: Path) -> TableScene:
        """From a file. Raises BadInput."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise BadInput(f"Cannot read the table scene {path}: {error.strerror}.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "file"
            raise BadInput(f"{path} is no table scene: {where}: {first['msg']}.") from error

    def thing(self, name: str) -> Thing:
        """A thing by its name."""
        return next(one for one in self.things if one.name == name)
