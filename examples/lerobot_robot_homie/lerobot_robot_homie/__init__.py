"""Homie's robots for LeRobot: importing this registers `--robot.type=homie`."""

from lerobot_robot_homie.robot import Homie, HomieConfig

__all__ = ["Homie", "HomieConfig"]
