"""Published benchmarks for Homie: their protocols, tasks and commands. Homie finds them by entry points alone."""

from homie.kernel.support import deprecated_imports  # noqa: F401  old names can be imported from now on
