"""A robot in this Python for a Homie in another one: numpy and msgpack are all that it needs, Python 3.9 or newer.

    python -m robot_server my_robot.py:MyRobot --listen unix:/tmp/my_robot

`robot_server.robot` says what a robot brings; docs/remote.md of Homie has an example and the protocol.
"""

from robot_server.robot import Fault, Refused, ServedRobot, WrongInput

__all__ = ["Fault", "Refused", "ServedRobot", "WrongInput"]
