"""The people of a running home: what they hold, what they were shown, how far they have walked.

They are mannequins. One whose hand is held out takes what the robot lets go above it; one looks at the held object up
before its face; one with a path walks it, and waits where the robot does not come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.house.build import Home
from homie.envs.mujoco.house.contacts import weld_here
from homie.envs.mujoco.house.index import PersonInfo
from homie.kernel.types import Array, wrapped
from homie.kernel.world import thresholds

TAKES = 0.12
"""Metres from the middle of a palm to the nearest point of a thing's box up to which the hand takes it: the fingers."""
LOOKS, ASIDE = 1.2, 0.7
"""Metres from the eyes, and radians aside of where the face looks, up to which a thing is held up before a person."""
THICK = 0.15
"""Metres before the middle of a thing where it, or the fingers that hold it, may begin."""
AWHILE = 1.0
"""Seconds for which it has to be held there."""
SPEED, TURN = 0.5, 1.5
"""Of one who walks (m/s), and turns before it does (rad/s): a robot can follow."""
COMPANY, LEFT_ALONE = 1.8, 2.2
"""Metres from the robot at which one who walks sets out, and at which it waits for it."""
BLOCKED = 0.75
"""Metres ahead of one who walks within which it waits for the robot to get out of its way."""
CAME_ALONG = 0.3
"""Metres that the robot has to be from where it was when one who walks set out, to have followed it."""
THERE = 0.03
"""Metres from a point of a path at which it has been come to."""


@dataclass(slots=True)
class Company:
    """What has become of a person in an episode.

    Attributes:
        holds: The thing in its hand.
        seen: Things that it was shown.
        step: How many points of its path it has come to.
        robot_at_start: Where the robot was (x, y) when it set out.
        followed: Whether the robot has come along to the last.
    """

    holds: str | None = None
    seen: list[str] = field(default_factory=list)
    step: int = 0
    robot_at_start: tuple[float, float] | None = None
    followed: bool = False
    looking_since: float | None = None
    """When (s) the thing in the robot's hand came before its face; None where none is there."""


