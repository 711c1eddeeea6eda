"""Published benchmarks for Homie: their protocols, tasks and commands. Homie finds them by entry points alone."""
