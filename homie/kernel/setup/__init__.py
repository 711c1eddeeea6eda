"""From names and options to parts: the registry, options, scenes, the opening of a robot."""
