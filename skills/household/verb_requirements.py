"""Requirements of household verbs on their targets, and of verbs with people on a person, beyond the columns of the
table of actions."""

from __future__ import annotations

from homie.kernel.actions import acted_on
from homie.kernel.interfaces import CheckQuestion, kind_of
from homie.kernel.types import Check, ErrorCode
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS, Rule, fits

LAYER, PEOPLE_LAYER = "household", "people"
"""The names of the layers in the record."""
PERSON = "person"
"""What people are called where only the name of a thing tells what it is."""


def household(question: CheckQuestion) -> Check:
    """L4 for a verb and a thing that do not go together, or a thing that is not where its rule asks for; L2 for
    something else in the hand than the rule asks for. What nobody can tell is not refused: from sensors only the name
    of a thing tells what it is."""
    verb = VERBS.get(question.action.name)
    if verb is None or question.entity is None:
        return Check(LAYER)
    words = acted_on(question.subtask, question.action.arguments)
    action = question.action.name.lower()
    known = question.world.state(question.entity, question.action.result, question.observation)
    if known is None and not verb.fits(question.entity):
        return Check(LAYER, ErrorCode.L4, ErrorCode.L4.filled(action=action, item=words))
    rule = verb.rule
    if rule is not None and _lacks_tool(rule, question):
        return Check(LAYER, ErrorCode.L2, f"Unable to {action}, {rule.asks}")
    if rule is not None and question.world.state(question.entity, rule.process, question.observation) is False:
        return Check(LAYER, ErrorCode.L4, f"Can not {action} {words.lower()}, {rule.asks}")
    return Check(LAYER)


def _lacks_tool(rule: Rule, question: CheckQuestion) -> bool:
    """Whether the held object is known not to be what a rule asks for."""
    held = question.world.held(question.observation)
    if not rule.tool or held is None:
        return False
    used_up = bool(rule.uses) and question.world.state(held, rule.uses, question.observation) is False
    return used_up or not fits(rule.tool, held)


def people(question: CheckQuestion) -> Check:
    """L4 for what is not a person, or one who is not as the verb asks for; L2 for something else in the hand than what
    is to be shown. What nobody can tell is not refused."""
    verb = PERSON_VERBS.get(question.action.name)
    if verb is None or question.entity is None:
        return Check(PEOPLE_LAYER)
    words = acted_on(question.subtask, question.action.arguments)
    action = question.action.name.lower()
    is_as_needed = question.world.state(question.entity, verb.needs, question.observation)
    if is_as_needed is None and kind_of(question.entity) != PERSON:
        return Check(PEOPLE_LAYER, ErrorCode.L4, ErrorCode.L4.filled(action=action, item=words))
    if is_as_needed is False:
        return Check(PEOPLE_LAYER, ErrorCode.L4, f"Can not {action} {words.lower()}, {verb.asks}")
    person_name, held = question.subtask.target, question.inventory
    if not held or "destination" not in question.action.arguments:
        return Check(PEOPLE_LAYER)
    if question.world.names_held(person_name, held, question.observation):
        return Check(PEOPLE_LAYER)
    sentence = f"Unable to {action} {person_name.lower()}, what is in the hand is the {held[-1].lower()}"
    return Check(PEOPLE_LAYER, ErrorCode.L2, sentence)
