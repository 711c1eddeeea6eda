"""Why a skill failed: a reason with its arguments, from which the text of the record and advice for planners follow."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, unique
from typing import Any, Self

MOST_NAMED = 2
"""Largest number of objects in the way that are named; more are only counted."""


@unique
class FailureReason(Enum):
    """Reasons for which planners get advice (`error_detection.failure_advice`); the value is the text of the record.

    Any skill may fail with them: `Failure(FailureReason.ARM_BLOCKED, why="elbow is 0.64 off")`.
    """

    # the target has disappeared
    TARGET_LOST = "the target is no longer where it was seen"
    # driving
    NO_PATH = "no free path to the target"
    NO_FLOOR_NEAR = "no free floor near the target can be reached"
    BEHIND_WALL = "a wall is between the target and every place that can be reached"
    NO_FLOOR_IN_ROOM = "no free floor in the room can be reached"
    WAY_BLOCKED = "the way stays blocked"
    BASE_CANNOT_TURN = "the base cannot turn"
    NO_MAP = "there is no map to drive by"
    NAVIGATION_FAILED = "the robot's navigation {how}"
    # the arm
    ARM_CAUGHT = "the arm finds no way out"
    NO_ARM_PATH = "the arm finds no way there"
    ARM_BLOCKED = "the arm is blocked: {why}"
    OFF_STRAIGHT_LINE = "no arm motion along the straight line"
    HAND_STOPPED = "something stops the hand on the way to the spot"
    ARM_STOPPED = "something stopped the arm {centimetres:.1f} cm before the end of its way"
    HAND_KEEPS = "the hand does not let go"
    HAND_KEPT = "the hand has not let go{and_then}"
    PLANNED_END_OUT_OF_REACH = "the robot's arm planner was {outcome}: {why}"
    ARM_PLANNER_FAILED = "the robot's arm planner {how}"
    # picking
    NO_PLACE_TO_PICK = "no place to stand from which the object can be reached"
    NO_GRASP = "no grasp fits the object where it stands"
    OBJECT_BLOCKED = "the object cannot be reached"
    UNDER_OTHERS = "the object cannot be taken from under others"
    GRASP_OUT_OF_REACH = "the grasp cannot be reached from here"
    CLOSED_ON_NOTHING = "the fingers closed on nothing"
    SLIPPED = "the object slipped out of the hand"
    CANNOT_HOLD = "the fingers cannot hold the object: {why}"
    POSITION_UNKNOWN = "where the object is, is not known well enough to grasp it"
    # putting
    SURFACE_FULL = "no free spot: {count} things are on it"
    NO_SPOT_FOR_ARM = "no free spot that the arm can reach"
    SPOTS_OUT_OF_REACH = "no free spot can be reached from here"
    TOO_TALL = "the object is too tall for the space there"
    NO_SURFACE = "no surface to put it on is known"
    HAND_EMPTY = "there is nothing in the hand"
    LOST_ON_THE_WAY = "the object was lost on the way"
    # doors and drawers
    NO_PLACE_TO_OPEN = "no place to stand from which the handle can be led"
    HANDLE_OUT_OF_REACH = "the handle cannot be led from here"
    HANDLE_MISSED = "the fingers missed the handle"
    NOT_MOVED_ENOUGH = "it stays at {opening:.2f} of {range:.2f}"
    OPENING_UNKNOWN = "how it opens cannot be told from what is seen"
    NO_HANDLE = "no door or drawer with a handle is known"
    NO_DOOR_OR_DRAWER = "{name} has no door and no drawer that the robot knows"
    # switches
    NO_PLACE_TO_PRESS = "no place to stand from which the switch can be pressed"
    SWITCH_OUT_OF_REACH = "the switch cannot be reached from here"
    SWITCH_NOT_SEEN = "its switch has not been seen"
    # people
    NO_EMPTY_HAND = "no empty hand is held out"
    GAZE_UNKNOWN = "where the person looks is not known"
    NO_PLACE_TO_SHOW = "no place to stand from which it can be held up before the person"
    CANNOT_SHOW_FROM_HERE = "it cannot be held up from here"
    # states of a household
    NOT_READY = "{what}"
    CANNOT_BECOME = "it cannot be {state}"
    # any skill
    WITHOUT_EFFECT = "done by its own account, without effect"
    TIMED_OUT = "not done after {seconds:g} s"
    STOPPED_BY_PERSON = "a person stopped it"
    COMMAND_REFUSED = "Command refused: {why}"
    # learned models
    MOTIONS_RAN_OUT = "not done after {count} motions{more}"
    DECISIONS_RAN_OUT = "not done after {count} decisions"
    NO_STOP = "no stop of its own in {count} decisions"
    TARGET_NOT_IN_PICTURES = "the target is in none of the robot's pictures"
    TARGET_NOT_IN_HEAD_PICTURE = "the target is not in the picture of the head camera"
    TARGET_NOT_FOUND = "the target is neither on the map nor in sight"
    GOAL_NOT_IN_PICTURE = "the goal is not in the picture"
    EXPLORED = "explored for {seconds:g} s: the target was neither on the map nor in sight"
    OUTSIDE_ROOM = "the policy stopped outside the room"
    STOPPED_SHORT = "the policy stopped {metres:.1f} m from the target"
    SIGHT_LOST = "the robot has lost sight of what it moves at {name}"
    NO_CHECKPOINT = "M3 has no checkpoint for {skill}"
    NO_TEXT = "there is no text for the action {action}"
    NO_EMBEDDING = "the table of embeddings {lacks}"
    CONNECTION_LOST = "the connection to the policy server is lost"
    SERVER_LOST = "the policy server at {url} is lost: {why}"
    SERVER_FAILED = "on the policy server: {why}"
    MESSAGE_NOT_SENT = "the message to the policy server cannot be sent: {why}"
    MODEL_CANNOT_GO_ON = "{why}"


class Failure(str):
    """The reason of a failed attempt: its text for the record, with the data from which advice for planners is made.

    A skill may fail with a plain string instead; it is only recorded, and planners get no advice.

    >>> str(Failure(FailureReason.OBJECT_BLOCKED, blockers=["cracker_box"]))
    'the object cannot be reached: the cracker_box is in the way'

    Attributes:
        reason: The reason.
        blockers: Names of the objects in the way, () if they have no names; None if nothing is in the way.
        several: Whether more than one named object is in the way.
        repeats: Number of attempts in a row with this failure; 0 if they are not counted.
    """

    reason: FailureReason
    blockers: tuple[str, ...] | None
    several: bool
    repeats: int
    _text: str

    def __new__(cls, reason: FailureReason, *, blockers: Sequence[str] | None = None, **details: Any) -> Self:
        """Create a failure.

        Args:
            reason: The reason; its text is a format string for the details.
            blockers: Names of the objects in the way, "" for an object without a name; None if nothing is in the way.
            details: Arguments of the format string.
        """
        return cls._create(reason, reason.value.format(**details), blockers)

    @classmethod
    def read(cls, reason: FailureReason, text: str) -> Self:
        """Recreate a failure of another process from its reason and text."""
        return cls._create(reason, text)

    @classmethod
    def _create(cls, reason: FailureReason, text: str, blockers: Sequence[str] | None = None, repeats: int = 0) -> Self:
        names = list(dict.fromkeys(filter(None, blockers or ())))
        suffix = "" if blockers is None else f": {in_the_way(names)}"
        times = f", {repeats} times in a row" if repeats else ""
        failure = super().__new__(cls, f"{text}{suffix}{times}")
        failure.reason, failure.repeats, failure._text = reason, repeats, text
        failure.blockers = None if blockers is None else tuple(names)
        failure.several = len(names) > 1
        return failure

    def naming(self, blockers: Sequence[str]) -> Self:
        """Return the same failure with other names for its blockers."""
        return self._create(self.reason, self._text, blockers, self.repeats)


def with_repetitions(reason: str, times: int) -> str:
    """Add to a reason how many times in a row an attempt failed with it."""
    if isinstance(reason, Failure):
        return Failure._create(reason.reason, reason._text, reason.blockers, times)
    return f"{reason}, {times} times in a row"


def in_the_way(names: Sequence[str]) -> str:
    """Format the blockers: `the cracker_box is in the way`; for many `3 things are in the way`; without names
    `something is in the way`."""
    if not names:
        return "something is in the way"
    if len(names) > MOST_NAMED:
        return f"{len(names)} things are in the way"
    return f"the {' and the '.join(names)} {'is' if len(names) == 1 else 'are'} in the way"
