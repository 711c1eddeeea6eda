"""Set the result of an action directly in the state of a running home: robot, loose objects, doors, grasp."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import mujoco
import numpy as np

from homie.envs.mujoco.home.ideal_bodies import Bodies
from homie.envs.mujoco.home.ideal_spots import ABOVE, Spot, spots_in, spots_on
from homie.envs.mujoco.house.index import ArticulationInfo, ObjectInfo, PersonInfo, ReceptacleInfo
from homie.envs.mujoco.robots.grasping import Grasping
from homie.envs.mujoco.robots.joint_servos import PREFIX, Limbs, place
from homie.envs.mujoco.world import World
from homie.kernel.actions import Action
from homie.kernel.interfaces import kind_of
from homie.kernel.robot.body import Posture, RobotSpec
from homie.kernel.types import Array, Failure, FailureReason, Goal, Pose, Pose2, rotation_z
from homie.kernel.world.household_verbs import VERBS, Rule

SAME = 1.0
"""Maximum distance (m) between a goal and the thing that it refers to: the centre of furniture seen from one side only
is uncertain by half its depth."""
PLACES, SPOTS = 250, 80
"""Maximum numbers of base poses (all around an object, near and far) and of locations for a put object to try."""
AJAR = (1.6, 1.87, 1.4, 1.2)
"""Opening angles (rad) tried for a hinged door: first that of the classical skills, then others that may be free."""
PULLED = 0.97
"""Opening of a drawer as a fraction of its range."""
FINGERS = 0.03
"""Length (m) of the fingers: how far a held object may extend behind the centre between the finger pads."""
NEARER, TRIES = 0.025, 14
"""Step (m) by which an object in the hand is moved outwards while it collides with the robot, and number of steps."""
BESIDE = (0.55, 0.7, 0.85)
"""Distances (m) from the robot's centre tried for a dropped object."""

TURNS = (0.0, np.pi / 2)
"""Yaws (rad) tried for an object on a palm, relative to the person's."""
FOLLOWS = (1.3, 1.5, 1.1, 1.7, 1.9)
"""Distances (m) behind a person tried for a robot that has followed them."""

GONE = Failure(FailureReason.TARGET_LOST)

Info = TypeVar("Info", bound=ObjectInfo | ReceptacleInfo)


