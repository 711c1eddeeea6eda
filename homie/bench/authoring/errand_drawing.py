"""Samples a suite of errands: a training split, and a test split with held-out templates, object kinds, houses,
wordings.

Validation tasks hold out the same categories, with values that neither training nor test tasks have.

An errand is accepted only if its goal does not hold at the start, and if its expert, simulated without physics, fulfils
the goal and completes a key path.
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
from homie.bench.score.metric_profiles import Homie
from homie.bench.splits import TaskSplit
from homie.bench.suite.suite import Suite, Task
from homie.kernel.errors import BadInput
from homie.kernel.options import MAX_SEED
from homie.kernel.support.text import join_words
from homie.kernel.world.snapshot import WorldSnapshot

Group: TypeAlias = Literal["train", "template", "object", "house", "wording"]
"""Group of a task: training, or the held-out category of which it has a value."""
HELD_OUT: tuple[Group, ...] = ("template", "object", "house", "wording")
World: TypeAlias = Callable[[int, Mapping[str, Any]], WorldSnapshot]
"""Function from the seed and settings of a scene to its initial world. Raises BadInput."""

ROOMS, OBJECTS = (2, 3, 4), (14, 22)
"""Numbers of rooms of a house, and the range of its number of objects. More objects leave fewer free spots."""
PER_HOUSE = 4
"""Number of errands sampled per house: generating a house takes longer than sampling in it."""
OPENED = ("fridge", "cabinet", "drawer_1", "microwave")
"""Furniture to leave open, where a template requires it and the house has it."""
LONGEST = 19
"""Maximum number of subtasks of an expert including End: one round less than the 20 of EMMOE."""
LONG = 10
"""Minimum number of subtasks of a long-horizon task, as in homie-100."""
HALF = 0.5
"""Share of the held-out houses for the test split, if there is also a validation split."""
PATIENCE = 60
"""Number of consecutive houses without an errand after which sampling fails."""


@dataclass(frozen=True, slots=True)
class SampledSuite:
    """A sampled suite, with the templates and objects held out from training and the number of tasks of each group."""

    suite: Suite
    templates: tuple[str, ...]
    objects: tuple[str, ...]
    counts: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the content of a suite file."""
        return self.suite.model_dump(mode="json", exclude_unset=True, by_alias=True)


def draw_suite(
    number: int,
    world: World,
    *,
    seed: int = 0,
    test: float = 0.1,
    validation: float = 0.0,
    held_out: float = 0.2,
    templates: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
) -> SampledSuite:
    """Sample a suite of tasks; equal arguments give equal suites.

    Args:
        number: Number of tasks.
        world: Function that generates houses.
        seed: Seed of everything random.
        test: Share of the tasks in each group of the test split; 0 for none.
        validation: Share of the tasks in each group of the validation split.
        held_out: Share of templates, object kinds and houses held out from training.
        templates: Held-out templates, instead of a share.
        kinds: Held-out object kinds, instead of a share.

    Raises:
        BadInput: The houses do not provide enough tasks, the shares leave no task for training, a template cannot be
            held out, or a kind is in no house.

    Example:
        ```
        scenes = scenes_of("mujoco")
        drawn = draw_suite(100, scenes.begin, seed=3)
        write_atomically(Path("errands.json"), to_json(drawn.to_json()))
        ```
    """
    if len(HELD_OUT) * (test + validation) >= 1:
        raise BadInput(
            f"{len(HELD_OUT)} groups of {test:g} and {validation:g} leave no task for training: ask for less."
        )
    drawing = _Drawing(
        world,
        seed,
        held_out if test or validation else 0.0,
        both=bool(test and validation),
        templates=templates,
        kinds=kinds,
    )
    return drawing.suite(number, {"validation": validation, "test": test})


@dataclass(frozen=True, slots=True)
class _Part:
    """Group within a split."""

    split: TaskSplit
    group: Group

    @property
    def name(self) -> str:
        return f"{self.split}-{self.group}" if self.split == "validation" else self.group


