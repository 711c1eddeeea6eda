"""The arm of Habitat's Fetch, by joint targets: its relative joint controller, and a grasp that Habitat decides.

This is the arm of M3, too (J. Gu et al., "Multi-skill Mobile Manipulation for Object Rearrangement", 2022).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from robot_server.robot import WrongInput

ARM = "arm_action"
"""Name of the action in configurations of habitat-lab."""
CONTROLLER = "ArmRelPosAction"
LIMITS = {
    "shoulder_pan_joint": (-1.6056, 1.6056),
    "shoulder_lift_joint": (-1.221, 1.518),
    "upperarm_roll_joint": (-math.inf, math.inf),
    "elbow_flex_joint": (-2.251, 2.251),
    "forearm_roll_joint": (-math.inf, math.inf),
    "wrist_flex_joint": (-2.16, 2.16),
    "wrist_roll_joint": (-math.inf, math.inf),
}
"""Joint limits of the Fetch, rad."""
TORSO = 0.15
"""Height (m) at which Habitat holds the torso of its Fetch."""
OPENING = 0.1
"""Opening of the open hand, m; at half of it the hand switches between grasp and release."""
POSTURES = {
    "rest": (1.32, 1.4, -0.2, 1.72, 0.0, 1.66, 0.0),
    "carry": (1.147, 0.954, -0.008, 2.078, -1.624, 1.985, -1.69),
    "ready": (0.688, -0.711, -2.125, 2.072, -2.125, -1.411, 2.111),
}
"""Folded, folded with a held object, and raised, as for Homie's own Fetch."""


class HabitatArm:
    """The arm of an agent.

    Args:
        action: `arm_action` of a task.
        agent: Returns the articulated agent of the episode.
        period: Duration of a step, s.

    Raises:
        WrongInput: The action uses another controller, or another arm.
    """

    def __init__(self, action: Any, agent: Callable[[], Any], period: float) -> None:
        config = action._config
        joints = int(config.get("arm_joint_dimensionality", len(LIMITS)))
        if config.arm_controller != CONTROLLER or joints != len(LIMITS):
            raise WrongInput(
                f"The {ARM} of the configuration is a {config.arm_controller} of {joints} joints: Homie takes"
                f" {CONTROLLER} of the {len(LIMITS)} of a Fetch; leave out {ARM}, or choose that."
            )
        self._agent = agent
        self._largest = float(config.delta_pos_limit)
        self._speed = self._largest / period
        self._grips = config.grip_controller is not None
        self.opening = OPENING
        self.hold()

    def hold(self) -> None:
        """Hold the current position."""
        self._target = self.joints()

    def grip(self, holds: bool) -> None:
        """Set whether the hand holds something, after a change by other means than its own."""
        self.opening = 0.0 if holds else OPENING

    def groups(self) -> list[Mapping[str, Any]]:
        """Return the groups of torso and arm for a spec."""
        arm = [
            {"name": name, "lower": lower, "upper": upper, "speed": self._speed}
            for name, (lower, upper) in LIMITS.items()
        ]
        torso = [{"name": "torso_lift_joint", "lower": TORSO, "upper": TORSO, "speed": 0.1}]
        return [
            {"name": "torso", "kind": "torso", "joints": torso},
            {"name": "arm", "kind": "arm", "joints": arm},
        ]

    def postures(self) -> Mapping[str, Any]:
        """Return the postures and the kinematics for a spec."""
        rest, carry, ready = ({"torso": [TORSO], "arm": list(POSTURES[name])} for name in POSTURES)
        return {"rest": rest, "carry": carry, "ready": [ready], "kinematics": {"fetch": True}}

    def joints(self) -> Any:
        """Return the positions of the joints (7,), rad."""
        return np.array(self._agent().arm_joint_pos, dtype=float)

    def measured(self) -> Mapping[str, float]:
        """Return the positions of the joints by name."""
        return {"torso_lift_joint": TORSO, **dict(zip(LIMITS, self.joints().tolist()))}

    def arguments(self, targets: Mapping[str, Sequence[float]]) -> Mapping[str, Any]:
        """Return the arguments of `arm_action` for targets by group; a group that is left out keeps its last target."""
        if "arm" in targets:
            self._target = np.array(targets["arm"], dtype=float)
        self.opening = float(targets.get("gripper", [self.opening])[0])
        motors = np.array(self._agent().arm_motor_pos, dtype=float)
        step = np.clip((self._target - motors) / self._largest, -1.0, 1.0).astype(np.float32)
        grip = {"grip_action": np.array([1.0 if self.opening < OPENING / 2 else -1.0])} if self._grips else {}
        return {ARM: step, **grip}
