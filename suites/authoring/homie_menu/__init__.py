"""The tasks of homie-menu: questions about a house, places to go to, objects to move, people; and the same on a
navigation graph: shortest paths for the experts, and interactions to choose from."""
