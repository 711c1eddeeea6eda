"""`homie studio`: a local page on which a person watches a robot, drives it, records it, and looks at recordings.

A person drives a robot: subtask by subtask as a planner does, or its joints; and takes it over from a planner.

orders.py (what a person asks for, from other threads to the robot's) --> operation.py (the loop, in the robot's thread)
teleop_commands.py (velocities, gripper, sliders), lines.py (orders as text) <-- teleop_terminal.py (`homie teleop`)
operation.py --> page_content.py --server's thread--> open_pages.py <--websocket--> page (templates/)
app.py: the pages, and who may; messages.py: what a page may ask; library.py: runs and recordings; serving.py: all of it
"""
