"""Homie as a package of ROS 2."""
