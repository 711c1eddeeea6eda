"""What the networks of M3 take and give, by name. No torch here: the skills use it too."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 128
"""Pixels of a side of a depth picture."""

DEPTH_RANGE = 10.0
"""Metres that are 1 in a depth picture."""

LINEAR = (-1.5, 0.0, 1.5, 3.0)
ANGULAR = (-3.0, -1.5, 0.0, 1.5, 3.0)
"""Base velocities (m/s, rad/s) that navigation chooses from: action 5 i + j is (LINEAR[i], ANGULAR[j])."""

STOP = 7
"""The navigation action that ends the attempt: to stand."""

STEP = 1 / 30
"""Seconds of one decision, four steps of the authors' 120 Hz simulation."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What one kind of network takes and gives.

    cameras: its depth pictures, in order. states: names and lengths of the parts of the state, in order. actions:
    how many; if `discrete` one of them is chosen, otherwise all are real numbers in -1..1.
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
"""The authors say `nav_goal_at_base`, and `pick_goal_at_...` or `place_goal_at_...`, for `goal_at_...`."""

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
"""What a checkpoint can be for. `pick_fridge` and `place_fridge` serve where a thing is reached through a door; where
there is none, `pick` and `place` do."""
