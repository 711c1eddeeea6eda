"""What is in the hand, and the ways of handles and of the arm, as tables."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import CARRY, READY, REST, SPEC
from homie.kernel.types import Array, Articulation, Box, Pose, Pose2
from skills.classical.pulls import Wrist, handle_box, moved_boxes, on_sweep, plan_pull
from skills.motion.arm_path_search import ArmSpace, Joints, connect, detours
from skills.motion.collision import Solids
from skills.motion.held_object import NOTHING, Hand, fill_box
from skills.motion.motions import gripper_rotation, merge_commands, slerp, time_path, wrap
from skills.motion.standing_places import solve_sequence
from tests.skills.classical.doors import DRAWER, INWARD, SLIDING_DOOR, hinged, level_hinged
from tests.skills.classical.obedient import KINEMATICS
from tests.skills.classical.scenes import (
    BOTTLE,
    CAN,
    CARD,
    PLATE,
)
from tests.skills.classical.tables import Make, Rows, row_of, short, table

READIES = [SPEC.chain.posture(ready) for ready in SPEC.ready]


@short
def things_in_the_hand() -> Rows:
    """What the hand remembers of what it took."""
    for box, position, yaw, pitch, roll in (
        (CAN, (1.04, 2.11, 0.78), 0.4, 0.7, 0.0),
        (BOTTLE, (1.05, 2.09, 0.9), -0.5, 0.35, 0.0),
        (PLATE, (0.9, 2.0, 0.74), 0.1, 0.85, math.pi / 2),
        (CARD, (1.0, 2.0, 0.71), 0.2, np.pi / 2, 0.0),
    ):
        hand = Hand()
        hand.take(box, Pose(np.array(position), gripper_rotation(yaw, pitch, roll)), pitch, roll)
        yield row_of(box.name, hand.pitch, hand.roll, hand.center, hand.half, hand.axes, hand.radius, len(hand.spheres))
        yield row_of("spheres", hand.spheres.mean(axis=0), hand.spheres.std(axis=0), hand.spheres[0])
        yield row_of("down", *(hand.drop_at(angle) for angle in (0.0, 0.6, 1.2, 1.57)))
        yield row_of("tilts", *(value for tilt in hand.tilts((0.6, 0.3, 0.75, 0.85)) for value in tilt))
    hand.level = REST
    yield row_of("level", *hand.tilts((0.6, 0.3)))
    for half in ((0.022, 0.022, 0.022), (0.023, 0.05, 0.09), (0.01, 0.2, 0.03)):
        spheres = fill_box(Box(np.array([0.1, 0.0, 0.0]), np.array(half)), gripper_rotation(0.3, 0.2))
        yield row_of(len(spheres), spheres.mean(axis=0), spheres.std(axis=0), spheres[-1])
    hand, q = Hand(), np.zeros(8)
    for x, joint in ((0.0, 0.0), (0.0, 0.079), (0.0, 0.081), (0.019, 0.2), (0.021, 0.25), (0.021, 0.4)):
        q = q + 0.0
        q[3] = joint
        hand.note(Pose2(x, 0.0, 0.0), q)
        yield row_of("came", *(posture[3] for posture in hand.came))


PARTS: dict[str, Articulation] = {
    "left door": hinged(-1.0, 0.3),
    "right door": hinged(1.0, 0.7),
    "drawer": DRAWER,
    "sliding door": SLIDING_DOOR,
    "lid": level_hinged(lid=True, opening=0.3),
    "flap": level_hinged(lid=False, opening=0.2),
}


@table
def ways_of_handles() -> dict[str, Make]:
    """Where handles and panels go, and who is in their way."""
    return {name: partial(_ways_of, part) for name, part in PARTS.items()}


def _ways_of(part: Articulation) -> Rows:
    for wrist in (Wrist(0.5, 0.2, 0.3), Wrist(0.0, 1.5, 0.6, across=True)):
        pull = plan_pull(part, part.handle, part.opening + 0.35, wrist, INWARD)
        yield row_of("pull", len(pull.poses), pull.slant, *(pull.moved[k] for k in (1, -1)))
        for pose in (pull.before, pull.poses[1], pull.poses[-1], pull.after):
            yield "  " + row_of(pose.position, pose.rotation[:, 0], pose.rotation[:, 1])
    for by in (0.0, 0.4):
        for box in moved_boxes(part, by)[::2]:
            yield row_of("panel", box.center, box.half, box.yaw)
    bar = handle_box(part)
    yield row_of("bar", bar.center, bar.half, bar.yaw)
    for span in (0.3, 1.2, -0.2):
        floor = [np.array([x, y]) for x in np.arange(-1.0, 1.0, 0.12) for y in np.arange(-1.2, 0.4, 0.12)]
        hit = np.array([point for point in floor if on_sweep(part, point, span)])
        yield row_of("in the way", span, len(hit), hit.mean(axis=0), hit.std(axis=0))


@table
def ways_of_the_arm() -> dict[str, Make]:
    """Postures by which the arm goes around things."""
    spheres = np.array([[0.05, 0.0, 0.0, 0.05], [0.1, 0.0, 0.0, 0.05]])
    bases = (Pose2(0.0, 0.0, 0.0), Pose2(-0.1, 0.05, 0.4))
    searches = itertools.product((NOTHING, spheres), bases, ((REST, READY), (READY, CARRY), (CARRY, 0.7 * READY)))
    return {
        "postures": _postures,
        "tree": _tree,
        **{
            f"search {number}": partial(_search, spheres, base, begin, end)
            for number, (spheres, base, (begin, end)) in enumerate(searches)
        },
    }


def _postures() -> Rows:
    joints, end = Joints(SPEC.chain), CARRY + 0.1
    for way in detours(READIES, CARRY, end, 1):
        yield row_of("by", len(way), way[0][:4], way[-1][:4])
    for begin, goal in ((REST, READY), (CARRY, READY), (REST, end)):
        between = joints.between(begin, goal)
        yield row_of("between", len(between), between[1][:4], joints.size(goal - begin))
    rng = np.random.default_rng(1)
    yield row_of("sample", joints.sample(rng, REST, READY), joints.sample(rng, CARRY, READY))


def _tree() -> Rows:
    def free(q: Array) -> bool:
        return bool(abs(q[1] - 0.2) > 0.25 or q[2] > 0.6)

    end = np.array([0.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    yield from map(row_of, connect(0.0 * end, end, free, Joints(SPEC.chain)) or ())


def _search(spheres: Array, base: Pose2, begin: Array, end: Array) -> Rows:
    shelf = Box(np.array([0.75, 0.0, 0.95]), np.array([0.25, 0.5, 0.02]))
    wall = Box(np.array([0.62, 0.3, 0.8]), np.array([0.1, 0.02, 0.4]))
    space = ArmSpace(Joints(SPEC.chain), KINEMATICS, Solids([shelf, wall]), base, spheres)
    for q in (begin, end, 0.5 * (begin + end)):
        yield row_of("clearance", space.clearance(q), space.own(q))
    clear = [space.clear(begin, end, margin) for margin in (-0.1, -0.05, -0.02, 0.0, 0.02, 0.05)]
    matches = space.find(begin, end, detours(READIES, CARRY, end, 1), (0.025, 0.0, -0.02))
    yield row_of("clear", "".join("+" if each else "." for each in clear), "none" if matches is None else len(matches))
    yield from ("  " + row_of(q) for q in matches or ())


@short
def joint_values() -> Rows:
    """Timed ways of joints, and rotations between two."""
    chain, period = SPEC.chain, SPEC.period
    path = [REST + 0.1, READY]
    for options in ({}, {"least": 0.8}):
        steps = list(time_path(chain, REST, path, chain.speeds, period, **options))  # type: ignore[arg-type]
        yield row_of(
            len(steps), *(q[:3] for q in steps[:6]), *(q[:3] for q in steps[7:-4:9]), *(q[:3] for q in steps[-3:])
        )
    a, b = gripper_rotation(0.3, 0.2, 0.1), gripper_rotation(1.4, -0.5, 0.8)
    for part in (0.0, 0.3, 0.49, 0.5, 1.0):
        yield row_of("slerp", slerp(a, b, part))
        yield row_of("half a turn", slerp(a, a @ np.diag([1.0, -1.0, -1.0]), part))
    yield row_of("wrap", *(wrap(angle) for angle in (0.0, 3.2, -3.2, math.pi, -math.pi, 7.0, -100.0)))
    grip, arm = SPEC.grip(0.05), chain.command(REST)
    both = merge_commands([SPEC.drive(0.1, 0.2), grip, arm, SPEC.grip(0.01)])
    yield row_of(*(value for group in sorted(both.targets) for value in (group, np.asarray(both.targets[group]))))
    base = Pose2(0.1, 0.2, 0.3)
    poses = [Pose(base.transform(np.array([0.7, 0.05, z])), gripper_rotation(0.4, 0.6)) for z in (1.0, 0.9, 0.8)]
    for locked in (False, True):
        solved = solve_sequence(KINEMATICS, base, poses, READY, locked_torso=locked)
        yield from ("  " + row_of(q) for q in solved or ())
