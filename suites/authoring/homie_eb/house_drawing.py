"""Suites of errands sampled in generated houses, each worded in the six ways of EmbodiedBench's subsets.

A draw is refused if its words are ambiguous or mean nothing, if its goal holds at the start or names what is not there,
or if its expert needs more steps than a planner has.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
from suites.authoring.homie_eb.house_errands import Kind, Lot, Numbered, TaskTemplate
from suites.authoring.homie_eb.house_paraphrases import REFERENCES, at_length, in_a_row, paraphrase
from suites.authoring.states_script import UnsuitedHouse
from suites.authoring.suite_writing import maker_command, play_experts, write_yaml

SUITES = Path(__file__).parents[2] / "published"
NUMBER = 50
"""Number of errands; there are six times as many tasks."""
ROOMS, OBJECTS = 3, 16
"""As in homie-states: few objects, so that most are the only one of their kind."""
PER_HOUSE = 2
"""Errands per house, so that a bench generates half as many houses."""
STEPS = 30
"""Step limit of a planner (EB-ALFRED's and EB-Habitat's), End included."""
LONG = (15, 24)
"""Least and most actions of the expert of a long-horizon task; EB-ALFRED's mean is 19.4."""
TRIES = 400
"""Draws of a task per house, and of the further parts of a long one."""


@cache
def house(seed: int) -> House | None:
    """Return the house of a seed, None if it cannot be generated."""
    try:
        return House(initial_state(generate(seed, ROOMS, OBJECTS, Variation(states=True))))
    except BadInput:
        return None


@dataclass(frozen=True)
class Recipe:
    """Recipe for sampling the tasks of a suite.

    Attributes:
        name: Name of the suite.
        letter: First letter of its ids.
        kinds: Kinds of errands, by name.
        skills: Skill sets with which experts are played.
        script: Collects the expert's steps.
        protocol: Keys of the suite's protocol other than the common ones.
        refused: Number of draws of an errand, by its number, that were given up because an expert failed.
    """

    name: str
    letter: str
    description: str
    kinds: Mapping[str, Kind]
    skills: str = "ideal,ideal-chores"
    script: Callable[[House], Numbered] = Numbered
    protocol: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[int, int] = field(default_factory=dict)

    def tasks(self, number: int) -> list[dict[str, Any]]:
        """Draw the six tasks of an errand, by its number from 1. Raises SystemExit where nothing can be drawn."""
        kind = list(self.kinds.values())[(number - 1) % len(self.kinds)]
        drawn = 0
        for seed in range((number - 1) // PER_HOUSE, 10_000):
            here = house(seed)
            rng = random.Random(f"{self.name} {number} {seed}")
            for _ in range(TRIES if here is not None else 0):
                assert here is not None
                try:
                    tasks = list(self._six(here, seed, kind(Lot(here, rng)), number, rng))
                except UnsuitedHouse:
                    continue
                drawn += 1
                if drawn > self.refused.get(number, 0):
                    return tasks
        raise SystemExit(f"errand {number}: no house suits it")

    def _six(
        self, here: House, seed: int, errand: TaskTemplate, number: int, rng: random.Random
    ) -> Iterator[dict[str, Any]]:
        """Yield the tasks of an errand, one per subset. Raises UnsuitedHouse."""
        short = [(subset, paraphrase(here, errand, subset)) for subset in REFERENCES]
        short.insert(2, ("complex-instruction", at_length(here, errand, rng)))
        for subset, text in short:
            yield self.task(here, seed, [errand], f"{self.letter}{number:02}-{subset}", subset, text)
        row = self._row(here, errand, rng)
        yield self.task(here, seed, row, f"{self.letter}{number:02}-long-horizon", "long-horizon", in_a_row(here, row))

    def _row(self, here: House, errand: TaskTemplate, rng: random.Random) -> list[TaskTemplate]:
        """Draw three errands that do not affect each other, the first of them this one, unless it has to be the last.

        Raises UnsuitedHouse.
        """
        for _ in range(TRIES):
            row = [errand]
            try:
                while len(row) < 3:
                    taken = {name for other in row for name in other.uses}
                    other = rng.choice(list(self.kinds.values()))(Lot(here, rng, taken))
                    if other.uses & taken or (other.lasts and any(each.lasts for each in row)):
                        raise UnsuitedHouse("it touches another one")
                    row.append(other)
                row.sort(key=lambda each: each.lasts)
                if LONG[0] <= len(self.steps(here, row)) <= LONG[1]:
                    return row
            except UnsuitedHouse:
                continue
        raise UnsuitedHouse("nothing goes with it")

    def steps(self, here: House, errands: Sequence[TaskTemplate]) -> list[str]:
        """Return the steps of the expert. Raises UnsuitedHouse."""
        script = self.script(here)
        for errand in errands:
            errand.act(script)
        return [*script.steps, "[End]"]

    def task(
        self, here: House, seed: int, errands: Sequence[TaskTemplate], name: str, subset: str, text: str
    ) -> dict[str, Any]:
        """Return a task in the format of the suite file. Raises UnsuitedHouse."""
        goals = [dict(goal) for errand in errands for goal in errand.goals]
        goal, expert = goals[0] if len(goals) == 1 else {"all": goals}, self.steps(here, errands)
        condition = parse_condition(goal)
        if condition.holds(here.state) or unknown_words(condition, here.state) or len(expert) > STEPS:
            raise UnsuitedHouse(f"{name} is done already, names what is not there, or takes too long")
        return {
            "id": name,
            "text": text,
            "attributes": [subset],
            "scene": {"seed": seed, "rooms": ROOMS, "objects": OBJECTS, "states": True},
            "goal": goal,
            "expert": expert,
        }

    def write(self) -> None:
        """Write the suite."""
        maker = f"make_{self.name.replace('-', '_')}.py"
        head = (
            f"# {self.name}: {NUMBER} errands in the six ways of EmbodiedBench's subsets. Made by\n"
            f"# suites/authoring/{maker}; docs/published-benchmarks.md explains them.\n"
            "# Change suites/authoring/homie_eb/ rather than this file.\n"
        )
        suite = {
            "format": 1,
            "name": self.name,
            "description": self.description,
            "protocol": {
                "rounds": STEPS + 10,
                "trials": 1,
                "feedback": "text",
                "steps": STEPS,
                "failures": 10,
                "actions": "numbered",
                **self.protocol,
            },
            "tasks": [task for number in range(1, NUMBER + 1) for task in self.tasks(number)],
        }
        Suite.model_validate(suite)
        write_yaml(SUITES / f"{self.name}.yaml", head, suite)

    def experts(self, out: Path) -> None:
        """Play all experts, with ideal skills and tiny pictures; the same command resumes."""
        play_experts(self.name, out, skills=self.skills, retries=0, picture_size="16", shade=False)

    def command(self) -> None:
        """Run the command line of the suite's maker."""
        maker_command(self.name, self.write, self.experts)
