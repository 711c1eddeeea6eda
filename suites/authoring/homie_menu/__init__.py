"""The tasks of homie-menu: questions about a house, ways to go, things to move, people."""
