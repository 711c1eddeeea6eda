"""How long an agent may be silent before the guard stops a robot that moves."""

SILENCE = 0.2
"""Seconds, where nothing else is asked for with `--silence`."""
SILENCE_OF_RUNS = 2.0
"""Seconds for the guard of a simulated robot that a run has started itself, and for its measurements: on a busy machine
they are not always heard five times a second, and nobody gets hurt."""
