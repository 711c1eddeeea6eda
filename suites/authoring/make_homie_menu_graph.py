"""Make the suite homie-menu-graph: `python -m suites.authoring.make_homie_menu_graph`.

The tasks of homie-menu, each with its own interactions and an expert whose ways are the shortest on the graph; those
whose experts need more than 24 steps are left out, and named with the reason. It takes three minutes on a core.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from homie.bench.suite.suite import Suite, Task, find_suite
from suites.authoring.homie_menu.graph_options import options
from suites.authoring.homie_menu.graph_ways import SKILLS, Impossible, Player
from suites.authoring.make_homie_menu import PROTOCOL, STEPS
from suites.authoring.suite_writing import write_yaml

OUT = Path(__file__).parents[1] / "published" / "homie-menu-graph.yaml"
HEAD = """\
# homie-menu-graph: the tasks of homie-menu on a navigation graph. Made by
# suites/authoring/make_homie_menu_graph.py; docs/published-benchmarks.md explains them.
# Change that program rather than this file.
"""


def on_graph(task: Task) -> dict[str, Any]:
    """Convert a task of homie-menu to one of this suite. Raises Impossible."""
    with closing(Player(task)) as player:
        world = player.start
        expert = player.expert(STEPS)
    same = task.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, include=set(Task.model_fields) - {"expert"}
    )
    return {**same, "options": options(task, expert, world), "expert": expert}


def main() -> None:
    """Write the suite."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args()
    tasks = []
    for task in find_suite("homie-menu").tasks:
        try:
            tasks.append(on_graph(task))
            sys.stdout.write(f"{task.id}: {len(tasks[-1]['expert'])} steps\n")
        except Impossible as reason:
            sys.stdout.write(f"{task.id}: left out, {reason}\n")
        sys.stdout.flush()
    suite = {
        "format": 1,
        "name": "homie-menu-graph",
        "description": f"{len(tasks)} tasks of homie-menu by moves on a navigation graph and a few interactions each.",
        "version": 1,
        "skills": SKILLS,
        "protocol": {**PROTOCOL, "sent_to": "points", "views": {"front": "wide"}},
        "tasks": tasks,
    }
    Suite.model_validate(suite)
    write_yaml(chosen.out, HEAD, suite)


if __name__ == "__main__":
    main()
