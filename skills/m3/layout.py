"""Inputs and outputs of M3's networks, by name. This module does not import torch, because the skills use it too."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 128
"""Side length of a depth image in pixels."""

DEPTH_RANGE = 10.0
"""Depth (m) that is 1 in a depth image."""

LINEAR = (-1.5, 0.0, 1.5, 3.0)
ANGULAR = (-3.0, -1.5, 0.0, 1.5, 3.0)
"""Base velocities (m/s, rad/s) of the navigation actions: action 5 i + j is (LINEAR[i], ANGULAR[j])."""

STOP = 7
"""The navigation action that ends the attempt: zero velocity."""

STEP = 1 / 30
"""Duration (s) of one decision: four steps of the authors' 120 Hz simulation."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Inputs and outputs of one kind of network.

    Attributes:
        cameras: The depth images, in order.
        states: Names and lengths of the parts of the state, in order.
        actions: Number of actions.
        discrete: Whether the policy chooses one of the actions; otherwise all are real numbers in -1..1.
    """

    cameras: tuple[str, ...]
    states: tuple[tuple[str, int], ...]
    actions: int
    discrete: bool


NAVIGATION = Layout(("head_depth",), (("goal_at_base", 3),), len(LINEAR) * len(ANGULAR), discrete=True)
MANIPULATION = Layout(
    ("head_depth", "arm_depth"),
    (
        ("arm_joint_pos", 7),
        ("is_grasped", 1),
        ("gripper_pos_at_base", 3),
        ("goal_at_gripper", 3),
        ("goal_at_base", 3),
    ),
    10,
    discrete=False,
)
"""The authors' names for `goal_at_...` are `nav_goal_at_base`, `pick_goal_at_...` and `place_goal_at_...`."""

LAYOUTS = {
    "navigate": NAVIGATION,
    "pick": MANIPULATION,
    "pick_fridge": MANIPULATION,
    "place": MANIPULATION,
    "place_fridge": MANIPULATION,
    "open_drawer": MANIPULATION,
    "close_drawer": MANIPULATION,
    "open_fridge": MANIPULATION,
    "close_fridge": MANIPULATION,
}
"""The networks that a checkpoint can be for. `pick_fridge` and `place_fridge` are for objects behind a door; if they
are missing, `pick` and `place` are used."""
