"""Interfaces of the world model, and of locators, which make goals from it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from homie.kernel.actions import ACTION_TABLE, Action
from homie.kernel.knowledge import Knowledge
from homie.kernel.types import (
    Arrangement,
    Detection,
    Goal,
    NamedThing,
    NumberedObject,
    Observation,
)
from homie.kernel.world import thresholds
from homie.kernel.world.entity_names import kind_of


class WorldModel(ABC):
    """Read-only queries on the known state of the world.

    Error detection queries it for which entities exist, are closed or can be opened, for distances, and for the effects
    of a skill. All answers come from the same source: world state in the background setting, past observations alone
    in the sensors setting.
    """

    @abstractmethod
    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        """Resolve a planner's words to an entity. The name of an entity resolves to itself.

        Args:
            words: Target or destination as the planner wrote it: `red apple`.
            action: The action. Ambiguous words resolve to an entity that it can be applied to.
            observation: Where the robot is now: of several candidates the nearest is chosen.

        Returns:
            The name of the entity, such as `apple_1`, or None if the words match no known entity.
        """

    def objection(self, words: str, action: Action) -> str:
        """Explain why words match no entity that an action can be applied to.

        Args:
            words: Words for which `resolve` returned None.
            action: The action.

        Returns:
            A sentence for the planner; "" for the default message, that the target is not there.
        """
        return ""

    def called(self, entity: str) -> str:
        """Return the name of an entity in a planner's input, "" if that is the entity's own name.

        An entity without such a name is assigned one for the rest of the episode.
        """
        return ""

    def name_all(self, entities: Sequence[str]) -> None:
        """Assign several entities their names in a planner's input at once, so that entities of one kind are numbered
        from the first; does nothing if names do not depend on earlier ones."""

    @abstractmethod
    def opens(self, entity: str) -> bool:
        """Whether the entity has a door or a drawer."""

    @abstractmethod
    def closed_container(self, entity: str) -> str | None:
        """Return the closed container that contains the entity, or is the entity; None if it is freely accessible."""

    @abstractmethod
    def pickable(self, entity: str) -> bool:
        """Whether the entity is a loose object that can be grasped."""

    @abstractmethod
    def is_spot(self, entity: str) -> bool:
        """Whether the entity is only a place to go to, such as a room."""

    def has_place(self, entity: str) -> bool:
        """Whether a free place on or in the entity is known, for a Put."""
        return not self.is_spot(entity)

    def fits(self, entity: str, action: Action) -> bool:
        """Whether the action can be applied to this kind of entity (`Action.target`), even if it is far away or
        enclosed now."""
        match action.target:
            case "loose":
                return self.pickable(entity)
            case "opens":
                return self.opens(entity)
            case "place":
                return self.has_place(entity)
        return True

    @abstractmethod
    def distance(self, entity: str, observation: Observation) -> float:
        """Return the distance (m) from the robot base to the nearest part of the entity that matters for reach."""

    def within_reach(self, entity: str, observation: Observation) -> bool:
        """Whether the entity is near enough to be manipulated, and on the robot's side of all walls."""
        return thresholds.within_reach(self.distance(entity, observation))

    @abstractmethod
    def held(self, observation: Observation) -> str | None:
        """Return the held entity as far as it is known, or None if the hand is empty."""

    def names_held(self, words: str, inventory: Sequence[str], observation: Observation) -> bool:
        """Whether words can refer to the held object.

        They can if all words of one name are in the other (`red apple`, `apple`), or if they resolve to an entity of
        the same kind: any of several apples is accepted.

        Args:
            words: The target of a Put.
            inventory: Held objects in the planner's words; only the last is used.
            observation: The current observation.
        """
        held = self.held(observation)
        names = [*inventory[-1:], *([held] if held else [])]
        if any(_same_words(words, name) for name in names):
            return True
        target = self.resolve(words, LOOSE, observation)
        held_entity = held or (self.resolve(names[0], LOOSE, observation) if names else None)
        return target is not None and held_entity is not None and kind_of(target) == kind_of(held_entity)

    # Effects of a skill (`Action.result`): True or False, None if it cannot be seen.

    def arrived(self, entity: str, observation: Observation) -> bool | None:
        """Whether the robot has reached the target of a Go to: is in the room, or within reach of the entity."""
        if self.is_spot(entity):
            return self.distance(entity, observation) <= thresholds.AT_SPOT
        return self.within_reach(entity, observation)

    def holds(self, entity: str, observation: Observation) -> bool | None:
        """Whether the hand holds the entity."""
        return self.held(observation) == entity

    def placed(self, item: str | None, entity: str, observation: Observation) -> bool | None:
        """Whether an object has been put on or into the entity.

        Args:
            item: The entity held before, None for none.
            entity: The destination.
            observation: The observation after the skill.

        Returns:
            True or False, None if it cannot be seen.
        """
        return None

    def arrangement(self, observation: Observation) -> Arrangement:
        """Return the known state of doors, drawers and loose objects, for comparing two moments."""
        return Arrangement()

    def whereabouts(self, entity: str, observation: Observation) -> str:
        """Describe where a loose object is, for a planner: `on the floor`, `in the sink`; "" if it is not known."""
        return ""

    def state(self, entity: str, state: str, observation: Observation) -> bool | None:
        """Whether the entity is in a state.

        Args:
            entity: The entity.
            state: `open`, `closed`, or a state that an action of a skill set results in (`Action.result`).
            observation: The observation after the skill.

        Returns:
            True or False, None if it cannot be seen.
        """
        return None