class People:
    """The people of a running home. In one without people nothing.

    Args:
        home: The built home.
        data: Its state.
        extents: Of its model.
    """

    def __init__(self, home: Home, data: mujoco.MjData, extents: Extents) -> None:
        self._model, self._data, self._extents = home.model, data, extents
        self._bodies = {item.name: item.body for item in home.index.objects}
        self.infos: Mapping[str, PersonInfo] = {person.name: person for person in home.index.people}
        self.reset()

    def reset(self) -> None:
        """As at the start of an episode."""
        self.company = {name: Company() for name in self.infos}
        for person in self.infos.values():
            if person.hand >= 0:
                self._data.eq_active[person.hand] = 0

    # ------------------------------------------------------------ questions

    def holder(self, thing: str) -> str | None:
        """Who holds a thing; None for nobody."""
        return next((name for name, state in self.company.items() if state.holds == thing), None)

    def place(self, person: PersonInfo) -> Array:
        """Where a person is (x, y) and where it looks (rad): (3,)."""
        turn = self._data.xmat[person.body].reshape(3, 3)
        return np.array([*self._data.xpos[person.body][:2], np.arctan2(turn[1, 0], turn[0, 0])])

    def point(self, person: PersonInfo, local: tuple[float, float, float]) -> Array:
        """A point of a person (3,) in the world."""
        turn = self._data.xmat[person.body].reshape(3, 3)
        return np.asarray(self._data.xpos[person.body] + turn @ np.asarray(local))

    def palm(self, person: PersonInfo) -> Array | None:
        """The middle of a hand (3,) that is held out and empty; None where none is."""
        if person.palm is None or person.hand < 0 or self.company[person.name].holds is not None:
            return None
        return self.point(person, person.palm)

    def arrived(self, person: PersonInfo) -> bool:
        """Whether a person has nowhere to walk to any more."""
        return self.company[person.name].step >= len(person.path)

    def state(self, name: str, state: str, held: str | None) -> bool | None:
        """Whether a person is in a state; None for what no person can be in.

        Args:
            state: `hand_out` it holds out an empty hand, `shown` it was shown what the robot holds, `seeing` it sees,
                `walks` it has a way to go, `followed` the robot has followed it to the end of its way.
        """
        person, company = self.infos[name], self.company[name]
        match state:
            case "hand_out":
                return self.palm(person) is not None
            case "shown":
                return held in company.seen
            case "seeing":
                return True
            case "walks":
                return bool(person.path)
            case "followed":
                return company.followed
        return None

    # ------------------------------------------------------------ what changes

    def take(self, name: str, thing: str) -> None:
        """Have a person hold a thing where it is. Bodies' poses must have been computed."""
        person = self.infos[name]
        weld_here(self._model, self._data, person.hand, person.body, self._bodies[thing])
        self.company[name].holds = thing

    def see(self, name: str, thing: str) -> None:
        """A person has been shown a thing."""
        if thing not in self.company[name].seen:
            self.company[name].seen.append(thing)

    def arrive(self, name: str) -> None:
        """Have one who walks stand at the end of its way, followed by the robot."""
        person, company = self.infos[name], self.company[name]
        previous_point = person.path[-2] if len(person.path) > 1 else self._start(person)
        (x, y), (x0, y0) = person.path[-1], previous_point
        self._set(person, np.array([x, y, np.arctan2(y - y0, x - x0)]))
        company.step, company.followed = len(person.path), True

    def way(self, name: str) -> Array:
        """The points (n, 2) of a person's way, where it started first."""
        person = self.infos[name]
        return np.array([self._start(person), *person.path])

    def walk(self, robot: Array, seconds: float) -> None:
        """Before a control period of so many seconds: those who walk get the velocity that their way asks for.

        Args:
            robot: Where it is (2,), m.
        """
        for person in self.infos.values():
            if person.joints:
                dofs = self._model.jnt_dofadr[list(person.joints)]
                self._data.qvel[dofs] = self._velocity(person, robot, seconds)

    def update(self, robot: Array, held: str | None, before: str | None) -> None:
        """After a control period: what was given, shown and followed.

        Args:
            robot: Where it is (2,), m.
            held, before: The thing in its hand now, and before the period.
        """
        if not self.infos:
            return
        if held is not None:
            self._let_go(held)
        elif before is not None:
            self._perhaps_take(before)
        for name, person in self.infos.items():
            self._look(person, held)
            company = self.company[name]
            if person.path and self.arrived(person) and not company.followed:
                is_near = thresholds.within_reach(float(np.hypot(*(self.place(person)[:2] - robot))))
                company.followed = is_near and self._came_along(company, robot)

    def _came_along(self, company: Company, robot: Array) -> bool:
        """Whether the robot has moved since a person set out: some ways end within reach of where they begin."""
        begin = company.robot_at_start
        return begin is not None and float(np.hypot(*(robot - begin))) >= CAME_ALONG

    # ------------------------------------------------------------ what is kept of an episode

    def known(self) -> Mapping[str, object]:
        """What the physics does not know, JSON-ready."""
        return {
            name: {
                "holds": state.holds,
                "seen": list(state.seen),
                "step": state.step,
                "robot_at_start": None if state.robot_at_start is None else list(state.robot_at_start),
                "followed": state.followed,
            }
            for name, state in self.company.items()
        }

    def take_over(self, known: Mapping[str, object]) -> None:
        """Take over the states that `known` returned. Bodies' poses must have been computed."""
        self.reset()
        for name, state in known.items():
            if name not in self.infos or not isinstance(state, Mapping):
                continue
            company, holds, seen = self.company[name], state.get("holds"), state.get("seen")
            company.step, company.followed = int(state.get("step", 0)), bool(state.get("followed"))
            begin = state.get("robot_at_start")
            company.robot_at_start = (float(begin[0]), float(begin[1])) if isinstance(begin, list) else None
            company.seen = [str(thing) for thing in seen] if isinstance(seen, list) else []
            if isinstance(holds, str) and holds in self._bodies:
                self.take(name, holds)

    # ------------------------------------------------------------ giving and showing

    def _let_go(self, thing: str) -> None:
        """The robot has taken a thing out of a hand."""
        name = self.holder(thing)
        if name is not None:
            self._data.eq_active[self.infos[name].hand] = 0
            self.company[name].holds = None

    def _perhaps_take(self, thing: str) -> None:
        """The robot has released a thing: above a palm the person has it."""
        box = self._extents.body_boxes(self._data, [self._bodies[thing]])[0]
        for name, person in self.infos.items():
            palm = self.palm(person)
            if palm is not None and box.distance(palm) <= TAKES:
                self.take(name, thing)
                return

    def _look(self, person: PersonInfo, held: str | None) -> None:
        """Count how long the thing in the hand has been before a person's face."""
        company, time = self.company[person.name], float(self._data.time)
        if held is None or not self.before_face(person, held):
            company.looking_since = None
        elif company.looking_since is None:
            company.looking_since = time
        elif time - company.looking_since >= AWHILE:
            self.see(person.name, held)

    def before_face(self, person: PersonInfo, thing: str) -> bool:
        """Whether a thing is near enough before a person's face, and nothing is between them."""
        eyes = self.point(person, person.eyes)
        offset = self._data.xpos[self._bodies[thing]] - eyes
        distance = float(np.linalg.norm(offset))
        yaw = self.place(person)[2]
        distance_ahead = float(offset @ np.array([np.cos(yaw), np.sin(yaw), 0.0]))
        if distance > LOOKS or distance_ahead < distance * np.cos(ASIDE):
            return False
        hit_geom = np.full(1, -1, dtype=np.int32)
        ray_hit = mujoco.mj_ray(self._model, self._data, eyes, offset / distance, None, 1, person.body, hit_geom)
        return bool(ray_hit < 0.0 or ray_hit > distance - THICK)

    # ------------------------------------------------------------ walking

    def _start(self, person: PersonInfo) -> tuple[float, float]:
        x, y = self._model.body_pos[person.body][:2].tolist()
        return x, y

    def _velocity(self, person: PersonInfo, robot: Array, seconds: float) -> Array:
        """Along x and y (m/s) and about z (rad/s): first it turns to the next point, then it goes there."""
        company, position = self.company[person.name], self.place(person)
        if self.arrived(person):
            return np.zeros(3)
        target = np.array(person.path[company.step])
        to_target = target - position[:2]
        distance = float(np.hypot(*to_target))
        if distance <= THERE:
            company.step += 1
            return np.zeros(3)
        to_robot = robot - position[:2]
        robot_distance = float(np.hypot(*to_robot))
        if robot_distance > (COMPANY if company.robot_at_start is None else LEFT_ALONE):
            return np.zeros(3)
        if company.robot_at_start is None:
            company.robot_at_start = (float(robot[0]), float(robot[1]))
        off = float(wrapped(np.arctan2(to_target[1], to_target[0]) - position[2]))
        if abs(off) > 0.1:
            return np.array([0.0, 0.0, np.clip(off / seconds, -TURN, TURN)])
        if robot_distance < BLOCKED and float(to_robot @ to_target) > 0.0:
            return np.zeros(3)
        return np.array([*(to_target / distance * min(SPEED, distance / seconds)), np.clip(off / seconds, -TURN, TURN)])

    def _set(self, person: PersonInfo, place: Array) -> None:
        """Have one who walks stand at x, y and look along a yaw (3,)."""
        for joint, value, origin in zip(person.joints, place, (*self._start(person), 0.0), strict=True):
            self._data.qpos[self._model.jnt_qposadr[joint]] = value - origin
            self._data.qvel[self._model.jnt_dofadr[joint]] = 0.0
