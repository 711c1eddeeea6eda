"""Failure reasons of skills for planners: in words of the home, with advice.

A skill fails with a reason (`homie.kernel.types.FailureReason`), whose text is in the record (`Attempt.reason`). This
table has what planners get instead. A text without a reason stays in the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from homie.kernel.types import Failure, FailureReason

ONCE_MORE = "and try once more"
"""End of advice where the same subtask may succeed the next time; else something has to be changed first."""


class Advice(NamedTuple):
    """What a planner gets for a failure reason.

    Attributes:
        words: The sentence that replaces the record's text, "" for the same.
        advice: What may help.
    """

    words: str
    advice: str


_AGAIN = f"Please go to it again {ONCE_MORE}"
_ELSEWHERE = f"Please go somewhere else first {ONCE_MORE}"
_OTHER_OBJECT = "Please choose another object, or make room around it"
_AGAIN_OR_OTHER = f"Please choose another object, or go to it again {ONCE_MORE}"
_OTHER_TARGET = "Please choose another target"
_OTHER_PLACE = "Please put it somewhere else, or take something away from there first"
_OTHER_MODEL = "Please choose another model, or another way to do it"
_IN_SIGHT = f"Please go to where it can be seen {ONCE_MORE}"

_NO_END = "the model did not come to an end"
_NOT_SEEN = "the model does not see the target"
_NOT_LEARNED = "the model has not learned this"
_CANNOT_GO_ON = "the model cannot go on"
_DO_WITHOUT = "Please do without it"
_CLEAR_AROUND = "Please move away what stands around it, or do without it"
_OTHER_SIDE = "Please go through a doorway that is not explored, or choose another target"
_MOVE_IT = "Please move it away first"
_MOVE_THEM = "Please move them away first"

ADVICE: Mapping[FailureReason, Advice] = MappingProxyType(
    {
        FailureReason.TARGET_LOST: Advice("it is no longer where it was seen", "Please look for it"),
        FailureReason.NO_PATH: Advice("no free way leads to the target", _OTHER_TARGET),
        FailureReason.NO_FLOOR_NEAR: Advice("no free floor near it can be reached", _OTHER_TARGET),
        FailureReason.BEHIND_WALL: Advice(
            "it is behind a wall, and no way to its side of the wall is known",
            _OTHER_SIDE,
        ),
        FailureReason.NO_FLOOR_IN_ROOM: Advice("", "Please choose another room"),
        FailureReason.WAY_BLOCKED: Advice("something stays in front of the robot", _ELSEWHERE),
        FailureReason.BASE_CANNOT_TURN: Advice("the robot has no room to turn", _ELSEWHERE),
        FailureReason.NO_MAP: Advice("the robot has no map of the home", _OTHER_MODEL),
        FailureReason.NAVIGATION_FAILED: Advice("the robot has found no way there", _AGAIN),
        FailureReason.ARM_CAUGHT: Advice("the arm is caught between things", _ELSEWHERE),
        FailureReason.NO_ARM_PATH: Advice("the arm finds no free way to it", _AGAIN),
        FailureReason.ARM_BLOCKED: Advice("something stops the arm", _AGAIN),
        FailureReason.OFF_STRAIGHT_LINE: Advice("it is out of reach from here", _AGAIN),
        FailureReason.HAND_STOPPED: Advice("something stops the arm", _AGAIN),
        FailureReason.ARM_STOPPED: Advice("something stops the arm", _AGAIN),
        FailureReason.HAND_KEEPS: Advice("the hand does not let go", _AGAIN),
        FailureReason.HAND_KEPT: Advice("the hand does not let go", _AGAIN),
        FailureReason.PLANNED_END_OUT_OF_REACH: Advice("it is out of reach from here", _AGAIN),
        FailureReason.ARM_PLANNER_FAILED: Advice("the arm finds no free way to it", _AGAIN),
        FailureReason.NO_PLACE_TO_PICK: Advice("", _OTHER_OBJECT),
        FailureReason.NO_GRASP: Advice("the hand does not fit around it where it is", _OTHER_OBJECT),
        FailureReason.OBJECT_BLOCKED: Advice("", _MOVE_IT),
        FailureReason.UNDER_OTHERS: Advice("", _MOVE_IT),
        FailureReason.GRASP_OUT_OF_REACH: Advice("it is out of reach from here", _AGAIN),
        FailureReason.CLOSED_ON_NOTHING: Advice("", _AGAIN_OR_OTHER),
        FailureReason.SLIPPED: Advice("", _AGAIN_OR_OTHER),
        FailureReason.CANNOT_HOLD: Advice("", "Please choose another object"),
        FailureReason.POSITION_UNKNOWN: Advice("it has not been seen well enough", _IN_SIGHT),
        FailureReason.SURFACE_FULL: Advice("", _OTHER_PLACE),
        FailureReason.NO_SPOT_FOR_ARM: Advice("", _OTHER_PLACE),
        FailureReason.SPOTS_OUT_OF_REACH: Advice("no free spot is within reach from here", _AGAIN),
        FailureReason.TOO_TALL: Advice("", "Please put it somewhere else"),
        FailureReason.NO_SURFACE: Advice("no free surface of it has been seen", _IN_SIGHT),
        FailureReason.HAND_EMPTY: Advice("", "Please pick the object first"),
        FailureReason.LOST_ON_THE_WAY: Advice("", "Please look for the object and pick it again"),
        FailureReason.NO_PLACE_TO_OPEN: Advice(
            "there is no place to stand from which it can be moved",
            _CLEAR_AROUND,
        ),
        FailureReason.HANDLE_OUT_OF_REACH: Advice("it cannot be moved from here", _AGAIN),
        FailureReason.HANDLE_MISSED: Advice("", _AGAIN),
        FailureReason.NOT_MOVED_ENOUGH: Advice("it has not moved far enough", _AGAIN),
        FailureReason.OPENING_UNKNOWN: Advice("", _DO_WITHOUT),
        FailureReason.NO_HANDLE: Advice("its handle has not been seen", _IN_SIGHT),
        FailureReason.NO_DOOR_OR_DRAWER: Advice("its handle has not been seen", _IN_SIGHT),
        FailureReason.NO_PLACE_TO_PRESS: Advice(
            "there is no place to stand from which its switch can be pressed",
            _CLEAR_AROUND,
        ),
        FailureReason.SWITCH_OUT_OF_REACH: Advice("its switch is out of reach from here", _AGAIN),
        FailureReason.SWITCH_NOT_SEEN: Advice("where its switch is cannot be told from what is seen", _DO_WITHOUT),
        FailureReason.NO_EMPTY_HAND: Advice("", _OTHER_TARGET),
        FailureReason.GAZE_UNKNOWN: Advice("", _IN_SIGHT),
        FailureReason.NO_PLACE_TO_SHOW: Advice("there is no place to stand before the person", _CLEAR_AROUND),
        FailureReason.CANNOT_SHOW_FROM_HERE: Advice("it cannot be held up before the person from here", _AGAIN),
        FailureReason.NOT_READY: Advice("", "Please see to that first"),
        FailureReason.CANNOT_BECOME: Advice("", _OTHER_TARGET),
        FailureReason.WITHOUT_EFFECT: Advice("it was tried, but nothing has changed", _AGAIN),
        FailureReason.TIMED_OUT: Advice("it took too long", _AGAIN),
        FailureReason.STOPPED_BY_PERSON: Advice("", f"Please look at what is there now {ONCE_MORE}"),
        FailureReason.COMMAND_REFUSED: Advice("the robot may not move as it would have to", _AGAIN),
        FailureReason.MOTIONS_RAN_OUT: Advice(_NO_END, _OTHER_MODEL),
        FailureReason.DECISIONS_RAN_OUT: Advice(_NO_END, _OTHER_MODEL),
        FailureReason.NO_STOP: Advice(_NO_END, _OTHER_MODEL),
        FailureReason.TARGET_NOT_IN_PICTURES: Advice(_NOT_SEEN, _IN_SIGHT),
        FailureReason.TARGET_NOT_IN_HEAD_PICTURE: Advice(_NOT_SEEN, _IN_SIGHT),
        FailureReason.TARGET_NOT_FOUND: Advice(_NOT_SEEN, _IN_SIGHT),
        FailureReason.GOAL_NOT_IN_PICTURE: Advice(_NOT_SEEN, _IN_SIGHT),
        FailureReason.EXPLORED: Advice(_NOT_SEEN, _IN_SIGHT),
        FailureReason.OUTSIDE_ROOM: Advice("the model stopped outside the room", _AGAIN),
        FailureReason.STOPPED_SHORT: Advice("the model stopped too far from the target", _AGAIN),
        FailureReason.SIGHT_LOST: Advice("the robot has lost sight of it", _IN_SIGHT),
        FailureReason.NO_CHECKPOINT: Advice(_NOT_LEARNED, _OTHER_MODEL),
        FailureReason.NO_TEXT: Advice(_NOT_LEARNED, _OTHER_MODEL),
        FailureReason.NO_EMBEDDING: Advice(_NOT_LEARNED, _OTHER_MODEL),
        FailureReason.CONNECTION_LOST: Advice("the model is not there", _OTHER_MODEL),
        FailureReason.SERVER_LOST: Advice("the model is not there", _OTHER_MODEL),
        FailureReason.SERVER_FAILED: Advice("the model is not there", _OTHER_MODEL),
        FailureReason.MESSAGE_NOT_SENT: Advice("the model is not there", _OTHER_MODEL),
        FailureReason.MODEL_CANNOT_GO_ON: Advice(_CANNOT_GO_ON, _OTHER_MODEL),
    }
)
"""Advice by reason, for failures without objects in the way that are not repeated. Every reason has a row."""
REPEATED = Advice("it was tried again and again, and failed in the same way each time", _OTHER_TARGET)
"""Advice for a failure that has come too often in a row."""


def explain_reason(reason: str) -> str:
    """Return the explanation of an attempt's reason for a planner, without the last period: `the fingers closed on
    nothing. Please go ...`; "" for a text without a reason."""
    if not isinstance(reason, Failure):
        return ""
    words, advice = _advice_for(reason)
    return f"{words or reason}. {advice}"


def lasting(reason: str) -> bool:
    """Return whether something has to be changed before the same subtask can succeed. A text without a reason does not
    tell, and the subtask is tried again."""
    return isinstance(reason, Failure) and not _advice_for(reason).advice.endswith(ONCE_MORE)


def _advice_for(failure: Failure) -> Advice:
    if failure.repeats:
        return REPEATED
    if failure.blockers is not None:
        return Advice("", _MOVE_THEM if failure.several else _MOVE_IT)
    return ADVICE[failure.reason]