class Locator(WorldModel):
    """World model that is updated with observations, supplies planner inputs, and makes goals for skills.

    It is the goal adapter of one setting: `background` reads world state, `sensors` past observations alone.
    Constructed as `cls(robot)`.
    """

    name: str = ""
    cameras: tuple[str, ...] = ()
    """Cameras whose pictures it needs before and after a skill runs; empty for none."""

    @abstractmethod
    def reset(self, *, seed: int) -> None:
        """Forget the previous episode."""

    @abstractmethod
    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Add a new observation: remember what was seen where.

        Args:
            observation: The current observation. This is called once for each group of cameras at a moment
                (`homie.kernel.look_and_detect.Senses`).
            detections: Detections in its pictures.
        """

    def aim(self, entity: str, action: Action, observation: Observation) -> None:
        """Note the target of the subtask that begins: the next object grasped is most likely this entity."""

    def brought_about(self, entity: str, state: str) -> None:
        """Note that a subtask has succeeded and left its entity in a state (`Action.result`)."""

    # Input of a planner.

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Select, name and order detections for a planner.

        Args:
            detections: Detections in the planner's views.

        Returns:
            The detections that the planner gets, with names and numbers that `resolve` understands; objects numbered
            by `listing` are in its order.
        """
        return tuple(detections)

    def knowledge(self, round_number: int) -> Knowledge:
        """Return what is known of the home in a round: rooms, doorways, objects seen before. Called after `update`."""
        return Knowledge()

    def listing(self) -> tuple[NumberedObject, ...]:
        """Return the visible objects with measured positions, which a planner gets besides names and pictures."""
        return ()

    # Input of a skill.

    @abstractmethod
    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        """Make the goal for a resolved entity, without its text. Does not change the locator.

        Args:
            entity: The target object; the destination of a Put.
            action: The action, which determines the parts of the world in the goal.
            observation: Where the robot is now.

        Raises:
            TargetLost: The entity has been forgotten since it was resolved.
        """

    def here(self, observation: Observation) -> Goal:
        """Make the goal of an action without a target, without its text: the robot's position and the known floor
        around it. Does not change the locator."""
        base = observation.body.base
        return Goal("", "", np.array([base.x, base.y, 0.0]))

    def seen(self, entity: str, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Select the detections of the entity, for skills that work on pixels."""
        return tuple(detection for detection in detections if detection.instance == entity)

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        """Return the cameras to observe before the goal of a running skill is refreshed, or None if no refresh is due.

        Called once per control period.
        """
        return None


LOOSE = ACTION_TABLE["Pick"]
"""Action for which the name of a held object is resolved: Pick takes loose objects."""


def _same_words(words: str, name: str) -> bool:
    """Whether all words of one name are in the other, ignoring numbers and articles."""
    first, second = (
        {word for word in re.split(r"[\W_\d]+", text.lower()) if word not in ("", "the", "a", "an")}
        for text in (words, name)
    )
    return bool(first and second) and (first <= second or second <= first)


class NameMatcher(Protocol):
    """Function that returns the candidates that match a query equally well; empty if none matches."""

    def __call__(self, query: str, candidates: Sequence[NamedThing], /) -> Sequence[NamedThing]: ...
