"""Make the suite homie-states: `python -m suites.authoring.make_homie_states`.

For every task of states_tasks.py and states_people_tasks.py it searches for a house that suits it, in an order that
depends on the task alone, and writes suites/published/homie-states.yaml.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from homie.bench.authoring.house import House
from homie.bench.suite.suite import Suite
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.errors import BadInput
from homie.kernel.world.conditions import parse_condition, unknown_words
from suites.authoring.states_people_tasks import MEETINGS
from suites.authoring.states_script import Script, UnsuitedHouse
from suites.authoring.states_tasks import TASKS, Draft, Pattern
from suites.authoring.suite_writing import write_yaml

VERSION = 2
"""Version of the suite: 1 had no people."""
OUT = Path(__file__).parents[1] / "published" / "homie-states.yaml"
ROOMS, OBJECTS, SEEDS = 3, 16, 60
"""Few objects, so that most are the only one of their kind; few houses, so that a bench generates them once."""
LONG = 10
"""Subtasks from which a task is long-horizon (EMMOE, section 3.1)."""
REFUSED: Mapping[str, tuple[int, ...]] = {}
"""Houses in which the expert of a task failed with ideal skills, by its id."""
HEAD = """\
# homie-states: 72 tasks over verbs and states of a household, and people. Made by
# suites/authoring/make_homie_states.py; docs/houses.md explains them.
# Change suites/authoring/states_tasks.py rather than this file.
"""


@cache
def house(seed: int, people: int = 0) -> House | None:
    """Return the house of a seed with so many people, None if it cannot be generated."""
    try:
        return House(initial_state(generate(seed, ROOMS, OBJECTS, Variation(states=True, people=people))))
    except BadInput:
        return None


def drafts(name: str, pattern: Pattern, people: int = 0) -> Iterator[tuple[int, Draft, list[str]]]:
    """Yield houses that suit a task, with its draft there and its expert's steps."""
    first = zlib.crc32(name.encode()) % SEEDS
    for seed in ((first + step) % SEEDS for step in range(SEEDS)):
        here = house(seed, people)
        if here is None or seed in REFUSED.get(name, ()):
            continue
        script = Script(here)
        try:
            draft = pattern(script)
        except UnsuitedHouse:
            continue
        goal = parse_condition(draft.goal)
        if not unknown_words(goal, here.state) and not goal.holds(here.state):
            yield seed, draft, [*script.steps, "[End]"]


def task(name: str, pattern: Pattern, people: int = 0) -> dict[str, Any]:
    """Return a task in the format of the suite file. Raises SystemExit if no house suits it."""
    chosen = next(drafts(name, pattern, people), None)
    if chosen is None:
        raise SystemExit(f"{name}: none of the {SEEDS} houses suits it")
    seed, draft, expert = chosen
    company = {"people": people} if people else {}
    return {
        "id": name,
        "text": draft.text,
        "attributes": ["long-horizon" if len(expert) >= LONG else "short-horizon"],
        "scene": {"seed": seed, "rooms": ROOMS, "objects": OBJECTS, "states": True, **company},
        "goal": dict(draft.goal),
        "expert": expert,
    }


def main() -> None:
    """Write the suite."""
    suite = {
        "format": 1,
        "name": "homie-states",
        "description": "72 tasks over verbs and states of a household, and people, in generated houses.",
        "version": VERSION,
        "protocol": {"rounds": 30, "trials": 1},
        "tasks": [
            *(task(name, pattern) for name, pattern in TASKS.items()),
            *(task(name, meeting.pattern, meeting.people) for name, meeting in MEETINGS.items()),
        ],
    }
    Suite.model_validate(suite)
    write_yaml(OUT, HEAD, suite)


if __name__ == "__main__":
    main()
