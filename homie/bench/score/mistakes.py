"""Error analysis of failed episodes in suites like EmbodiedBench, by rules on the records.

In EmbodiedBench (section 5.5, table 11), people classified the error of each failed episode as perception, reasoning or
planning. Rules can do that where the truth is known: goal and expert of a task name the objects involved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from homie.bench.suite.suite import Suite, Task, read_subtask
from homie.bench.table_formats import Cell, Column, Table
from homie.kernel.pose_action import MOVE
from homie.kernel.types import RoundRecord
from homie.kernel.world.condition_words import Words
from homie.kernel.world.snapshot import WorldSnapshot


class Mistake(Enum):
    """Type and subtype of an error, as in table 11 of EmbodiedBench; `meaning` and `skill` are additions by Homie."""

    RECOGNITION = ("perception", "wrong recognition")
    SPATIAL = ("reasoning", "spatial reasoning")
    MEANING = ("reasoning", "wrong meaning")
    TERMINATION = ("reasoning", "wrong termination")
    REFLECTION = ("reasoning", "reflection")
    MISSING = ("planning", "missing steps")
    INVALID = ("planning", "invalid action")
    INACCURATE = ("planning", "inaccurate action")
    SKILL = ("no planner's", "failed skill")

    @property
    def head(self) -> str:
        """Heading in tables."""
        return ": ".join(self.value)


WRONG_THING: Mapping[str, Mistake] = {"spatial": Mistake.SPATIAL, "common-sense": Mistake.MEANING}
"""Error of holding a wrong object, by the subset, which determines how instructions refer to objects; in other subsets
it is a recognition error."""
BY_CODE: Mapping[str, Mistake] = {"L": Mistake.MISSING, "D": Mistake.MISSING, "F": Mistake.INVALID, "E": Mistake.SKILL}
"""Error indicated by a failed subtask, by the layer of its code: a missing precondition, or an impossible action."""
NOWHERE = ("table", "floor", "gripper", "robot", "")
"""Locations of objects that were not put anywhere in particular."""


@dataclass(frozen=True, slots=True)
class FailedEpisode:
    """A failed episode with the data for its classification.

    Attributes:
        ended_by: As in `episode.json`.
        world: Final state.
    """

    task: Task
    records: Sequence[RoundRecord]
    ended_by: str
    world: WorldSnapshot


def has_subsets(suite: Suite) -> bool:
    """Return whether a suite's tasks are in EmbodiedBench's subsets, so that their references to objects are known, and
    are ended by the planner: the rules do not cover suites of small steps that end at their goal."""
    return suite.protocol.end == "planner" and any("base" in task.attributes for task in suite.tasks)


def mistake_of(failed: FailedEpisode) -> Mistake:
    """Return the decisive mistake of an episode, by the first rule that applies.

    1. An object was held that is not in the task: by the subset. 2. The planner ended: by the subset if a moved object
    is at a place that is not in the task, else wrong termination. 3. At least half of the failures repeat the previous
    subtask: reflection. 4. By the most frequent code of failures; without failures, steps are missing or poses
    inaccurate.
    """
    task_names, held_things = _task_names(failed), _held_things(failed)
    wrong_thing = next(
        (WRONG_THING[name] for name in failed.task.attributes if name in WRONG_THING), Mistake.RECOGNITION
    )
    if any(_names_of(failed.world, name).isdisjoint(task_names) for name in held_things):
        return wrong_thing
    if failed.ended_by == "ended":
        places = {failed.world.objects[name].at for name in held_things} - set(NOWHERE)
        return (
            wrong_thing
            if any(_names_of(failed.world, at).isdisjoint(task_names) for at in places)
            else Mistake.TERMINATION
        )
    return _by_failures(failed.records)


def _names_of(world: WorldSnapshot, name: str) -> set[str]:
    """Return the words for an object: its name and its kind."""
    thing = world.objects.get(name) or world.fixed.get(name)
    return {name} if thing is None else {name, thing.kind}


def _by_failures(records: Sequence[RoundRecord]) -> Mistake:
    failures = [record for record in records if not record.execution.feedback.ok]
    repeated = sum(
        record.execution.subtask == previous.execution.subtask and not previous.execution.feedback.ok
        for previous, record in pairwise(records)
        if not record.execution.feedback.ok and not record.decision.problem
    )
    if failures and 2 * repeated >= len(failures):
        return Mistake.REFLECTION
    by_pose = any(record.execution.subtask.action == MOVE for record in records)
    if not failures:
        return Mistake.INACCURATE if by_pose else Mistake.MISSING
    (decisive, _), *_ = Counter(_mistake_by_code(record) for record in failures).most_common()
    return decisive


def _mistake_by_code(record: RoundRecord) -> Mistake:
    code = record.execution.feedback.code
    mistake = BY_CODE.get(code[0] if code else "F", Mistake.INVALID)
    # A pose is chosen by the planner: if the arm cannot reach it, that is not the fault of the skill.
    is_pose = record.execution.subtask.action == MOVE
    return Mistake.INACCURATE if mistake is Mistake.SKILL and is_pose else mistake


def _task_names(failed: FailedEpisode) -> set[str]:
    """Return the names in goal and expert of the task, and the sponge if areas are to be wiped."""
    task, world = failed.task, failed.world
    names = set(_flat(task.goal.words())) if task.goal is not None else set()
    for step in map(read_subtask, task.expert or ()):
        names |= {name for name in (step.target, step.destination) if name}
    areas = [name for name in names if name in world.fixed and world.fixed[name].kind == "area"]
    return names | {name for name, item in world.objects.items() if areas and item.kind == "sponge"}


def _flat(words: Iterable[Words]) -> Iterable[str]:
    for word in words:
        yield from (word,) if isinstance(word, str) else word


def _held_things(failed: FailedEpisode) -> set[str]:
    """Return the objects of the world that were held after some step."""
    held = {name.replace(" ", "_") for record in failed.records for name in record.inventory}
    return held & set(failed.world.objects)


def mistakes_table(runs: Mapping[str, Mapping[tuple[str, int], Mistake]], groups: Mapping[str, Iterable[str]]) -> Table:
    """Return a table of failed episodes by mistake, a row per run and subset.

    Args:
        runs: Mistakes by (task, trial), by run label.
        groups: Tasks by group.
    """
    kinds = [kind for kind in Mistake if any(kind in mistakes.values() for mistakes in runs.values())]
    rows: list[tuple[Cell, ...]] = []
    for name, tasks in {"all": None, **groups}.items():
        for label, mistakes in runs.items():
            subset_kinds = [kind for (task, _), kind in mistakes.items() if tasks is None or task in set(tasks)]
            if subset_kinds:
                rows.append((label, name, len(subset_kinds), *(subset_kinds.count(kind) for kind in kinds)))
    columns = (
        Column("run"),
        Column("subset"),
        Column("failed", "count"),
        *(Column(kind.head, "count") for kind in kinds),
    )
    note = "Failed episodes by the mistake that decided them, by rules on what was recorded (docs/metrics.md)."
    return Table("Mistakes", columns, tuple(rows), (note,))
