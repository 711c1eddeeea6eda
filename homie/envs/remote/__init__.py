"""Robots in another process and another Python (`--robot remote:URL`), served by the package `robot_server`."""
