"""What a page shows, put together in the robot's thread: pictures, what happened, the map, the state."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from homie.data.recording.recorder import jpeg
from homie.kernel.interfaces import EpisodeListener, Filmable, Robot, WorldState
from homie.kernel.support.text import printable
from homie.kernel.types import (
    ENDINGS,
    AttemptEnded,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    Image,
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

FRAMES = 15.0
"""Pictures a second of the view that is looked at; the others take turns."""
HEARTBEAT = 0.2
"""s after which a page gets a message that nothing has changed."""
STATES, MAPS = 0.1, 0.5
"""s between two states, between two maps: what a person reads need not come as often as what he steers by."""
QUALITY = 80
"""Of JPEG: for the eye, over a cable of this machine."""
LARGE = 480
"""Pixels that the view that is looked at is high, where the robot can draw it so."""
SMALL = 192
"""Pixels that the view from outside is high among the small ones."""
OUTSIDE = "outside"
"""The name of the view of the film camera."""
SLOW, SMALL_SECONDS = 0.1, 20.0
"""A large picture that takes longer (s) is not tried again for so long (s): without a GL library, or on a machine on
which much else runs, pictures come in the size of the robot's observations."""
KEPT = 300
"""Events that a page that is opened later is shown."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Pictures (JPEG) by view, empty where nothing has changed.

    Attributes:
        stamp: Robot time, s.
        taken: When it was looked, before anything was rendered: s of the monotonic clock.
        wall: The same in s since 1970, which a browser on this machine can compare with its own clock.
    """

    stamp: float
    taken: float
    wall: float
    views: Mapping[str, bytes] = field(default_factory=dict)


