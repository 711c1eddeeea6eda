"""Check that the names in a task are in its scene: a goal or key path with an unknown name could never be reached."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import cached_property

from homie.bench.score.metric_profiles import Homie
from homie.bench.suite.suite import Task, read_subtask
from homie.kernel import registry
from homie.kernel.actions import ACTION_TABLE, Action, ActionTable, action_of, canonical_action
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Locator, NameMatcher, WorldState
from homie.kernel.interfaces.robot import background
from homie.kernel.interfaces.simulator_abilities import named_things
from homie.kernel.robot.graph_moves import ROWS
from homie.kernel.types import HELD, Observation, Subtask
from homie.kernel.world.condition_words import names_and_kinds, spellings
from homie.kernel.world.conditions import unknown_words, with_nearest
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS
from homie.kernel.world.snapshot import WorldSnapshot

LISTED = "`homie scene` lists the names."
EXPERTS = "the expert's"
HOMIES: ActionTable = {
    **ACTION_TABLE,
    **ROWS,
    **{name: verb.action for verbs in (VERBS, PERSON_VERBS) for name, verb in verbs.items()},
}
"""Actions known to Homie, independent of the skills."""


def check_words(task: Task, executor: Executor, names: Mapping[str, str]) -> None:
    """Raise BadInput for a task that cannot be judged in its world, before the episode is played.

    Args:
        executor: Executor of the episode, in its scene.
        names: Additional words of the suite for objects in key paths.
    """
    robot = executor.robot
    if not isinstance(robot, WorldState):
        if task.goal is not None:
            raise BadInput(
                "the goal cannot be judged, since this robot has no world state: give key paths instead, or play the"
                " suite in a simulator."
            )
        return
    world = robot.snapshot()
    check_goal(task, world)
    _check_subtasks(task, _Vocabulary(world, names, executor), {**HOMIES, **executor.skills.table})


def check_goal(task: Task, world: WorldSnapshot) -> None:
    """Raise BadInput for a goal that cannot be evaluated in a world."""
    if task.goal is None:
        return
    if unknown := unknown_words(task.goal, world):
        raise BadInput(f"the goal names what is not in its scene: {with_nearest(unknown, world)}. {LISTED}")
    task.goal.holds(world)


def _check_subtasks(task: Task, vocabulary: _Vocabulary, table: ActionTable) -> None:
    """Raise BadInput for an unknown action or object in a key path or a step of the expert.

    Undeclared actions may take any words, and the expert may use actions of skills with which the suite is not played.
    """
    for source, subtask in _subtasks(task):
        action_name = canonical_action(subtask.action, tuple(table))
        if action_name is None and source != EXPERTS:
            hint = suggestion(subtask.action, table, f"the actions are {', '.join(table)}.")
            raise BadInput(f"{source} {subtask} has an action that nobody knows, '{subtask.action}': {hint}")
        action = action_of(action_name or subtask.action, table)
        words = (subtask.target, subtask.destination) if action.target or action.result else ()
        for word in words:
            if word and word != HELD and not vocabulary(word, action):
                raise BadInput(f"{source} {subtask} names '{word}', which is not in its scene: {vocabulary.hint(word)}")


def _subtasks(task: Task) -> Iterator[tuple[str, Subtask]]:
    """Yield all subtasks of a task, with their source."""
    for source, paths in (("the key path with", task.keypaths), ("never with", task.never)):
        yield from ((source, read_subtask(node)) for path in paths for node in path)
    yield from ((EXPERTS, read_subtask(step)) for step in task.expert or ())


class _Vocabulary:
    """Tells whether a word has a meaning in a world, without tolerance for typos: for scores, by name or kind, or for
    planners. In a world without objects every word has."""

    def __init__(self, world: WorldSnapshot, names: Mapping[str, str], executor: Executor) -> None:
        self._world, self._profile, self._executor = world, Homie(names), executor
        self._meanings = self._profile.meanings(form for pair in names_and_kinds(world) for form in pair if form)
        self._things_by_name = {thing.name: thing for thing in named_things(world)}
        self._exact_matcher: NameMatcher = registry.load("names", "as-spelt")
        self._loose_matcher: NameMatcher = registry.load("names", "default")

    def __call__(self, word: str, action: Action) -> bool:
        if not self._world.things or self._profile.meaning(word) in self._meanings:
            return True
        return bool(self._exact_matcher(word, list(self._things_by_name.values()))) or self._is_alias(word, action)

    def _is_alias(self, word: str, action: Action) -> bool:
        """Return whether a locator resolves a word that is not an object's name, kind or colour."""
        entities = [locator.resolve(word, action, self._observation) for locator in self._locators]
        things = [self._things_by_name.get(entity) for entity in entities if entity is not None]
        return any(thing is None or not self._loose_matcher(word, [thing]) for thing in things)

    @cached_property
    def _observation(self) -> Observation:
        """Made on first use, because rendering is expensive; nothing moves meanwhile."""
        return self._executor.robot.observe()

    @cached_property
    def _locators(self) -> list[Locator]:
        """The planner's locator, and the privileged one if the robot supports it."""
        locators = [self._executor.locator]
        if locators[0].name != "background":
            with contextlib.suppress(BadInput):
                locators.append(background(self._executor.robot))
        return locators

    def hint(self, word: str) -> str:
        """Return the end of the error message for an unknown word."""
        spelled = [form.replace("_", " ") for form in spellings(self._world)]
        return suggestion(word.replace("_", " "), spelled, LISTED)
