"""The profile of a TIAGo with a body: made from its URDF, and edited as a lab would."""

from __future__ import annotations

from pathlib import Path

import yaml

from ros_bridge.profiles.profile_from_urdf import profile_from_urdf
from tests.ros_bridge.profiles.urdf_robots import tiago

BODY = Path(__file__).parents[2] / "envs/mujoco/bodies_of_others/tiago.yaml"
SPEEDS = {"linear": 0.5, "angular": 1.0, "linear_acceleration": 0.75, "angular_acceleration": 3.0}


def write_profile(folder: Path) -> Path:
    """Write `my_tiago.yaml` into a folder."""
    urdf = folder / "tiago.urdf"
    urdf.write_text(tiago().text())
    profile = yaml.safe_load(profile_from_urdf(urdf))
    profile["body"] = str(BODY)
    profile["base"] |= SPEEDS
    profile["gripper"] |= {"action": "/gripper_controller/follow_joint_trajectory", "trajectory": True}
    path = folder / "my_tiago.yaml"
    path.write_text(yaml.safe_dump(profile))
    return path
