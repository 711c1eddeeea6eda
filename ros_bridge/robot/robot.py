"""A robot on a ROS 2 network as a robot of Homie.

```
act(command) --> safety gate --> GuardLink --> guard process --> the robot's topics and actions
measured()   <-- BodySensors (odometry, joint states)      observe(cameras) <-- Pictures (images, camera info, /tf)
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
    wrap_angle,
)
from homie.kernel.world.snapshot import WorldSnapshot
from ros_bridge.guard.link import EmergencyStop, GuardLink
from ros_bridge.guard.messages import CommandEnded
from ros_bridge.profiles.homie_topics import EPISODE, TEXT
from ros_bridge.profiles.model import Profile
from ros_bridge.robot.camera_topics import Pictures
from ros_bridge.robot.goals import ARM_PLANNER_FAILS, NAVIGATION_FAILS, GuardedGoal
from ros_bridge.robot.guarding import OwnGuard
from ros_bridge.robot.proprioception import GREETING, BodySensors
from ros_bridge.robot.turning import can_turn, look_around
from ros_bridge.robot.twin import Twin
from ros_bridge.transport.clocks import RobotClock
from ros_bridge.transport.interface import Node
from ros_bridge.transport.transforms import MANY

log = logging.getLogger("homie.ros_bridge")
T = TypeVar("T")

SAME_GRIP = 0.001
"""Smallest change (m) of the finger opening that is a new command."""
SHORT = 0.005
"""m by which fingers moved by a trajectory exceed the commanded opening if an object is between them."""
ARM_LENGTH, MOST_BOXES = 1.6, 400
"""Distance (m) from the base within which objects can obstruct the arm, and the most boxes passed to a planner."""
LEAD = 0.32
"""Seconds by which a joint target may lead the measurements: the delay of network, controller and servo."""
LONGEST_PERIOD = 0.1
"""Longest wait (s of this machine) for the next control period: a velocity expires after 0.25 s."""
NEAR = 0.01
"""Distance (rad or m) of a target from its joints up to which it is not a motion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Parts of the connection to a robot on the network.

    Args:
        node: A node on its network, closed with the robot.
        profile: The robot.
        spec, kinematics: Its body.
        felt, pictures: Its measurements and its images.
        clock: The clock of its stamps.
        links: Connects to its guard.
        guard: The guard process that ends with the robot, None if a person has started the guard.
    """

    node: Node
    profile: Profile
    spec: RobotSpec
    kinematics: Kinematics
    felt: BodySensors
    pictures: Pictures
    clock: RobotClock
    links: Callable[[], GuardLink]
    guard: OwnGuard | None = None


class RosRobot(Robot):
    """Commands a robot through its guard, and observes it. Created by `ros_bridge.robot.opening.open_ros`."""

    waits = False

    def __init__(self, connection: Connection, cameras: Sequence[str]) -> None:
        """Connect to a robot.

        Args:
            cameras: Its cameras, the head camera first. The robot turns for the views that are not among them.
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
        """Time (s of its stamps) of the last command with a motion."""
        self._driving = self._begun = False
        self._width: float | None = None
        """The last commanded opening of the fingers, m."""
        self._gripping: Future[CommandEnded] | None = None
        """The newest command of the fingers, until it has ended."""
        self._goal_handle: GuardedGoal | None = None
        """The current or last goal of the robot's own software."""
        self._parts = {group.name: _part(self.profile, group.names) for group in self.spec.groups}

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        return self._felt.body()

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        """Return the measurements, and images as fresh as their cameras require: while it moves the newest ones; when
        it stands, images taken since it moved.

        Raises:
            RobotFault: A camera or a measurement is silent, or too old.
        """
        now = self._clock.now()
        self._moved_at = min(self._moved_at, now)  # a simulation may have restarted meanwhile
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
        """Capture views by turning; a person who approves subtasks is asked before the first time."""
        if not self._begun:
            self.begin("look around, by turning head and base")
        try:
            return self._capture_views(views)
        except CommandRefused as error:  # no skill is running that could fail: continue once the robot stands
            log.warning("Looking around again: %s", error)
            self.stop()
            return self._capture_views(views)

    def _capture_views(self, views: Collection[str]) -> dict[str, CameraFrame]:
        return look_around(self, views, lambda: self._pictures.frames([self.eye], self._moved_at)[self.eye])

    # ------------------------------------------------------------ commands

    def announce(self, text: str) -> None:
        """Publish an announcement of the agent on the network (`homie.kernel.interfaces.Announcer`)."""
        self._episode.publish(self._node.message(TEXT, data=text))

    def navigate(self, place: Pose2) -> GoalHandle:
        """Drive with the robot's own navigation (`homie.kernel.interfaces.Navigator`)."""
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
        """Check that a planner moves the whole chain (`homie.kernel.interfaces.ArmPlanner`)."""
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
        """Move the arm with the robot's own planner (`homie.kernel.interfaces.ArmPlanner`)."""
        self.check_planner()
        base, by_name = self.measured().base, dict(zip(self.spec.chain.names, joints.tolist(), strict=True))
        positions = [by_name[joint.name] for joint in self.profile.planned_joints]
        nearest_boxes = sorted(around, key=lambda box: box.distance(base.xy))[:MOST_BOXES]
        boxes = [
            Box(base.inverse(box.center), box.half, wrap_angle(box.yaw - base.yaw))
            for box in nearest_boxes
            if box.distance(base.xy) < ARM_LENGTH
        ]

        def go(link: GuardLink) -> GuardedGoal:
            return GuardedGoal(
                link,
                link.reach(positions, boxes, held.tolist()),
                *ARM_PLANNER_FAILS,
            )

        self.gate.reset()  # the earlier joint targets are outdated afterwards
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
            self._call_guard(lambda link: self._send_to_guard(link, command))
        except CommandRefused as error:
            if moves:
                raise
            log.info("Stop command sent, and the guard says: %s", error)
        self._pace()

    def _send_to_guard(self, link: GuardLink, command: Command) -> None:
        """Send a command to the guard."""
        for group in self.spec.groups:
            values = command.get(group.name)
            if values is None:
                continue
            if group.kind == "base":
                if any(values) or self._driving:
                    link.velocity(*map(float, values))
                self._driving = any(values)
            elif group.kind == "gripper":
                self._send_grip(link, float(values[0]))
            else:
                name, order = self._parts[group.name]
                link.aim(name, [values[index] for index in order])

    def _send_grip(self, link: GuardLink, width: float) -> None:
        gripper = self.profile.gripper
        assert gripper is not None
        if self._width is not None and abs(self._width - width) < SAME_GRIP:
            return
        if width > self.measured().gripper:
            self._felt.set_stalled(None)
        self._width, self._gripping = width, link.grip(min(width, gripper.width), gripper.effort)

    def _check_grip(self) -> None:
        """Handle the result of the newest command of the fingers. Raises CommandRefused where they were not moved."""
        if self._gripping is None or not self._gripping.done():
            return
        width, future = self._width, self._gripping
        self._width = self._gripping = None  # a failed command may be repeated
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
        # A trajectory controller does not report contact of the fingers.
        stalled = at - width > SHORT if result.stalled is None else result.stalled
        self._felt.set_stalled(at if stalled else None)
        self._width = width

    def _moves(self, command: Command) -> bool:
        """Return whether a command requests a motion."""
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
        """Wait until one control period after the last command, or not at all if that has passed. Commands reach the
        guard in time, however slow the clock of a simulator is."""
        now = self._clock.elapsed()
        self._due = max(self._due + self.spec.period, now)
        self._due = min(self._due, now + self.spec.period)  # the last wait was cut short
        self._clock.wait(self._due, max(LONGEST_PERIOD, self.spec.period))

    def _halt(self) -> None:
        self._driving, self._width, self._gripping = False, None, None
        try:
            stopped = self._connect().stop()
        except (
            RobotFault
        ):  # the guard has dropped this agent, and stops the robot: a new connection reports when it stands
            self._disconnect()
            stopped = self._connect().stop()
        if not stopped.confirmed:
            raise RobotFault(stopped.text)

    def _restart(self, *, seed: int) -> None:
        """Begin an episode once all measurements have arrived; the robot is not moved."""
        self._felt.body(GREETING)
        self._began, self._begun = self._clock.elapsed(), False
        welcome = self._connect().welcome
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
            self._disconnect()
            if self._guard is not None:
                self._guard.close()
            self._node.close()

    def describe(self) -> Mapping[str, object]:
        profile = self.profile.model_dump(mode="json", exclude_defaults=True)
        return {"transport": self._node.transport, "profile": profile}

    # ------------------------------------------------------------ the guard

    def _connect(self) -> GuardLink:
        if self._link is None:
            self._link = self._links()
        return self._link

    def _disconnect(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _call_guard(self, say: Callable[[GuardLink], T]) -> T:
        """Call the guard. Where it has stopped the robot and dropped this agent, the command is refused once the robot
        stands; the next one uses a new connection.

        Raises:
            EmergencyStop: Nothing will be done before a person has released it, so that a retry is useless.
        """
        try:
            return say(self._connect())
        except EmergencyStop:
            self._disconnect()
            raise
        except RobotFault as error:
            self._disconnect()
            self.gate.reset()
            self._halt()
            raise CommandRefused(f"The robot has been stopped. {error}") from error


class SimulatedRosRobot(RosRobot):
    """A robot on the network that reports being simulated: its twin knows the world. See `ros_bridge.robot.twin`."""

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
        """Return the current state of the world (`homie.kernel.interfaces.WorldState`)."""
        self._twin.follow(fresh=True)
        snapshot: WorldSnapshot = self._twin.robot.snapshot()  # type: ignore[attr-defined]
        return snapshot

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._twin.close()


def _part(profile: Profile, names: Sequence[str]) -> tuple[str, list[int]]:
    """Return the group of a profile with these joints, and the index in `names` of each of its joints; "" if there is
    none, as for a base."""
    for name, group in profile.groups.items():
        joints = [joint.name for joint in group.joints]
        if sorted(joints) == sorted(names):
            return name, [list(names).index(joint) for joint in joints]
    return "", []
