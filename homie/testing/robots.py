"""Conformance kit for robots and simulators. It moves the robot a little: keep half a metre around it free."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Robot, WorldState
from homie.kernel.registry import ROBOT
from homie.kernel.robot.body import STILL_LINEAR
from homie.kernel.types import Command, SentCommand
from homie.kernel.world.snapshot import WorldSnapshot, read_snapshot
from homie.testing.violations import collect_violations, settle, usable_part

STEPS = 5
"""Number of control periods that are observed."""


def check_robot(robot: Robot, *, close: bool = False) -> None:
    """Check a robot against `homie.kernel.interfaces.Robot`. It moves.

    Its kinematics must match its spec; `observe` must return what is requested, with and without pictures; `act` must
    take one control period; a driving base must come to rest after `stop`, which may be repeated; `reset` must restore
    the start. Limits are not checked: every command passes the safety gate.

    Args:
        robot: Robot, with free floor around it.
        close: Finally close it twice: a second `close` must have no effect.

    Raises:
        NotConforming: Lists every violation.
    """
    robot = usable_part(ROBOT, robot)
    violations = collect_violations("spec or kinematics", partial(_spec, robot))
    violations += collect_violations("reset", partial(robot.reset, seed=0))
    violations += collect_violations("observe", partial(_check_observe, robot))
    violations += collect_violations("act, stop or reset", partial(_check_act, robot))
    violations += collect_violations("a second stop", robot.stop)
    if isinstance(robot, WorldState):
        violations += collect_violations("snapshot", partial(_snapshot, robot))
    if close:
        violations += collect_violations("close", robot.close)
        violations += collect_violations("a second close", robot.close)
    settle(violations)


def _snapshot(robot: WorldState) -> Iterator[str]:
    world: object = robot.snapshot()
    if not isinstance(world, WorldSnapshot):
        yield f"snapshot must return a homie.kernel.world.snapshot.WorldSnapshot (returned {type(world).__name__})."
        return
    try:
        read_back = read_snapshot(json.loads(json.dumps(world.to_json(), allow_nan=False)))
    except (BadInput, TypeError, ValueError) as error:
        yield f"snapshot does not come back from its JSON form: {error}"
        return
    if read_back != world:
        yield "snapshot is another one when it comes back from its JSON form: keep plain numbers and texts in extras."
    if world.held is not None and (world.held not in world.objects or world.objects[world.held].relation != "held"):
        yield f"snapshot says that '{world.held}' is held: it must be among its objects, with the relation 'held'."


def _spec(robot: Robot) -> Iterator[str]:
    spec, count = robot.spec, len(robot.spec.chain.names)
    if not spec.name:
        yield "spec.name is empty."
    if robot.actions and "End" not in robot.actions:
        yield "a list of actions of its own holds End too."
    if not count:
        return
    q = np.mean(np.nan_to_num(spec.chain.limits, posinf=np.pi, neginf=-np.pi), axis=1)
    points, radii = np.shape(robot.kinematics.link_points(q)), np.shape(robot.kinematics.point_radii)
    if len(points) != 2 or points[1:] != (3,) or points[:1] != radii:
        yield f"kinematics.link_points and point_radii must be (n, 3) and (n,) (are {points} and {radii})."
    if not np.isfinite(robot.kinematics.self_distance(q)):
        yield "kinematics.self_distance is not finite."
    pose = robot.kinematics.forward(q)
    if np.shape(robot.kinematics.solve(pose.position, pose.rotation, q).q) != (count,):
        yield f"kinematics.solve must give the {count} joint(s) of spec.chain: {', '.join(spec.chain.names)}."


def _check_observe(robot: Robot) -> Iterator[str]:
    bare = robot.observe()
    if bare.frames:
        yield "observe() without cameras must have no pictures."
    for group in robot.spec.groups:
        try:
            measured = group.measured(bare.body)
        except KeyError as missing:
            yield f"{missing} of the group '{group.name}' of the spec is not among what it feels."
            continue
        if not np.isfinite(measured).all():
            yield f"what it feels of the group '{group.name}' is not finite."
    if not np.isfinite(bare.body.base.xy).all():
        yield "where its base is, is not finite."
    for name in dict.fromkeys((*robot.views, robot.eye)):
        yield from collect_violations(f"observe(('{name}',))", partial(_frame, robot, name))


def _frame(robot: Robot, name: str) -> Iterator[str]:
    frame = robot.observe((name,)).frames.get(name)
    if frame is None:
        yield f"observe(('{name}',)) has no picture of that camera."
        return
    height, width = frame.rgb.shape[:2]
    if frame.rgb.ndim != 3 or frame.rgb.shape[2] != 3 or frame.rgb.dtype != np.uint8:
        yield f"the picture of '{name}' must be (H, W, 3) uint8 (is {frame.rgb.shape} {frame.rgb.dtype})."
    if frame.depth is not None and (frame.depth.shape != (height, width) or frame.depth.dtype != np.float32):
        yield f"the depth of '{name}' must be ({height}, {width}) float32 (is {frame.depth.shape} {frame.depth.dtype})."
    if (frame.intrinsics.width, frame.intrinsics.height) != (width, height):
        yield f"the intrinsics of '{name}' are for another size than its picture."
    turn = np.asarray(frame.pose.rotation)
    if turn.shape != (3, 3) or not np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) or np.linalg.det(turn) < 0:
        yield f"the pose of '{name}' has no rotation matrix."


def _check_act(robot: Robot) -> Iterator[str]:
    start, start_stamp = robot.observe(), robot.observe().stamp
    for _ in range(STEPS):
        sent: object = robot.act(Command())
        if not isinstance(sent, SentCommand):
            yield f"act must return what was sent, a SentCommand (returned {type(sent).__name__})."
            return
    elapsed = robot.observe().stamp - start_stamp
    if not np.isclose(elapsed, STEPS * robot.spec.period, rtol=0.5):
        yield f"{STEPS} control periods of {robot.spec.period} s took {elapsed:.3g} s by its stamps."
    for _ in range(STEPS if robot.spec.first("base") else 0):
        robot.act(robot.spec.drive(0.1, 0.0))
    robot.stop()
    if not np.allclose(robot.measured().base_velocity, 0.0, atol=2 * STILL_LINEAR):
        yield f"after stop the base still moves, at {robot.measured().base_velocity}."
    robot.reset(seed=0)
    later = robot.observe()
    if not np.allclose(later.body.base.xy, start.body.base.xy, atol=1e-6) or later.body.holding != start.body.holding:
        yield "reset with the same seed must bring back the same start."
