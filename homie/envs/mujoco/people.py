"""The people of a running home: what they hold, what they were shown, how far they have walked.

They are mannequins. A person with a hand held out takes what the robot releases above it; a person sees the held object
when it is in front of their face; a person with a path walks it, and waits when the robot does not follow.
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
from homie.kernel.types import Array, wrap_angles
from homie.kernel.world import thresholds

TAKES = 0.12
"""Maximum distance (m) from a palm's centre to an object's box for the hand to take it: the reach of the fingers."""
LOOKS, ASIDE = 1.2, 0.7
"""Maximum distance (m) from the eyes and angle (rad) from the viewing direction at which a person sees an object."""
THICK = 0.15
"""Metres in front of an object's centre within which a ray hit counts as the object itself or the fingers around it."""
AWHILE = 1.0
"""Seconds for which an object has to be held in view to count as shown."""
SPEED, TURN = 0.5, 1.5
"""Walking speed (m/s) and turning speed (rad/s) of people: slow enough for a robot to follow."""
COMPANY, LEFT_ALONE = 1.8, 2.2
"""Distances (m) to the robot: within the first a person starts to walk, beyond the second they wait for the robot."""
BLOCKED = 0.75
"""Distance (m) within which a person waits for a robot ahead to get out of the way."""
CAME_ALONG = 0.3
"""Minimum distance (m) of the robot from its position when a person set out, to count as having followed."""
THERE = 0.03
"""Distance (m) to a point of a path at which the point counts as reached."""


@dataclass(slots=True)
class Company:
    """State of a person in an episode.

    Attributes:
        holds: The object in the person's hand.
        seen: Objects that the person was shown.
        step: Number of points of the path that the person has reached.
        robot_at_start: Position (x, y) of the robot when the person set out.
        followed: Whether the robot has followed the person to the end of the path.
    """

    holds: str | None = None
    seen: list[str] = field(default_factory=list)
    step: int = 0
    robot_at_start: tuple[float, float] | None = None
    followed: bool = False
    looking_since: float | None = None
    """Time (s) since which the robot's held object has been in front of the person's face; None if it is not."""


