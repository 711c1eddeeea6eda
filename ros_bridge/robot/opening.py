"""`--robot ros:PROFILE`: find the robot on the network, its body and its guard, and whether it is simulated."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.options import Seed
from homie.kernel.robot_factory import Opening
from homie.kernel.types import Array, Pose2
from ros_bridge.guard.link import GuardLink
from ros_bridge.profiles.body_with_limits import body_of, narrow_limits
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.profiles.mounting import mounted
from ros_bridge.profiles.parts import Camera
from ros_bridge.profiles.simulation import TOPIC, Simulation
from ros_bridge.robot.camera_topics import Pictures
from ros_bridge.robot.guarding import OwnGuard, has_guard
from ros_bridge.robot.proprioception import GREETING, BodySensors
from ros_bridge.robot.robot import Connection, RosRobot, SimulatedRosRobot
from ros_bridge.robot.twin import Twin
from ros_bridge.served_messages import planar
from ros_bridge.transport.clocks import RobotClock, robot_clock
from ros_bridge.transport.interface import LATCHED, Node
from ros_bridge.transport.opening import Transport, open_node
from ros_bridge.transport.transforms import Transforms

log = logging.getLogger("homie.ros_bridge")

DECLARED = 2.0
"""Seconds in which the announcement of a simulation is discovered, once its joint states are: its publisher is the
older of the two, and discovered first."""


class RosSettings(BaseModel):
    """Settings of the connection to a robot on a ROS 2 network."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: Seed = 0
    transport: Transport = Field(
        "auto", description="`rclpy` (needs a sourced ROS 2), `dds` (needs the extra `ros`), or what there is."
    )


def connect(name: str, settings: RosSettings) -> RosRobot:
    """Connect to the robot of a profile, `--robot ros:fetch` or `--robot ros:my_robot.yaml`.

    Args:
        name: The profile.
        settings: The transport, and the seed of the episode.

    Raises:
        BadInput: There is no such profile, or it names no body, or the body of another robot.
        MissingPart: A transport is not installed.
        InfrastructureError: The robot or its guard is not running.
    """
    if not name:
        raise BadInput("Which robot? Give --robot ros:PROFILE: fetch, or a YAML file (`homie robot profile`).")
    profile = read_profile(name)
    with ExitStack() as stack:
        node = stack.enter_context(open_node("/homie", settings.transport))
        node.graph()  # starts the discovery
        simulation = _find_simulation(node, profile)
        if simulation is None:
            robot: RosRobot = _real(node, profile, profile.cameras, ())
        elif simulation.rehearsal:
            robot = _real(node, profile, simulation.cameras, simulation.names)
        else:
            twin = Twin(node, simulation)
            stack.callback(twin.close)
            guard = None if has_guard(profile) else OwnGuard(name, profile, settings.transport)
            if guard is not None:
                stack.callback(guard.close)
            robot = _simulated(node, profile, simulation, twin, guard)
        robot.reset(seed=settings.seed)
        stack.pop_all()
        return robot


open_ros = Opening(RosSettings, connect, "A robot over ROS 2: `ros:PROFILE`.")
"""Opening for `--robot ros:PROFILE`, with `--robot-option transport=rclpy`."""


def _real(node: Node, profile: Profile, cameras: Mapping[str, Camera], names: tuple[str, ...]) -> RosRobot:
    body = body_of(profile)
    spec, kinematics = narrow_limits(body.spec, profile), body.kinematics()
    if profile.base is None and not profile.chain:
        raise BadInput(
            f"The profile {profile.name} has neither a base nor a chain, so that nothing says where its arm stands: "
            "add the `chain` (`homie robot profile`)."
        )
    mounting_pose = mounted(profile, spec, kinematics)
    clock = robot_clock(node, use_sim_time=profile.use_sim_time)
    foot = Pose2(0.0, 0.0, 0.0)
    sensed = BodySensors(node, profile, spec, foot, simulated=clock if profile.use_sim_time else None)
    pictures = Pictures(node, cameras, _placing(node, profile, foot, mounting_pose, clock), names, clock)
    publishers = node.publishers_of(profile.joint_states)
    if len(publishers) > 1:
        log.warning(
            "%s is published by %s: end all but one, unless each publishes other joints of this robot.",
            profile.joint_states,
            " and ".join(publishers),
        )
    connection = Connection(
        node=node,
        profile=profile,
        spec=spec,
        kinematics=kinematics,
        felt=sensed,
        pictures=pictures,
        clock=clock,
        links=lambda: GuardLink(profile, simulated=False),
    )
    return RosRobot(connection, tuple(cameras))


def _simulated(
    node: Node, profile: Profile, simulation: Simulation, twin: Twin, guard: OwnGuard | None
) -> SimulatedRosRobot:
    foot = Pose2(*simulation.foot)
    spec = narrow_limits(twin.robot.spec, profile)
    clock = robot_clock(node, use_sim_time=profile.use_sim_time)
    felt = BodySensors(node, profile, spec, foot, simulated=clock if profile.use_sim_time else None)
    felt.body(GREETING)
    if felt.robots > 1:
        raise InfrastructureError(
            f"{felt.robots} robots publish {profile.joint_states}, and one of them is simulated: set ROS_DOMAIN_ID so "
            "that a simulation and a real robot never share a network."
        )
    placing = _placing(node, profile, foot, mounted(profile, spec, twin.robot.kinematics), clock)
    connection = Connection(
        node=node,
        profile=profile,
        spec=spec,
        kinematics=twin.robot.kinematics,
        felt=felt,
        pictures=Pictures(node, simulation.cameras, placing, simulation.names, clock),
        clock=clock,
        links=lambda: GuardLink(profile, simulated=True),
        guard=guard,
    )
    return SimulatedRosRobot(connection, twin)


def _find_simulation(node: Node, profile: Profile) -> Simulation | None:
    """Return the announcement of a simulated robot; None for a real one. Raises InfrastructureError without a robot."""
    declarations: list[str] = []
    subscription = node.subscription(TEXT, TOPIC, lambda message: declarations.append(str(message.data)), LATCHED)
    states = node.subscription("sensor_msgs/msg/JointState", profile.joint_states, lambda message: None)
    try:
        start = time.monotonic()
        while not states.publishers():
            if time.monotonic() - start > GREETING:
                raise InfrastructureError(
                    f"No robot publishes {profile.joint_states}: look with `homie robot check {profile.name}`, and "
                    "compare ROS_DOMAIN_ID. Without a robot, `homie serve ros` plays one."
                )
            time.sleep(0.05)
        start = time.monotonic()
        while not declarations and time.monotonic() - start < (GREETING if subscription.publishers() else DECLARED):
            time.sleep(0.02)
    finally:
        states.close()
        subscription.close()
    return Simulation.parse(declarations[-1]) if declarations else None


def _placing(
    node: Node, profile: Profile, foot: Pose2, mounting_pose: Array, clock: RobotClock
) -> Callable[[str, float], Array]:
    """Return a function that gives the pose of a frame in the odometry frame at a time. For an arm without a base,
    `foot` is the pose of its body and `mounting_pose` that of its base frame in the body."""
    transforms, frames = Transforms(node, clock), profile.frames
    if profile.base is not None:
        return lambda frame, at: transforms.lookup(frames.odometry, frame, at=at)
    base = planar(foot) @ mounting_pose
    return lambda frame, at: base @ transforms.lookup(frames.base, frame, at=at)
