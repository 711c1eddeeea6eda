"""`homie studio`: a local page on which a person watches a robot, drives it, records it, and looks at recordings.

A person drives a robot subtask by subtask, as a planner does, or joint by joint, and can take over from a planner.

orders.py (requests of a person, from other threads to the robot's) --> operation.py (main loop, in the robot's thread)
teleop_commands.py (velocities, gripper, sliders), typed_orders.py (text) <-- teleop_terminal.py (`homie teleop`)
operation.py --> page_content.py --server's thread--> open_pages.py <--websocket--> page (templates/)
app.py: web application; login.py: access; messages.py: requests of a page; library.py: runs and recordings;
serving.py: starts the server and the operation
"""
