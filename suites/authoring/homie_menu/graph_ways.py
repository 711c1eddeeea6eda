"""Experts on the graph: each path to the next interaction has the fewest moves, and is played in the simulated home.

expert of homie-menu --legs--> precondition of the next interaction --search over places and headings--> moves
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import homie
from homie.bench.suite.suite import Task, read_subtask
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import HomieError
from homie.kernel.interfaces import Locator
from homie.kernel.robot.graph_moves import FORWARD, TURN_LEFT, TURN_RIGHT
from homie.kernel.types import END, Pose2, Subtask, is_interaction, with_held, wrap_angles
from homie.kernel.world import thresholds
from homie.kernel.world.snapshot import RobotState
from homie.runtime.open_session import Session
from skills.discrete_actions.graph import Graph
from skills.discrete_actions.graph_move_results import MoveRefused
from skills.discrete_actions.skill_set import traveller

SKILLS = "ideal-graph,ideal,ideal-people"
IN_VIEW = math.radians(45)
"""Largest angle off straight ahead at which a question's expert has an object in view: the image is 100 degrees
wide."""
TRIES = 30
"""Attempts to play an expert: what fails in one is remembered, and avoided in the next."""

Fits = Callable[[Pose2], bool]
"""Whether a path may end at a pose."""


class Impossible(HomieError):
    """No expert was found; the text says why."""


class Player:
    """The home of a task with a robot on its graph. Closed with `with closing(...)`."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._session: Session = homie.open(
            seed=task.scene.seed, skills=SKILLS, picture_size=16, shade=False, planner="random", **task.scene.settings
        )
        self._travel = traveller(self._session.robot)
        self.start = self._session.world_state()
        self._refused: set[tuple[object, ...]] = set()

    @property
    def graph(self) -> Graph:
        """The graph of its home."""
        return self._travel.graph

    def close(self) -> None:
        self._session.close()

    def expert(self, longest: int) -> list[str]:
        """Return the steps, End included. Raises Impossible if no plan has at most `longest` steps."""
        for _ in range(TRIES):
            self._session.reset()
            steps = self._attempt()
            if steps is not None:
                if len(steps) > longest:
                    raise Impossible(f"{len(steps)} steps")
                return steps
        raise Impossible("it does not work out")

    def _attempt(self) -> list[str] | None:
        """Play one attempt; None where something failed, which is remembered."""
        steps: list[str] = []
        for number, (subtask, fits) in enumerate(self._legs()):
            base = self._session.observe().body.base
            way = self._way(base, partial(self._free, number, fits))
            if way is None:
                raise Impossible(f"no way leads to {subtask}")
            for move, place in way:
                if not self._session.call(move).feedback.ok:
                    self._refused.add((move, *_key(place)))
                    return None
                steps.append(f"[{move}]")
            if is_interaction(subtask):
                done = with_held(subtask, self._session.inventory)
                if not self._session.call(done.action, done.target, done.destination).feedback.ok:
                    self._refused.add((number, *_key(way[-1][1] if way else base)))
                    return None
            steps.append(str(subtask))
        return steps

    def _free(self, number: int, fits: Fits, place: Pose2) -> bool:
        """Return whether a leg may end at a pose: it fits, and the leg has not been refused there."""
        return (number, *_key(place)) not in self._refused and fits(place)

    def _legs(self) -> Iterator[tuple[Subtask, Fits]]:
        """Yield the interactions and the end, each with a test of the robot's pose for it in the world at that time."""
        steps = [read_subtask(step) for step in self.task.expert or ()]
        for before, step in zip([END, *steps], steps, strict=False):
            if is_interaction(step):
                yield step, self._within_reach(step)
            elif step.action == END.action and before.action == "Go to":
                yield step, self._sees(before.target) if self.task.answers else self._holds()
            elif step.action == END.action:
                yield step, lambda place: True

    def _within_reach(self, step: Subtask) -> Fits:
        """Return a test whether the distance check allows an interaction (D1, D2), with no wall between."""
        locator, seen = self._locator(), self._session.observe()
        entity = step.destination or step.target
        room = self._session.world_state().things[entity].room

        def fits(place: Pose2) -> bool:
            there = replace(seen, body=replace(seen.body, base=place))
            here = self._room(place)
            return here in (room, None) and thresholds.TOO_CLOSE <= locator.distance(entity, there) <= thresholds.REACH

        return fits

    def _locator(self) -> Locator:
        locator = self._session.robot.background()
        locator.reset(seed=0)
        return locator

    def _room(self, place: Pose2) -> str | None:
        """Return the room of a pose, None for a doorway."""
        rooms = self._session.world_state().rooms
        return next((name for name, room in rooms.items() if room.floor and _is_on(room.floor, place)), None)

    def _sees(self, name: str) -> Fits:
        """Return a test whether the robot stands on the point before an object, with the object in view."""
        locator, seen = self._locator(), self._session.observe()
        middle = locator.goal(name, ACTION_TABLE["Go to"], seen).position
        point = self.graph.beside[name]

        def fits(place: Pose2) -> bool:
            off = math.atan2(middle[1] - place.y, middle[0] - place.x) - place.yaw
            return self.graph.nearest(place.xy) == point and abs(float(wrap_angles(off))) <= IN_VIEW

        return fits

    def _holds(self) -> Fits:
        """Return a test whether the goal holds with the robot there."""
        goal, world = self.task.goal, self._session.world_state()
        assert goal is not None, "not a question"

        def fits(place: Pose2) -> bool:
            robot = RobotState(x=place.x, y=place.y, yaw=place.yaw, room=world.robot.room)
            return goal.holds(world.model_copy(update={"robot": robot}))

        return fits

    # ------------------------------------------------------------ search

    def _way(self, start: Pose2, fits: Fits) -> Sequence[tuple[str, Pose2]] | None:
        """Return the fewest moves to a pose that fits, each with the pose before it; None for none."""
        waiting: deque[tuple[Pose2, tuple[tuple[str, Pose2], ...]]] = deque([(start, ())])
        seen = {_key(start)}
        while waiting:
            place, way = waiting.popleft()
            if fits(place):
                return way
            for move, there in self._moves(place):
                if _key(there) not in seen and (move, *_key(place)) not in self._refused:
                    seen.add(_key(there))
                    waiting.append((there, (*way, (move, place))))
        return None

    def _moves(self, place: Pose2) -> Iterator[tuple[str, Pose2]]:
        for move in (FORWARD, TURN_LEFT, TURN_RIGHT):
            try:
                ends = self._travel.way(place, None) if move == FORWARD else self._travel.headings(move, place)
            except MoveRefused:
                continue
            yield move, ends[-1] if move == FORWARD else ends[0]


def _is_on(floor: tuple[float, float, float, float], place: Pose2) -> bool:
    x0, y0, x1, y1 = floor
    return x0 <= place.x <= x1 and y0 <= place.y <= y1


def _key(place: Pose2) -> tuple[float, float, float]:
    """Round a pose to the centimetre and the degree."""
    return round(place.x, 2), round(place.y, 2), round(float(wrap_angles(place.yaw)), 2)
