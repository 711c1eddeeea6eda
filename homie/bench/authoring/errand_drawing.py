"""Draws a suite of errands: train, and three tests of what was held out: templates, kinds of objects, houses.

An errand is taken only if it is not done before anything has happened, and if its expert, rehearsed without physics,
does it by the goal and by a key path.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from homie.bench.authoring.errand_templates import TEMPLATES, Situation, Template
from homie.bench.authoring.house import House
from homie.bench.authoring.rehearsal import rehearse
from homie.bench.score.profiles import Homie
from homie.bench.suite.suite import Suite, Task
from homie.kernel.errors import BadInput
from homie.kernel.setup.options import MAX_SEED
from homie.kernel.support.text import listed
from homie.kernel.world.snapshot import WorldSnapshot

Group: TypeAlias = Literal["train", "template", "object", "house"]
"""Where a task belongs: to train, or to the test of what it alone has that train has not."""
World: TypeAlias = Callable[[int, Mapping[str, Any]], WorldSnapshot]
"""The world of a scene before anything has happened, by its seed and its settings. Raises BadInput."""

ROOMS, OBJECTS = (2, 3, 4), (14, 22)
"""Of a house: how many rooms, and from how many to how many objects. More objects leave fewer free spots."""
PER_HOUSE = 4
"""Errands that are drawn in a house before the next: to make one takes longer than to draw in it."""
OPENED = ("fridge", "cabinet", "drawer_1", "microwave")
"""Of these stands open what there is, where a template wants it."""
LONGEST = 19
"""Subtasks of an expert, End included: a round in reserve of EMMOE's 20."""
LONG = 10
"""Subtasks from which a task is long-horizon, as in homie-100."""
PATIENCE = 60
"""Houses in a row that may give nothing before it is said so."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A suite with what was held out of its training tasks, and how many tasks of each group it has."""

    suite: Suite
    templates: tuple[str, ...]
    objects: tuple[str, ...]
    counts: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """The content of a suite file."""
        return self.suite.model_dump(mode="json", exclude_unset=True, by_alias=True)


def draw_suite(number: int, world: World, *, seed: int = 0, test: float = 0.1, held_out: float = 0.2) -> Drawn:
    """So many tasks, equal for equal arguments.

    Args:
        number: Of tasks.
        world: Where houses come from.
        seed: Of everything random.
        test: Share of the tasks that are of each of the three tests; 0 for training tasks only.
        held_out: Share of templates, of kinds and of houses that training tasks do not have.

    Raises:
        BadInput: The houses do not give so many.

    Example:
        ```
        scenes = scenes_of("mujoco")
        drawn = draw_suite(100, scenes.begin, seed=3)
        write_atomically(Path("errands.json"), to_json(drawn.to_json()))
        ```
    """
    return _Drawing(world, seed, held_out if test else 0.0).suite(number, test)


