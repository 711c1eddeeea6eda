"""A stand-in for AI2-THOR: a room without physics that plays the same controller interface. docs/simulators.md"""

from homie.envs.thor.stand_in.controller import StandIn

__all__ = ["StandIn"]
