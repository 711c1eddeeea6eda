"""The pictures of docs/robots.md: `python benchmarks/pictures/franka.py`.

For each family one task: what a planner is shown (numbers and axes), the expert in the middle of it, the end.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image as Picture

from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import FreeCamera
from homie.envs.mujoco.table.expert import plan
from homie.envs.mujoco.table.families import generate
from homie.envs.mujoco.table.robot import FrankaTable
from homie.kernel import registry
from homie.kernel.executor import Executor, SkillTable
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.senses import Senses
from homie.kernel.types import CommandSent, Decision, Event, Image, Subtask
from perception.boxes import mark

FOLDER = Path(__file__).parents[2] / "docs" / "images"
TASKS = {"pick": (3, 0.62), "stack": (5, 0.62), "sort": (3, 0.62), "wipe": (0, 0.72)}
"""Seed, and the share of the episode's control periods after which the second picture is taken."""
SIZE = 500


class Camera(EpisodeListener):
    """Takes a picture after a number of control periods."""

    def __init__(self, robot: FrankaTable, at: int) -> None:
        self._robot = robot
        self._left = at
        self.count = 0
        self.picture: Image | None = None

    def on(self, event: Event) -> None:
        if isinstance(event, CommandSent):
            self.count += 1
            if self.count == self._left:
                self.picture = beside(self._robot)


def beside(robot: FrankaTable) -> Image:
    """Robot and table from near by, with smooth edges."""
    camera = FreeCamera(lookat=(0.12, 0.0, 0.86), distance=1.15, azimuth=2.5, elevation=-0.5)
    with make_renderer(robot.model, SIZE, SIZE, samples=4) as renderer:
        return renderer.rgb(robot.data, camera)


def play(family: str, seed: int, at: int) -> tuple[list[Image], int]:
    """The three pictures of an episode, the second after `at` control periods, and how many there were in all."""
    scene = generate(family, seed)  # type: ignore[arg-type]
    with FrankaTable(scene) as robot:
        locator = robot.background()
        detector = registry.load("detectors", "simulated")("")
        seen = robot.observe(robot.views)
        detections = detector.detect(seen)
        locator.update(seen, detections)
        listed = [detection for detection in locator.arranged(detections) if detection.view == "front"]
        shown = mark({"front": seen.frames["front"].rgb}, listed).pictures["front"]
        print(f"{family} {seed}: {scene.instruction}", *locator.listing(), sep="\n  ")
        skill = registry.load("skills", "arm")("").skills(robot.spec, robot.kinematics)[0]
        checks, execution = registry.load("checks", "paper"), registry.load("execution", "emmoe")
        table = SkillTable({"arm": {"Move": skill}})
        executor = Executor(
            Senses(robot, detector, locator),
            table,
            checks,
            execution,
            attempts=1,
            actions=table.actions(robot),
        )
        camera = Camera(robot, at)
        for action in plan(scene):
            print("  ", action)
            subtask = Subtask("Move", str(action))
            executor.execute(Decision((subtask,)), subtask, (), robot.observe(), camera)
        print("  success:", robot.world.success)
        middle = camera.picture if camera.picture is not None else beside(robot)
        return [shown, middle, beside(robot)], camera.count


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the pictures (default: %(default)s)")
    out = parser.parse_args().out
    for family, (seed, share) in TASKS.items():
        _, count = play(family, seed, 0)
        pictures, _ = play(family, seed, round(share * count))
        Picture.fromarray(np.concatenate(pictures, axis=1)).save(out / f"franka-{family}.png", optimize=True)


if __name__ == "__main__":
    main()