class Rearranging:
    """Sets results of actions in the world, or leaves it unchanged.

    Args:
        world, limbs, grasping, spec: Those of the home.
        base: Addresses of x, y and yaw of the robot in `qpos`.
    """

    def __init__(self, *, world: World, limbs: Limbs, grasping: Grasping, spec: RobotSpec, base: Sequence[int]) -> None:
        self.world, self.model, self.data = world, world.model, world.data
        self.limbs, self.grasping, self.spec = limbs, grasping, spec
        self.bodies = Bodies(world)
        self._base = list(base)
        self._dofs = [dof for dof in range(self.model.nv) if int(self.model.dof_bodyid[dof]) in self.bodies.robot]
        self._site = self.model.site(PREFIX + "gripper").id

    def set_outcome(self, action: Action, goal: Goal, places: Iterable[Pose2]) -> str:
        """See `homie.kernel.interfaces.Rearrangeable`."""
        rule = VERBS[action.name].rule if action.name in VERBS else None
        if rule is not None:
            return self._apply_or_restore(lambda: self._state(rule, goal, places))
        return self._apply_or_restore(lambda: self._effect(action.result, goal, places))

    def drop(self) -> str:
        """See `homie.kernel.interfaces.Rearrangeable`."""
        return self._apply_or_restore(self._drop_on_floor)

    def _apply_or_restore(self, change: Callable[[], str]) -> str:
        """Return the result of a change; if it fails, restore the previous state."""
        qpos, qvel, ctrl = self.data.qpos.copy(), self.data.qvel.copy(), self.data.ctrl.copy()
        problem = change()
        if problem:
            self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = qpos, qvel, ctrl
        else:
            self.data.qvel[self._dofs] = 0.0
            self.world.held = self.grasping.held_object
        mujoco.mj_forward(self.model, self.data)
        return problem

    def _effect(self, result: str, goal: Goal, places: Iterable[Pose2]) -> str:
        match result:
            case "reached":
                return self._stand(goal, places)
            case "held":
                target = self._find_target(goal, self.world.objects)
                if target is None:
                    return GONE
                return self._stand(goal, places, lambda: self._take(target))
            case "placed":
                return self._stand(goal, places) or self._put(goal)
            case "shown":
                person = self._find_target(goal, self.world.people.infos)
                if person is None or self.world.held is None:
                    return GONE
                problem = self._stand(goal, places)
                if not problem:
                    self.world.people.see(person.name, self.world.held)
                return problem
            case "followed":
                person = self._find_target(goal, self.world.people.infos)
                return GONE if person is None else self._follow(person)
            case "open" | "closed":
                opening = {name: item for name, item in self.world.receptacles.items() if item.articulations}
                furniture = self._find_target(goal, opening)
                if furniture is None:
                    return Failure(FailureReason.NO_HANDLE)
                return self._move(furniture, result) or self._stand(goal, places)
            case "on" | "off":
                switched = {name: item for name, item in self.world.receptacles.items() if item.appliance is not None}
                appliance = self._find_target(goal, switched)
                if appliance is None:
                    return Failure(FailureReason.SWITCH_NOT_SEEN)
                problem = self._stand(goal, places)
                if not problem:
                    self.world.appliances.switch({appliance.name: result == "on"})
                return problem
        return f"nothing is known of what '{result}' is"

    def _state(self, rule: Rule, goal: Goal, places: Iterable[Pose2]) -> str:
        """Bring a thing into a state, with the robot standing at it."""
        household = self.world.household
        entities: dict[str, ObjectInfo | ReceptacleInfo] = {**self.world.objects, **self.world.receptacles}
        target = self._find_target(goal, {name: item for name, item in entities.items() if name != self.world.held})
        if target is None:
            return GONE
        problem = household.refuses(rule, target.name, self.world.held) or self._stand(goal, places)
        if not problem:
            household.become(rule, target.name, self.world.held)
        return problem

    def _find_target(self, goal: Goal, candidates: Mapping[str, Info]) -> Info | None:
        """Return the thing that a goal refers to: the nearest of its kind, with a preference for the goal's name."""
        same_kind = [name for name in candidates if kind_of(name) == kind_of(goal.name)] or list(candidates)
        distances = {name: self.world.box_of(name).distance(goal.position) for name in same_kind}
        best = min(same_kind, key=lambda name: (distances[name] - SAME * (name == goal.name), name), default=None)
        return candidates[best] if best is not None and distances[best] <= SAME else None

    # ------------------------------------------------------------ robot

    def _stand(self, goal: Goal, places: Iterable[Pose2], take: Callable[[], str] | None = None) -> str:
        """Set the robot to the first of some poses without collisions of robot and payload, looking at the goal.

        Args:
            take: Action to apply there; if it fails, the next pose is tried.
        """
        target = goal.position
        hand, load = self._hand(), self.bodies.poses(self.world.carried())
        posture = self.spec.carry if load or take else self.spec.rest
        place(self.model, self.data, self._joints(posture))
        problem: str = Failure(FailureReason.NO_FLOOR_NEAR)
        for pose in islice(self._poses_in_room(goal, places), PLACES):
            self.data.qpos[self._base] = pose.x, pose.y, pose.yaw
            self._look(pose, target, posture)
            mujoco.mj_kinematics(self.model, self.data)
            self.bodies.move(load, hand, self._hand())
            if not self.bodies.cut([*self.bodies.robot, *load]):
                problem = take() if take else ""
                if not problem:
                    break
        return problem

    def _poses_in_room(self, goal: Goal, places: Iterable[Pose2]) -> Iterator[Pose2]:
        """Yield the base poses in the goal's room. Others are behind a wall, which may be missing in a map made from
        observations (the classical skills would see it on the way)."""
        room = None if goal.room is not None else self.world.room_of(goal.position)
        return (pose for pose in places if room in (None, self.world.room_of(pose.xy)))

    def _look(self, base: Pose2, target: Array, posture: Posture) -> None:
        lift = self.spec.chain.lift(self.spec.chain.posture(posture))
        head, gaze = self.spec.head, self.spec.gaze(base.inverse(target), lift)
        if head is not None and gaze is not None:
            place(self.model, self.data, dict(zip(head.names, gaze, strict=True)))

    def _joints(self, posture: Posture) -> dict[str, float]:
        """Return joint positions of torso and arm in a posture, by name."""
        chain = self.spec.chain
        return dict(zip(chain.names, chain.posture(posture).tolist(), strict=True))

    def _hand(self) -> Pose:
        """Return the pose between the finger pads: x along the fingers, y in the closing direction."""
        return Pose(self.data.site_xpos[self._site].copy(), self.data.site_xmat[self._site].reshape(3, 3).copy())

    # ------------------------------------------------------------ loose things

    def _take(self, item: ObjectInfo) -> str:
        """Put an object into the hand, upright, its thinner side between the fingers; in front of them if it is too
        wide."""
        load = self.bodies.poses([item.name, *self.world.contents(item.name)])
        previous_pose = load[item.body]
        hand = self._hand()
        forward = np.array([hand.rotation[0, 0], hand.rotation[1, 0], 0.0]) / np.hypot(*hand.rotation[:2, 0])
        thin, deep = sorted(item.half[:2])
        fits = 2 * thin < self.spec.gripper_max
        is_turned = item.half[0] < item.half[1]
        yaw = float(np.arctan2(forward[1], forward[0])) + (np.pi / 2 if is_turned else 0.0)
        self.limbs.set_opening(2 * thin if fits else 0.0)
        reach = max(0.0, deep - FINGERS) if fits else deep + FINGERS / 2
        own_bodies = [*self.bodies.robot, *load]
        for _ in range(TRIES):
            self.bodies.move(load, previous_pose, Pose(hand.position + reach * forward, rotation_z(yaw)))
            blockers = self.bodies.cut(load, ignored=self.grasping.finger_bodies)
            if not blockers and not self.bodies.cut(own_bodies):
                self.grasping.give(item.body)
                return ""
            reach += NEARER
        self.bodies.move(load, previous_pose, previous_pose)
        return Failure(FailureReason.CANNOT_HOLD, why="there is no room for it before the robot")

    def _put(self, goal: Goal) -> str:
        """Place the held object at the first free location of the destination."""
        name = self.world.held
        if name is None:
            return Failure(FailureReason.HAND_EMPTY)
        contents = self.world.contents(name)
        places: dict[str, ObjectInfo | ReceptacleInfo] = {
            **self.world.receptacles,
            **{n: o for n, o in self.world.objects.items() if n not in (name, *contents)},
        }
        destination = self._find_target(goal, places)
        if destination is None:
            return GONE
        if isinstance(destination, PersonInfo):
            return self._give(name, destination)
        if isinstance(destination, ObjectInfo):
            locations = spots_in(self.world, destination)
        else:
            base_position = self.data.qpos[self._base[:2]].copy()
            locations = spots_on(
                self.world, destination, np.array(self.world.objects[name].half), base_position, [name, *contents]
            )
        if self._set_down(name, locations):
            return ""
        number = len(self.world.contents(destination.name))
        return Failure(FailureReason.SURFACE_FULL, count=number) if number else Failure(FailureReason.TOO_TALL)

    def _give(self, name: str, person: PersonInfo) -> str:
        """Give the held object to a person, upright on the palm."""
        palm = self.world.people.palm(person)
        if palm is None:
            return Failure(FailureReason.NO_EMPTY_HAND)
        if not self._set_down(name, (Spot(palm + ABOVE, self.world.yaw(person.body) + turn) for turn in TURNS)):
            return "it does not fit into the hand"
        self.world.people.take(person.name, name)
        return ""

    def _drop_on_floor(self) -> str:
        name = self.world.held
        if name is None:
            return Failure(FailureReason.HAND_EMPTY)
        x, y, yaw = self.data.qpos[self._base].tolist()
        points = [
            np.array([x + distance * np.cos(yaw + turn), y + distance * np.sin(yaw + turn), ABOVE])
            for distance in BESIDE
            for turn in np.arange(16) * np.pi / 8
        ]
        inside = [point for point in points if self.world.room_of(point) is not None]
        return "" if self._set_down(name, (Spot(point, yaw) for point in inside)) else "there is no free floor here"

    def _set_down(self, name: str, locations: Iterable[Spot]) -> bool:
        """Place the held object upright at the first location without collisions; return whether there is one."""
        item = self.world.objects[name]
        load = self.bodies.poses([name, *self.world.contents(name)])
        previous_pose = load[item.body]
        for location in islice(locations, SPOTS):
            middle = location.foot + np.array([0.0, 0.0, item.half[2]])
            self.bodies.move(load, previous_pose, Pose(middle, rotation_z(location.yaw)))
            if not self.bodies.cut(load):
                self.grasping.let_go()
                self.world.held = None
                place(self.model, self.data, self._joints(self.spec.rest))
                self.limbs.set_opening(self.spec.gripper_max)
                return True
        return False

    # ------------------------------------------------------------ people

    def _follow(self, person: PersonInfo) -> str:
        """Set a person to the end of their path, and the robot behind them on the path."""
        way = self.world.people.way(person.name)
        self.world.people.arrive(person.name)
        mujoco.mj_forward(self.model, self.data)
        end = way[-1]
        base_poses = (
            Pose2(float(x), float(y), float(np.arctan2(end[1] - y, end[0] - x))) for x, y in _points_behind(way)
        )
        goal = Goal(person.name, "", self.world.receptacle_box(person).center)
        return self._stand(goal, base_poses)

    # ------------------------------------------------------------ doors and drawers

    def _move(self, furniture: ReceptacleInfo, result: str) -> str:
        """Open or close all doors and drawers of furniture, with their contents. One open door suffices for success."""
        opens = result == "open"
        problems = [self._turn(item, furniture, opens=opens) for item in furniture.articulations]
        return "" if opens and "" in problems else next(filter(None, problems), "")

    def _turn(self, item: ArticulationInfo, furniture: ReceptacleInfo, *, opens: bool) -> str:
        aims = [0.0]
        if opens:
            swings = item.kind == "hinge" and item.range > AJAR[0]
            aims = [min(aim, item.range) for aim in AJAR] if swings else [PULLED * item.range]
        names = [
            name for name in self.world.objects if name != self.world.held and self._lies_in(name, furniture, item)
        ]
        load = self.bodies.poses(names)
        previous_pose, start = self.bodies.pose(item.body), self.world.opening(item)
        penetrated: set[int] = set()
        for aim in aims:
            for stop in self._checked_openings(item, aim):
                self.data.qpos[self.model.jnt_qposadr[item.joint]] = item.position(stop)
                self.data.qvel[self.model.jnt_dofadr[item.joint]] = 0.0
                mujoco.mj_kinematics(self.model, self.data)
                self.bodies.move(load, previous_pose, self.bodies.pose(item.body))
                penetrated = self.bodies.cut([item.body, *load], ignored=self._bodies_ignored_by_doors())
                if penetrated:
                    break
            if not penetrated:
                return ""
        # Restore it: another of the piece's doors may open.
        self.data.qpos[self.model.jnt_qposadr[item.joint]] = item.position(start)
        self.bodies.move(load, previous_pose, previous_pose)
        names = self.bodies.called(penetrated)
        if not names:
            return Failure(FailureReason.HANDLE_OUT_OF_REACH)
        return (
            f"{' and '.join(name.replace('_', ' ') for name in names)} {'is' if len(names) == 1 else 'are'} in the way"
        )

    def _bodies_ignored_by_doors(self) -> Collection[int]:
        """Return the bodies that a door may pass through: those of the robot, which is moved beside it afterwards."""
        return self.bodies.robot

    def _checked_openings(self, item: ArticulationInfo, aim: float) -> Sequence[float]:
        """Return the openings (rad or m) up to `aim` at which the door is checked for collisions."""
        return (aim,)

    def _lies_in(self, name: str, furniture: ReceptacleInfo, item: ArticulationInfo) -> bool:
        """Whether an object is in the moving part: in a drawer."""
        receptacle, plan = self.world.furniture_of(name) or (None, None)
        return receptacle is furniture and plan is not None and self.model.body_weldid[plan.body] == item.body


def _points_behind(way: Array) -> Iterator[Array]:
    """Yield the points (2,) of a path `way` (n, 2) at the distances `FOLLOWS` before its end."""
    legs = np.diff(way, axis=0)
    lengths = np.hypot(*legs.T)
    for metres in FOLLOWS:
        remaining = metres
        for k in range(len(legs) - 1, -1, -1):
            if remaining <= lengths[k]:
                yield way[k + 1] - remaining * legs[k] / lengths[k]
                break
            remaining -= float(lengths[k])
