"""Serialization of an episode's events to lines of JSON for a network, and back.

    {"event": "recorded", "stamp": 31.4, "about": {...}}      stamp: robot time (s), null for events without one

Pictures and the exchange with a language model are left out: a planner's input is restored as stored in
`homie.runtime.planner_inputs.RoundInput`, a decision without prompts and raw answers. Commands and measurements are not
announced: a robot on a network has topics for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Announcer, EpisodeListener
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import to_json
from homie.kernel.support.validation_sentences import first_problem
from homie.kernel.types import (
    Decision,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    Observation,
    PlannerAnswered,
    PlannerAsked,
    RoundRecord,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.runtime.planner_inputs import RoundInput

LONGEST = 2**20
"""Maximum characters of an announcement: that of a round has some thousand."""
EVENTS: Mapping[str, TypeAdapter[Any]] = {
    "started": TypeAdapter(EpisodeStarted),
    "asked": TypeAdapter(RoundInput),
    "answered": TypeAdapter(PlannerAnswered),
    "begun": TypeAdapter(SubtaskStarted),
    "recorded": TypeAdapter(RoundRecord),
    "ended": TypeAdapter(EpisodeResult),
}
"""Type of an announcement's content, by the name of its event."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """An announced event.

    Attributes:
        name: Key of `EVENTS`.
        stamp: Robot time (s) of the event, None if it has none.
        about: Content, of the type in `EVENTS`.
    """

    name: str
    stamp: float | None
    about: Any

    def event(self, observation: Observation) -> Event:
        """Recreate the event.

        Args:
            observation: The last observation before it.
        """
        match self.about:
            case RoundInput() as recorded:
                return PlannerAsked(recorded.planner_input((), {}), observation)
            case RoundRecord() as record:
                return SubtaskRecorded(record)
            case EpisodeResult() as result:
                return EpisodeEnded(result)
        event: Event = self.about
        return event


class Announcements(EpisodeListener):
    """Listener that makes a robot announce an episode."""

    def __init__(self, robot: Announcer) -> None:
        self._robot = robot

    def on(self, event: Event) -> None:
        text = announced(event)
        if text:
            self._robot.announce(text)


def announced(event: Event) -> str:
    """Return the announcement of an event, "" for events that are not announced."""
    match event:
        case EpisodeStarted():
            return _serialize("started", None, event)
        case PlannerAsked(planner_input, observation):
            return _serialize("asked", observation.stamp, RoundInput.of(planner_input))
        case PlannerAnswered(_, decision):
            return _serialize("answered", None, replace(event, decision=_strip_model_exchange(decision)))
        case SubtaskStarted():
            return _serialize("begun", None, event)
        case SubtaskRecorded(record):
            return _serialize(
                "recorded", record.stamp, replace(record, decision=_strip_model_exchange(record.decision))
            )
        case EpisodeEnded(result):
            return _serialize("ended", result.robot_seconds, result)
    return ""


def read_announcement(text: str) -> Announcement:
    """Parse an announcement.

    Args:
        text: Output of `announced`, but untrusted, as it comes from a network or a file.

    Raises:
        BadInput: It is not an announcement.

    Example:
        >>> read_announcement('{"event": "started", "stamp": null, "about": {"task": "go home"}}').about
        EpisodeStarted(task='go home')
    """
    if len(text) > LONGEST:
        raise BadInput(f"An announcement of {len(text):,} characters is too long ({LONGEST:,} at most).")
    try:
        content = parse_json(text)
        name, stamp = content["event"], content["stamp"]
        payload = EVENTS[name].validate_python(content["about"])
        return Announcement(name, None if stamp is None else float(stamp), payload)
    except ValidationError as error:
        raise BadInput(f"This is not an announcement of an episode: {first_problem(error)}.") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(f"This is not an announcement of an episode: {type(error).__name__}: {error}.") from error


def _strip_model_exchange(decision: Decision) -> Decision:
    """Remove the exchange with a language model from a decision: it is long, and not meant for others."""
    return replace(decision, raw="", answers=(), system="", question="")


def _serialize(name: str, stamp: float | None, payload: object) -> str:
    content = EVENTS[name].dump_python(payload, mode="json")
    return to_json({"event": name, "stamp": stamp, "about": content}, indent=None).decode().rstrip("\n")
