"""A person drives a robot: subtask by subtask as a planner does, or its joints; and takes it over from a planner.

orders.py (what a person asks for) <- desk.py (from other threads to the robot's)
stick.py (a hand on the robot: velocities, gripper, sliders)  <- operation.py (the loop, in the thread of the robot)
lines.py (orders as text) <- terminal.py (`homie teleop`)
"""
