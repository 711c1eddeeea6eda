"""The kit for robots and simulators. It moves the robot a little: nothing may stand within half a metre of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.interfaces import Robot, WorldState
from homie.kernel.types import Command, Observation, SentCommand
from homie.kernel.world import WorldSnapshot, read_snapshot
from homie.testing.violations import NotConforming, raised, settle

STEPS = 5
"""Control periods that are watched."""


def check_robot(robot: Robot) -> None:
    """Check a robot against `homie.kernel.interfaces.Robot`. Raises NotConforming with everything that it found.

    Looked at: the shapes in its spec; what it observes, with pictures and without; that time passes in `act`, by one
    control period; that a command which is not finite is refused and one over the limits is not sent as it is; that
    `reset` brings back the start and `stop` may come twice. It is not closed.
    """
    if not isinstance(robot, Robot):
        raise NotConforming([f"{type(robot).__name__} is no homie.kernel.interfaces.Robot."])
    found = list(_spec(robot))
    try:
        robot.reset(seed=0)
        found += _observed(robot)
        found += _obeys(robot)
        robot.stop()
        robot.stop()
    except Exception as error:
        found.append(raised("reset, observe, act or stop", error))
    if isinstance(robot, WorldState):
        found += _snapshot(robot)
    settle(found)


def _snapshot(robot: WorldState) -> Iterator[str]:
    world: object = robot.snapshot()
    if not isinstance(world, WorldSnapshot):
        yield f"snapshot must return a homie.kernel.world.WorldSnapshot (returned {type(world).__name__})."
        return
    try:
        again = read_snapshot(json.loads(json.dumps(world.to_json(), allow_nan=False)))
    except (BadInput, TypeError, ValueError) as error:
        yield f"snapshot does not come back from its JSON form: {error}"
        return
    if again != world:
        yield "snapshot is another one when it comes back from its JSON form: keep plain numbers and texts in extras."
    if world.held is not None and (world.held not in world.objects or world.objects[world.held].relation != "held"):
        yield f"snapshot says that '{world.held}' is held: it must be among its objects, with the relation 'held'."


def _spec(robot: Robot) -> Iterator[str]:
    spec, joints = robot.spec, len(robot.spec.arm_joints)
    shapes = {
        "arm_limits": (spec.arm_limits, (joints, 2)),
        "arm_speeds": (spec.arm_speeds, (joints,)),
        "head_limits": (spec.head_limits, (2, 2)),
        "head_speeds": (spec.head_speeds, (2,)),
        "rest": (spec.rest, (joints + 1,)),
        "carry": (spec.carry, (joints + 1,)),
    }
    for name, (value, shape) in shapes.items():
        if np.shape(value) != shape:
            yield f"spec.{name} must have the shape {shape} (has {np.shape(value)})."
    for posture in spec.ready:
        if np.shape(posture) != (joints + 1,):
            yield f"every posture of spec.ready must have the shape {(joints + 1,)} (one has {np.shape(posture)})."
    if not spec.name:
        yield "spec.name is empty."
    if not spec.period > 0.0:
        yield f"spec.period must be more than 0 s (is {spec.period})."
    if robot.actions and "End" not in robot.actions:
        yield "a list of actions of its own holds End too."


def _observed(robot: Robot) -> Iterator[str]:
    bare = robot.observe()
    if bare.frames:
        yield "observe() without cameras must have no pictures."
    lacking = [name for name in robot.spec.arm_joints if name not in bare.body.joints]
    if lacking:
        yield f"the joints {', '.join(lacking)} of the spec are not among those observed."
    felt = [*bare.body.joints.values(), bare.body.gripper, *bare.body.base_velocity, *bare.body.base.xy]
    if not np.isfinite(felt).all():
        yield "what it feels is not finite."
    for name in dict.fromkeys((*robot.views, robot.eye)):
        yield from _frame(name, robot.observe((name,)))


def _frame(name: str, seen: Observation) -> Iterator[str]:
    frame = seen.frames.get(name)
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


def _obeys(robot: Robot) -> Iterator[str]:
    start, before = robot.observe(), robot.observe().stamp
    for _ in range(STEPS):
        sent: object = robot.act(Command())
        if not isinstance(sent, SentCommand):
            yield f"act must return what was sent, a SentCommand (returned {type(sent).__name__})."
            return
    passed = robot.observe().stamp - before
    if not np.isclose(passed, STEPS * robot.spec.period, rtol=0.5):
        yield f"{STEPS} control periods of {robot.spec.period} s took {passed:.3g} s by its stamps."
    try:
        robot.act(Command(base=(float("nan"), 0.0)))
        yield "a command that is not finite must be refused: let every command pass homie.kernel.safety.SafetyGate."
    except CommandRefused:
        pass
    fast = robot.spec.max_linear * 10 + 1.0
    try:
        sent_base = robot.act(Command(base=(fast, 0.0))).sent.base
        if sent_base is not None and sent_base[0] > robot.spec.max_linear + 1e-9:
            yield f"a base command of {fast} m/s was sent as it is: the gate holds it to spec.max_linear."
    except CommandRefused:
        pass
    robot.reset(seed=0)
    again = robot.observe()
    if not np.allclose(again.body.base.xy, start.body.base.xy, atol=1e-6) or again.body.holding != start.body.holding:
        yield "reset with the same seed must bring back the same start."
