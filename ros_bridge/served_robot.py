"""A robot of Homie, simulated or not, as a robot of ROS 2: the topics, actions and transforms of a profile.

```
/cmd_vel, trajectories, gripper --> one command a period --> Robot.act (through its safety gate)
/odom, /joint_states, /tf, cameras <-- measurements and images, at true rates
```
"""

from __future__ import annotations

import functools
import json
import logging
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from homie.kernel import registry
from homie.kernel.actions import action_of
from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.interfaces import Mirrored, Robot, WorldState
from homie.kernel.robot.body import Group
from homie.kernel.types import Array, Command, Observation, OccupancyGrid, Proprioception
from ros_bridge.profiles.body_with_limits import narrow_limits
from ros_bridge.profiles.chain import step
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.profile_check import MOVE_GROUP, NAVIGATE, TRAJECTORY, gripper_kind
from ros_bridge.profiles.simulation import CLOCK, STATE
from ros_bridge.served_description import DESCRIPTION, describe, frames_of
from ros_bridge.served_fingers import ServedFingers
from ros_bridge.served_messages import matrix, planar, transform
from ros_bridge.served_pictures import Painter
from ros_bridge.served_trajectory import PATIENCE, Error, Following, NoTrajectory, points_of
from ros_bridge.simulated_moveit import Planner, SimulatedMoveGroup
from ros_bridge.simulated_nav2 import Driver, SimulatedNavigation
from ros_bridge.transport.actions import ActionServer, Outcome, ServedGoal, Status
from ros_bridge.transport.clocks import CLOCK as CLOCK_KIND
from ros_bridge.transport.clocks import CLOCK_TOPIC
from ros_bridge.transport.interface import LATCHED, NEWEST, Message, Node
from ros_bridge.transport.readings import AT_REST, velocity_of
from ros_bridge.transport.refusals import Faults, create_if_known
from ros_bridge.transport.stamps import now, stamp
from ros_bridge.transport.transforms import TF

log = logging.getLogger("homie.ros_bridge")

VELOCITY_LIFE = 0.5
"""Seconds for which a velocity is driven without being repeated, as in the drivers of such robots."""
BEHIND = 1.0
"""Seconds by which the simulation may lag behind real time; a larger lag is dropped and logged."""
STATE_SECONDS = 0.12
"""Seconds between two messages with the state of the whole world: some eight a second."""
NEAR = 0.3
"""Distance (rad or m) up to which a new trajectory begins at the last target of its group: a servo lags behind that
target, and a blocked joint is further away."""
LED_PATIENCE = 8.0
"""Seconds by which a planned motion may exceed its duration: on a busy machine a simulation lags."""

GO_TO = action_of("Go to")


