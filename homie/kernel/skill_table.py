"""Selection of the skill that runs: that of the model that the planner chose, or of the first model with the action."""

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
        by_model: Skills by model, then by action. Models are the names of the skill sets, in order of preference.
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
        """Arguments of the actions, for planners."""
        return {name: action.arguments for name, action in self.table.items()}

    @property
    def words(self) -> Mapping[str, str]:
        """Synonyms of the actions, each with its action."""
        return {words: name for name, action in self.table.items() for words in action.words}

    @property
    def explanations(self) -> Mapping[str, str]:
        """Effects and preconditions of the actions that skill sets explain, a sentence each."""
        return {name: action.about for name, action in self.table.items() if action.about}

    @property
    def abilities(self) -> Mapping[str, Ability]:
        """Abilities of each model, for planners."""
        return {name: _ability(skills, self.sets.get(name)) for name, skills in self.by_model.items()}

    def actions(self, robot: Robot) -> tuple[str, ...]:
        """Return the actions that a planner may choose: EMMOE's, or the robot's own, as far as some skill has them;
        then further actions of the skill sets; then End."""
        candidates = list(dict.fromkeys(action for skills in self.by_model.values() for action in skills))
        if robot.actions:
            candidates = [action for action in candidates if action in robot.actions or action not in ACTIONS]
        return listed_actions(robot.actions, candidates)

    def choose(self, model: str, action: str) -> Skill | None:
        """Return the skill for an action of the model that the planner chose, or if it chose none, of any model with
        the action."""
        return self.by_model.get(self._choose_model(model, action), {}).get(action)

    def fallback_for(self, model: str, action: str) -> str:
        """Return the missing model whose fallback is the chosen skill, "" if the skill is the model's own."""
        provider = self._choose_model(model, action)
        return provider if provider in self.missing else ""

    def _choose_model(self, model: str, action: str) -> str:
        if model:
            return next((name for name in self.by_model if model_key(name) == model_key(model)), "")
        candidates = [name for name, skills in self.by_model.items() if action in skills]
        return next((name for name in candidates if name not in self.missing), next(iter(candidates), ""))


def _ability(skills: Mapping[str, Skill], skill_set: SkillSet | type[SkillSet] | None) -> Ability:
    if skill_set is None:
        return Ability(tuple(skills))
    return Ability(tuple(skills), tuple(action for action in skill_set.meant_for if action in skills), skill_set.about)
