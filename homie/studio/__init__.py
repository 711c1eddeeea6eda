"""`homie studio`: a local page on which a person watches a robot, drives it, records it, and looks at recordings.

teleop (the robot's thread) --> board.py --server's thread--> hub.py <--websocket--> page (templates/)
access.py: who may; messages.py: what a page may ask; library.py: runs and recordings; serving.py: all of it together
"""
