"""The verbs of a household: rows for the table of actions, and which kinds of things each of them can be done to.

They are no actions of EMMOE: planners see them where a skill set has them (`--skills classical,chores`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from homie.household.rules import BASINS, COOL, FILL, HEAT, POUR, SLICE, WASH, WIPE, Rule, fits
from homie.kernel.vocabulary.actions import Action
from homie.kernel.vocabulary.furniture import kinds

SWITCHED = frozenset(use.kind for use in kinds(lambda use: use.switched)) | BASINS
"""Kinds of furniture with a switch; sinks have one in homes with states."""


_NAMES = [kind.replace("_", " ") for kind in sorted(SWITCHED)]
_SWITCHES = f"{', '.join(_NAMES[:-1])} or {_NAMES[-1]}"
"""The same in words, as planners see them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """An action of a household. kinds: what it can be done to (else L4), by the kinds of the home. rule: how what it
    comes to comes about; None for a switch, which is pressed."""

    action: Action
    kinds: frozenset[str]
    rule: Rule | None = None

    def fits(self, entity: str) -> bool:
        """Whether it can be done to an entity, by its name: `lamp_2` is a lamp."""
        return fits(self.kinds, entity)


def _switch(state: str, *words: str) -> Verb:
    """Turning on or off."""
    action = Action(
        name=f"Turn {state}",
        words=words,
        hand="empty",
        near=True,
        result=state,
        about=f"press the switch of a {_SWITCHES} within reach, with the gripper empty.",
    )
    return Verb(action=action, kinds=SWITCHED)


def _ruled(action: Action, rule: Rule) -> Verb:
    return Verb(action=action, kinds=rule.things, rule=rule)


VERBS: Mapping[str, Verb] = {
    verb.action.name: verb
    for verb in (
        _switch("on", "switch on", "toggle on", "activate"),
        _switch("off", "switch off", "toggle off", "deactivate"),
        _ruled(
            Action(
                name="Slice",
                words=("cut",),
                hand="full",
                accessible=True,
                near=True,
                result="sliced",
                about="cut a fruit, a vegetable or bread within reach, with a knife in the gripper.",
            ),
            SLICE,
        ),
        _ruled(
            Action(
                name="Wipe",
                words=("scrub",),
                hand="full",
                accessible=True,
                near=True,
                result="clean",
                about="clean a dish, or the top of a piece of furniture, within reach, with a sponge in the gripper.",
            ),
            WIPE,
        ),
        _ruled(
            Action(
                name="Pour",
                arguments=("target", "destination"),
                hand="full",
                accessible=True,
                near=True,
                result="filled",
                about="pour what is in the vessel in the gripper, the target, into another vessel within reach, the "
                "destination.",
            ),
            POUR,
        ),
        _ruled(
            Action(
                name="Wash",
                words=("rinse", "clean"),
                accessible=True,
                near=True,
                result="clean",
                about="clean a dish, the target, with water: it has to be in the basin of a sink that is on.",
            ),
            WASH,
        ),
        _ruled(
            Action(
                name="Fill",
                accessible=True,
                near=True,
                result="filled",
                about="fill a bowl, a glass, a mug or a pot, the target, with water: it has to stand in the basin of a "
                "sink that is on.",
            ),
            FILL,
        ),
        _ruled(
            Action(
                name="Heat",
                words=("warm up", "warm", "cook"),
                near=True,
                result="heated",
                about="heat food or a vessel, the target: it has to be in a microwave that is closed and on.",
            ),
            HEAT,
        ),
        _ruled(
            Action(
                name="Cool",
                words=("chill",),
                near=True,
                result="cooled",
                about="cool food or a vessel, the target: it has to be in a fridge that is closed.",
            ),
            COOL,
        ),
    )
}
"""By their names, as planners write them. What is heated and cooled is behind a shut door: it need not be accessible.
"""
