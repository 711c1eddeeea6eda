"""Skills that cannot fail, or fail as told: what a subtask comes to is set in the simulated world. Privileged.

goal --places--> robot.set_outcome, unless a draw by its `Reliability` fails
"""
