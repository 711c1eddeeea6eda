"""The expert: knows the world's state, and acts by the protocol's own actions. It shows that an episode is solvable."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.kernel.interfaces.prompts import VerbatimAnswer
from homie.kernel.types import Array, Box, Pose2, wrap_angles
from suites.published.vigil_episode import Status
from suites.vigil.actions import FARTHEST, STEP, format_action
from suites.vigil.agents import Agent, Turn
from suites.vigil.floor import Floor
from suites.vigil.stage import CAMERA, REACH, SEEN, USES, Stage

GAPS = (0.95, 0.75, 1.15, 0.6, 1.3)
"""Distances in metres between the robot's middle and an object's footprint to use the object, the best first."""
VIEWS = (1.2, 2.0, 3.0)
"""Distances to see an object, the best first."""
FAR = 8.0
"""Maximum distance in metres from the middle of an object for the search of a pose."""
DIRECTIONS = 24
"""Number of directions around an object to try."""
TRIES = 40
"""Maximum number of poses to rehearse."""
CLICKABLE = 60
"""Minimum visible pixels of an object for a click; the expert, who knows the mask, hits it."""
AT = 0.03
"""Tolerance of the pose in metres and radians."""
MARGIN = 0.08
"""Safety margin on the reach in metres, for the error of driving."""


class Expert(Agent):
    """Plays one episode with the world's state (privileged)."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._native, self._world = stage, stage.native, stage.world
        self._plan = FloorPlan(stage.world)
        self._intent: tuple[str, str] | None = None
        self._path: list[Array] = []
        self._pose: Pose2 | None = None
        self._tilt = 0.0
        self._failed: list[tuple[tuple[str, str], Pose2]] = []

    def answer(self, turn: Turn) -> VerbatimAnswer:
        return VerbatimAnswer(self._next())

    # ------------------------------------------------------------ choosing an action

    def _next(self) -> str:
        episode = self._stage.episode
        if episode.label is not None:
            return format_action("report", status=episode.label.value, summary="as it is")
        if self._stage.truth().goal:
            return format_action("report", status=Status.SUCCESS.value, summary="done")
        goal = self._next_intent()
        act = None if goal is None else self._act_on(*goal)
        return act or format_action("report", status=Status.FAIL.value, summary="no way is known")

    def _next_intent(self) -> tuple[str, str] | None:
        """The next intent and its object; None if no object fits."""
        goal, world = self._stage.episode.goal, self._world
        names = sorted(self._stage.meant(goal.target), key=lambda name: (self._stage.distance(name), name))
        if not names:
            return None
        match goal.state:
            case "grounded":
                return "ground", names[0]
            case "near" | "seen":
                return goal.state, names[0]
            case "held":
                return ("drop", "") if world.held else self._picking(names[0])
            case "on" | "off":
                return ("activate" if goal.state == "on" else "deactivate"), names[0]
            case "open" | "closed":
                return self._clearing() or (
                    ("drop", "")
                    if world.held
                    else ("open_access" if goal.state == "open" else "close_access", names[0])
                )
            case "placed":
                assert goal.destination is not None
                place = min(self._stage.meant(goal.destination), key=self._stage.distance)
                shut = place in world.receptacles and world.closed(world.receptacles[place])
                if shut:
                    return ("drop", "") if world.held else ("open_access", place)
                if world.held in names:
                    return "place", place
                return ("drop", "") if world.held else self._picking(names[0])

    def _picking(self, name: str) -> tuple[str, str]:
        """Pick an object; open its container first."""
        container = self._world.container_of(name)
        if container is not None and self._world.closed(container):
            return "open_access", container.name
        return "pick", name

    def _clearing(self) -> tuple[str, str] | None:
        """Pick an obstacle, and place it on furniture; None without obstacles."""
        floor, held = self._stage.episode.setup.floor, self._world.held
        if held in floor:
            places = [
                name for name, piece in self._world.receptacles.items() if piece.surfaces and not piece.articulations
            ]
            return ("place", min(places, key=self._stage.distance)) if places else ("drop", "")
        left = [name for name in floor if not self._stage.is_cleared(name)]
        return ("pick", left[0]) if left and held is None else None

    # ------------------------------------------------------------ driving and clicking

    def _act_on(self, intent: str, name: str) -> str | None:
        if intent == "drop":
            return format_action("interact_pixel", intent="drop")
        if self._intent != (intent, name):
            self._intent, self._pose = (intent, name), None
            if self._can_act(intent, name):
                return self._click(intent, name)
            self._choose(intent, name)
        if self._pose is None:
            return None
        act = self._drive(self._pose)
        if act is not None:
            return act
        if abs(self._native.tilt - self._tilt) > AT:
            down = self._tilt > self._native.tilt
            size = round(math.degrees(abs(self._native.tilt - self._tilt)), 1)
            return format_action("look", direction="down" if down else "up", magnitude=size)
        self._failed.append(((intent, name), self._pose))
        self._intent = None  # if this fails, try another pose
        return self._click(intent, name)

    def _drive(self, pose: Pose2) -> str | None:
        """The next turn or drive on the path to a pose; None at the pose."""
        here = self._native.pose
        while self._path and np.linalg.norm(self._path[0] - here.xy) < AT:
            self._path.pop(0)
        yaw = pose.yaw
        if self._path:
            yaw = math.atan2(*(self._path[0] - here.xy)[::-1])
        off = float(wrap_angles(yaw - here.yaw))
        if abs(off) > AT:
            return format_action(
                "navigate", mode="turn_left" if off > 0 else "turn_right", magnitude=round(math.degrees(abs(off)), 1)
            )
        if not self._path:
            return None
        return format_action(
            "navigate",
            mode="forward",
            magnitude=min(round(float(np.linalg.norm(self._path[0] - here.xy)) / STEP, 2), FARTHEST),
        )

    def _click(self, intent: str, name: str) -> str | None:
        x, y = self._pixel(name) or (320, 240)
        if intent in ("near", "seen"):
            return self._act_on(intent, name)
        return format_action("interact_pixel", intent=intent, x=x, y=y)

    def _pixel(self, name: str) -> tuple[int, int] | None:
        """A pixel of an object near the middle of its visible part; None if too few pixels are visible."""
        rows, columns = np.nonzero(self._stage.mask == self._stage.names.index(name))
        if len(rows) < CLICKABLE:
            return None
        middle = int(np.argmin((rows - np.median(rows)) ** 2 + (columns - np.median(columns)) ** 2))
        return int(columns[middle]), int(rows[middle])

    # ------------------------------------------------------------ choosing a pose

    def _choose(self, intent: str, name: str) -> None:
        """Choose a pose for an intent, and the path to it."""
        floor = Floor(self._plan, self._native.pose.xy)
        options: list[tuple[float, Pose2]] = []
        for pose, rank in self._poses_around(name, VIEWS if intent == "seen" else GAPS):
            cost = floor.cost(pose.xy)
            if cost is not None and not self._was_tried(intent, name, pose):
                options.append((cost + rank, pose))
        options.sort(key=lambda option: option[0])
        for _, pose in options[:TRIES]:
            tilt = self._gaze(pose, name)
            if self._is_feasible(intent, name, pose, tilt):
                self._pose, self._tilt, self._path = pose, tilt, floor.way(pose.xy)
                return

    def _poses_around(self, name: str, gaps: tuple[float, ...]) -> Iterator[tuple[Pose2, float]]:
        """Poses around an object that face it, each with a penalty in metres of path."""
        box, world = self._stage.box(name), self._world
        front = world.receptacles[name].front if name in world.receptacles else None
        for angle in np.arange(DIRECTIONS) * math.tau / DIRECTIONS:
            away = np.array([math.cos(angle), math.sin(angle)])
            aside = 0.0 if front is None else 1.0 - math.cos(angle - front)
            for rank, gap in enumerate(gaps):
                x, y = box.center[:2] + _distance_for_gap(box, away, gap) * away
                yield Pose2(float(x), float(y), float(wrap_angles(angle + math.pi))), 0.2 * rank + aside

    def _was_tried(self, intent: str, name: str, pose: Pose2) -> bool:
        return any(key == (intent, name) and np.linalg.norm(other.xy - pose.xy) < 0.15 for key, other in self._failed)

    def _gaze(self, pose: Pose2, name: str) -> float:
        """Downward tilt of the head, rad, to look at an object from a pose."""
        box = self._stage.box(name)
        eye = float(self._stage.home.data.camera(f"robot/{CAMERA}").xpos[2])
        away = max(float(np.linalg.norm(box.center[:2] - pose.xy)) - 0.15, 0.2)
        return float(np.clip(math.atan2(eye - box.center[2], away), -0.5, 1.0))

    def _is_feasible(self, intent: str, name: str, pose: Pose2, tilt: float) -> bool:
        """Whether the intent is possible from a pose, by rehearsal."""
        with self._native.rehearsal():
            free = self._native.stand(pose, tilt)
            self._stage.forget_frame()
            works = free and self._can_act(intent, name)
        self._stage.forget_frame()
        return works

    def _can_act(self, intent: str, name: str) -> bool:
        """Whether the intent is possible from the current pose and view."""
        stage = self._stage
        if intent == "near":
            return stage.distance(name) <= REACH - MARGIN
        if intent == "seen":
            return stage.pixels()[name] >= 2 * SEEN
        if self._pixel(name) is None:
            return False
        if intent == "ground":
            return True
        if stage.distance(name) > REACH - MARGIN:
            return False
        with self._native.rehearsal():
            return USES[intent] in ("Turn on", "Turn off") or not self._native.use(USES[intent], name)


def _distance_for_gap(box: Box, away: Array, gap: float) -> float:
    """Distance in metres from a box's middle along a direction (2,) at which the gap to its footprint is reached."""
    low, high = 0.0, FAR
    for _ in range(14):  # to a millimetre
        middle = (low + high) / 2
        low, high = (middle, high) if box.distance(box.center[:2] + middle * away) < gap else (low, middle)
    return high
