"""Conformance kits: check in your own tests that a part fulfils Homie's interface, e.g. `check_planner(Mine())`.

Each raises NotConforming with all violations. Planners and detectors need no robot; for the others you pass one, which
`check_robot` and `check_skills` move. `ChatServer` is an endpoint for language models whose model is a function.
"""

from __future__ import annotations

from homie.testing.detectors import check_detector
from homie.testing.endpoints import ChatMessages, ChatServer
from homie.testing.locators import check_locator
from homie.testing.planners import check_planner, episodes
from homie.testing.robots import check_robot
from homie.testing.skills import check_skills
from homie.testing.violations import NotConforming

__all__ = [
    "ChatMessages",
    "ChatServer",
    "NotConforming",
    "check_detector",
    "check_locator",
    "check_planner",
    "check_robot",
    "check_skills",
    "episodes",
]
