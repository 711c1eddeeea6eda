"""The tasks of homie-menu on a navigation graph: shortest ways for the experts, and interactions to choose from."""
