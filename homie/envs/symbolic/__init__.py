"""Environments without physics: a world that carries out whole actions by rules of its own.

`SymbolicRobot` is the base class: a grid world, a text game, a simulator whose actions are calls. docs/robots.md has an
example.
"""

from homie.envs.symbolic.robot import SymbolicRobot

__all__ = ["SymbolicRobot"]
