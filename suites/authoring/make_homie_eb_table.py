"""Make the suite homie-eb-table: `python -m suites.authoring.make_homie_eb_table`.

Twelve scenes of each family of the Panda's table are sampled, and each is worded in the five ways of EB-Manipulation's
subsets. A scene is accepted if all five wordings are unambiguous and its expert needs no more actions than a planner
has. The experts are played by `python -m suites.authoring.make_homie_eb_table --experts FOLDER`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from homie.bench.suite.suite import Suite
from homie.envs.mujoco.table.expert import plan
from homie.envs.mujoco.table.sampled_tables import generate
from homie.envs.mujoco.table.table_scene import FAMILIES, Family
from homie.kernel.errors import BadInput
from homie.kernel.world.conditions import serialize_condition
from suites.authoring.homie_eb.table_errands import errand
from suites.authoring.homie_eb.table_paraphrases import REFERENCES, at_length, paraphrase
from suites.authoring.homie_eb.table_references import UnsuitedScene
from suites.authoring.suite_writing import maker_command, play_experts, write_yaml

OUT = Path(__file__).parents[1] / "published" / "homie-eb-table.yaml"
PER_FAMILY = 12
"""Scenes per family, as EB-Manipulation has per kind of task in a subset."""
SUBSETS = ("base", "common-sense", "complex-instruction", "spatial", "visual-appearance")
STEPS = 15
"""Step limit of a planner (EB-Manipulation's), End included."""
FAILURES = 10
"""Failed actions and unreadable answers; the last of them ends an episode (EmbodiedBench, appendix C)."""
SEEDS = (1_000, 100_000)
"""Range of the seeds of scenes: the suites `table-*` have the first hundred."""
REFUSED: Mapping[str, int] = {}
"""Number of draws of a scene, by its name (`pick-01`), that were given up because its expert failed."""
HEAD = """\
# homie-eb-table: 48 scenes of the Panda's table in the five ways of EB-Manipulation's subsets. Made by
# suites/authoring/make_homie_eb_table.py; docs/published-benchmarks.md explains them.
# Change suites/authoring/homie_eb/ rather than this file.
"""


def scene_tasks(family: Family, number: int) -> list[dict[str, Any]]:
    """Draw the five tasks of a scene, by its number from 1 in its family."""
    name = f"{family}-{number:02}"
    rng = random.Random(f"homie-eb-table {name}")
    suited = 0
    while True:
        try:
            tasks = list(_five(family, rng.randrange(*SEEDS), name, rng))
        except UnsuitedScene:
            continue
        suited += 1
        if suited > REFUSED.get(name, 0):
            return tasks


def _five(family: Family, seed: int, name: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Yield the tasks of a scene, one per subset. Raises UnsuitedScene."""
    scene = generate(family, seed)
    template = errand(scene, rng)
    texts = {subset: paraphrase(scene, template, subset) for subset in REFERENCES}
    texts["complex-instruction"] = at_length(scene, template, rng)
    if len(set(texts.values())) < len(SUBSETS):
        raise UnsuitedScene("two subsets have the same words")
    try:
        if len(plan(scene)) + 1 > STEPS:
            raise UnsuitedScene("it takes too long")
    except BadInput as error:
        raise UnsuitedScene(str(error)) from error
    goals = [serialize_condition(condition) for condition in scene.conditions]
    for subset in SUBSETS:
        yield {
            "id": f"{name}-{subset}",
            "text": texts[subset],
            "attributes": [subset],
            "scene": {"family": family, "seed": seed},
            "goal": goals[0] if len(goals) == 1 else {"all": goals},
        }


def write() -> None:
    """Write the suite."""
    suite = {
        "format": 1,
        "name": "homie-eb-table",
        "description": "48 scenes of a Panda's table, each in the five ways of EB-Manipulation's subsets, by poses.",
        "robot": "franka",
        "protocol": {
            "rounds": STEPS + FAILURES,
            "trials": 1,
            "feedback": "text",
            "things": "numbered",
            "steps": STEPS,
            "failures": FAILURES,
        },
        "tasks": [
            task for family in FAMILIES for number in range(1, PER_FAMILY + 1) for task in scene_tasks(family, number)
        ],
    }
    Suite.model_validate(suite)
    write_yaml(OUT, HEAD, suite)


if __name__ == "__main__":
    maker_command("homie-eb-table", write, partial(play_experts, "homie-eb-table"))
