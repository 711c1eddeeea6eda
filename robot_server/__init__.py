"""Serve a robot in this Python to a Homie in another one. Needs only numpy and msgpack, and Python 3.9 or newer.

    python -m robot_server my_robot.py:MyRobot --listen unix:/tmp/my_robot

`robot_server.robot` defines the methods of a robot; docs/remote.md of Homie has an example and the protocol.
"""

from robot_server.robot import Fault, Refused, ServedRobot, WrongInput

__all__ = ["Fault", "Refused", "ServedRobot", "WrongInput"]
