"""How the episodes of homie-vigil are drawn: `drawing` has a function for each family."""
