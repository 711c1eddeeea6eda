"""Robots in another process and another Python (`--robot remote:URL`). The other side is the package `robot_server`."""
