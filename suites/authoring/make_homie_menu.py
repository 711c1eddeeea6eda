"""Make the suite homie-menu: `python -m suites.authoring.make_homie_menu`.

It draws a number of tasks of each kind from generated houses, no two alike, and writes
suites/published/homie-menu.yaml.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from homie.bench.authoring.house import House
from homie.bench.suite.suite import Suite
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.errors import BadInput
from homie.kernel.world.conditions import parse_condition, unknown_words
from suites.authoring.homie_menu import doing, people, questions
from suites.authoring.homie_menu.draft import Draft, Drafting
from suites.authoring.suite_writing import write_yaml

OUT = Path(__file__).parents[1] / "published" / "homie-menu.yaml"
ROOMS, OBJECTS, FIRST, HOUSES = 3, 16, 60_000, 50
"""Few objects, so that most are the only one of their kind. No other suite of ours has houses of these seeds."""
STEPS = 24
"""Steps of an episode, as in EmbodiedEval."""
PROTOCOL = {
    "rounds": STEPS,
    "trials": 1,
    "steps": STEPS,
    "plan": 1,
    "actions": "numbered",
    "feedback": "text",
}
OPENED = ("fridge", "cabinet_1", "microwave")
"""Furniture that stands open in every other house."""
VERSION = 2
"""Version of the suite: 1 had no people."""
SKILLS = "classical,people"
"""Default skill sets: the others lack the actions of social tasks."""


class Kind(NamedTuple):
    """Tasks of one kind: the prefix of their ids, their category, their drafting function, their number, and the number
    of people in the houses."""

    begin: str
    category: str
    drafting: Drafting
    number: int
    people: int = 0


KINDS = (
    Kind("colour", "attribute-question", questions.colours, 11),
    Kind("shut", "attribute-question", questions.shut, 8),
    Kind("switched", "attribute-question", questions.switched, 6),
    Kind("room", "spatial-question", questions.in_which_room, 9),
    Kind("place", "spatial-question", questions.on_what, 8),
    Kind("inside", "spatial-question", questions.inside, 8),
    Kind("use", "navigation", doing.by_use, 13),
    Kind("thing", "navigation", doing.by_thing, 12),
    Kind("errand", "object-interaction", doing.errands, 25),
    Kind("give", "social", people.given, 5, 3),
    Kind("show", "social", people.shown, 3, 4),
    Kind("bring", "social", people.brought, 3, 4),
    Kind("meet", "social", people.met, 3, 4),
    Kind("follow", "social", people.followed, 2, 2),
    Kind("posture", "social", people.posture, 2, 4),
    Kind("shirt", "social", people.shirt, 2, 3),
    Kind("person", "social", people.whereabouts, 2, 4),
    Kind("point", "social", people.pointed_at, 3, 4),
)
REFUSED = frozenset({("errand", 33)})
"""Kinds of tasks and houses whose experts failed with ideal skills: open furniture leaves no floor to stand on."""
HEAD = """\
# homie-menu: 125 tasks in the five categories of EmbodiedEval, ours. Made by
# suites/authoring/make_homie_menu.py; docs/published-benchmarks.md explains them.
# Change suites/authoring/homie_menu/ rather than this file.
"""


@cache
def house(number: int, inhabitants: int = 0) -> tuple[House, dict[str, Any]] | None:
    """Return a house and its scene, None if it cannot be generated. With people nothing stands open: doors are in their
    way."""
    settings: dict[str, Any] = {"seed": FIRST + number, "rooms": ROOMS, "objects": OBJECTS}
    try:
        if inhabitants:
            met = House(initial_state(generate(FIRST + number, ROOMS, OBJECTS, Variation(people=inhabitants))))
            return met, {**settings, "people": inhabitants}
        first = House(initial_state(generate(FIRST + number, ROOMS, OBJECTS, Variation())))
        opened = [name for name in OPENED if name in first.furniture] if number % 2 else []
        if not opened:
            return first, settings
        again = House(initial_state(generate(FIRST + number, ROOMS, OBJECTS, Variation(opened=opened))))
    except BadInput:
        return None
    return again, {**settings, "opened": opened}


def draw(kind: Kind) -> list[dict[str, Any]]:
    """Draw the tasks of a kind, each right answer as seldom as possible. Raises SystemExit if there are too few."""
    rng = random.Random(kind.begin)
    tasks: list[dict[str, Any]] = []
    answer_counts: Counter[str] = Counter()
    order = rng.sample(range(HOUSES), HOUSES)
    for place in (*order, *order):
        here = house(place, kind.people)
        if here is None or len(tasks) == kind.number or (kind.begin, place) in REFUSED:
            continue
        sound = [draft for draft in kind.drafting(here[0], rng) if _sound(draft, here[0])]
        here_asked = {task["text"] for task in tasks if task["scene"]["seed"] == FIRST + place}
        fresh = [draft for draft in sound if draft.text not in here_asked]
        if fresh:
            chosen = min(fresh, key=lambda draft: answer_counts[draft.right or draft.about])
            answer_counts[chosen.right or chosen.about] += 1
            tasks.append(
                {
                    "id": f"{kind.begin}-{len(tasks) + 1:02d}",
                    "text": chosen.text,
                    "attributes": [kind.category],
                    "scene": here[1],
                    **chosen.to_json(),
                }
            )
    if len(tasks) < kind.number:
        raise SystemExit(f"{kind.begin}: {HOUSES} houses gave {len(tasks)} of {kind.number}")
    return tasks


def _sound(draft: Draft, here: House) -> bool:
    """Return whether a task is valid: not done at the start, about objects that are there, and within the step
    limit."""
    if len(draft.expert) + 1 > STEPS:
        return False
    if draft.right:
        return len(draft.answers) > 1
    goal = parse_condition(dict(draft.goal or {}))
    return not unknown_words(goal, here.state) and not goal.holds(here.state)


def main() -> None:
    """Write the suite."""
    suite = {
        "format": 1,
        "name": "homie-menu",
        "description": "125 tasks by numbered options: questions, ways, things to move, people, in generated houses.",
        "version": VERSION,
        "skills": SKILLS,
        "protocol": PROTOCOL,
        "tasks": [task for kind in KINDS for task in draw(kind)],
    }
    Suite.model_validate(suite)
    write_yaml(OUT, HEAD, suite)


if __name__ == "__main__":
    main()
