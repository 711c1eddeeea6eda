"""Household actions other than moving objects: verbs, and the states of objects with their rules, as tables.

Worlds with such states, skills that cause them and checks that refuse actions use the same tables. The states are
symbolic, as in AI2-THOR. A heated apple has no temperature: it has spent some seconds in a hot place, and looks heated.
The preconditions of a rule are physical: where the object lies, whether the door is shut and the power on, and which
object is held.

The verbs are rows for the action table. They are not actions of EMMOE: planners get them if a skill set has them
(`--skills classical,chores`, `--skills classical,people`).

>>> from homie.kernel.world.household_verbs import VERBS, states_of
>>> VERBS["Slice"].action.result, states_of("potato")["sliced"]
('sliced', False)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from homie.kernel.actions import Action
from homie.kernel.world.entity_names import kind_of
from homie.kernel.world.furniture import kinds

SLICED = frozenset(
    {
        *("apple", "bread", "lemon", "orange", "peach", "pear", "potato", "tomato"),
        *("bell_pepper", "carrot", "cucumber", "eggplant", "onion"),
    }
)
FOOD = SLICED | {"banana", "plum", "strawberry", "broccoli", "cheese", "corn", "cupcake", "donut", "egg", "mushroom"}
VESSELS = frozenset({"bowl", "glass", "mug", "pot"})
DISHES = VESSELS | {"pan", "plate"}
TOPS = frozenset(use.kind for use in kinds(lambda use: use.soiled))
"""Furniture with a top that gets dirty."""
BASINS = frozenset(use.kind for use in kinds(lambda use: use.tap))
USUAL = {"clean": True}
"""Default initial states. All other states are false at the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule that sets one state of an object. Preconditions at their defaults are not checked.

    Attributes:
        state: The resulting state.
        things: Kinds of objects that can have the state.
        ends: States that the object loses.
        at, surface: Kinds of furniture that the object has to be in, and the surface there.
        shut, on: Whether that furniture has to be shut, and turned on.
        upright: Whether the object has to stand upright.
        seconds: How long the preconditions have to hold, s.
        process: State of the object in the meantime.
        tool: Kinds of which the held object has to be.
        uses: A state that the tool has to have, and loses.
        asks: The preconditions in words.
    """

    state: str
    things: frozenset[str]
    asks: str
    ends: tuple[str, ...] = ()
    at: frozenset[str] = frozenset()
    surface: str = ""
    shut: bool = False
    on: bool = False
    upright: bool = False
    seconds: float = 0.0
    process: str = ""
    tool: frozenset[str] = frozenset()
    uses: str = ""


HEAT = Rule(
    state="heated",
    things=FOOD | VESSELS,
    ends=("cooled",),
    at=frozenset({"microwave"}),
    shut=True,
    on=True,
    seconds=4.0,
    process="heating",
    asks="it has to be in a microwave that is shut and on",
)
COOL = Rule(
    state="cooled",
    things=FOOD | VESSELS,
    ends=("heated",),
    at=frozenset({"fridge"}),
    shut=True,
    seconds=8.0,
    process="cooling",
    asks="it has to be in a fridge that is shut",
)
WASH = Rule(
    state="clean",
    things=DISHES,
    at=BASINS,
    surface="basin",
    on=True,
    seconds=3.0,
    process="washing",
    asks="it has to be in the basin of a sink that is on",
)
FILL = Rule(
    state="filled",
    things=VESSELS,
    at=BASINS,
    surface="basin",
    on=True,
    upright=True,
    seconds=3.0,
    process="filling",
    asks="it has to stand in the basin of a sink that is on",
)
SLICE = Rule(state="sliced", things=SLICED, tool=frozenset({"knife"}), asks="there has to be a knife in the hand")
WIPE = Rule(
    state="clean", things=TOPS | DISHES, tool=frozenset({"sponge"}), asks="there has to be a sponge in the hand"
)
POUR = Rule(
    state="filled", things=VESSELS, tool=VESSELS, uses="filled", asks="there has to be something filled in the hand"
)
RULES = (HEAT, COOL, WASH, FILL, SLICE, WIPE, POUR)
STATES = tuple(dict.fromkeys(("sliced", "clean", "filled", "heated", "cooled", *(rule.state for rule in RULES))))
"""All states that rules set, in the order in which messages list them."""


def states_of(kind: str) -> Mapping[str, bool]:
    """Return the states that objects of a kind can have, with their initial values.

    >>> states_of("mug")
    {'heated': False, 'cooled': False, 'clean': True, 'filled': False}
    """
    return {rule.state: USUAL.get(rule.state, False) for rule in RULES if kind in rule.things}


def is_of_kind(kinds: frozenset[str], entity: str) -> bool:
    """Whether an entity is of one of the given kinds, by its name: `lamp_2` is a lamp."""
    return kind_of(entity).replace(" ", "_") in kinds


SWITCHED = frozenset(use.kind for use in kinds(lambda use: use.switched)) | BASINS
"""Kinds of furniture with a switch; sinks have one in homes with states."""


_NAMES = [kind.replace("_", " ") for kind in sorted(SWITCHED)]
_SWITCHES = f"{', '.join(_NAMES[:-1])} or {_NAMES[-1]}"
"""The same in words, for planners."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """A household action.

    Attributes:
        kinds: Kinds of entities that it can be applied to (else L4).
        rule: Rule of its effect; None for a switch, which is pressed.
        does: Its verb in the description of a skill set for planners: `slices`.
    """

    action: Action
    kinds: frozenset[str]
    rule: Rule | None = None
    does: str = ""

    def fits(self, entity: str) -> bool:
        """Whether it can be applied to an entity, by its name: `lamp_2` is a lamp."""
        return is_of_kind(self.kinds, entity)


def _switch(state: str, *words: str) -> Verb:
    """Create the verb of turning on or off."""
    action = Action(
        name=f"Turn {state}",
        words=words,
        hand="empty",
        near=True,
        result=state,
        about=f"press the switch of a {_SWITCHES} within reach, with the gripper empty.",
    )
    return Verb(action=action, kinds=SWITCHED)


def _rule_verb(action: Action, rule: Rule, phrase: str) -> Verb:
    return Verb(action=action, kinds=rule.things, rule=rule, does=phrase)


VERBS: Mapping[str, Verb] = {
    verb.action.name: verb
    for verb in (
        _switch("on", "switch on", "toggle on", "activate"),
        _switch("off", "switch off", "toggle off", "deactivate"),
        _rule_verb(
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
            "slices",
        ),
        _rule_verb(
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
            "wipes",
        ),
        _rule_verb(
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
            "pours",
        ),
        _rule_verb(
            Action(
                name="Wash",
                words=("rinse", "clean"),
                accessible=True,
                near=True,
                result="clean",
                about="clean a dish, the target, with water: it has to be in the basin of a sink that is on.",
            ),
            WASH,
            "washes",
        ),
        _rule_verb(
            Action(
                name="Fill",
                accessible=True,
                near=True,
                result="filled",
                about="fill a bowl, a glass, a mug or a pot, the target, with water: it has to stand in the basin of a "
                "sink that is on.",
            ),
            FILL,
            "fills",
        ),
        _rule_verb(
            Action(
                name="Heat",
                words=("warm up", "warm", "cook"),
                near=True,
                result="heated",
                about="heat food or a vessel, the target: it has to be in a microwave that is closed and on.",
            ),
            HEAT,
            "heats",
        ),
        _rule_verb(
            Action(
                name="Cool",
                words=("chill",),
                near=True,
                result="cooled",
                about="cool food or a vessel, the target: it has to be in a fridge that is closed.",
            ),
            COOL,
            "cools",
        ),
    )
}
"""Verbs by their names, as planners write them. Heat and Cool do not require `accessible`: their target is behind a
shut door."""


def doings(names: Iterable[str]) -> str:
    """Describe a skill set with these verbs, which have rules, in words.

    >>> doings(("Heat", "Wash", "Fill"))
    'washes, fills and heats'
    """
    verbs = [VERBS[name] for name in names]
    ordered = [verb for state in STATES for rule in RULES if rule.state == state for verb in verbs if verb.rule is rule]
    *first, last = (verb.does for verb in ordered)
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonVerb:
    """An action whose target or destination is a person (else L4).

    Attributes:
        needs: Required state of the person.
        asks: The same in words, for the message of a refusal.
    """

    action: Action
    needs: str
    asks: str = ""


PERSON_VERBS: Mapping[str, PersonVerb] = {
    verb.action.name: verb
    for verb in (
        PersonVerb(
            action=Action(
                name="Hand over",
                words=("hand", "give", "pass"),
                arguments=("target", "destination"),
                hand="full",
                near=True,
                inventory="gives",
                result="placed",
                about="give what the gripper holds, the target, to a person within reach, the destination: the person "
                "has to hold out an empty hand.",
            ),
            needs="hand_out",
            asks="it has to hold out an empty hand",
        ),
        PersonVerb(
            action=Action(
                name="Show",
                words=("present",),
                arguments=("target", "destination"),
                hand="full",
                near=True,
                result="shown",
                about="show what the gripper holds, the target, to a person within reach, the destination: the person "
                "has to face it.",
            ),
            needs="seeing",
        ),
        PersonVerb(
            action=Action(
                name="Follow",
                words=("accompany",),
                near=True,
                result="followed",
                about="go along with a person, the target, who has a way to go.",
            ),
            needs="walks",
            asks="it has to have a way to go",
        ),
    )
}
"""Verbs by their names, as planners write them. Hand over results in `placed`: the object is in the person's hand."""
