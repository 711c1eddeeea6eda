"""The exit codes of the command line; each error has its own (`homie.kernel.errors`)."""

NOTHING_DONE = 1
"""A run in which nothing was done: the task was declined, or its goal does not hold."""
BAD_INPUT = 2
"""A user, a file or an option is wrong."""
MISSING_PART = 3
"""An optional package is not installed."""
FAILURE = 4
"""The machine, a server, a simulator or the planner failed."""
STOPPED = 130
"""Ctrl-C, or a terminal that is gone."""