class _Drawing:
    def __init__(
        self,
        world: World,
        seed: int,
        held_out: float,
        *,
        both: bool,
        templates: Sequence[str] | None,
        kinds: Sequence[str] | None,
    ) -> None:
        self._world, self._seed, self._share, self._both = world, seed, held_out, both
        self._rng = random.Random(seed)
        names = [template.name for template in TEMPLATES if not template.essential]
        self._templates = (
            _sample(names, held_out, random.Random(seed)) if templates is None else _checked_templates(templates, names)
        )
        self._kinds: tuple[str, ...] | None = None if kinds is None else tuple(kinds)
        self._seen: set[str] = set()
        self._drawn_texts: set[tuple[int, str]] = set()
        self._number: Counter[str] = Counter()

    def suite(self, number: int, shares: Mapping[TaskSplit, float]) -> SampledSuite:
        parts = {_Part(split, group): round(share * number) for split, share in shares.items() for group in HELD_OUT}
        parts = {_Part("train", "train"): number - sum(parts.values()), **{p: n for p, n in parts.items() if n}}
        tasks: list[dict[str, Any]] = []
        for part, count in parts.items():
            tasks += self._part(part, count)
        for kind in self._kinds or ():
            if kind not in self._seen:
                house_kinds = join_words(sorted(self._seen))
                raise BadInput(f"None of the houses has a '{kind}' to hold out: they have {house_kinds}.")
        held_out = {"templates": sorted(self._templates), "kinds of objects": sorted(self._kinds or ())}
        descriptions = [f"the {name} {join_words(values)}" for name, values in held_out.items() if values]
        raw = {
            "format": 1,
            "name": f"errands-{self._seed}",
            "description": f"{number} errands sampled"
            + (
                f"; train is without {' and '.join(descriptions)}, and without a share of the houses."
                if descriptions
                else "."
            ),
            "protocol": {"rounds": 40, "trials": 1},
            "tasks": tasks,
        }
        counts = {part.name: count for part, count in parts.items()}
        return SampledSuite(
            Suite.model_validate(raw), tuple(held_out["templates"]), tuple(held_out["kinds of objects"]), counts
        )

    def _part(self, part: _Part, count: int) -> list[dict[str, Any]]:
        tasks: list[dict[str, Any]] = []
        empty_houses = 0
        while len(tasks) < count:
            house_tasks = self._tasks_in_house(part, count - len(tasks))
            empty_houses = 0 if house_tasks else empty_houses + 1
            if empty_houses > PATIENCE:
                raise BadInput(
                    f"{PATIENCE} houses gave no further task of the group '{part.name}': ask for fewer, or hold out "
                    "less."
                )
            tasks += house_tasks
        return tasks

    def _tasks_in_house(self, part: _Part, limit: int) -> list[dict[str, Any]]:
        """Return tasks in the next house; none if the house lacks what the templates require."""
        seed = self._house(part)
        names = (
            self._split_names(self._templates, part.split) if part.group == "template" else frozenset(self._templates)
        )
        templates = [candidate for candidate in TEMPLATES if (candidate.name in names) is (part.group == "template")]
        open_templates = [candidate for candidate in templates if candidate.opened]
        selected = (
            [self._rng.choice(open_templates)]
            if open_templates and self._rng.random() < len(open_templates) / len(templates)
            else None
        )
        settings: dict[str, Any] = {"rooms": self._rng.choice(ROOMS), "objects": self._rng.randint(*OBJECTS)}
        if selected:
            settings["opened"] = [self._rng.choice(OPENED)]
        try:
            house = House(self._world(seed, settings))
        except BadInput:  # the house lacks this furniture, or has too little room
            return []
        tasks: list[dict[str, Any]] = []
        for template in selected or self._rng.choices(
            [candidate for candidate in templates if not candidate.opened] or templates, k=PER_HOUSE
        ):
            task = self._task(template, part, seed, settings, house)
            if task is not None and len(tasks) < limit:
                tasks.append(task)
        return tasks

    def _house(self, part: _Part) -> int:
        """Return the seed of a house that belongs to training, or only to this split."""
        while True:
            seed = self._rng.randrange(MAX_SEED)
            rng = random.Random(f"{self._seed}/{seed}")
            is_held_out = rng.random() < self._share
            if part.group != "house" and not is_held_out:
                return seed
            if (
                part.group == "house"
                and is_held_out
                and (not self._both or (rng.random() < HALF) is (part.split == "test"))
            ):
                return seed

    def _split_names(self, names: Sequence[str], split: TaskSplit) -> frozenset[str]:
        """Return the held-out names of a split: every second one if there are two such splits."""
        if not self._both or len(names) == 1:
            return frozenset(names)
        return frozenset(names[split == "validation" :: 2])

    def _task(
        self, template: Template, part: _Part, seed: int, settings: dict[str, Any], house: House
    ) -> dict[str, Any] | None:
        """Return a task of a template in a house; None if the house has none or the sampled one is not valid."""
        kinds = sorted({item.kind for item in house.objects.values()})
        self._seen.update(kinds)
        if self._kinds is None:  # the first house has most kinds, and the held-out ones depend only on the seed
            self._kinds = _sample(kinds, self._share, random.Random(self._seed))
        split_kinds = self._split_names(self._kinds, part.split) if part.group == "object" else frozenset[str]()
        allowed = frozenset(kinds) - (frozenset(self._kinds) - split_kinds)
        errand = template.draw(Situation(house, allowed, self._rng))
        if errand is None:
            return None
        held_out_kinds = {house.objects[name].kind for name in errand.things()} & split_kinds
        free = self._split_names(template.wordings.free, part.split) if part.group == "wording" else frozenset[str]()
        text, human = template.wordings.sample(self._rng, free=sorted(free))
        sentence = text.format(**errand.words)
        if (part.group == "object") is not bool(held_out_kinds) or (seed, sentence) in self._drawn_texts:
            return None
        expert = errand.expert(house)
        name = f"{part.name}-{template.name}"
        task = {
            "id": f"{name}-{self._number[name] + 1:04d}",
            "text": sentence,
            "attributes": _attributes(expert, human=human, logical=template.name in LOGICAL),
            "split": part.split,
            "scene": {"seed": seed, **settings},
            "keypaths": errand.keypaths(house),
            "goal": errand.goal(house),
            "expert": expert,
        }
        if not _is_sound(Task.model_validate(task), house):
            return None
        self._drawn_texts.add((seed, sentence))
        self._number[name] += 1
        return task


