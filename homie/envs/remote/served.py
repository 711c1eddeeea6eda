"""Adapter from a Homie robot to the interface of a robot server (`robot_server.ServedRobot`)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from homie.envs.remote.description import describe
from homie.envs.snapshot_robot import SnapshotRobot
from homie.kernel.errors import BadInput, CommandRefused, RobotFault
from homie.kernel.interfaces import Filmable, Robot, WorldState
from homie.kernel.types import Command, Image, Solid
from robot_server.command import token_for
from robot_server.robot import Fault, Refused, WrongInput
from robot_server.serving import Server, listen, listening


class ServedRobot:
    """A served Homie robot. Commands also pass its own safety gate, which leaves gated commands unchanged."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.spec = describe(robot)
        offers: Mapping[str, tuple[type, Callable[..., Any]]] = {
            "snapshot": (WorldState, self._snapshot),
            "shapes": (SnapshotRobot, self._shapes),
            "film": (Filmable, self._film),
        }
        for name, (required_type, method) in offers.items():
            if isinstance(robot, required_type):
                setattr(self, name, method)

    def reset(self, seed: int) -> None:
        _translate_errors(lambda: self._robot.reset(seed=seed))

    def step(self, targets: Mapping[str, Sequence[float]]) -> None:
        _translate_errors(lambda: self._robot.act(Command(targets)))

    def halt(self) -> None:
        _translate_errors(self._robot.stop)

    def measured(self) -> Mapping[str, Any]:
        observation = self._robot.observe()
        body = observation.body
        return {
            "stamp": observation.stamp,
            "base": (body.base.x, body.base.y, body.base.yaw),
            "base_velocity": body.base_velocity,
            "joints": dict(body.joints),
            "velocities": dict(body.velocities),
            "grippers": {name: asdict(gripper) for name, gripper in body.grippers.items()},
        }

    def picture(self, camera: str) -> Mapping[str, Any]:
        frame = self._robot.observe((camera,)).frames[camera]
        lens = frame.intrinsics
        return {
            "rgb": frame.rgb,
            "depth": frame.depth,
            "intrinsics": (lens.fx, lens.fy, lens.cx, lens.cy),
            "position": frame.pose.position,
            "rotation": frame.pose.rotation,
            "instances": frame.instances,
            "instance_names": frame.instance_names,
        }

    def close(self) -> None:
        self._robot.close()

    # ------------------------------------------------------------ simulators only

    def _snapshot(self) -> Mapping[str, Any]:
        assert isinstance(self._robot, WorldState)
        return self._robot.snapshot().to_json()

    def _shapes(self) -> Mapping[str, Any]:
        assert isinstance(self._robot, SnapshotRobot)
        world = self._robot.snapshot()
        shapes = {name: self._robot.shape(name, world) for name in world.things}
        return {
            name: {
                "box": None if shape.box is None else asdict(shape.box),
                "parts": [_solid(part) for part in shape.parts],
                "solids": [asdict(box) for box in shape.solids],
                "surfaces": [asdict(surface) for surface in shape.surfaces],
                "articulations": [asdict(item) for item in shape.articulations],
            }
            for name, shape in shapes.items()
        }

    def _film(self, width: int, height: int, target: str) -> Image:
        assert isinstance(self._robot, Filmable)
        return self._robot.film(width, height, target)


def _solid(part: Solid) -> Mapping[str, Any]:
    content = asdict(part)
    pose = content.pop("pose")
    return {**content, "position": pose["position"], "rotation": pose["rotation"]}


def _translate_errors(call: Callable[[], object]) -> None:
    """Run a call and translate its errors to those of the protocol."""
    try:
        call()
    except CommandRefused as error:
        raise Refused(str(error)) from error
    except RobotFault as error:
        raise Fault(str(error)) from error
    except BadInput as error:
        raise WrongInput(str(error)) from error


def serve_robot(
    open_robot: Callable[[], Robot],
    address: str,
    token_env: str,
    *,
    ready: Callable[[str], None],
    tell: Callable[[str], None],
) -> None:
    """Serve a robot until KeyboardInterrupt.

    Args:
        open_robot: Opens the robot, once the socket is listening.
        address: `unix:PATH` or `tcp://127.0.0.1:PORT`.
        token_env: Environment variable with the token that TCP clients must send; a token is generated if it is empty.
        ready: Called with the address when clients can connect.
        tell: Receives lines for the log.

    Raises:
        BadInput: Cannot listen at the address, or the robot cannot be served.
    """
    try:
        listener, url = listen(address)
    except WrongInput as error:
        raise BadInput(str(error)) from error
    with listening(listener, url), open_robot() as robot:
        server = Server(ServedRobot(robot), listener, token_for(url, token_env, tell), tell)
        ready(url)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve()
