"""The one table of actions: which there are, and what each of them takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from homie.kernel.errors import BadInput

if TYPE_CHECKING:
    from homie.kernel.types import Subtask

ActionTable: TypeAlias = Mapping[str, tuple[str, ...]]
"""What actions take, by their names: nothing, `target`, or `target` and `destination`."""

ARGUMENTS: ActionTable = {
    "Go to": ("target",),
    "Pick": ("target",),
    "Put": ("target", "destination"),
    "Open": ("target",),
    "Close": ("target",),
    "End": (),
}
"""The actions of EMMOE (section 3.2) with what they take. Skill sets add theirs (`SkillSet.arguments`)."""
ACTIONS = tuple(ARGUMENTS)
"""The action list of EMMOE; robots and skill sets may have others."""


@dataclass(frozen=True, slots=True)
class Ability:
    """What a model can do, as a planner is told.

    actions: those it has skills for. meant_for: those of them it is chosen for where several models have them. about:
    what it is good at, the rest of a sentence that begins with its name: `goes to rooms`; "" where nobody says.
    """

    actions: tuple[str, ...]
    meant_for: tuple[str, ...] = ()
    about: str = ""


USUAL = ("target",)
"""What an action takes of which the table says nothing."""
_SHAPES = ((), ("target",), ("target", "destination"))


def arguments_of(action: str, table: ActionTable = ARGUMENTS) -> tuple[str, ...]:
    """What an action takes: the names of its arguments in their order."""
    return tuple(table.get(action, USUAL))


def action_table(declared: Iterable[ActionTable]) -> ActionTable:
    """The table with the actions that skill sets declare besides.

    Raises BadInput for arguments that there are not, and where two declare the same action differently.
    """
    table = dict(ARGUMENTS)
    for one in declared:
        for action, arguments in one.items():
            if tuple(arguments) not in _SHAPES:
                raise BadInput(
                    f"The action '{action}' cannot take {tuple(arguments)!r}: declare (), ('target',) or "
                    "('target', 'destination')."
                )
            if table.setdefault(action, tuple(arguments)) != tuple(arguments):
                raise BadInput(
                    f"The action '{action}' takes {spoken(table[action])}, and a skill set declares "
                    f"{spoken(tuple(arguments))}: give it another name."
                )
    return table


def canonical_action(text: str, actions: Sequence[str] = ACTIONS) -> str | None:
    """The listed action that a text names exactly, whatever its case, blanks or underscores; None if none does.

    Letters beyond ASCII count as they are: some of them become others in small letters (the sign of Kelvin a k).
    """
    if not text.isascii():
        return text if text in actions else None
    key = " ".join(text.replace("_", " ").lower().split())
    return next((action for action in actions if action.lower() == key), None)


def listed_actions(own: Sequence[str], able: Sequence[str]) -> tuple[str, ...]:
    """The list of actions: those of a robot's own, else EMMOE's; then what skills can do besides; then End."""
    usual = [action for action in own or ACTIONS if action != "End"]
    return (*usual, *(action for action in able if action not in usual), "End")


def misfit(subtask: Subtask, arguments: Sequence[str]) -> str:
    """What does not fit between a subtask and what its action takes, a sentence without its period; "" if all does."""
    given = {"target": subtask.target, "destination": subtask.destination}
    for name, words in given.items():
        if words and name not in arguments:
            return f"{subtask.action} takes {spoken(arguments)}, so '{words}' in {subtask} is one name too many"
    if any(not given[name] for name in arguments):
        return f"{subtask.action} takes {spoken(arguments)}, and {subtask} does not have that"
    return ""


def acted_on(subtask: Subtask, arguments: Sequence[str]) -> str:
    """The words for what an action is done to: the destination where it takes one, else the target.

    Of one name alone it is that one, as in the official code of EMMOE.
    """
    return (subtask.destination if "destination" in arguments else "") or subtask.target


def spoken(arguments: Sequence[str]) -> str:
    """Arguments in words: `a target and a destination`."""
    return " and ".join(f"a {name}" for name in arguments) or "no target"
