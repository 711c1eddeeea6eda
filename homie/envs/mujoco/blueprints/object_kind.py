"""The definition of a kind of movable object: shape and mass, colours, names, and the furniture where it is kept."""

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
        kept: Categories of furniture on which a generated house may place it (`FurnitureUse.keeps`).
        material: Material of most of its outside, a key of `MATERIALS`; "" for YCB kinds, whose friction is `TESTED`.
    """

    name: str
    plan: Callable[[RGB], ObjectPlan]
    colours: tuple[str, ...]
    aliases: tuple[str, ...]
    kept: tuple[Kept, ...]
    material: str = ""

    @property
    def friction(self) -> float:
        """Sliding friction on furniture and floors. In a grasp the friction of the finger pads counts."""
        return MATERIALS[self.material].friction if self.material else TESTED
