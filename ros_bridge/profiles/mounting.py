"""Pose of a profile's base frame in that of its body, found by comparing both arms in sampled postures.

A body is an MJCF model, the chain of a profile comes from a URDF. Both have the same joints; their base frames, and
their hand frames, may be placed and turned differently. Where zeros or directions of joints differ, the hands move
differently.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array
from ros_bridge.profiles.chain import effector
from ros_bridge.profiles.model import Profile

SAMPLES = 24
"""Number of postures, sampled within the limits."""
APART, TURNED = 0.02, 0.05
"""Metres and radians by which two descriptions of one hand may differ: makers calibrate each arm by millimetres."""


def mounted(profile: Profile, spec: RobotSpec, kinematics: Kinematics) -> Array:
    """Return the pose (4, 4) of the base frame of a profile in the base frame of its body; identity without a chain.

    Raises:
        BadInput: The chain of the profile and the arm of the body differ; or the robot drives, so that odometry gives
            the pose of its base, and the two frames do not coincide.
    """
    moving = dict.fromkeys(link.driver for link in profile.chain if link.kind != "fixed")
    if not moving:
        return np.eye(4)
    names = spec.chain.names
    if other := [name for name in moving if name not in names]:
        raise BadInput(
            f"The chain of the profile {profile.name} leads along the joint {other[0]}, and skills move "
            f"{', '.join(names)}: choose the hand of that arm (`homie robot profile --effector`), or name the other "
            "arm first in the file of the body."
        )
    low, high = np.clip(spec.chain.limits, -np.pi, np.pi).T
    postures = np.random.default_rng(0).uniform(low, high, (SAMPLES, len(names)))
    body = [kinematics.forward(q) for q in postures]
    profile_poses = effector(profile.chain, dict(zip(names, postures.T, strict=True)))
    base, offset, angle = _fitted([(pose.position, pose.rotation) for pose in body], profile_poses)
    if offset > APART or angle > TURNED:
        raise BadInput(
            f"The chain of the profile {profile.name} and the arm of its body are not the same: in the same posture "
            f"their hands are up to {offset:.2f} m and {angle:.2f} rad apart. Compare lengths, zero positions and "
            "directions of the joints in URDF and MJCF file."
        )
    shifted, tilted = float(np.hypot(*base[:2, 3])), _angle(base[:3, :3])
    if profile.base is not None and (shifted > APART or tilted > TURNED):
        raise BadInput(
            f"The base frame {profile.frames.base} of the profile {profile.name} is {shifted:.2f} m and {tilted:.2f} "
            "rad beside the root of its body: choose another by `homie robot profile --base`."
        )
    return base


def _fitted(body: Sequence[tuple[Array, Array]], profile_poses: Array) -> tuple[Array, float, float]:
    """Fit the pose (4, 4) of the base of hand poses (n, 4, 4) in that of a body's poses of its own hand, assuming that
    the hands are fixed to each other; also return the largest residuals, m and rad."""
    places, turns = (np.array([pose[part] for pose in body]) for part in (0, 1))
    # Rotation of the hand from one posture to the next, seen in both bases.
    body_turns = [_vector(b @ a.T) for a, b in itertools.pairwise(turns)]
    profile_turns = [_vector(b @ a.T) for a, b in itertools.pairwise(profile_poses[:, :3, :3])]
    u, _, v_transposed = np.linalg.svd(np.array(body_turns).T @ np.array(profile_turns))
    turn = u @ np.diag([1.0, 1.0, np.linalg.det(u @ v_transposed)]) @ v_transposed
    # places = turn @ (ours + rotation of ours @ offset) + base
    rotated = turn @ profile_poses[:, :3, :3]
    system = np.concatenate([rotated, np.broadcast_to(np.eye(3), rotated.shape)], axis=2).reshape(-1, 6)
    missing = (places - profile_poses[:, :3, 3] @ turn.T).reshape(-1)
    solution = np.linalg.lstsq(system, missing, rcond=None)[0]
    position_error = float(np.linalg.norm((system @ solution - missing).reshape(-1, 3), axis=1).max())
    hands = np.einsum("nji,njk->nik", rotated, turns)
    rotation_error = max(_angle(hands[0].T @ hand) for hand in hands)
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = turn, solution[3:]
    return base, position_error, rotation_error


def _vector(turn: Array) -> Array:
    """The axis (3,) of a rotation (3, 3) times the sine of its angle."""
    return np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2


def _angle(turn: Array) -> float:
    """The angle (rad) of a rotation (3, 3)."""
    return float(np.arccos(np.clip((np.trace(turn) - 1.0) / 2.0, -1.0, 1.0)))
