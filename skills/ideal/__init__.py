"""Skills that cannot fail, or fail with given probabilities: they set the result of a subtask in the simulated world.
Privileged.

goal --places--> robot.set_outcome, unless a draw by its `Reliability` fails
"""
