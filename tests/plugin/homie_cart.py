"""Robot of another shape from a third-party package: an arm of six joints on a cart, no torso, fixed cameras.

`cart.xml` beside this file is its body. `homie run "put the apple on the table" --robot homie_cart:open_cart`.
"""

from __future__ import annotations

from pathlib import Path

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.home.settings import HomeSettings
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.grasping import Hand
from homie.envs.mujoco.robots.mjcf import RobotFile
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.robot_factory import Opening

FILE = RobotFile(Path(__file__).with_name("cart.xml"))
HAND = Hand("palm", "base", ("right_pad", "left_pad"), ("right_finger", "left_finger"))
ARM = FILE.group("arm", "arm", "pan", "lift", "elbow", "roll", "bend", "turn")
SPEC = RobotSpec(
    name="cart",
    groups=(
        Group.base(linear=0.8, angular=1.8, linear_acceleration=0.75, angular_acceleration=3.0),
        ARM,
        FILE.gripper(*HAND.fingers),
    ),
    period=0.04,
    footprint_radius=0.27,
    rest=FILE.posture("rest", ARM),
    carry=FILE.posture("carry", ARM),
    ready=(FILE.posture("ready", ARM),),
)


class CartHome(MujocoHome):
    """The cart in a simulated home."""

    body = SimulatedBody.of_mjcf(FILE, SPEC, HAND)


open_cart = Opening(HomeSettings, CartHome.of)
"""Opens the cart in the house of a run."""
