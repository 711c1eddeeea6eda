"""Conditions: predicates on the state of a world, as suite files and scenes write them. The one goal language of Homie.

    all:
      - in: [apple, fridge]
      - closed: fridge
      - not: {held: apple}

They hold over a `homie.kernel.world.WorldSnapshot`, so in every environment that tells its state, and know nothing of
any. They stand below the environments, since the scenes of some (the tables of the Panda) set a task of their own.

A word means what has exactly that name (`apple_1`), and every thing whose kind or name without its number it is
(`apple`). `anything` means every loose object. docs/suites.md lists the predicates.

>>> from homie.kernel.world import read_snapshot
>>> world = read_snapshot({"objects": {"mug_1": {"kind": "mug", "relation": "on", "at": "table_2"}}})
>>> parse_condition({"on": ["mug", "table"]}).holds(world)
True
"""

from homie.conditions.grammar import (
    PREDICATES,
    Condition,
    conjuncts,
    parse_condition,
    problem_of,
    unknown_words,
    written,
)
from homie.conditions.predicates import Predicate

__all__ = [
    "PREDICATES",
    "Condition",
    "Predicate",
    "conjuncts",
    "parse_condition",
    "problem_of",
    "unknown_words",
    "written",
]
