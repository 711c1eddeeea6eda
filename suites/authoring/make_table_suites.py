"""Write the suites of the Panda's table, `table-pick`, `table-stack`, `table-sort` and `table-wipe`: 100 tasks each.

    python suites/authoring/make_table_suites.py

A task is a seed of its family: instruction and goal are those of its table, the goal in the language of all suites.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from homie.bench.suite.suite import Suite
from homie.envs.mujoco.table.sampled_tables import generate
from homie.envs.mujoco.table.table_scene import FAMILIES, Family
from homie.kernel.world.conditions import serialize_condition

FOLDER = Path(__file__).parents[2] / "homie" / "bench" / "suite"
SEEDS = range(100)
ROUNDS = 15
"""Decisions of a planner, each of any number of Moves."""
ABOUT = {
    "pick": "One of several shapes into one of two containers",
    "stack": "Two or three shapes on top of each other, in an order",
    "sort": "A shape through its own hole of a shape sorter",
    "wipe": "A sponge over one of several areas, the others spared",
}
HEAD = """\
# {about}: tasks of the Panda's table, by seed. Made by
# suites/authoring/make_table_suites.py; docs/robots.md explains them.
"""


def suite(family: Family) -> dict[str, Any]:
    """Return the suite of a family in the format of its file."""
    return {
        "format": 1,
        "name": f"table-{family}",
        "description": f"{ABOUT[family]}, on the table of a Franka Panda.",
        "robot": "franka",
        "protocol": {"rounds": ROUNDS, "trials": 1},
        "tasks": [task(family, seed) for seed in SEEDS],
    }


def task(family: Family, seed: int) -> dict[str, Any]:
    """Return the task of a seed."""
    scene = generate(family, seed)
    conditions = [serialize_condition(condition) for condition in scene.conditions]
    return {
        "id": f"{family}-{scene.subset}-{seed}",
        "text": scene.instruction,
        "scene": {"family": family, "seed": seed},
        "goal": conditions[0] if len(conditions) == 1 else {"all": conditions},
    }


def main() -> None:
    for family in FAMILIES:
        content = suite(family)
        Suite.model_validate(content)
        text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=120)
        (FOLDER / f"table-{family}.yaml").write_text(HEAD.format(about=ABOUT[family]) + text, encoding="utf-8")


if __name__ == "__main__":
    main()
