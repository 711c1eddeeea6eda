"""The exit codes of the command line; each error has its own (`homie.kernel.errors`)."""

NOTHING_DONE = 1
"""The task of a run was not done: it was declined, or its goal does not hold."""
BAD_INPUT = 2
"""Mistake of the user, in a file or in an option."""
MISSING_PART = 3
"""An optional package is not installed."""
FAILURE = 4
"""The machine, a server, a simulator or the planner failed."""
STOPPED = 130
"""Ctrl-C, or a closed terminal."""
