"""The one table of actions: what each of them is called, takes, asks of the world, and leaves behind.

Everything that has to know an action asks this table: the checks (L1 to L4, D1, D2), the execution check, the locators
and the inventory. A skill set adds its own (`SkillSet.own_actions`), and no other file changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias, get_args

from homie.kernel.errors import BadInput

Hand: TypeAlias = Literal["", "empty", "full"]
Target: TypeAlias = Literal["", "loose", "place", "opens"]
Inventory: TypeAlias = Literal["", "takes", "gives"]
USUAL = ("target",)
"""The arguments of an action that no table declares."""
POWER: Mapping[str, bool] = MappingProxyType({"on": True, "off": False})
"""Results of actions that are a matter of power, and whether it is on then. A hand presses a switch for them."""
_SHAPES = ((), ("target",), ("target", "destination"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action, as data; a field that is left out asks for nothing.

    Raises BadInput for unknown values.

    Attributes:
        name: As planners write it.
        words: Other ways to say it, in small letters, that answers of language models are read by.
        arguments: What it takes: (), `target`, or `target` and `destination`; it is done to the last of them, its
            entity.
        hand: How the hand has to be: `empty` (else L1) or `full` (else L2).
        target: What the entity has to be (else L4): `loose`, a `place` where something can be put, or something that
            `opens`.
        accessible: It cannot be done to what is closed or inside of something closed (L3).
        near: The entity has to be within reach (D1, D2).
        inventory: Whether the hand `takes` the entity or `gives` away what it holds.
        result: What is true once it has been done, as far as a locator can see it: `reached` the robot is there, `held`
            the entity is in the hand, `placed` what was in the hand is there, else a state of the entity such as `open`
            (`WorldModel.state`); "" where only the skill can say.
        about: What it does and what it needs, as planners see them, the rest of a sentence that begins with its name;
            two declarations may differ in it.

    >>> Action(name="Wipe", hand="full", target="place", near=True).arguments
    ('target',)
    """

    name: str
    words: tuple[str, ...] = ()
    arguments: tuple[str, ...] = USUAL
    hand: Hand = ""
    target: Target = ""
    accessible: bool = False
    near: bool = False
    inventory: Inventory = ""
    result: str = ""
    about: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if tuple(self.arguments) not in _SHAPES:
            raise BadInput(
                f"The action '{self.name}' cannot take {tuple(self.arguments)!r}: declare (), ('target',) or "
                "('target', 'destination')."
            )
        for key, values in (("hand", Hand), ("target", Target), ("inventory", Inventory)):
            value, known = getattr(self, key), get_args(values)
            if value not in known:
                raise BadInput(
                    f"The action '{self.name}' has the {key} {value!r}: it is one of {', '.join(map(repr, known))}."
                )

    @property
    def is_declared(self) -> bool:
        """Whether anything is known of it but that it takes a target, which is taken for granted of all others."""
        return self != Action(name=self.name)

    @property
    def ends_empty_handed(self) -> bool:
        """Whether a hand that holds something afterwards has failed: it has kept a handle."""
        return self.hand == "empty" and self.inventory != "takes"


HOUSEHOLD = (
    Action(
        name="Go to",
        words=("navigate to", "navigate", "move to", "walk to", "drive to", "head to"),
        result="reached",
    ),
    Action(
        name="Pick",
        words=("pick up", "grab", "grasp", "take"),
        hand="empty",
        target="loose",
        accessible=True,
        near=True,
        inventory="takes",
        result="held",
    ),
    Action(
        name="Put",
        words=("place",),
        arguments=("target", "destination"),
        hand="full",
        target="place",
        accessible=True,
        near=True,
        inventory="gives",
        result="placed",
    ),
    Action(name="Open", words=("open up",), hand="empty", target="opens", near=True, result="open"),
    Action(name="Close", words=("shut",), hand="empty", target="opens", near=True, result="closed"),
    Action(name="End", arguments=()),  # has no other words: it cannot be taken back
)
"""The actions of EMMOE (section 3.2)."""

ActionTable: TypeAlias = Mapping[str, Action]
"""Actions by their names."""
Arguments: TypeAlias = Mapping[str, tuple[str, ...]]
"""What actions take, by their names, as planners see them: nothing, `target`, or `target` and `destination`."""

