"""`--robot ros:PROFILE`: a robot on a ROS 2 network as a robot of Homie, its commands through the guard process."""
