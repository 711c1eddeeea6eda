"""What a kind of movable object is: its shape and mass, its colours, its names, and where it is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from homie.envs.mujoco.blueprints.materials import MATERIALS, RGB, TESTED
from homie.envs.mujoco.blueprints.parts import ObjectPlan
from homie.kernel.world.furniture import Kept


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """One kind of object.

    Positional, because its tables are read by columns: name, shape and mass, colours, aliases, kept as, material.

    Attributes:
        kept: Where a generated house may have it (`FurnitureUse.keeps`).
        material: What most of its outside is, of `MATERIALS`; "" for the kinds of YCB, which slide as they were tested.
    """

    name: str
    plan: Callable[[RGB], ObjectPlan]
    colours: tuple[str, ...]
    aliases: tuple[str, ...]
    kept: tuple[Kept, ...]
    material: str = ""

    @property
    def friction(self) -> float:
        """How it slides on furniture and floors. Fingers hold by the friction of their own pads."""
        return MATERIALS[self.material].friction if self.material else TESTED
