"""Policies trained by LeRobot: they run in its own code, so any of its policy classes does."""
