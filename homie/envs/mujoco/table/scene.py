"""A table as data: what stands on it, the instruction, and what has to be so in the end. `scene.json` of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from homie.errors import BadInput

Family: TypeAlias = Literal["pick", "stack", "sort", "wipe"]
FAMILIES: tuple[Family, ...] = ("pick", "stack", "sort", "wipe")

TABLE_TOP = 0.75
"""Height of the table (m)."""
FOOT = (-0.3, 0.0, TABLE_TOP)
"""Where the robot stands (m)."""


class Thing(BaseModel):
    """Something on the table. x, y: its middle (m), in the frame of the room; yaw: rad about z.

    kind: a shape of `outlines.SHAPES`, or container, shape sorter, sponge, area. holes: of a sorter, the shapes of its
    holes in the order of `things.hole_places`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    kind: str
    colour: str
    x: float
    y: float
    yaw: float = 0.0
    holes: tuple[str, ...] = ()

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
    instruction: str
    things: tuple[Thing, ...]
    conditions: tuple[Condition, ...]

    @classmethod
    def load(cls, path: Path) -> TableScene:
        """From a file. Raises BadInput."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise BadInput(f"Can not read the table scene {path}: {error.strerror}.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "file"
            raise BadInput(f"{path} is no table scene: {where}: {first['msg']}.") from error

    def thing(self, name: str) -> Thing:
        """A thing by its name."""
        return next(one for one in self.things if one.name == name)
