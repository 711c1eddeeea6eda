"""Perception: detection, localisation, mapping and memory."""

from homie.kernel.support import deprecated_imports  # noqa: F401  names of version 0.1 can be imported from now on
