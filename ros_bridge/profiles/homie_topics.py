"""Homie's topics on the network of every robot: messages of agent and guard for recorders and monitors.

/homie/episode  (std_msgs/msg/String)             events of an agent's episode (`homie.runtime.announcements`)
/homie/fingers  (control_msgs/msg/GripperCommand) the guard's commands for the gripper: goals of actions are not in bags
"""

EPISODE = "/homie/episode"
TEXT = "std_msgs/msg/String"
FINGERS = "/homie/fingers"
FINGERS_KIND = "control_msgs/msg/GripperCommand"
