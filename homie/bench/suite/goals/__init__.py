"""Goal conditions: predicates on the state of the world at the end of an episode, as a suite file writes them.

    all:
      - in: [apple, fridge]
      - closed: fridge
      - not: {held: apple}

A word means what has exactly that name (`apple_1`), and every thing whose kind or name without its number it is
(`apple`). `anything` means every loose object. docs/suites.md lists the predicates.
"""

from homie.bench.suite.goals.grammar import PREDICATES, Goal, complaint, parse_goal, unknown_words
from homie.bench.suite.goals.predicates import Predicate
from homie.bench.suite.goals.state import JointState, ObjectState, RobotState, State, means, read_state

__all__ = [
    "PREDICATES",
    "Goal",
    "JointState",
    "ObjectState",
    "Predicate",
    "RobotState",
    "State",
    "complaint",
    "means",
    "parse_goal",
    "read_state",
    "unknown_words",
]
