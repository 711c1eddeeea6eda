"""Time without a message of the agent after which the guard stops a moving robot."""

SILENCE = 0.2
"""Default of `--silence`, s."""
SILENCE_OF_RUNS = 2.0
"""Seconds for the guard that a run starts for a simulated robot, and for its measurements: on a busy machine messages
may come less than five times a second, and nobody gets hurt."""
