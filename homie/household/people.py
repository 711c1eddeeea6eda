"""What is done with people: rows for the table of actions, and what each of them asks of a person.

They are no actions of EMMOE: planners see them where a skill set has them (`--skills classical,people`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from homie.kernel.vocabulary.actions import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonVerb:
    """An action that is done to a person (else L4). needs: how the person has to be, a state that the world tells.
    asks: the same in words, for who is refused."""

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
"""By their names, as planners write them. What is given is in the person's hand then: it is `placed` there."""
