"""Skill sets for robots with software of their own: parts of the classical skills are asked of the robot."""
