"""A robot on a ROS 2 network as a robot of Homie.

```
act(command) --> safety gate --> GuardLink --> guard process --> the robot's topics and actions
measured()   <-- Felt (odometry, joint states)      observe(cameras) <-- Pictures (images, camera info, /tf)
```
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from homie.kernel.errors import BadInput, CommandRefused, InfrastructureError, RobotFault
from homie.kernel.interfaces import GoalHandle, Kinematics, Locator, Robot
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import (
    VIEWS,
    Array,
    Box,
    CameraFrame,
    Command,
    Observation,
    Outcome,
    Pose2,
    Proprioception,
    wrapped_angle,
)
from homie.kernel.world.snapshot import WorldSnapshot
from ros_bridge.guard.link import EmergencyStop, GuardLink
from ros_bridge.guard.messages import Ended
from ros_bridge.profiles.homie_topics import EPISODE, TEXT
from ros_bridge.profiles.model import Profile
from ros_bridge.robot.camera_topics import Pictures
from ros_bridge.robot.goals import ARM_PLANNER_FAILS, NAVIGATION_FAILS, GuardedGoal
from ros_bridge.robot.guarding import OwnGuard
from ros_bridge.robot.proprioception import GREETING, Felt
from ros_bridge.robot.turning import can_turn, look_around
from ros_bridge.robot.twin import Twin
from ros_bridge.transport.clocks import RobotClock
from ros_bridge.transport.interface import Node
from ros_bridge.transport.transforms import MANY

log = logging.getLogger("homie.ros_bridge")
T = TypeVar("T")

SAME_GRIP = 0.001
"""m by which a new width of the fingers differs from their last command."""
SHORT = 0.005
"""m by which fingers that a trajectory has moved are wider apart than commanded where something is between them."""
ARM_LENGTH, MOST_BOXES = 1.6, 400
"""Metres from the base within which things can be in the way of the arm, and how many of them a planner sees."""
LEAD = 0.32
"""Seconds that a joint target may run ahead of what is measured: that is a network, a controller and a servo behind."""
LONGEST_PERIOD = 0.1
"""Seconds of this machine for which a command waits for the next control period: a velocity lives for 0.25 s of it."""
NEAR = 0.01
"""rad or m from its joints up to which a target is not a motion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """What a robot on the network is reached by.

    Args:
        node: A node on its network, closed with the robot.
        profile: The robot.
        spec, kinematics: Its body.
        felt, pictures: What is heard of it.
        clock: The one of its stamps.
        links: Connects to its guard.
        guard: The guard process that ends with the robot, None for one that a person has started.
    """

    node: Node
    profile: Profile
    spec: RobotSpec
    kinematics: Kinematics
    felt: Felt
    pictures: Pictures
    clock: RobotClock
    links: Callable[[], GuardLink]
    guard: OwnGuard | None = None


