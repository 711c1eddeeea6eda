"""The contracts of what is known of the world, and of goals made from it."""

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
    Listed,
    NamedThing,
    Observation,
)
from homie.kernel.world import thresholds
from homie.kernel.world.entity_names import kind_of


class WorldModel(ABC):
    """What is known of the world in one setting: questions, which change nothing.

    Error detection asks it what exists, what is closed, what opens, how far away things are, and what a skill has
    changed. Every answer comes from the same knowledge: world state in the background setting, in the sensors setting
    only what was observed.
    """

    @abstractmethod
    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        """The entity that a planner's words mean. An entity's own name means itself.

        Args:
            words: Target or destination as the planner wrote it: `red apple`.
            action: What is to be done to it. Ambiguous words mean an entity that this can be done to.
            observation: Where the robot is now: of several entities the nearest is meant.

        Returns:
            The name of the entity, such as `apple_1`, or None where the words mean nothing that is known.
        """

    def objection(self, words: str, action: Action) -> str:
        """Why words mean nothing that an action can be done to.

        Args:
            words: Words for which `resolve` gave None.
            action: What was to be done.

        Returns:
            A sentence for the planner; "" for the one of the table of messages: it is not there.
        """
        return ""

    def called(self, entity: str) -> str:
        """The name of an entity in a planner's input, "" for the entity's own.

        What has no name yet gets one, for the rest of the episode.
        """
        return ""

    def name_all(self, entities: Sequence[str]) -> None:
        """Give several entities the names of a planner's input at once, so that those of a kind are numbered from the
        first; does nothing if names do not depend on earlier ones."""

    @abstractmethod
    def opens(self, entity: str) -> bool:
        """Whether the entity has a door or a drawer."""

    @abstractmethod
    def closed_container(self, entity: str) -> str | None:
        """The closed container that hides or is the entity, or None if it is freely accessible."""

    @abstractmethod
    def pickable(self, entity: str) -> bool:
        """Whether the entity is a loose object, which a hand can take."""

    @abstractmethod
    def is_spot(self, entity: str) -> bool:
        """Whether the entity is only a place to go to, such as a room."""

    def has_place(self, entity: str) -> bool:
        """Whether a free place on or in the entity is known, for a Put."""
        return not self.is_spot(entity)

    def fits(self, entity: str, action: Action) -> bool:
        """Whether the action can be done to the entity (`Action.target`), however far away or shut in that is."""
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
        """Metres between the robot base and the nearest part of the entity that matters for reaching it."""

    def within_reach(self, entity: str, observation: Observation) -> bool:
        """Whether the entity is near enough to be manipulated, and on the robot's side of all walls."""
        return thresholds.within_reach(self.distance(entity, observation))

    @abstractmethod
    def held(self, observation: Observation) -> str | None:
        """The entity in the hand as far as it is known, or None if the hand is empty."""

    def names_held(self, words: str, inventory: Sequence[str], observation: Observation) -> bool:
        """Whether words can mean the held object.

        They can where they share their words with a name of it (`red apple`, `apple`), or mean something of its kind:
        of several apples any will do.

        Args:
            words: The target of a Put.
            inventory: The held object, in the planner's words; the last counts.
            observation: What the robot observes now.
        """
        held = self.held(observation)
        names = [*inventory[-1:], *([held] if held else [])]
        if any(_same_words(words, name) for name in names):
            return True
        target = self.resolve(words, LOOSE, observation)
        held_entity = held or (self.resolve(names[0], LOOSE, observation) if names else None)
        return target is not None and held_entity is not None and kind_of(target) == kind_of(held_entity)

    # What a skill has brought about (`Action.result`): True or False, None where it cannot be seen.

    def arrived(self, entity: str, observation: Observation) -> bool | None:
        """Whether the robot is where Go to ends: in the room, or within reach of the thing."""
        if self.is_spot(entity):
            return self.distance(entity, observation) <= thresholds.AT_SPOT
        return self.within_reach(entity, observation)

    def holds(self, entity: str, observation: Observation) -> bool | None:
        """Whether the hand holds the entity."""
        return self.held(observation) == entity

    def placed(self, item: str | None, entity: str, observation: Observation) -> bool | None:
        """Whether an object has been put on or into the entity.

        Args:
            item: The entity that the hand held before, None for none.
            entity: Where it was to be put.
            observation: What the robot observes after the skill.

        Returns:
            True or False, None where it cannot be seen.
        """
        return None

    def arrangement(self, observation: Observation) -> Arrangement:
        """The known state of doors, drawers and loose things, to compare two moments."""
        return Arrangement()

    def whereabouts(self, entity: str, observation: Observation) -> str:
        """Where a loose thing is, in words for a planner: `on the floor`, `in the sink`; "" where it is not known."""
        return ""

    def state(self, entity: str, state: str, observation: Observation) -> bool | None:
        """Whether the entity is in a state.

        Args:
            entity: The entity.
            state: `open`, `closed`, or a state that an action of a skill set results in (`Action.result`).
            observation: What the robot observes after the skill.

        Returns:
            True or False, None where it cannot be seen.
        """
        return None


