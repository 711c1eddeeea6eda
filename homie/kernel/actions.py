"""The action table: names, arguments, preconditions and effects of all actions.

All modules use this table: the checks (L1 to L4, D1, D2), the execution check, the locators and the inventory. A skill
set adds its own actions (`SkillSet.own_actions`) without changes in any other file.
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
"""The arguments of an undeclared action."""
POWER: Mapping[str, bool] = MappingProxyType({"on": True, "off": False})
"""Results of actions that switch the power, and whether it is on then. The hand presses a switch for them."""
_SHAPES = ((), ("target",), ("target", "destination"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Declaration of an action; a precondition at its default is not checked.

    Raises BadInput for unknown values.

    Attributes:
        name: Its name in planners' decisions.
        words: Synonyms in lower case, accepted in answers of language models.
        arguments: (), `target`, or `target` and `destination`; the last of them is the entity that the action is
            applied to.
        hand: Required state of the hand: `empty` (else L1) or `full` (else L2).
        target: Required type of the entity (else L4): `loose`, a `place` where an object can be put, or something that
            `opens`.
        accessible: Whether the entity must not be closed or inside something closed (else L3).
        near: Whether the entity has to be within reach (else D1, D2).
        inventory: Whether the hand `takes` the entity or `gives` away the held object.
        result: Its effect as far as a locator can verify it: `reached` (the robot is there), `held` (the entity is in
            the hand), `placed` (the object from the hand is there), else a state of the entity such as `open`
            (`WorldModel.state`); "" if only the skill can tell.
        about: Effects and preconditions for planners, as the rest of a sentence that begins with its name; two
            declarations of an action may differ in it.

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
        """Whether it has been declared: an undeclared action has only a name, and takes a target by default."""
        return self != Action(name=self.name)

    @property
    def ends_empty_handed(self) -> bool:
        """Whether a hand that holds something afterwards indicates a failure: it has not let go of a handle."""
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
    Action(name="End", arguments=()),  # without synonyms, as it cannot be undone
)
"""The actions of EMMOE (section 3.2)."""

ActionTable: TypeAlias = Mapping[str, Action]
"""Actions by their names."""
Arguments: TypeAlias = Mapping[str, tuple[str, ...]]
"""Arguments of actions by name, for planners: none, `target`, or `target` and `destination`."""

ACTION_TABLE: ActionTable = {action.name: action for action in HOUSEHOLD}
ARGUMENTS: Arguments = {action.name: action.arguments for action in HOUSEHOLD}
WORDS: Mapping[str, str] = {words: action.name for action in HOUSEHOLD for words in action.words}
"""Synonyms of EMMOE's actions, each with its action."""
ACTIONS = tuple(ACTION_TABLE)
"""The action list of EMMOE; robots and skill sets may have others."""


@dataclass(frozen=True, slots=True)
class Ability:
    """Abilities of a model, for planners.

    Attributes:
        actions: Actions that it has skills for.
        meant_for: Those of them for which it should be preferred if several models have them.
        about: Its strength, as the rest of a sentence that begins with its name: `goes to rooms`; "" if not given.
    """

    actions: tuple[str, ...]
    meant_for: tuple[str, ...] = ()
    about: str = ""


def action_of(name: str, table: ActionTable = ACTION_TABLE) -> Action:
    """Return the action of a name. An undeclared action takes a target and has no preconditions."""
    return table.get(name) or Action(name=name)


def arguments_of(action: str, arguments: Arguments = ARGUMENTS) -> tuple[str, ...]:
    """Return the names of an action's arguments in order."""
    return tuple(arguments.get(action, USUAL))


def action_table(declarations: Iterable[Iterable[Action]]) -> ActionTable:
    """Return the action table extended by the declarations of skill sets.

    Raises BadInput if two of them declare the same action differently.
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
    """Describe how two actions of a name differ: `takes a target, and a skill set declares a destination`."""
    if known.arguments != declared.arguments:
        takes, declares = format_arguments(known.arguments), format_arguments(declared.arguments)
        return f"takes {takes}, and a skill set declares {declares}"
    compared_names = (attribute.name for attribute in fields(Action) if attribute.compare)
    name = next(name for name in compared_names if getattr(known, name) != getattr(declared, name))
    return f"has {name}={getattr(known, name)!r}, and a skill set declares {name}={getattr(declared, name)!r}"


def canonical_action(text: str, actions: Sequence[str] = ACTIONS) -> str | None:
    """Return the listed action whose name equals a text, ignoring case, spaces and underscores; None if none does.

    Texts with non-ASCII letters must match exactly: some of these letters change in lower case (the Kelvin sign to k).
    """
    if not text.isascii():
        return text if text in actions else None
    key = " ".join(text.replace("_", " ").lower().split())
    return next((action for action in actions if action.lower() == key), None)


def listed_actions(robot_actions: Sequence[str], skill_actions: Sequence[str]) -> tuple[str, ...]:
    """Return the action list: the robot's own actions, or else EMMOE's, as far as skills have them; then further
    actions of skills; then End.

    Args:
        robot_actions: The robot's own actions.
        skill_actions: Actions that its skills have.
    """
    base_actions = [action for action in robot_actions or ACTIONS if action in skill_actions]
    return (*base_actions, *(action for action in skill_actions if action not in base_actions), "End")


class Named(Protocol):
    """Protocol of an action with target and destination: a `homie.kernel.types.Subtask`."""

    @property
    def action(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def destination(self) -> str: ...


def misfit(subtask: Named, arguments: Sequence[str]) -> str:
    """Describe a mismatch of a subtask and its action's arguments, as a sentence without its period; "" for none."""
    names = {"target": subtask.target, "destination": subtask.destination}
    for name, words in names.items():
        if words and name not in arguments:
            return (
                f"{subtask.action} takes {format_arguments(arguments)}, so '{words}' in {subtask} is one name too many"
            )
    if any(not names[name] for name in arguments):
        return f"{subtask.action} takes {format_arguments(arguments)}, and {subtask} does not have that"
    return ""


def entity_words(subtask: Named, arguments: Sequence[str]) -> str:
    """Return the words for the entity of an action: the destination if it takes one, else the target.

    If only one name is given, it is that one, as in the official code of EMMOE.
    """
    return (subtask.destination if "destination" in arguments else "") or subtask.target


def format_arguments(arguments: Sequence[str]) -> str:
    """Format arguments in words: `a target and a destination`."""
    return " and ".join(f"a {name}" for name in arguments) or "no target"
