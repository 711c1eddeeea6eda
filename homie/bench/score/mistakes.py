"""Why episodes of suites like EmbodiedBench failed, by rules on what was recorded: its three types of errors.

EmbodiedBench (section 5.5, table 11) had people name the error of each failed episode: of perception, reasoning or
planning. Where the truth is known, rules can: a task's goal and expert say which things it is about.
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
    """A type of error and what of it, as table 11 of EmbodiedBench has them; `meaning` and `skill` are ours."""

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
        """How tables call it."""
        return ": ".join(self.value)


WRONG_THING: Mapping[str, Mistake] = {"spatial": Mistake.SPATIAL, "common-sense": Mistake.MEANING}
"""What it is to take the wrong thing, by the subset, which says how things are spoken of; else they were not
recognised."""
BY_CODE: Mapping[str, Mistake] = {"L": Mistake.MISSING, "D": Mistake.MISSING, "F": Mistake.INVALID, "E": Mistake.SKILL}
"""What a failure says of its plan, by the layer of its code: something was not done before, or nobody can do it."""
NOWHERE = ("table", "floor", "gripper", "robot", "")
"""Where things are that were put nowhere in particular."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed episode, ready for its mistake.

    Attributes:
        ended_by: As `episode.json` has it.
        world: The final state.
    """

    task: Task
    records: Sequence[RoundRecord]
    ended_by: str
    world: WorldSnapshot


def applies(suite: Suite) -> bool:
    """Whether the tasks of a suite are in EmbodiedBench's subsets, so that it is known how they speak of things, and
    about what the hand does: of small steps, which end at their goal, the rules say nothing."""
    return suite.protocol.end == "planner" and any("base" in task.attributes for task in suite.tasks)


def mistake_of(failed: Failed) -> Mistake:
    """The mistake that decided an episode, by the first rule that fits.

    1. Something was in the hand that the task is not about: by the subset. 2. The planner ended: by the subset where
    something that was moved lies where the task does not want it, else a wrong termination. 3. Half of the failures, or
    more, repeat the one before unchanged: reflection. 4. By the code of most failures; with none of them steps are
    missing, or poses do not fit.
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
    """The words that mean a thing: its name and its kind."""
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
    # The numbers of a pose are the planner's: that the arm does not get there is no fault of the skill.
    is_pose = record.execution.subtask.action == MOVE
    return Mistake.INACCURATE if mistake is Mistake.SKILL and is_pose else mistake


def _task_names(failed: Failed) -> set[str]:
    """The names of what the task is about: of its goal, of its expert, and the sponge where areas are to be wiped."""
    task, world = failed.task, failed.world
    names = set(_flat(task.goal.words())) if task.goal is not None else set()
    for step in map(read_subtask, task.expert or ()):
        names |= {name for name in (step.target, step.destination) if name}
    areas = [name for name in names if name in world.fixed and world.fixed[name].kind == "area"]
    return names | {name for name, item in world.objects.items() if areas and item.kind == "sponge"}


def _flat(words: Iterable[Words]) -> Iterable[str]:
    for word in words:
        yield from (word,) if isinstance(word, str) else word


def _held_things(failed: Failed) -> set[str]:
    """The things of the world that were in the hand after some step."""
    held = {name.replace(" ", "_") for record in failed.records for name in record.inventory}
    return held & set(failed.world.objects)


def mistakes_table(runs: Mapping[str, Mapping[tuple[str, int], Mistake]], groups: Mapping[str, Iterable[str]]) -> Table:
    """Failed episodes by mistake, a row per run and subset.

    Args:
        runs: Mistakes by (task, trial).
        groups: Tasks by name.
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
