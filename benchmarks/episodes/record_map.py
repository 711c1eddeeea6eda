"""Record a topological map for NoMaD: drive through a home with the classical Go to and take pictures on the way.

    python -m benchmarks.episodes.record_map maps/seed-3 --seed 3
    homie run "go to the kitchen" --seed 3 --skills nomad:nomad.pth,classical --skill-option nomad.topomap=maps/seed-3

The tour visits every room and every piece of furniture, room by room. Their positions come from world state: the map is
recorded before the robot works, like one recorded by leading it around.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.background_locator import BackgroundLocator
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.types import Goal
from skills.classical.skill_set import Classical
from skills.nomad.topomap import record, save


def tour(scene: SceneSpec, home: MujocoHome) -> list[tuple[str, Goal]]:
    """Return names and goals of the tour, each room followed by its furniture."""
    locator = BackgroundLocator(home)
    locator.reset(seed=scene.seed)
    names = [
        name
        for room in scene.rooms
        for name in (room.name, *(piece.name for piece in scene.furniture if piece.room == room.name))
    ]
    return [(name, locator.goal(name, ACTION_TABLE["Go to"], home.observe())) for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description="Record a topological map of a home.")
    parser.add_argument("out", type=Path, help="folder for the map, new or empty")
    parser.add_argument("--seed", type=int, default=0, help="seed of a generated house")
    parser.add_argument("--scene", type=Path, help="a scene spec (JSON) instead")
    options = parser.parse_args()
    scene = SceneSpec.load(options.scene) if options.scene else generate(options.seed, None, 40)
    with MujocoHome(scene) as home:
        skills = Classical().skills(home.spec, home.kinematics)
        goto = next(skill for skill in skills if "Go to" in skill.actions)
        chart = record(home, goto, tour(scene, home), loop=True)
    save(chart, options.out)
    form = "a loop" if chart.loop else "a line"
    print(f"{len(chart.nodes)} nodes, {form}, {len(chart.names)} named places: {options.out}")


if __name__ == "__main__":
    main()
