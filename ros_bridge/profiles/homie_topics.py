"""Topics of Homie's own on the network of every robot: what agent and guard say, for those who record or watch.

/homie/episode  (std_msgs/msg/String)             what happens in an agent's episode (`homie.runtime.announcements`)
/homie/fingers  (control_msgs/msg/GripperCommand) the guard's commands for the gripper: goals of actions are not in bags
"""

EPISODE = "/homie/episode"
TEXT = "std_msgs/msg/String"
FINGERS = "/homie/fingers"
FINGERS_KIND = "control_msgs/msg/GripperCommand"
