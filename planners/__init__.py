"""Planners that come with Homie, by name in `--planner`."""

from homie.kernel.support import deprecated_imports  # noqa: F401  names of version 0.1 can be imported from now on
