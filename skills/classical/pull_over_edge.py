"""Motion that pulls a flat object over the edge of its supporting surface: closed fingers press on it and drag it
along."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from homie.kernel.types import FailureReason, Pose
from skills.classical.grasp_candidates import DOWN
from skills.classical.overhang import Drawing
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion, Stuck, gripper_rotation
from skills.motion.standing_places import Option, Reachable, StandingPlace, base_candidates, cheapest

FROM_ABOVE, THROUGH_FRONT = (1.25, 0.95, DOWN, 0.7), (0.6, 0.45, 0.8)
"""Pitches of the hand (rad below the horizon), best first."""

PRESS = 0.02
"""Depth (m) of the hand's target below the object's top: the arm gives way, and the deeper the target, the more it
presses."""

ABOVE, ABOVE_IN = 0.12, 0.03
"""Height (m) above the object at which the hand approaches and leaves, and the same between two boards."""

DRAWN = 0.08
"""Speed (m/s) of the hand that drags an object."""

OTHERS = 40
"""Number of alternatives tried from the current base pose, if the planned poses cannot be reached from there."""

SHUT = 0.0
"""Opening (m) of the hand that presses."""

BETWEEN = 0.1
"""Distance (m) before the edge of a board at which a hand begins to enter."""


def draw(skill: Manipulation, drawings: Sequence[Drawing], space_between: bool) -> Motion:
    """Pull an object over the first edge for which the arm can. Returns whether there was one.

    Args:
        space_between: Whether it lies between two boards, so that the hand can enter through the front only.
    """
    options = _options(skill, drawings, space_between)

    def free(standing: StandingPlace, way: float, at: float) -> bool:
        space = skill.space(standing.base)
        return skill.clear(space, skill.joints.between(standing.ready, standing.joints[0]), way) and skill.clear(
            space, standing.joints, at
        )

    chosen = skill.reachable_standing(options, free)
    if chosen is None:
        return False
    standing, planned = chosen
    yield from skill.come_to(standing)
    alternatives = (poses for _, _, poses in options[:OTHERS])
    for poses in itertools.chain([planned], alternatives):
        joints = skill.joints_from_here(poses, standing, free)
        if joints is not None:
            break
    else:
        raise Stuck(FailureReason.GRASP_OUT_OF_REACH)
    _, press, end, withdrawn = poses
    yield from skill.together(skill.reach(joints[0]), skill.gripper(SHUT), skill.look_at(press.position))
    hover = np.array([0.0, 0.0, ABOVE_IN + PRESS])
    yield from skill.line(Pose(press.position + hover, press.rotation))
    # Without a stop in between: a new path would begin at the measured arm position, and the hand would press no more.
    down = skill.line_joints(skill.q, press)
    line_joints = None if down is None else skill.line_joints(down[-1], end)
    if down is None or line_joints is None:
        raise Stuck(FailureReason.OFF_STRAIGHT_LINE)
    yield from skill.along([*down, *line_joints], end, speed=DRAWN)
    yield from skill.line(Pose(end.position + hover, end.rotation))
    yield from skill.withdraw(withdrawn)
    return True


def _options(skill: Manipulation, drawings: Sequence[Drawing], space_between: bool) -> list[Option]:
    reachable, reach, fingers = Reachable.of(skill.costs, skill.base), skill.spec.reach, skill.spec.fingers
    options: list[Option] = []
    for drawing in drawings:
        inward = np.array([-drawing.out[0], -drawing.out[1], 0.0])
        for rank, pitch in enumerate(THROUGH_FRONT if space_between else FROM_ABOVE):
            tip = fingers.reach * np.sin(pitch) + fingers.half_height * np.cos(pitch)
            press = drawing.at - fingers.reach * np.cos(pitch) * inward + np.array([0.0, 0.0, tip - PRESS])
            end = press + drawing.length * drawing.out
            if space_between:
                pre_press = press + (drawing.depth + BETWEEN) * drawing.out + np.array([0.0, 0.0, ABOVE_IN + PRESS])
                withdrawn = pre_press
            else:
                pre_press, withdrawn = (point + np.array([0.0, 0.0, ABOVE]) for point in (press, end))
            rotation = gripper_rotation(drawing.yaw, pitch)
            poses = tuple(Pose(point, rotation) for point in (pre_press, press, end, withdrawn))
            base_poses = base_candidates(
                end, drawing.yaw, skill.base, reachable, distances=reach.distances, aside=reach.aside
            )
            options += [(cost + 0.2 * rank + drawing.length, base, poses) for cost, base in base_poses]
    return cheapest(options)