class Locator(WorldModel):
    """A world model that learns from what is observed, tells planners of it, and makes goals for skills.

    It is the goal adapter of one setting: `background` reads world state, `sensors` only what was observed. Made as
    `cls(robot)`.
    """

    name: str = ""
    cameras: tuple[str, ...] = ()
    """The cameras it looks through before and after a skill runs; empty if it needs no pictures."""

    @abstractmethod
    def reset(self, *, seed: int) -> None:
        """Forget the episode."""

    @abstractmethod
    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Take in a new observation: remember what was seen where.

        Args:
            observation: What the robot senses now. It is called once for each group of cameras at a moment
                (`homie.kernel.look_and_detect.Senses`).
            detections: What the detector reports in its pictures.
        """

    def aim(self, entity: str, action: Action, observation: Observation) -> None:
        """A subtask that is done to the entity begins: what the hand takes next is most likely this entity."""

    def brought_about(self, entity: str, state: str) -> None:
        """A subtask has succeeded that was done to the entity, which is in a state now (`Action.result`)."""

    # For the input of a planner.

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """The detections as a planner gets them.

        Args:
            detections: What the detector reports in the planner's views.

        Returns:
            Those of them that the planner gets, by the names and numbers that `resolve` understands; what `listing`
            numbers comes in its order.
        """
        return tuple(detections)

    def knowledge(self, round_number: int) -> Knowledge:
        """What is known of the home in a round: rooms, doorways, things seen before. Called after `update`."""
        return Knowledge()

    def listing(self) -> tuple[Listed, ...]:
        """The things in sight with measured places, which a planner gets in addition to names and pictures."""
        return ()

    # What a skill needs.

    @abstractmethod
    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        """The goal for a resolved entity, but for its text. Changes nothing.

        Args:
            entity: What the action is done to; of a Put the destination.
            action: What is to be done: it decides which parts of the world the goal contains.
            observation: Where the robot is now.

        Raises:
            TargetLost: The entity has been forgotten since it was resolved.
        """

    def here(self, observation: Observation) -> Goal:
        """The goal of an action that takes no target, but for its text: where the robot stands, with what is known of
        the floor around it. Changes nothing."""
        base = observation.body.base
        return Goal("", "", np.array([base.x, base.y, 0.0]))

    def seen(self, entity: str, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """The detections that show the entity, for skills that work on pixels."""
        return tuple(detection for detection in detections if detection.instance == entity)

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        """The cameras to observe before the goal of a running skill is refreshed, or None if no refresh is due.

        Called once per control period.
        """
        return None


LOOSE = ACTION_TABLE["Pick"]
"""The action whose target is meant by the name of the held object."""


def _same_words(words: str, name: str) -> bool:
    """Whether all words of one name are among those of the other, but for numbers and articles."""
    first, second = (
        {word for word in re.split(r"[\W_\d]+", text.lower()) if word not in ("", "the", "a", "an")}
        for text in (words, name)
    )
    return bool(first and second) and (first <= second or second <= first)


class NameMatcher(Protocol):
    """From words to the things that they may mean equally well; empty if they mean none of them."""

    def __call__(self, query: str, candidates: Sequence[NamedThing], /) -> Sequence[NamedThing]: ...