class People:
    """The people of a running home; does nothing in a home without people.

    Args:
        home: The built home.
        data: Its state.
        extents: Extents of its model.
    """

    def __init__(self, home: Home, data: mujoco.MjData, extents: Extents) -> None:
        self._model, self._data, self._extents = home.model, data, extents
        self._bodies = {item.name: item.body for item in home.index.objects}
        self.infos: Mapping[str, PersonInfo] = {person.name: person for person in home.index.people}
        self.reset()

    def reset(self) -> None:
        """Reset to the start of an episode."""
        self.company = {name: Company() for name in self.infos}
        for person in self.infos.values():
            if person.hand >= 0:
                self._data.eq_active[person.hand] = 0

    # ------------------------------------------------------------ questions

    def holder(self, thing: str) -> str | None:
        """Return the name of the person who holds an object; None if nobody does."""
        return next((name for name, state in self.company.items() if state.holds == thing), None)

    def place(self, person: PersonInfo) -> Array:
        """Return a person's position and yaw (x, y, yaw): (3,)."""
        turn = self._data.xmat[person.body].reshape(3, 3)
        return np.array([*self._data.xpos[person.body][:2], np.arctan2(turn[1, 0], turn[0, 0])])

    def point(self, person: PersonInfo, local: tuple[float, float, float]) -> Array:
        """Transform a point (3,) from a person's frame to the world frame."""
        turn = self._data.xmat[person.body].reshape(3, 3)
        return np.asarray(self._data.xpos[person.body] + turn @ np.asarray(local))

    def palm(self, person: PersonInfo) -> Array | None:
        """Return the centre (3,) of a hand that is held out and empty; None if there is none."""
        if person.palm is None or person.hand < 0 or self.company[person.name].holds is not None:
            return None
        return self.point(person, person.palm)

    def arrived(self, person: PersonInfo) -> bool:
        """Whether a person has reached the end of their path."""
        return self.company[person.name].step >= len(person.path)

    def state(self, name: str, state: str, held: str | None) -> bool | None:
        """Whether a person is in a state; None for states that people do not have.

        Args:
            state: `hand_out` holds out an empty hand, `shown` was shown the robot's held object, `seeing` can see,
                `walks` has a path, `followed` was followed by the robot to the end of the path.
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
        """Weld an object at its current pose to a person's hand. Body poses must be up to date."""
        person = self.infos[name]
        weld_here(self._model, self._data, person.hand, person.body, self._bodies[thing])
        self.company[name].holds = thing

    def see(self, name: str, thing: str) -> None:
        """Record that a person was shown an object."""
        if thing not in self.company[name].seen:
            self.company[name].seen.append(thing)

    def arrive(self, name: str) -> None:
        """Set a walking person to the end of their path, with the robot having followed."""
        person, company = self.infos[name], self.company[name]
        previous_point = person.path[-2] if len(person.path) > 1 else self._start(person)
        (x, y), (x0, y0) = person.path[-1], previous_point
        self._set_pose(person, np.array([x, y, np.arctan2(y - y0, x - x0)]))
        company.step, company.followed = len(person.path), True

    def way(self, name: str) -> Array:
        """Return the points (n, 2) of a person's path, starting with the initial position."""
        person = self.infos[name]
        return np.array([self._start(person), *person.path])

    def walk(self, robot: Array, seconds: float) -> None:
        """Set the velocities of walking people for the next control period.

        Args:
            robot: Position (2,) of the robot, m.
            seconds: Duration of the control period.
        """
        for person in self.infos.values():
            if person.joints:
                dofs = self._model.jnt_dofadr[list(person.joints)]
                self._data.qvel[dofs] = self._velocity(person, robot, seconds)

    def update(self, robot: Array, held: str | None, before: str | None) -> None:
        """Update after a control period what people were given and shown, and whether they were followed.

        Args:
            robot: Position (2,) of the robot, m.
            held, before: The object that the robot holds now, and before the period.
        """
        if not self.infos:
            return
        if held is not None:
            self._release(held)
        elif before is not None:
            self._give_to_palm(before)
        for name, person in self.infos.items():
            self._update_shown(person, held)
            company = self.company[name]
            if person.path and self.arrived(person) and not company.followed:
                is_near = thresholds.within_reach(float(np.hypot(*(self.place(person)[:2] - robot))))
                company.followed = is_near and self._robot_has_followed(company, robot)

    def _robot_has_followed(self, company: Company, robot: Array) -> bool:
        """Whether the robot has moved since a person set out: some paths end within reach of where they begin."""
        begin = company.robot_at_start
        return begin is not None and float(np.hypot(*(robot - begin))) >= CAME_ALONG

    # ------------------------------------------------------------ what is kept of an episode

    def known(self) -> Mapping[str, object]:
        """Return the states that the physics does not contain, JSON-serializable."""
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
        """Restore the states that `known` returned. Body poses must be up to date."""
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

    def _release(self, thing: str) -> None:
        """Release an object that the robot has taken out of a hand."""
        name = self.holder(thing)
        if name is not None:
            self._data.eq_active[self.infos[name].hand] = 0
            self.company[name].holds = None

    def _give_to_palm(self, thing: str) -> None:
        """Give an object that the robot has released to the person whose palm it is above, if any."""
        box = self._extents.body_boxes(self._data, [self._bodies[thing]])[0]
        for name, person in self.infos.items():
            palm = self.palm(person)
            if palm is not None and box.distance(palm) <= TAKES:
                self.take(name, thing)
                return

    def _update_shown(self, person: PersonInfo, held: str | None) -> None:
        """Track how long the held object has been in front of a person's face; after `AWHILE` it counts as shown."""
        company, time = self.company[person.name], float(self._data.time)
        if held is None or not self.before_face(person, held):
            company.looking_since = None
        elif company.looking_since is None:
            company.looking_since = time
        elif time - company.looking_since >= AWHILE:
            self.see(person.name, held)

    def before_face(self, person: PersonInfo, thing: str) -> bool:
        """Whether an object is close enough in front of a person's face, without occlusion."""
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
        """Compute a walker's velocity (3,), x and y in m/s and about z in rad/s: first turn to the next point, then
        walk."""
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
        yaw_error = float(wrap_angles(np.arctan2(to_target[1], to_target[0]) - position[2]))
        if abs(yaw_error) > 0.1:
            return np.array([0.0, 0.0, np.clip(yaw_error / seconds, -TURN, TURN)])
        if robot_distance < BLOCKED and float(to_robot @ to_target) > 0.0:
            return np.zeros(3)
        return np.array(
            [*(to_target / distance * min(SPEED, distance / seconds)), np.clip(yaw_error / seconds, -TURN, TURN)]
        )

    def _set_pose(self, person: PersonInfo, place: Array) -> None:
        """Set a walking person to a pose (x, y, yaw), at rest."""
        for joint, value, origin in zip(person.joints, place, (*self._start(person), 0.0), strict=True):
            self._data.qpos[self._model.jnt_qposadr[joint]] = value - origin
            self._data.qvel[self._model.jnt_dofadr[joint]] = 0.0
