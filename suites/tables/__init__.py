"""One table of all protocols, played by one planner: `python -m suites.tables`."""
