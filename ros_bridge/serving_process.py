"""`homie serve ros`: a robot of Homie on a ROS 2 network until Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from homie.kernel.interfaces import Robot
from homie.kernel.options import OpenOptions
from ros_bridge.process_signals import watch_signals
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.profiles.simulation import TOPIC, Simulation, extra_cameras
from ros_bridge.served_pictures import Painter
from ros_bridge.served_robot import ServedRobot
from ros_bridge.transport.interface import LATCHED, Node
from ros_bridge.transport.opening import Transport, open_node


def serve_robot(
    name: str,
    open_robot: Callable[[OpenOptions], Robot],
    options: OpenOptions,
    *,
    camera: str,
    camera_rate: float,
    rehearsal: bool,
    speed: float,
    transport: Transport,
    ready: Callable[[Robot, str], None],
) -> None:
    """Serve a simulated robot on the network until a signal ends it.

    Args:
        name: The profile with its topics and actions, see `ros_bridge.profiles.model.read_profile`.
        open_robot: Opens the robot of the options.
        options: Robot and scene; they are announced on the network (`ros_bridge.profiles.simulation`).
        camera: The camera of the robot that serves as that of the profile; "" for its eye.
        camera_rate: Images per second; 0 for none.
        rehearsal: Whether it is treated as a real robot, with the cameras of its profile alone.
        speed: Simulated seconds per second of this machine; other than 1 only where the profile has `use_sim_time`.
        transport: `rclpy`, `dds` or `auto`.
        ready: Called with the robot and its transport when it accepts commands.

    Raises:
        BadInput, MissingPart, InfrastructureError: The robot cannot be served.
    """
    profile = read_profile(name)
    with (
        open_node("/homie_robot", transport) as node,
        open_robot(options) as robot,
        _running_painter(node, robot, profile, lambda: open_robot(options), camera, camera_rate, rehearsal) as painter,
    ):
        simulation = _simulation(robot, options, painter, rehearsal)
        # before it offers anything: publishers are discovered in the order of their creation, so that nobody discovers
        # its joint states without its announcement
        node.publisher(TEXT, TOPIC, LATCHED).publish(node.message(TEXT, data=simulation.model_dump_json()))
        served = ServedRobot(node, robot, profile, painter, secret=rehearsal, speed=speed)
        with watch_signals() as is_ended:
            ready(robot, node.transport)
            served.run(is_ended)


@contextmanager
def _running_painter(
    node: Node,
    robot: Robot,
    profile: Profile,
    open_robot: Callable[[], Robot],
    camera: str,
    rate: float,
    rehearsal: bool,
) -> Iterator[Painter | None]:
    """Yield a running painter, or None without images."""
    if not rate or not profile.cameras:
        yield None
        return
    camera = camera or robot.eye
    further_cameras = () if rehearsal else (*robot.views, robot.eye, robot.hand)
    camera_names = tuple(name for name in dict.fromkeys((camera, *further_cameras)) if name)
    cameras = extra_cameras({camera: next(iter(profile.cameras.values()))}, camera_names)
    painter = Painter(node, open_robot, profile, cameras, regular=camera, rate=rate)
    try:
        yield painter
    finally:
        painter.close()


def _simulation(robot: Robot, options: OpenOptions, painter: Painter | None, rehearsal: bool) -> Simulation:
    base = robot.measured().base
    return Simulation(
        robot=options.robot,
        options=options.model_dump(mode="json", exclude_unset=True),
        cameras={} if painter is None else painter.cameras,
        foot=(base.x, base.y, base.yaw),
        names=() if painter is None else painter.names,
        rehearsal=rehearsal,
    )