ACTION_TABLE: ActionTable = {action.name: action for action in HOUSEHOLD}
ARGUMENTS: Arguments = {action.name: action.arguments for action in HOUSEHOLD}
WORDS: Mapping[str, str] = {words: action.name for action in HOUSEHOLD for words in action.words}
"""Other words for the actions of EMMOE, each with the action that it means."""
ACTIONS = tuple(ACTION_TABLE)
"""The action list of EMMOE; robots and skill sets may have others."""


@dataclass(frozen=True, slots=True)
class Ability:
    """What a model can do, as a planner sees it.

    Attributes:
        actions: Those it has skills for.
        meant_for: Those of them it is chosen for where several models have them.
        about: What it is good at, the rest of a sentence that begins with its name: `goes to rooms`; "" where nobody
            says.
    """

    actions: tuple[str, ...]
    meant_for: tuple[str, ...] = ()
    about: str = ""


def action_of(name: str, table: ActionTable = ACTION_TABLE) -> Action:
    """The action of a name. One that nobody has declared takes a target and asks for nothing."""
    return table.get(name) or Action(name=name)


def arguments_of(action: str, arguments: Arguments = ARGUMENTS) -> tuple[str, ...]:
    """What an action takes: the names of its arguments in their order."""
    return tuple(arguments.get(action, USUAL))


def action_table(declarations: Iterable[Iterable[Action]]) -> ActionTable:
    """The table with the actions that skill sets declare in addition.

    Raises BadInput where two declare the same action differently.
    """
    table = dict(ACTION_TABLE)
    for actions in declarations:
        for action in actions:
            known = table.setdefault(action.name, action)
            if known != action:
                raise BadInput(f"The action '{action.name}' {_differences(known, action)}: give it another name.")
            if not known.about:
                table[action.name] = action
    return table


def _differences(known: Action, declared: Action) -> str:
    """How two actions of a name differ, in words: `takes a target, and a skill set declares a destination`."""
    if known.arguments != declared.arguments:
        return f"takes {spoken(known.arguments)}, and a skill set declares {spoken(declared.arguments)}"
    compared_names = (attribute.name for attribute in fields(Action) if attribute.compare)
    name = next(name for name in compared_names if getattr(known, name) != getattr(declared, name))
    return f"has {name}={getattr(known, name)!r}, and a skill set declares {name}={getattr(declared, name)!r}"


def canonical_action(text: str, actions: Sequence[str] = ACTIONS) -> str | None:
    """The listed action that a text names exactly, whatever its case, blanks or underscores; None if none does.

    Letters beyond ASCII count as they are: some of them become others in small letters (the sign of Kelvin a k).
    """
    if not text.isascii():
        return text if text in actions else None
    key = " ".join(text.replace("_", " ").lower().split())
    return next((action for action in actions if action.lower() == key), None)


def listed_actions(robot_actions: Sequence[str], skill_actions: Sequence[str]) -> tuple[str, ...]:
    """The list of actions: those of a robot's own, else EMMOE's, that skills can do; then their further ones; then End.

    Args:
        robot_actions: Those of a robot's own.
        skill_actions: What its skills can do.
    """
    base_actions = [action for action in robot_actions or ACTIONS if action in skill_actions]
    return (*base_actions, *(action for action in skill_actions if action not in base_actions), "End")


class Named(Protocol):
    """An action with the names of what it is done to and where: a `homie.kernel.types.Subtask`."""

    @property
    def action(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def destination(self) -> str: ...


def misfit(subtask: Named, arguments: Sequence[str]) -> str:
    """What does not fit between a subtask and what its action takes, a sentence without its period; "" if all does."""
    names = {"target": subtask.target, "destination": subtask.destination}
    for name, words in names.items():
        if words and name not in arguments:
            return f"{subtask.action} takes {spoken(arguments)}, so '{words}' in {subtask} is one name too many"
    if any(not names[name] for name in arguments):
        return f"{subtask.action} takes {spoken(arguments)}, and {subtask} does not have that"
    return ""


def acted_on(subtask: Named, arguments: Sequence[str]) -> str:
    """The words for what an action is done to: the destination where it takes one, else the target.

    Of one name alone it is that one, as in the official code of EMMOE.
    """
    return (subtask.destination if "destination" in arguments else "") or subtask.target


def spoken(arguments: Sequence[str]) -> str:
    """Arguments in words: `a target and a destination`."""
    return " and ".join(f"a {name}" for name in arguments) or "no target"
