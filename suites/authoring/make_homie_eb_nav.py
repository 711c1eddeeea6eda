"""Make the suite homie-eb-nav: `python -m suites.authoring.make_homie_eb_nav`.

60 targets are sampled, each in a house of its own, and each is worded in the five ways of EB-Navigation's subsets. A
target is accepted if all references are unambiguous in its house, it is in view at the start and not once the robot is
turned round, and a path of the planner's own actions leads to it within the limit. The experts are played by `python -m
suites.authoring.make_homie_eb_nav --experts FOLDER`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from homie.bench.suite.suite import Suite
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.kernel.errors import BadInput
from suites.authoring.homie_eb.nav_drawing import CAMERA, Grounds, Way
from suites.authoring.homie_eb.nav_ways import AROUND
from suites.authoring.homie_eb.nav_words import texts
from suites.authoring.states_script import UnsuitedHouse
from suites.authoring.suite_writing import play_experts, write_yaml

OUT = Path(__file__).parents[1] / "published" / "homie-eb-nav.yaml"
NUMBER = 60
"""Number of targets; there are five times as many tasks."""
ROOMS, OBJECTS = 3, 16
"""Few objects, so that most are the only one of their kind."""
STEPS = 20
"""Step limit of a planner, as in EB-Navigation."""
WITHIN = 1.0
"""Distance (m) from the base to the middle of the target that counts as arrived, as in EB-Navigation."""
REFUSED: Mapping[int, int] = {}
"""Number of draws of a target, by its number, that were given up because an expert failed."""
HEAD = """\
# homie-eb-nav: 60 targets in the five ways of EB-Navigation's subsets. Made by
# suites/authoring/make_homie_eb_nav.py; docs/published-benchmarks.md explains them.
# Change suites/authoring/homie_eb/ rather than this file.
"""


def target_tasks(number: int) -> list[dict[str, Any]]:
    """Draw the five tasks of a target, by its number from 1. Raises SystemExit where nothing can be drawn."""
    drawn = 0
    for seed in range(number - 1, 100 * NUMBER, NUMBER):
        try:
            scene = generate(seed, ROOMS, OBJECTS, catalogue="household")
        except BadInput:
            continue
        rng = random.Random(f"homie-eb-nav {number} {seed}")
        with closing(Grounds(scene)) as grounds:
            for name in _in_turn(grounds, number, rng):
                tasks = _five(grounds, seed, name, number, rng)
                drawn += bool(tasks)
                if drawn > REFUSED.get(number, 0):
                    return tasks
    raise SystemExit(f"target {number}: no house suits it")


def _in_turn(grounds: Grounds, number: int, rng: random.Random) -> list[str]:
    """Return the possible targets, at random; loose objects before furniture, except for every fourth number."""
    names = grounds.targets()
    rng.shuffle(names)
    return names if number % 4 == 0 else sorted(names, key=lambda name: name in grounds.house.furniture)


def _five(grounds: Grounds, seed: int, name: str, number: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return the tasks of a target, one per subset; none where it is not suited."""
    try:
        instructions = texts(grounds.house, name, rng)
    except UnsuitedHouse:
        return []
    way = grounds.way(name, rng, STEPS - len(AROUND))
    if way is None or not _stands(seed, way):
        return []
    return [
        {
            "id": f"n{number:02}-{subset}",
            "text": text,
            "attributes": [subset],
            "scene": {
                "seed": seed,
                "rooms": ROOMS,
                "objects": OBJECTS,
                "catalogue": "household",
                "start": way.start(180 if subset == "long-horizon" else 0),
            },
            "goal": {"within": [name, WITHIN]},
            "expert": [f"[{step}]" for step in (*(AROUND if subset == "long-horizon" else ()), *way.moves)],
        }
        for subset, text in instructions.items()
    ]


def _stands(seed: int, way: Way) -> bool:
    """Return whether a scene accepts the start: it is no less than 0.3 m from the walls of its room."""
    try:
        generate(seed, ROOMS, OBJECTS, Variation(start=way.start()), "household")
    except BadInput:
        return False
    return True


def write(out: Path, number: int) -> None:
    """Write the suite with its first targets."""
    tasks = []
    for target in range(1, number + 1):
        tasks += target_tasks(target)
        sys.stdout.write(f"{tasks[-1]['id']}: {tasks[-1]['text']} {len(tasks[-1]['expert'])} steps\n")
        sys.stdout.flush()
    suite = {
        "format": 1,
        "name": "homie-eb-nav",
        "description": "60 targets in generated houses, each in the five ways of EB-Navigation's subsets.",
        "skills": "steps",
        "protocol": {
            "rounds": STEPS,
            "trials": 1,
            "feedback": "text",
            "steps": STEPS,
            "actions": "numbered",
            "end": "goal",
            "views": {"front": CAMERA},
        },
        "tasks": tasks,
    }
    Suite.model_validate(suite)
    write_yaml(out, HEAD, suite)


def experts(out: Path) -> None:
    """Play the experts of `base` and `long-horizon`, with tiny pictures; the same command resumes.

    The other subsets have the starts, goals and experts of `base`.
    """
    chosen = "*-base,*-long-horizon"
    play_experts("homie-eb-nav", out, tasks=chosen, retries=0, picture_size="16", shade=False)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Make the suite homie-eb-nav, or play its experts.")
    parser.add_argument("--experts", type=Path, metavar="FOLDER", help="play the experts into this run folder")
    parser.add_argument("--out", type=Path, default=OUT, help="the file to write")
    parser.add_argument("--number", type=int, default=NUMBER, help="how many targets")
    chosen = parser.parse_args()
    if chosen.experts is None:
        write(chosen.out, chosen.number)
    else:
        experts(chosen.experts)


if __name__ == "__main__":
    main()
