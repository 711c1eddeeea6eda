"""The tasks of homie-menu: questions about a house, ways to go, things to move, people; and the same on a navigation
graph: shortest ways for the experts, and interactions to choose from."""