LOGICAL = ("fruit", "exchange", "clear", "all-but", "next-to", "join", "replace", "chain", "cycle")
"""Templates whose texts require inference of the objects or places."""


def _attributes(expert: Sequence[str], *, human: bool, logical: bool) -> list[str]:
    horizon = "long-horizon" if len(expert) >= LONG else "short-horizon"
    return [horizon, *(["logical"] if logical else []), *(["human-style"] if human else [])]


def _is_sound(task: Task, house: House) -> bool:
    """Return whether the goal does not hold at the start, and holds after the expert's subtasks."""
    assert task.goal is not None and task.expert is not None
    if task.goal.holds(house.state) or task.expert_length > LONGEST:
        return False
    end = rehearse(house, task.expert)
    return not end.failed and task.goal.holds(end.state) and bool(Homie({}).score(end.trial(task)).success)


def _checked_templates(selected: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the templates to hold out. Raises BadInput if one of them cannot be."""
    for name in selected:
        if name not in names:
            raise BadInput(f"The template '{name}' cannot be held out: those that can are {join_words(names)}.")
    return tuple(selected)


def _sample(names: Sequence[str], share: float, rng: random.Random) -> tuple[str, ...]:
    """Sample a share of names, at least one if the share is not 0."""
    return tuple(rng.sample(list(names), max(0, min(len(names) - 1, math.ceil(share * len(names))))))