class _Drawing:
    def __init__(self, world: World, seed: int, held_out: float) -> None:
        self._world, self._seed, self._share = world, seed, held_out
        self._rng = random.Random(seed)
        self._templates = _some([template.name for template in TEMPLATES], held_out, random.Random(seed))
        self._kinds: frozenset[str] | None = None
        self._asked: set[tuple[int, str]] = set()
        self._number: Counter[str] = Counter()

    def suite(self, number: int, test: float) -> Drawn:
        counts = {name: round(test * number) for name in ("template", "object", "house")}
        counts = {"train": number - sum(counts.values()), **counts}
        tasks: list[dict[str, Any]] = []
        for group, count in counts.items():
            tasks += self._group(group, count)  # type: ignore[arg-type]
        held = {"templates": sorted(self._templates), "kinds of objects": sorted(self._kinds or ())}
        about = [f"the {name} {listed(values)}" for name, values in held.items() if values]
        raw = {
            "format": 1,
            "name": f"errands-{self._seed}",
            "description": f"{number} errands sampled"
            + (f"; train is without {' and '.join(about)}, and without a share of the houses." if about else "."),
            "protocol": {"rounds": 40, "trials": 1},
            "tasks": tasks,
        }
        return Drawn(Suite.model_validate(raw), tuple(held["templates"]), tuple(held["kinds of objects"]), counts)

    def _group(self, group: Group, count: int) -> list[dict[str, Any]]:
        tasks: list[dict[str, Any]] = []
        barren = 0
        while len(tasks) < count:
            drawn = self._in_a_house(group, count - len(tasks))
            barren = 0 if drawn else barren + 1
            if barren > PATIENCE:
                raise BadInput(
                    f"{PATIENCE} houses gave no further task of the group '{group}': ask for fewer, or hold out less."
                )
            tasks += drawn
        return tasks

    def _in_a_house(self, group: Group, most: int) -> list[dict[str, Any]]:
        """Tasks in the next house, none where it has not what the templates of the group want."""
        seed = self._house(unseen=group == "house")
        templates = [
            candidate for candidate in TEMPLATES if (candidate.name in self._templates) is (group == "template")
        ]
        opened = [candidate for candidate in templates if candidate.opened]
        chosen = [self._rng.choice(opened)] if opened and self._rng.random() < len(opened) / len(templates) else None
        settings: dict[str, Any] = {"rooms": self._rng.choice(ROOMS), "objects": self._rng.randint(*OBJECTS)}
        if chosen:
            settings["opened"] = [self._rng.choice(OPENED)]
        try:
            house = House(self._world(seed, settings))
        except BadInput:  # there is no such furniture in this one, or no room for so much
            return []
        kinds = self._kinds_for(group, house)
        tasks: list[dict[str, Any]] = []
        for template in chosen or self._rng.choices(
            [candidate for candidate in templates if not candidate.opened] or templates, k=PER_HOUSE
        ):
            task = self._task(template, group, seed, settings, house, kinds)
            if task is not None and len(tasks) < most:
                tasks.append(task)
        return tasks

    def _house(self, *, unseen: bool) -> int:
        """The seed of a house of those that train has, or has not."""
        while True:
            seed = self._rng.randrange(MAX_SEED)
            if (random.Random(f"{self._seed}/{seed}").random() < self._share) is unseen:
                return seed

    def _kinds_for(self, group: Group, house: House) -> frozenset[str]:
        """The kinds of objects that a task of the group may be about."""
        if self._kinds is None:  # the first house has most of them, and what is left out follows from the seed
            self._kinds = _some(
                sorted({item.kind for item in house.objects.values()}), self._share, random.Random(self._seed)
            )
        there = frozenset(item.kind for item in house.objects.values())
        return there if group == "object" else there - self._kinds

    def _task(
        self, template: Template, group: Group, seed: int, settings: dict[str, Any], house: House, kinds: frozenset[str]
    ) -> dict[str, Any] | None:
        """A task of a template in a house, None where the house has none or what was drawn is not sound."""
        errand = template.draw(Situation(house, kinds, self._rng))
        if errand is None:
            return None
        held = {house.objects[name].kind for name in errand.things()} & (self._kinds or frozenset())
        texts = [*template.texts, *template.human]
        text = self._rng.choice(texts)
        spoken = text.format(**errand.words)
        if (group == "object") is not bool(held) or (seed, spoken) in self._asked:
            return None
        expert = errand.expert(house)
        task = {
            "id": f"{group}-{template.name}-{self._number[f'{group}-{template.name}'] + 1:04d}",
            "text": spoken,
            "attributes": _attributes(expert, human=text in template.human, logical=template.name in LOGICAL),
            "split": "train" if group == "train" else "test",
            "scene": {"seed": seed, **settings},
            "keypaths": errand.keypaths(house),
            "goal": errand.goal(house),
            "expert": expert,
        }
        if not _sound(Task.model_validate(task), house):
            return None
        self._asked.add((seed, spoken))
        self._number[f"{group}-{template.name}"] += 1
        return task


LOGICAL = ("fruit", "exchange", "clear")
"""Templates whose texts leave something to be inferred: which things are meant, or where to."""


def _attributes(expert: Sequence[str], *, human: bool, logical: bool) -> list[str]:
    horizon = "long-horizon" if len(expert) >= LONG else "short-horizon"
    return [horizon, *(["logical"] if logical else []), *(["human-style"] if human else [])]


def _sound(task: Task, house: House) -> bool:
    """Whether a task is open before anything has happened, and is done by its expert's subtasks."""
    assert task.goal is not None and task.expert is not None
    if task.goal.holds(house.state) or task.expert_length > LONGEST:
        return False
    end = rehearse(house, task.expert)
    return not end.failed and task.goal.holds(end.state) and bool(Homie({}).score(end.trial(task)).success)


def _some(names: Sequence[str], share: float, rng: random.Random) -> frozenset[str]:
    """A share of names at random, one at least where it is not 0."""
    return frozenset(rng.sample(list(names), max(0, min(len(names) - 1, math.ceil(share * len(names))))))
