"""The generated houses that the tasks are chosen from."""

from __future__ import annotations

from collections.abc import Sequence

from homie.bench.authoring import House
from homie.envs.mujoco.blueprints.parts import SurfacePlan
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.surfaces import surfaces_of
from homie.envs.mujoco.initial_state import initial_state


class GeneratedHouse(House):
    """A generated house, which also knows the largest surface of every piece of furniture (`areas`, m2)."""

    def __init__(self, scene: SceneSpec) -> None:
        super().__init__(initial_state(scene))
        self.areas = {piece.name: _largest(surfaces_of(scene, piece)) for piece in scene.furniture}


def _largest(surfaces: Sequence[SurfacePlan]) -> float:
    return max((4 * plan.half_x * plan.half_y for plan in surfaces), default=0.0)