class RosRobot(Robot):
    """Commands a robot through its guard, and observes it. Made by `ros_bridge.robot.opening.open_ros`."""

    waits = False

    def __init__(self, connection: Connection, cameras: Sequence[str]) -> None:
        """Connect to a robot.

        Args:
            cameras: Its cameras, the one of its head first. The robot turns for the views that are not among them.
        """
        self.profile, self.spec, self.kinematics = connection.profile, connection.spec, connection.kinematics
        self.lead = max(1.0, LEAD / self.spec.period)
        self._node, self._felt, self._pictures = connection.node, connection.felt, connection.pictures
        self._links, self._guard = connection.links, connection.guard
        self._episode = connection.node.publisher(TEXT, EPISODE, MANY)
        self._link: GuardLink | None = None
        self.eye = next(iter(cameras), "")
        self.turns = bool(cameras) and not set(VIEWS) <= set(cameras) and can_turn(self.spec)
        self.views = VIEWS if self.turns else tuple(cameras)
        self._clock = connection.clock
        self._began = self._clock.elapsed()
        self._due = 0.0
        self._moved_at = 0.0
        """When (s of its stamps) a command last moved something."""
        self._driving = self._begun = False
        self._width: float | None = None
        """The last command of the fingers, m."""
        self._gripping: Future[Ended] | None = None
        """Their newest command, while it has not ended."""
        self._goal_handle: GuardedGoal | None = None
        """What its own software does, or did last."""
        self._parts = {group.name: _part(self.profile, group.names) for group in self.spec.groups}

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        return self._felt.body()

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        """What it feels, and pictures that are as fresh as their cameras have to be. While it moves the newest will do;
        when it stands they have been taken since it moved.

        Raises:
            RobotFault: A camera or a measurement is silent, or too old.
        """
        now = self._clock.now()
        self._moved_at = min(self._moved_at, now)  # of a simulation that began again meanwhile
        is_standing = now - self._moved_at > 2 * self.spec.period
        turned_views = [name for name in cameras if self.turns and name in VIEWS]
        views = self._look_around(turned_views) if turned_views else {}
        own_views = [name for name in cameras if name not in views]
        is_standing = is_standing or bool(views)
        frames = {
            **views,
            **(self._pictures.frames(own_views, self._moved_at if is_standing else None) if own_views else {}),
        }
        frames = {name: frames[name] for name in cameras}
        return Observation(self._clock.elapsed() - self._began, self.measured(), frames)

    def _look_around(self, views: Collection[str]) -> dict[str, CameraFrame]:
        """The views, by turning; a person who approves subtasks is asked before the first time."""
        if not self._begun:
            self.begin("look around, by turning head and base")
        try:
            return self._turned(views)
        except CommandRefused as error:  # no skill is under way that could fail: once the robot stands it goes on
            log.warning("Looking around again: %s", error)
            self.stop()
            return self._turned(views)

    def _turned(self, views: Collection[str]) -> dict[str, CameraFrame]:
        return look_around(self, views, lambda: self._pictures.frames([self.eye], self._moved_at)[self.eye])

    # ------------------------------------------------------------ commands

    def announce(self, text: str) -> None:
        """Let others on the network hear what the agent does (`homie.kernel.interfaces.Announcer`)."""
        self._episode.publish(self._node.message(TEXT, data=text))

    def navigate(self, place: Pose2) -> GoalHandle:
        """Have the robot's own navigation drive (`homie.kernel.interfaces.Navigator`)."""
        if self.profile.navigation is None:
            raise BadInput(
                f"The profile {self.profile.name} names no navigation of the robot's own: add `navigation: {{action: "
                "/navigate_to_pose}`, or choose other skills."
            )

        def go(link: GuardLink) -> GuardedGoal:
            return GuardedGoal(link, link.navigate(place.x, place.y, place.yaw), NAVIGATION_FAILS)

        self._goal_handle = self._call_guard(go)
        return self._goal_handle

    def check_planner(self) -> None:
        """Whether a planner moves the whole chain (`homie.kernel.interfaces.ArmPlanner`)."""
        names, planned_names = self.spec.chain.names, [joint.name for joint in self.profile.planned_joints]
        if self.profile.reaching is None:
            raise BadInput(
                f"The profile {self.profile.name} names no planner of the robot's own: add `reaching: {{action: "
                "/move_action, group: GROUP, moves: [arm]}` with its planning group, or choose other skills."
            )
        if sorted(planned_names) != sorted(names):
            raise BadInput(
                f"The planner of the profile {self.profile.name} moves {', '.join(planned_names)}, and skills move "
                f"{', '.join(names)}: name those groups under `reaching.moves`, and a planning group that has them."
            )

    def reach(self, joints: Array, around: Sequence[Box], held: Array) -> GoalHandle:
        """Have the robot's own planner move the arm (`homie.kernel.interfaces.ArmPlanner`)."""
        self.check_planner()
        base, by_name = self.measured().base, dict(zip(self.spec.chain.names, joints.tolist(), strict=True))
        positions = [by_name[joint.name] for joint in self.profile.planned_joints]
        nearest_boxes = sorted(around, key=lambda box: box.distance(base.xy))[:MOST_BOXES]
        boxes = [
            Box(base.inverse(box.center), box.half, wrapped_angle(box.yaw - base.yaw))
            for box in nearest_boxes
            if box.distance(base.xy) < ARM_LENGTH
        ]

        def go(link: GuardLink) -> GuardedGoal:
            return GuardedGoal(
                link,
                link.reach(positions, boxes, held.tolist()),
                *ARM_PLANNER_FAILS,
            )

        self.gate.reset()  # the earlier targets of the joints are not where they are afterwards
        self._goal_handle = self._call_guard(go)
        return self._goal_handle

    def begin(self, subtask: str) -> None:
        self._begun = True
        if not self._call_guard(lambda link: link.begin(subtask)):
            raise CommandRefused(f"A person did not approve it: {subtask}")

    def _send(self, command: Command) -> None:
        has_own_goal = self._goal_handle is not None and self._goal_handle.outcome is Outcome.RUNNING
        moves = self._moves(command)
        if moves or has_own_goal:
            self._moved_at = self._clock.now()
        try:
            self._check_grip()
            self._call_guard(lambda link: self._tell(link, command))
        except CommandRefused as error:
            if moves:
                raise
            log.info("Stop command sent, and the guard says: %s", error)
        self._pace()

    def _tell(self, link: GuardLink, command: Command) -> None:
        """Say a command to the guard."""
        for group in self.spec.groups:
            values = command.get(group.name)
            if values is None:
                continue
            if group.kind == "base":
                if any(values) or self._driving:
                    link.velocity(*map(float, values))
                self._driving = any(values)
            elif group.kind == "gripper":
                self._tell_fingers(link, float(values[0]))
            else:
                name, order = self._parts[group.name]
                link.aim(name, [values[index] for index in order])

    def _tell_fingers(self, link: GuardLink, width: float) -> None:
        gripper = self.profile.gripper
        assert gripper is not None
        if self._width is not None and abs(self._width - width) < SAME_GRIP:
            return
        if width > self.measured().gripper:
            self._felt.stalled(None)
        self._width, self._gripping = width, link.grip(min(width, gripper.width), gripper.effort)

    def _check_grip(self) -> None:
        """What became of the newest command of the fingers. Raises CommandRefused where they were not moved."""
        if self._gripping is None or not self._gripping.done():
            return
        width, future = self._width, self._gripping
        self._width = self._gripping = None  # what was not done may be commanded again
        try:
            result = future.result()
        except EmergencyStop:
            raise
        except RobotFault as error:
            raise CommandRefused(f"The robot has been stopped. {error}") from error
        if result.outcome in ("aborted", "rejected", "lost"):
            raise CommandRefused(f"The gripper did not go to {width:.3f} m: {result.text or result.outcome}.")
        at = self.measured().gripper
        assert width is not None
        # A trajectory controller does not say whether the fingers have met something.
        stalled = at - width > SHORT if result.stalled is None else result.stalled
        self._felt.stalled(at if stalled else None)
        self._width = width

    def _moves(self, command: Command) -> bool:
        """Whether a command asks for a motion."""
        body = self.measured()
        for group in self.spec.groups:
            values = command.get(group.name)
            if values is None:
                continue
            if group.kind == "base":
                moves = any(values)
            elif group.kind == "gripper":
                moves = self._width != values[0] or self._gripping is not None
            else:
                moves = max(abs(a - b) for a, b in zip(values, group.measured(body), strict=True)) > NEAR
            if moves:
                return True
        return False

    def _pace(self) -> None:
        """Return one control period of the robot after the last time, or at once where that has passed. The guard is
        sent in time, however slowly the clock of a simulator goes."""
        now = self._clock.elapsed()
        self._due = max(self._due + self.spec.period, now)
        self._due = min(self._due, now + self.spec.period)  # the last wait was cut short
        self._clock.wait(self._due, max(LONGEST_PERIOD, self.spec.period))

    def _halt(self) -> None:
        self._driving, self._width, self._gripping = False, None, None
        try:
            stopped = self._connected().stop()
        except (
            RobotFault
        ):  # the guard has released this agent, and stops the robot: a new connection says when it stands
            self._let_go()
            stopped = self._connected().stop()
        if not stopped.confirmed:
            raise RobotFault(stopped.text)

    def _restart(self, *, seed: int) -> None:
        """A robot is where it is: nothing is moved, and an episode begins when all of it is there."""
        self._felt.body(GREETING)
        self._began, self._begun = self._clock.elapsed(), False
        welcome = self._connected().welcome
        if not (welcome.armed or welcome.dry_run):
            raise InfrastructureError(
                f"The guard of the robot {self.profile.name} is not armed, so nothing would move: start it as `homie "
                f"robot guard {self.profile.name} --arm-robot`, or with --dry-run to see what would be sent."
            )

    def close(self) -> None:
        try:
            if self._link is not None:
                self.stop()
        except InfrastructureError as error:
            log.error("%s", error)
        finally:
            self._let_go()
            if self._guard is not None:
                self._guard.close()
            self._node.close()

    def describe(self) -> Mapping[str, object]:
        profile = self.profile.model_dump(mode="json", exclude_defaults=True)
        return {"transport": self._node.transport, "profile": profile}

    # ------------------------------------------------------------ the guard

    def _connected(self) -> GuardLink:
        if self._link is None:
            self._link = self._links()
        return self._link

    def _let_go(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _call_guard(self, say: Callable[[GuardLink], T]) -> T:
        """Say something to the guard. Where that has stopped the robot and released this agent the command is refused,
        once the robot stands; the next one goes over a new connection.

        Raises:
            EmergencyStop: Nothing will be done before a person has released it, so that there is nothing to try again.
        """
        try:
            return say(self._connected())
        except EmergencyStop:
            self._let_go()
            raise
        except RobotFault as error:
            self._let_go()
            self.gate.reset()
            self._halt()
            raise CommandRefused(f"The robot has been stopped. {error}") from error


class SimulatedRosRobot(RosRobot):
    """A robot on the network that says that it is simulated: its twin knows the world. See `ros_bridge.robot.twin`."""

    def __init__(self, connection: Connection, twin: Twin) -> None:
        super().__init__(connection, (*twin.robot.views, twin.robot.eye))
        self._twin = twin
        body = twin.robot
        self.views, self.hand, self.eye, self.turns = body.views, body.hand, body.eye, False
        self.actions, self.inventory_by = body.actions, body.inventory_by

    def measured(self) -> Proprioception:
        self._twin.follow()
        return super().measured()

    def background(self) -> Locator:
        self._twin.follow()
        return self._twin.robot.background()

    def snapshot(self) -> WorldSnapshot:
        """The world as it is now (`homie.kernel.interfaces.WorldState`)."""
        self._twin.follow(fresh=True)
        snapshot: WorldSnapshot = self._twin.robot.snapshot()  # type: ignore[attr-defined]
        return snapshot

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._twin.close()


def _part(profile: Profile, names: Sequence[str]) -> tuple[str, list[int]]:
    """The group of a profile with these joints, and for each of its joints the place in `names`; "" where there is
    none, as for a base."""
    for name, group in profile.groups.items():
        joints = [joint.name for joint in group.joints]
        if sorted(joints) == sorted(names):
            return name, [list(names).index(joint) for joint in joints]
    return "", []
