"""Content of a page, assembled in the robot's thread: events, map and state; for pictures see `page_pictures.py`."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from homie.kernel.interfaces import EpisodeListener, WorldState
from homie.kernel.support.text import printable
from homie.kernel.types import (
    AttemptEnded,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    PlannerAnswered,
    PlannerAsked,
    SubtaskChecked,
    SubtaskRecorded,
    SubtaskStarted,
    in_sight,
)
from homie.kernel.world import thresholds
from homie.kernel.world.snapshot import ThingState, WorldSnapshot
from homie.studio.operation import PRACTICE, Operation
from homie.studio.page_pictures import Frame, PagePictures, shown_views

STATES, MAPS = 0.1, 0.5
"""Intervals of states and of maps, s: longer than that of pictures, as a person does not steer by them."""
KEPT = 300
"""Number of past events that a newly opened page is shown."""


class Board(EpisodeListener):
    """User interface of an operation on pages. Calls `show` and `send` in the robot's thread.

    Args:
        show: Gets every frame.
        send: Gets every other message for pages, JSON-ready.
        watched: Whether any page is open; without one nothing is rendered.
    """

    def __init__(
        self, show: Callable[[Frame], None], send: Callable[[dict[str, Any]], None], watched: Callable[[], bool]
    ) -> None:
        self._send = send
        self.pictures = PagePictures(show, watched)
        self.events: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self.state: dict[str, Any] = {}
        self.map: dict[str, Any] = {}
        self._state_time = self._map_time = -math.inf
        self._map_stamp: float | None = None

    # ------------------------------------------------------------ events

    def tell(self, sentence: str) -> None:
        """Show a message on every page."""
        self._event({"kind": "tell", "text": sentence})

    def on(self, event: Event) -> None:
        match event:
            case EpisodeStarted(task):
                self._event({"kind": "task", "text": "" if task == PRACTICE else task})
            case PlannerAsked(planner_input):
                names: dict[str, list[str]] = {view: [] for view in planner_input.views}
                for detection in in_sight(planner_input.detections):
                    if detection.called not in names.setdefault(detection.view, []):
                        names[detection.view].append(detection.called)
                self._event({"kind": "sight", "round": planner_input.round, "seen": names})
            case PlannerAnswered(number, decision):
                details = {"analysis": decision.analysis, "model": decision.model, "problem": decision.problem}
                subtasks = [str(subtask) for subtask in decision.subtasks]
                self._event({"kind": "decision", "round": number, "subtasks": subtasks, **details})
            case SubtaskStarted(number, subtask):
                self.pictures.target = subtask.destination or subtask.target
                self._event({"kind": "begin", "round": number, "text": str(subtask)})
            case SubtaskChecked(check):
                self._event({"kind": "check", "layer": check.layer, "code": check.code, "text": check.message})
            case AttemptEnded(attempt):
                details = {"skill": attempt.skill, "outcome": attempt.outcome, "reason": attempt.reason}
                self._event({"kind": "attempt", "number": attempt.number, "seconds": attempt.robot_seconds, **details})
            case SubtaskRecorded(record):
                feedback = record.execution.feedback
                outcome = {"ok": feedback.ok, "code": feedback.code, "text": feedback.message}
                subtask_text = str(record.execution.subtask)
                self._event({"kind": "feedback", "round": record.round, "subtask": subtask_text, **outcome})
            case EpisodeEnded(result):
                self._event({"kind": "end", "text": result.ending, "rounds": result.rounds})

    def _event(self, content: Mapping[str, Any]) -> None:
        event = {"type": "event", "at": time.time(), **{name: _printable(value) for name, value in content.items()}}
        self.events.append(event)
        self._send(event)

    # ------------------------------------------------------------ state, map, pictures

    def refresh(self, operation: Operation) -> None:
        """Send the state, map and pictures that are due; called every control period."""
        now = time.monotonic()
        if now - self._state_time >= STATES:
            self._state_time = now
            self.state = {"type": "state", **_state(operation)}
            self._send(self.state)
        if now - self._map_time >= MAPS:
            self._map_time = now
            self._draw_map(operation)
        self.pictures.refresh(operation.parts.robot, operation.pictures)

    def _draw_map(self, operation: Operation) -> None:
        robot = operation.parts.robot
        stamp = robot.observe().stamp
        if stamp == self._map_stamp or not isinstance(robot, WorldState):
            return
        self._map_stamp = stamp
        self.map = {"type": "map", **_map(robot.snapshot())}
        self._send(self.map)


def _printable(value: Any) -> Any:
    """Escape control characters in all texts of JSON-ready data."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    return {printable(name): _printable(item) for name, item in value.items()} if isinstance(value, Mapping) else value


def _state(operation: Operation) -> dict[str, Any]:
    state, robot = operation.state, operation.parts.robot
    body = robot.measured()
    groups = [
        {
            "name": group.name,
            "kind": group.kind,
            "joints": [
                {"name": joint.name, "lower": _bounded(joint.lower), "upper": _bounded(joint.upper), "value": value}
                for joint, value in zip(group.joints, group.measured(body).round(4).tolist(), strict=True)
            ],
        }
        for group in robot.spec.groups
    ]
    return {
        "task": _printable(state.task),
        "in_charge": state.in_charge,
        "planner": state.planner,
        "doing": state.doing,
        "round": state.round,
        "inventory": [_printable(name) for name in state.inventory],
        "stamp": round(state.stamp, 3),
        "recording": state.recording.name if state.recording else "",
        "last": state.last.parent.parent.name if state.last else "",
        "actions": state.actions,
        "arguments": {name: list(takes) for name, takes in operation.parts.executor.skills.arguments.items()},
        "models": state.models,
        "views": shown_views(robot),
        "pointed": robot.views,
        "robot": robot.spec.name,
        "pose": [round(value, 3) for value in (body.base.x, body.base.y, body.base.yaw)],
        "groups": groups,
    }


def _bounded(limit: float) -> float:
    """Return the limit of a slider: pi in magnitude for a joint without limits."""
    return limit if math.isfinite(limit) else math.copysign(math.pi, limit)


def _map(world: WorldSnapshot) -> dict[str, Any]:
    rooms = [{"name": name, "kind": room.kind, "floor": room.floor} for name, room in world.rooms.items() if room.floor]
    fixed = [_footprint(name, state) for name, state in world.fixed.items()]
    loose = [{**_footprint(name, state), "held": state.relation == "held"} for name, state in world.objects.items()]
    openings = {
        joint.receptacle: round(joint.fraction, 2)
        for joint in world.joints.values()
        if not thresholds.is_closed(joint.fraction)
    }
    return {
        "rooms": rooms,
        "fixed": [drawn for drawn in fixed if "x" in drawn],
        "loose": [drawn for drawn in loose if "x" in drawn],
        "open": openings,
        "held": world.held,
        "success": world.success,
    }


def _footprint(name: str, state: ThingState) -> dict[str, Any]:
    """Return an object's footprint: centre and half sizes (m) and yaw (rad), where its pose is known."""
    footprint: dict[str, Any] = {"name": name, "kind": state.kind, "colour": state.colour}
    if state.position is not None:
        half = state.half or (0.03, 0.03, 0.03)
        w, x, y, z = state.quaternion or (1.0, 0.0, 0.0, 0.0)
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        footprint |= {"x": state.position[0], "y": state.position[1], "z": state.position[2], "yaw": round(yaw, 3)}
        footprint |= {"half": [half[0], half[1]]}
    return footprint