class Board(EpisodeListener):
    """The front of an operation. What it has to show goes to `show` and `send`, in the robot's thread.

    Args:
        show: Gets every frame.
        send: Gets every other message for pages, JSON-ready.
        watched: Whether anybody looks; pictures are rendered for nobody else.
    """

    def __init__(
        self, show: Callable[[Frame], None], send: Callable[[dict[str, Any]], None], watched: Callable[[], bool]
    ) -> None:
        self._show, self._send, self._watched = show, send, watched
        self.focus = ""
        """The view that is looked at; "" for the first. Set by the server's thread."""
        self.events: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self.state: dict[str, Any] = {}
        self.map: dict[str, Any] = {}
        self._framed = self._due = self._stated = self._mapped = -math.inf
        self._turn = 0
        self._large_from, self._target = -math.inf, ""
        self._shown: dict[str, float] = {}
        """Robot time of the picture of each view that was shown last."""
        self.views: dict[str, bytes] = {}
        """The last picture of each view, for a page that is opened later."""
        self._map_stamp: float | None = None

    # ------------------------------------------------------------ what a person has to know

    def tell(self, sentence: str) -> None:
        """A sentence on every page."""
        self._event({"kind": "tell", "text": sentence})

    def on(self, event: Event) -> None:
        match event:
            case EpisodeStarted(task):
                self._event({"kind": "task", "text": "" if task == PRACTICE else task})
            case PlannerAsked(asked):
                seen: dict[str, list[str]] = {view: [] for view in asked.views}
                for detection in in_sight(asked.detections):
                    if detection.called not in seen.setdefault(detection.view, []):
                        seen[detection.view].append(detection.called)
                self._event({"kind": "sight", "round": asked.round, "seen": seen})
            case PlannerAnswered(number, decision):
                about = {"analysis": decision.analysis, "model": decision.model, "problem": decision.problem}
                subtasks = [str(subtask) for subtask in decision.subtasks]
                self._event({"kind": "decision", "round": number, "subtasks": subtasks, **about})
            case SubtaskStarted(number, subtask):
                self._target = subtask.destination or subtask.target
                self._event({"kind": "begin", "round": number, "text": str(subtask)})
            case SubtaskChecked(check):
                self._event({"kind": "check", "layer": check.layer, "code": check.code, "text": check.message})
            case AttemptEnded(attempt):
                about = {"skill": attempt.skill, "outcome": attempt.outcome, "reason": attempt.reason}
                self._event({"kind": "attempt", "number": attempt.number, "seconds": attempt.robot_seconds, **about})
            case SubtaskRecorded(record):
                feedback = record.execution.feedback
                shown = {"ok": feedback.ok, "code": feedback.code, "text": feedback.message}
                subtask_text = str(record.execution.subtask)
                self._event({"kind": "feedback", "round": record.round, "subtask": subtask_text, **shown})
            case EpisodeEnded(result):
                self._event({"kind": "end", "text": ENDINGS[result.ended_by], "rounds": result.rounds})

    def _event(self, content: Mapping[str, Any]) -> None:
        event = {"type": "event", "at": time.time(), **{name: _safe(value) for name, value in content.items()}}
        self.events.append(event)
        self._send(event)

    # ------------------------------------------------------------ what there is to see

    def refresh(self, operation: Operation) -> None:
        """Called every control period: what is due goes out."""
        now = time.monotonic()
        if now - self._stated >= STATES:
            self._stated = now
            self.state = {"type": "state", **_state(operation)}
            self._send(self.state)
        if now - self._mapped >= MAPS:
            self._mapped = now
            self._draw_map(operation)
        if now >= self._due and self._watched():
            self._due = max(self._due + 1.0 / FRAMES, now)  # so many a second whatever the period of the robot
            self._take(operation, now)

    def _take(self, operation: Operation, now: float) -> None:
        """Render the view that is looked at and the next of the others; where nothing has moved, those that are due."""
        views = shown_views(operation.parts.robot)
        first = self.focus if self.focus in views else views[0]
        others = [view for view in views if view != first]
        stamp, waits = operation.parts.robot.observe().stamp, operation.parts.robot.waits
        due = [view for view in (first,) if not waits or self._shown.get(view) != stamp]
        for _ in others:
            self._turn = (self._turn + 1) % len(others)
            if not waits or self._shown.get(others[self._turn]) != stamp:
                due.append(others[self._turn])
                break
        if not due and now - self._framed < HEARTBEAT:
            return
        self._framed, wall = now, time.time()
        rendered = {view: jpeg(self._picture(operation, view, large=view == first), QUALITY) for view in due}
        self._shown |= dict.fromkeys(due, stamp)
        self.views |= rendered
        self._show(Frame(stamp, now, wall, rendered))

    def _picture(self, operation: Operation, view: str, *, large: bool) -> Image:
        """What a view shows now, larger where it is the one that is looked at."""
        began, pictures = time.perf_counter(), operation.pictures
        large = large and began >= self._large_from
        if view == OUTSIDE:
            height = LARGE if large else SMALL
            picture = pictures.outside(height * 4 // 3, height, self._target)
        else:
            picture = pictures.of(view, LARGE if large else None)
        if large and time.perf_counter() - began > SLOW:
            self._large_from = began + SMALL_SECONDS
        return picture

    def _draw_map(self, operation: Operation) -> None:
        robot = operation.parts.robot
        stamp = robot.observe().stamp
        if stamp == self._map_stamp or not isinstance(robot, WorldState):
            return
        self._map_stamp = stamp
        self.map = {"type": "map", **_map(robot.snapshot())}
        self._send(self.map)


def shown_views(robot: Robot) -> tuple[str, ...]:
    """The views that a page shows: the planner's, the camera at the hand, and from outside in a simulator."""
    hand = (robot.hand,) if robot.hand and robot.hand not in robot.views else ()
    return (*robot.views, *hand, *((OUTSIDE,) if isinstance(robot, Filmable) else ()))


def _safe(value: Any) -> Any:
    """Text without what could deceive the eye."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_safe(item) for item in value]
    return {printable(name): _safe(item) for name, item in value.items()} if isinstance(value, Mapping) else value


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
        "task": _safe(state.task),
        "in_charge": state.in_charge,
        "planner": state.planner,
        "doing": state.doing,
        "round": state.round,
        "inventory": [_safe(name) for name in state.inventory],
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
    """The limit of a slider: a joint that turns without end goes once round."""
    return limit if math.isfinite(limit) else math.copysign(math.pi, limit)


def _map(world: WorldSnapshot) -> dict[str, Any]:
    rooms = [{"name": name, "kind": room.kind, "floor": room.floor} for name, room in world.rooms.items() if room.floor]
    fixed = [_drawn(name, state) for name, state in world.fixed.items()]
    loose = [{**_drawn(name, state), "held": state.relation == "held"} for name, state in world.objects.items()]
    opened = {
        joint.receptacle: round(joint.fraction, 2)
        for joint in world.joints.values()
        if not thresholds.is_closed(joint.fraction)
    }
    return {
        "rooms": rooms,
        "fixed": [drawn for drawn in fixed if "x" in drawn],
        "loose": [drawn for drawn in loose if "x" in drawn],
        "open": opened,
        "held": world.held,
        "success": world.success,
    }


def _drawn(name: str, state: ThingState) -> dict[str, Any]:
    """A footprint: middle, half sizes and yaw, metres and radians."""
    drawn: dict[str, Any] = {"name": name, "kind": state.kind, "colour": state.colour}
    if state.position is not None:
        half = state.half or (0.03, 0.03, 0.03)
        w, x, y, z = state.quaternion or (1.0, 0.0, 0.0, 0.0)
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        drawn |= {"x": state.position[0], "y": state.position[1], "z": state.position[2], "yaw": round(yaw, 3)}
        drawn |= {"half": [half[0], half[1]]}
    return drawn
