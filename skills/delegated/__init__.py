"""Skill sets for robots with software of their own: parts of the classical skills, or whole actions (`own`), are asked
of the robot."""
