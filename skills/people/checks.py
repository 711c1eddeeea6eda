"""Requirements of verbs with people on a person, beyond the columns of the table of actions."""

from __future__ import annotations

from homie.kernel.interfaces import CheckQuestion, kind_of
from homie.kernel.types import Check, ErrorCode
from homie.kernel.vocabulary.actions import acted_on
from homie.kernel.world.household import PERSON_VERBS

LAYER = "people"
"""The name of the layer in the record."""
PERSON = "person"
"""What people are called where only the name of a thing tells what it is."""


def people(question: CheckQuestion) -> Check:
    """L4 for what is not a person, or one who is not as the verb asks for; L2 for something else in the hand than what
    is to be shown. What nobody can tell is not refused."""
    verb = PERSON_VERBS.get(question.action.name)
    if verb is None or question.entity is None:
        return Check(LAYER)
    words = acted_on(question.subtask, question.action.arguments)
    action = question.action.name.lower()
    so = question.world.state(question.entity, verb.needs, question.observation)
    if so is None and kind_of(question.entity) != PERSON:
        return Check(LAYER, ErrorCode.L4, ErrorCode.L4.filled(action=action, item=words))
    if so is False:
        return Check(LAYER, ErrorCode.L4, f"Can not {action} {words.lower()}, {verb.asks}")
    shown, held = question.subtask.target, question.inventory
    if not held or "destination" not in question.action.arguments:
        return Check(LAYER)
    if question.world.names_held(shown, held, question.observation):
        return Check(LAYER)
    sentence = f"Unable to {action} {shown.lower()}, what is in the hand is the {held[-1].lower()}"
    return Check(LAYER, ErrorCode.L2, sentence)
