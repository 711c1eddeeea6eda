"""Schema of a table scene: objects, instruction, and success conditions. `scene.json` of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_serializer, model_validator

from homie.envs.mujoco.blueprints.materials import COLOURS
from homie.envs.mujoco.table.outlines import SHAPES
from homie.kernel.errors import suggestion
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.text_pattern import pattern_validator
from homie.kernel.world.condition_words import ANYTHING, NOTHING, means
from homie.kernel.world.conditions import Condition, serialize_condition
from homie.kernel.world.predicates import In, Is, IsNot, Sorted, Stacked

Family: TypeAlias = Literal["pick", "stack", "sort", "wipe"]
FAMILIES: tuple[Family, ...] = ("pick", "stack", "sort", "wipe")

Subset: TypeAlias = Literal["base", "visual", "spatial"]
"""How an instruction distinguishes its objects from others on the table: by kind, looks or place. EmbodiedBench has
subsets of these names; the suite homie-eb-table phrases tables in all five of its ways."""

KINDS = (*SHAPES, "container", "shape sorter", "sponge", "area")
TABLE_TOP = 0.75
"""Height of the table (m)."""
FOOT = (-0.3, 0.0, TABLE_TOP)
"""Position of the robot's foot (m)."""
SURROUNDINGS = ("table", "floor")
"""Supports of objects that are on no other object."""


class Thing(PlainNumbers, BaseModel):
    """An object on the table.

    Attributes:
        x, y: Its middle (m), in the room frame.
        yaw: Rotation about z, rad.
        kind: A shape of `outlines.SHAPES`, or container, shape sorter, sponge, area.
        holes: Shapes of a sorter's holes, in the order of `things.hole_places`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[
        str,
        pattern_validator("[a-z0-9]+(_[a-z0-9]+)*", "be words of lower case letters and digits with _ between"),
    ]
    kind: str
    colour: str
    x: float = Field(ge=-0.4, le=0.6, allow_inf_nan=False)
    y: float = Field(ge=-0.5, le=0.5, allow_inf_nan=False)
    yaw: float = Field(default=0.0, allow_inf_nan=False)
    holes: tuple[str, ...] = Field(default=(), max_length=4)

    @model_validator(mode="after")
    def _check_words(self) -> Self:
        if self.name in SURROUNDINGS:
            raise ValueError(f"a thing cannot be called {self.name}")
        fields = [("kind", self.kind, KINDS), ("colour", self.colour, COLOURS)]
        for field, word, known in (*fields, *(("shape", hole, SHAPES) for hole in self.holes)):
            if word not in known:
                hint = suggestion(word, known, f"there are {', '.join(known)}")
                raise ValueError(f"there is no {field} '{word}' ({hint})")
        return self

    @property
    def words(self) -> str:
        """Its name in words."""
        return self.name.replace("_", " ")


class TableScene(PlainNumbers, BaseModel):
    """A task on a table. Its objects do not touch each other, and the robot reaches all of them.

    Attributes:
        conditions: Success conditions, all of which must hold at the end, in the language of suites (docs/suites.md).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[2] = 2
    family: Family
    seed: int
    subset: Subset = "base"
    instruction: str
    things: tuple[Thing, ...]
    conditions: tuple[Condition, ...]

    @model_validator(mode="after")
    def _check_conditions(self) -> Self:
        kinds = {item.name: item.kind for item in self.things}
        if len(kinds) < len(self.things):
            raise ValueError("two things have the same name")
        for condition in self.conditions:
            if not self._is_possible(condition):
                raise ValueError(f"nothing on the table fits the condition {serialize_condition(condition)}")
        return self

    @field_serializer("conditions")
    def _dump_conditions(self, conditions: tuple[Condition, ...]) -> list[dict[str, Any]]:
        return [serialize_condition(condition) for condition in conditions]

    def _is_possible(self, condition: Condition) -> bool:
        """Whether the table has objects for a condition; conditions of no family are checked by their words."""
        match condition:
            case In(pair=(str() as name, place)):
                return self._kind(name) in SHAPES and self._kind(place) == "container"
            case Sorted(pair=(str() as name, place)):
                sorter = next((item for item in self.things if item.name == place), None)
                return sorter is not None and self._kind(name) in SHAPES and self._kind(name) in sorter.holes
            case Stacked(stacked=names):
                return all(isinstance(name, str) and self._kind(name) in SHAPES for name in names)
            case Is(in_state=(str() as name, "wiped")) | IsNot(not_in_state=(str() as name, "wiped")):
                return self._kind(name) == "area" and any(item.kind == "sponge" for item in self.things)
        entities = [*((item.name, item.kind) for item in self.things), *((point, point) for point in SURROUNDINGS)]
        return all(
            words in (ANYTHING, NOTHING) or any(means(words, *entity) for entity in entities)
            for words in condition.words()
        )

    def _kind(self, name: str) -> str:
        return next((item.kind for item in self.things if item.name == name), "")

    @classmethod
    def load(cls, path: Path) -> TableScene:
        """Load a scene from a file. Raises BadInput."""
        advice = "A table scene is JSON (docs/robots.md); `homie scene --robot franka:pick --save FILE` writes one."
        with reading(path, "the table scene", advice=advice):
            return cls.model_validate(load_json(path))

    def thing(self, name: str) -> Thing:
        """Return an object by name."""
        return next(item for item in self.things if item.name == name)
