"""What a kind of movable object is: its shape and mass, its colours, its names, and where it is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from homie.envs.mujoco.blueprints.materials import RGB
from homie.envs.mujoco.blueprints.parts import ObjectPlan
from homie.kernel.world.furniture import Kept


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """One kind of object. `kept` says where a generated house may have it (`FurnitureUse.keeps`).

    Positional, because its tables are read by columns: name, shape and mass, colours, aliases, kept as.
    """

    name: str
    plan: Callable[[RGB], ObjectPlan]
    colours: tuple[str, ...]
    aliases: tuple[str, ...]
    kept: tuple[Kept, ...]
