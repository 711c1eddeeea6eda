"""Which skill runs: that of the model that the planner chose, or of the first that can do the action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from homie.kernel.actions import ACTION_TABLE, ACTIONS, Ability, ActionTable, Arguments, listed_actions
from homie.kernel.interfaces import Robot, Skill, SkillSet
from homie.kernel.types import model_key


@dataclass(frozen=True, slots=True)
class SkillTable:
    """Maps (model, action) to the skill that runs.

    Attributes:
        by_model: Skills by action, by model. Models are the names of the skill sets, in order of preference.
        missing: Models without a checkpoint, whose skills are those of a fallback.
        table: Properties of the actions, including those that the skill sets declare.
        sets: The skill sets by model.
    """

    by_model: Mapping[str, Mapping[str, Skill]]
    missing: frozenset[str] = frozenset()
    table: ActionTable = field(default_factory=lambda: ACTION_TABLE)
    sets: Mapping[str, SkillSet | type[SkillSet]] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.by_model)

    @property
    def arguments(self) -> Arguments:
        """What the actions take, as planners see them."""
        return {name: action.arguments for name, action in self.table.items()}

    @property
    def words(self) -> Mapping[str, str]:
        """Other words for the actions, each with the action that it means."""
        return {words: name for name, action in self.table.items() for words in action.words}

    @property
    def explanations(self) -> Mapping[str, str]:
        """What the actions do and need, in a sentence each, of those that skill sets explain."""
        return {name: action.about for name, action in self.table.items() if action.about}

    @property
    def abilities(self) -> Mapping[str, Ability]:
        """What each model can do, as planners see them."""
        return {name: _ability(skills, self.sets.get(name)) for name, skills in self.by_model.items()}

    def actions(self, robot: Robot) -> tuple[str, ...]:
        """What a planner may tell a robot: the actions of EMMOE, or those of its own, that some skill has; then what
        the skill sets can do beyond the actions of EMMOE; then End."""
        able = list(dict.fromkeys(action for skills in self.by_model.values() for action in skills))
        if robot.actions:
            able = [action for action in able if action in robot.actions or action not in ACTIONS]
        return listed_actions(robot.actions, able)

    def choose(self, model: str, action: str) -> Skill | None:
        """The skill of the model that the planner chose; any model that has the action where it chose none."""
        return self.by_model.get(self._choose_model(model, action), {}).get(action)

    def fallback_for(self, model: str, action: str) -> str:
        """The missing model whose fallback is the chosen skill, "" if the skill is the model's own."""
        provider = self._choose_model(model, action)
        return provider if provider in self.missing else ""

    def _choose_model(self, model: str, action: str) -> str:
        if model:
            return next((name for name in self.by_model if model_key(name) == model_key(model)), "")
        able = [name for name, skills in self.by_model.items() if action in skills]
        return next((name for name in able if name not in self.missing), next(iter(able), ""))


def _ability(skills: Mapping[str, Skill], skill_set: SkillSet | type[SkillSet] | None) -> Ability:
    if skill_set is None:
        return Ability(tuple(skills))
    return Ability(tuple(skills), tuple(action for action in skill_set.meant_for if action in skills), skill_set.about)