class ServedRobot:
    """Serves a robot on the network.

    Args:
        node: The node that offers it.
        robot: The robot; after this only `run` may use it.
        profile: Its names on the network; its joints must be those of the robot.
        painter: Publishes its images, None for none.
        secret: Whether the state of its world is not published.
        speed: Simulated seconds per second of this machine, where the profile has `use_sim_time`.

    Raises:
        BadInput: The profile is of another robot, or has no clock of its own that could run at another speed.
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        profile: Profile,
        painter: Painter | None = None,
        *,
        secret: bool = False,
        speed: float = 1.0,
    ) -> None:
        if speed != 1.0 and not profile.use_sim_time:
            raise BadInput(
                f"Only a robot that follows /clock can be slower or faster than real time: add `use_sim_time: true` to "
                f"a copy of the profile {profile.name}, for this command, guard and run, or leave --speed away."
            )
        self._speed = speed
        self._node, self._robot, self._profile = node, robot, profile
        base = robot.spec.first("base")
        self._velocity_count = 0 if base is None else len(base.joints)
        """Number of velocities of its base."""
        if profile.base is not None and profile.base.sideways is not None and self._velocity_count < len(AT_REST):
            raise BadInput(
                f"The base of the {robot.spec.name} does not drive to the side, and the profile {profile.name} has "
                "`sideways`: take it out of a copy, or give a body whose base has it, too (docs/robots.md)."
            )
        self._lock = threading.Lock()
        self._faults = Faults()
        self._velocity, self._velocity_at = AT_REST, -math.inf
        self._following: dict[str, Following] = {}
        self._requested_at: dict[str, float] = {}
        """Arrival times of the last trajectories of groups."""
        self._commands: dict[str, Array] = {}
        """Last targets of groups."""
        self._body = robot.measured()
        self._painter = painter
        self._periods = 0
        self._state_periods = max(1, round(STATE_SECONDS / robot.spec.period))
        self._state = None if secret else node.publisher(TEXT, STATE)
        self._clock = node.publisher(CLOCK_KIND, CLOCK)
        # A node with `use_sim_time` needs /clock: the time with which everything here is stamped. A robot that is to be
        # treated as a real one has none.
        self._sim_time = node.publisher(CLOCK_KIND, CLOCK_TOPIC) if profile.use_sim_time or not secret else None
        self._lag_logged = False
        self._groups = {name: self._group(name) for name in profile.groups}
        self._gripper = robot.spec.first("gripper") if profile.gripper is not None else None
        self._fingers = self._served_fingers()
        self._navigation: SimulatedNavigation | None = None
        self._servers = [*self._serve(), *self._simulated_servers()]
        self._joints = node.publisher("sensor_msgs/msg/JointState", profile.joint_states)
        self._tf = create_if_known("/tf", lambda: node.publisher(TF, "/tf"))
        self._frames = frames_of(profile)
        self._describe()
        self._odometry = None
        if profile.base is not None:
            self._odometry = node.publisher("nav_msgs/msg/Odometry", profile.base.odometry)
            node.subscription(profile.base.kind, profile.base.command, self._on_velocity, NEWEST)

    def _describe(self) -> None:
        """Publish what never changes, latched: the URDF, and the frames that do not move."""
        self._node.publisher(TEXT, DESCRIPTION, LATCHED).publish(self._node.message(TEXT, data=describe(self._profile)))
        fixed = [frame for frame in self._frames if frame.link.kind == "fixed"]
        if self._tf is None or not fixed:
            return
        at = {"stamp": self._stamp()}
        transforms = [transform(at, frame.parent, frame.name, step(frame.link, {})) for frame in fixed]
        static = self._node.publisher(TF, "/tf_static", LATCHED)
        static.publish(self._node.message(TF, transforms=transforms))

    def run(self, over: Callable[[], bool]) -> None:
        """Act and publish in step with real time, `speed` times as fast, until `over` returns True; then stop the
        robot."""
        next_period = time.monotonic()
        try:
            while not over():
                self._act()
                self._publish()
                next_period += self._robot.spec.period / self._speed
                remaining = next_period - time.monotonic()
                if remaining > 0:
                    time.sleep(remaining)
                elif remaining < -BEHIND:
                    next_period = self._give_up(next_period)
        finally:
            for server in self._servers:
                server.close()
            if self._navigation is not None:
                self._navigation.close()
            self._robot.stop()

    def _give_up(self, next_period: float) -> float:
        """Restart the timing: this machine is slower than the robot."""
        if not self._lag_logged:
            log.warning("The simulation is slower than it should be: fewer pictures (--camera-rate) may help.")
        self._lag_logged = True
        return max(next_period, time.monotonic())

    def _seconds(self) -> float:
        """Return its time: that of this machine, or of its simulation, which advances in control periods."""
        return self._periods * self._robot.spec.period if self._profile.use_sim_time else time.monotonic()

    def _stamp(self) -> dict[str, int]:
        return stamp(self._seconds() if self._profile.use_sim_time else now())

    # ------------------------------------------------------------ received commands

    def _group(self, name: str) -> Group:
        """Return the group of the robot that has the joints of a group of the profile."""
        joints = [joint.name for joint in self._profile.groups[name].joints]
        group = next(
            (candidate for candidate in self._robot.spec.groups if sorted(candidate.names) == sorted(joints)), None
        )
        if group is None:
            raise BadInput(
                f"The profile {self._profile.name} is not that of the {self._robot.spec.name}, which has no group of "
                f"the joints {', '.join(joints)}: give its own by --profile."
            )
        return group

    def _server(self, kind: str, name: str, execute: Callable[[ServedGoal], Outcome]) -> list[ActionServer]:
        server = create_if_known(name, lambda: ActionServer(self._node, kind, name, execute))
        return [] if server is None else [server]

    def _served_fingers(self) -> ServedFingers | None:
        gripper_profile, gripper = self._profile.gripper, self._gripper
        if gripper_profile is None or gripper is None:
            return None
        period = self._robot.spec.period
        return ServedFingers(gripper_profile, period, lambda: self._body.grippers[gripper.name], self._seconds)

    def _serve(self) -> list[ActionServer]:
        servers: list[ActionServer] = []
        for name, controlled in self._profile.groups.items():
            follow = functools.partial(self._follow, self._groups[name])
            if controlled.action is not None:
                servers += self._server(TRAJECTORY, controlled.action, follow)
            if controlled.stream is not None:
                handler = self._on_positions if controlled.positions else self._on_stream
                self._node.subscription(controlled.kind, controlled.stream, functools.partial(handler, name), NEWEST)
        if self._fingers is not None and self._profile.gripper is not None:
            kind = gripper_kind(self._profile.gripper)
            servers += self._server(kind, self._profile.gripper.action, self._fingers.execute)
        return servers

    def _simulated_servers(self) -> list[ActionServer]:
        """Create the simulated MoveIt and Nav2, where the profile names their actions."""
        servers: list[ActionServer] = []
        profile = self._profile
        spec = narrow_limits(self._robot.spec, profile)  # that software keeps the limits of the profile
        if profile.reaching is not None and sorted(spec.chain.names) == sorted(
            joint.name for joint in profile.planned_joints
        ):
            planner: Planner = registry.load("simulated_servers", "reaching")(spec, self._robot.kinematics)
            reaching = SimulatedMoveGroup(
                profile=profile, spec=spec, planner=planner, measured=lambda: self._body, follow=self._follow_plan
            )
            servers += self._server(MOVE_GROUP, profile.reaching.action, reaching.execute)
        if profile.navigation is not None and isinstance(self._robot, WorldState):
            driver: Driver = registry.load("simulated_servers", "navigation")(spec, self._robot.kinematics)
            self._navigation = SimulatedNavigation(profile=profile, driver=driver, grid=self._floor)
            servers += self._server(NAVIGATE, profile.navigation.action, self._navigation.execute)
        return servers

    def _floor(self, observation: Observation) -> OccupancyGrid:
        """Return where the base cannot be, from the state of the world: privileged, like a map of it."""
        assert isinstance(self._robot, WorldState)
        locator = self._robot.background()
        locator.reset(seed=0)
        world = self._robot.snapshot()
        grid = locator.goal(next(iter((*world.fixed, *world.objects))), GO_TO, observation).grid
        assert grid is not None
        return grid

    def _follow_plan(self, name: str, positions: Array, requested_at: float) -> Following:
        """Follow positions (n, joints) of a group of the profile, one every control period, for the simulated
        MoveIt."""
        joints, group = [joint.name for joint in self._profile.groups[name].joints], self._groups[name]
        times: Array = self._robot.spec.period * np.arange(1.0, len(positions) + 1)
        columns = [joints.index(joint) for joint in group.names]
        return self._start(group, times, positions[:, columns], requested_at, LED_PATIENCE)

    def _on_velocity(self, message: Message) -> None:
        velocity = velocity_of(message)
        if not all(map(math.isfinite, velocity)):
            self._faults.add("a velocity", "it is not finite")
            return
        if velocity[2] and self._velocity_count < len(velocity):
            self._faults.mention("a velocity", "the base does not drive to the side, and leaves that part out")
        with self._lock:
            self._velocity, self._velocity_at = velocity, self._seconds()

    def _follow(self, group: Group, goal: ServedGoal) -> Outcome:
        """Follow a trajectory, in the goal's own thread; `_act` moves the robot."""
        try:
            following = self._begin(group, goal.message.trajectory, goal.accepted)
        except NoTrajectory as error:
            return Outcome(Status.ABORTED, {"error_code": int(error.code), "error_string": str(error)})
        while not following.ended.wait(self._robot.spec.period):
            if goal.cancelled.is_set():
                self._drop(group.name, following)
                following.end(Status.CANCELED, Error.SUCCESSFUL, "cancelled")
        return following.outcome

    def _on_stream(self, name: str, trajectory: Message) -> None:
        """Follow a trajectory from the topic of a controller, which reports no result."""
        try:
            self._begin(self._groups[name], trajectory, time.monotonic())
        except NoTrajectory as error:
            log.warning("Refused on the topic of '%s': %s", name, error)

    def _on_positions(self, name: str, message: Message) -> None:
        """Move to positions within one control period, in the order of the profile."""
        group, positions = self._groups[name], np.asarray(message.data, dtype=float)
        order = [joint.name for joint in self._profile.groups[name].joints]
        if len(positions) != len(order) or not np.isfinite(positions).all():
            log.warning("Refused on the topic of '%s': %s positions for %s joints", name, len(positions), len(order))
            return
        row = positions[[order.index(joint) for joint in group.names]]
        self._start(group, np.array([self._robot.spec.period]), row[None], time.monotonic())

    def _begin(self, group: Group, trajectory: Message, requested_at: float) -> Following:
        """Follow a trajectory from now on. Raises NoTrajectory for an invalid one."""
        return self._start(group, *points_of(trajectory, group.names), requested_at)

    def _start(
        self, group: Group, times: Array, positions: Array, requested_at: float, patience: float = PATIENCE
    ) -> Following:
        """Follow positions (n, joints) at times (n,) from now on, in place of the previous trajectory.

        Args:
            requested_at: Arrival time (s, monotonic). Goals have their own threads, and one that arrived later may be
                here first: then this one has ended already.
        """
        with self._lock:
            measured = group.measured(self._body)
            last = self._commands.get(group.name, measured)
            start = last if np.max(np.abs(last - measured)) < NEAR else measured
            following = Following(self._seconds(), times, np.vstack([start, positions]), patience)
            if requested_at < self._requested_at.get(group.name, -math.inf):
                replaced: Following | None = following
            else:
                replaced, self._following[group.name] = self._following.get(group.name), following
                self._requested_at[group.name] = requested_at
        if replaced is not None:
            replaced.end(Status.ABORTED, Error.INVALID_GOAL, "another trajectory came")
        return following

    def _drop(self, name: str, following: Following) -> None:
        with self._lock:
            if self._following.get(name) is following:
                del self._following[name]

    # ------------------------------------------------------------ acting and publishing

    def _act(self) -> None:
        """Act for one period: the newest velocity, every trajectory, the fingers."""
        self._periods += 1
        now = self._seconds()
        targets: dict[str, tuple[float, ...]] = {}
        base = self._robot.spec.first("base")
        own_velocity = None
        if self._navigation is not None and base is not None:
            own_velocity = self._navigation.step(self._robot.observe(), base.name)
        with self._lock:
            if base is not None:
                is_fresh = now - self._velocity_at <= VELOCITY_LIFE
                velocity = own_velocity if own_velocity is not None else self._velocity if is_fresh else AT_REST
                targets[base.name] = tuple(velocity)[: self._velocity_count]
            for name, following in self._following.items():
                self._commands[name] = following.target(now)
                targets[name] = tuple(self._commands[name].tolist())
            if self._gripper is not None and self._fingers is not None and self._fingers.opening is not None:
                targets[self._gripper.name] = (self._fingers.opening,)
        try:
            self._robot.act(Command(targets))
        except CommandRefused as error:
            log.warning("Refused: %s", error)
            self._robot.act(Command({}))
        self._body = self._robot.measured()
        with self._lock:
            groups = {group.name: group for group in self._groups.values()}
            for name, following in list(self._following.items()):
                if following.ended.is_set() or following.judge(now, groups[name].measured(self._body)):
                    del self._following[name]

    def _publish(self) -> None:
        body, at = self._body, {"stamp": self._stamp()}
        if self._sim_time is not None:
            self._sim_time.publish(self._node.message(CLOCK_KIND, clock=at["stamp"]))
        names = list(body.joints)
        positions = [body.joints[name] for name in names]
        velocities = [body.velocities.get(name, 0.0) for name in names]
        if self._gripper is not None and self._profile.gripper is not None:
            state = body.grippers[self._gripper.name]
            places, speeds = self._profile.gripper.joint_states(state.opening, state.speed)
            names += self._profile.gripper.joints
            positions += places
            velocities += speeds
        fields: dict[str, Any] = {"name": names, "position": positions, "velocity": velocities}
        self._joints.publish(self._node.message("sensor_msgs/msg/JointState", header=at, **fields))
        frames = self._profile.frames
        moving_frames = self._chain(body, at)
        if self._odometry is not None:
            base = planar(body.base)
            moving_frames.append(transform(at, frames.odometry, frames.base, base))
            base_transform = transform(at, frames.odometry, frames.base, base)["transform"]
            linear, angular, *sideways = body.base_velocity
            message = self._node.message(
                "nav_msgs/msg/Odometry",
                header={**at, "frame_id": frames.odometry},
                child_frame_id=frames.base,
                pose={"pose": {"position": base_transform["translation"], "orientation": base_transform["rotation"]}},
                twist={"twist": {"linear": {"x": linear, "y": sum(sideways, 0.0)}, "angular": {"z": angular}}},
            )
            self._odometry.publish(message)
        if self._tf is not None:
            self._tf.publish(self._node.message(TF, transforms=moving_frames))
        self._show(at)

    def _show(self, at: dict[str, Any]) -> None:
        """Pass the state of the world to the painter and to the network."""
        if self._clock.subscribers():
            time = stamp(self._robot.observe().stamp)
            self._clock.publish(self._node.message(CLOCK_KIND, clock=time))
        if not isinstance(self._robot, Mirrored):
            return
        state = self._robot.state()
        if self._painter is not None:
            self._painter.show(state, at)
        if self._state is not None and self._periods % self._state_periods == 0 and self._state.subscribers():
            self._state.publish(self._node.message(TEXT, data=json.dumps(state)))

    def _chain(self, body: Proprioception, at: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the moving frames from the base to the effector; without a chain the effector in the base."""
        if self._frames:
            moving = (frame for frame in self._frames if frame.link.kind != "fixed")
            return [transform(at, frame.parent, frame.name, step(frame.link, body.joints)) for frame in moving]
        pose = self._robot.kinematics.forward(self._robot.spec.chain.measured(body))
        frames = self._profile.frames
        effector_pose = matrix(pose.position, pose.rotation)
        return [transform(at, frames.base, frames.effector, effector_pose)]
