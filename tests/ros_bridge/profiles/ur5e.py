"""The profile of a UR5e with a Robotiq gripper and a camera before its table: made from its URDF, and edited as a lab
would."""

from __future__ import annotations

from pathlib import Path

import yaml

from ros_bridge.profiles.profile_from_urdf import profile_from_urdf
from tests.ros_bridge.profiles.urdf_robots import ur_robotiq

BODY = Path(__file__).parents[2] / "envs/mujoco/bodies_of_others/ur5e.yaml"
CONTROLLER = "/scaled_joint_trajectory_controller"
CAMERA = {
    "rgb": "/camera/color/image_raw",
    "depth": "/camera/aligned_depth_to_color/image_raw",
    "info": "/camera/color/camera_info",
    "frame": "camera_color_optical_frame",
}


def write_profile(folder: Path) -> Path:
    """Write `my_ur5e.yaml` into a folder."""
    urdf = folder / "ur5e.urdf"
    urdf.write_text(ur_robotiq().text())
    profile = yaml.safe_load(profile_from_urdf(urdf))
    profile["body"], profile["cameras"] = str(BODY), {"front": CAMERA}
    streams = {"action": f"{CONTROLLER}/follow_joint_trajectory", "stream": f"{CONTROLLER}/joint_trajectory"}
    profile["groups"]["arm"] |= streams
    profile["gripper"] |= {"action": "/robotiq_gripper_controller/gripper_cmd", "width": 0.085}
    path = folder / "my_ur5e.yaml"
    path.write_text(yaml.safe_dump(profile))
    return path
