"""Why skills fail, as a planner is told: in words of the home, with what may help.

Skills write a reason into the record, in words of their own (`Attempt.reason`). This is the table of those that
planners are told. A reason that is not in it stays in the record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ONCE_MORE = "and try once more"
"""How advice ends where the same subtask may go better the next time; else something has to be changed first."""


@dataclass(frozen=True, slots=True)
class Reason:
    """record: the words of the record, a pattern. words: those for the planner, "" for the same. advice: what helps."""

    record: str
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

REASONS = (
    # any skill, again and again
    Reason(
        r".*, \d+ times in a row", "it was tried again and again, and failed in the same way each time", _OTHER_TARGET
    ),
    # what is in the way
    Reason(r".*\bis in the way", "", "Please move it away first"),
    Reason(r".*\bare in the way", "", "Please move them away first"),
    # what was there is gone
    Reason(r"the target is no longer where it was seen", "it is no longer where it was seen", "Please look for it"),
    # driving
    Reason(r"no free path to the target", "no free way leads to the target", _OTHER_TARGET),
    Reason(r"no free floor near the target can be reached", "no free floor near it can be reached", _OTHER_TARGET),
    Reason(
        r"a wall is between the target and every place that can be reached",
        "it is behind a wall, and no way to its side of the wall is known",
        "Please go through a doorway that is not explored, or choose another target",
    ),
    Reason(r"no free floor in the room can be reached", "", "Please choose another room"),
    Reason(r"the way stays blocked", "something stays in front of the robot", _ELSEWHERE),
    Reason(r"the base can ?not turn", "the robot has no room to turn", _ELSEWHERE),
    Reason(r"there is no map to drive by", "the robot has no map of the home", _OTHER_MODEL),
    Reason(r"the robot's navigation .*", "the robot has found no way there", _AGAIN),
    # the arm
    Reason(r"the arm finds no way out", "the arm is caught between things", _ELSEWHERE),
    Reason(r"the arm finds no way there", "the arm finds no free way to it", _AGAIN),
    Reason(r"the arm is blocked(?:: .*)?", "something stops the arm", _AGAIN),
    Reason(r"no arm motion along the straight line", "it is out of reach from here", _AGAIN),
    Reason(r"something stop(?:s the hand on the way to the spot|ped the arm .*)", "something stops the arm", _AGAIN),
    Reason(r"the hand (?:does|has) not let go.*", "the hand does not let go", _AGAIN),
    Reason(
        r"the robot's arm planner was aborted: the arm (?:does not reach there|cannot be where it should end)",
        "it is out of reach from here",
        _AGAIN,
    ),
    Reason(r"the robot's arm planner .*", "the arm finds no free way to it", _AGAIN),
    # picking
    Reason(r"no place to stand from which the object can be reached", "", _OTHER_OBJECT),
    Reason(r"no grasp fits the object where it stands", "the hand does not fit around it where it is", _OTHER_OBJECT),
    Reason(r"the grasp can ?not be reached from here", "it is out of reach from here", _AGAIN),
    Reason(r"the fingers closed on nothing", "", _AGAIN_OR_OTHER),
    Reason(r"the object slipped out of the hand", "", _AGAIN_OR_OTHER),
    Reason(r"the fingers cannot hold the object: .*", "", "Please choose another object"),
    Reason(r"where the object is, is not known well enough to grasp it", "it has not been seen well enough", _IN_SIGHT),
    # putting
    Reason(r"no free spot: \d+ things are on it", "", _OTHER_PLACE),
    Reason(r"no free spot that the arm can reach", "", _OTHER_PLACE),
    Reason(r"no free spot can be reached from here", "no free spot is within reach from here", _AGAIN),
    Reason(r"the object is too tall for the space there", "", "Please put it somewhere else"),
    Reason(r"no surface to put it on is known", "no free surface of it has been seen", _IN_SIGHT),
    Reason(r"there is nothing in the hand", "", "Please pick the object first"),
    Reason(r"the object was lost on the way", "", "Please look for the object and pick it again"),
    # doors and drawers
    Reason(
        r"no place to stand from which the handle can be led",
        "there is no place to stand from which it can be moved",
        "Please move away what stands around it, or do without it",
    ),
    Reason(r"the handle can ?not be led from here", "it cannot be moved from here", _AGAIN),
    Reason(r"the fingers missed the handle", "", _AGAIN),
    Reason(r"it stays at [\d.]+ of [\d.]+", "it has not moved far enough", _AGAIN),
    Reason(r"how it opens cannot be told from what is seen", "", "Please do without it"),
    Reason(r"no door or drawer with a handle is known", "its handle has not been seen", _IN_SIGHT),
    Reason(r".* has no door and no drawer that the robot knows", "its handle has not been seen", _IN_SIGHT),
    # switches
    Reason(
        r"no place to stand from which the switch can be pressed",
        "there is no place to stand from which its switch can be pressed",
        "Please move away what stands around it, or do without it",
    ),
    Reason(r"the switch can ?not be reached from here", "its switch is out of reach from here", _AGAIN),
    Reason(r"its switch has not been seen", "", _IN_SIGHT),
    # people
    Reason(r"no empty hand is held out", "", _OTHER_TARGET),
    Reason(r"where the person looks is not known", "", _IN_SIGHT),
    Reason(
        r"no place to stand from which it can be held up before the person",
        "there is no place to stand before the person",
        "Please move away what stands around it, or do without it",
    ),
    Reason(r"it cannot be held up from here", "it cannot be held up before the person from here", _AGAIN),
    # states
    Reason(r"(?:it|there) has to .*", "", "Please see to that first"),
    Reason(r"it cannot be \w+", "", _OTHER_TARGET),
    # any skill
    Reason(r"done by its own account, without effect", "it was tried, but nothing has changed", _AGAIN),
    Reason(r"not done after [\d.]+ s", "it took too long", _AGAIN),
    Reason(r"a person stopped it", "", f"Please look at what is there now {ONCE_MORE}"),
    Reason(r"Command refused: .*", "the robot may not move as it would have to", _AGAIN),
    # learned models
    Reason(r"not done after \d+ (?:motions|decisions).*", _NO_END, _OTHER_MODEL),
    Reason(r"no stop of its own in \d+ decisions", _NO_END, _OTHER_MODEL),
    Reason(r"the target is in none of the robot's pictures", _NOT_SEEN, _IN_SIGHT),
    Reason(r"the target is not in the picture of the head camera", _NOT_SEEN, _IN_SIGHT),
    Reason(r"the target is neither on the map nor in sight", _NOT_SEEN, _IN_SIGHT),
    Reason(r"the goal is not in the picture", _NOT_SEEN, _IN_SIGHT),
    Reason(r"explored for .*", _NOT_SEEN, _IN_SIGHT),
    Reason(r"the policy stopped outside the room", "the model stopped outside the room", _AGAIN),
    Reason(r"the policy stopped [\d.]+ m from the target", "the model stopped too far from the target", _AGAIN),
    Reason(r"the robot has lost sight of what it moves at .*", "the robot has lost sight of it", _IN_SIGHT),
    Reason(r"M3 has no checkpoint for .*", _NOT_LEARNED, _OTHER_MODEL),
    Reason(r"there is no text for the action .*", _NOT_LEARNED, _OTHER_MODEL),
    Reason(r"the table of embeddings .*", _NOT_LEARNED, _OTHER_MODEL),
    Reason(r"the connection to the policy server is lost", "the model is not there", _OTHER_MODEL),
    Reason(r"(?:on |the message to )?the policy server.*", "the model is not there", _OTHER_MODEL),
    Reason(r"(?:NoMaD|PixNav|M3) .*", _CANNOT_GO_ON, _OTHER_MODEL),
    Reason(r"the map (?:passes|has no nodes) .*", _CANNOT_GO_ON, _OTHER_MODEL),
    Reason(r"the camera .* has no depth", _CANNOT_GO_ON, _OTHER_MODEL),
)
"""The first whose pattern fits the whole of a reason counts."""


def explained(reason: str) -> str:
    """What a planner is told of a reason, without the last period: `the fingers closed on nothing. Please go ...`; ""
    for a reason that is not in the table."""
    known = _of(reason)
    return "" if known is None else f"{known.words or reason}. {known.advice}"


def lasting(reason: str) -> bool:
    """Whether something has to be changed before the same subtask can go better. Of a reason that is not in the table
    nobody knows, and it is tried again."""
    known = _of(reason)
    return known is not None and not known.advice.endswith(ONCE_MORE)


def _of(reason: str) -> Reason | None:
    return next((row for row in REASONS if re.fullmatch(row.record, reason)), None)
