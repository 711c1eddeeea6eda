"""Limits at which the rule planner gives up a subtask, a search or the task."""

from __future__ import annotations

TRIES = 3
"""Maximum attempts at one subtask before the planner tries something else."""
MAX_FAILURES = 12
"""Failed subtasks in one episode after which the planner gives up."""
MAX_FAILED = 2
"""Failed items of an order after which the order is given up."""
RESERVE = 5
"""Remaining rounds below which a search visits no further place: they are needed for Go to, Pick, Go to, Put and End.
Every open container needs one more, and so does each step of opening one (`OPENING_ROUNDS`)."""


class TooManyFailures(Exception):
    """The planner gives up after too many failures; the message is a sentence."""
