"""A robot of another shape, from a package of its own: an arm of six joints on a cart, no torso, fixed cameras.

`cart.xml` beside this file is its body. `homie run "put the apple on the table" --robot homie_cart:open_cart`.
"""

from __future__ import annotations

import math
from pathlib import Path

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.grasping import Hand
from homie.kernel.body import Group, Joint, RobotSpec
from homie.kernel.options import OpenOptions

SPEC = RobotSpec(
    name="cart",
    groups=(
        Group.base(linear=0.8, angular=1.8, linear_acceleration=0.75, angular_acceleration=3.0),
        Group(
            "arm",
            "arm",
            (
                Joint("pan", -2.9, 2.9, speed=1.3),
                Joint("lift", -2.6, 1.4, speed=1.3),
                Joint("elbow", -0.1, 2.95, speed=1.6),
                Joint("roll", -3.1, 3.1, speed=2.0),
                Joint("bend", -2.2, 2.2, speed=2.0),
                Joint("turn", -3.1, 3.1, speed=2.0),
            ),
        ),
        Group.gripper(opening=0.1, speed=0.1),
    ),
    period=0.04,
    footprint_radius=0.27,
    rest={"arm": (0.0, -math.pi / 2, 2.9, 0.0, 0.2, 0.0)},
    carry={"arm": (0.0, -2.0, 2.9, 0.0, -0.9, 0.0)},
    ready=({"arm": (0.0, -1.75, 1.9, 0.0, -0.15, 0.0)},),
)
HAND = Hand("palm", "base", ("right_pad", "left_pad"), ("right_finger", "left_finger"))


class CartHome(MujocoHome):
    """The cart in a simulated home."""

    body = SimulatedBody.of_mjcf(Path(__file__).with_name("cart.xml"), SPEC, HAND)


def open_cart(options: OpenOptions) -> CartHome:
    """The cart in the house of the options."""
    return CartHome.of(options)
