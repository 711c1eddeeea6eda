"""Requirements of household verbs on their targets, and of interaction verbs on a person, in addition to the columns of
the action table."""

from __future__ import annotations

from homie.kernel.actions import entity_words
from homie.kernel.interfaces import CheckQuestion, kind_of
from homie.kernel.types import Check, ErrorCode
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS, Rule, is_of_kind

LAYER, PEOPLE_LAYER = "household", "people"
"""Names of the layers in the record."""
PERSON = "person"
"""Kind of a person if only the name of an entity is known."""


def household(question: CheckQuestion) -> Check:
    """Return L4 if a verb does not apply to an object, or the object is not where the verb's rule requires; L2 if the
    held object is not what the rule requires. Unknown states are not rejected: from sensors only the name of an object
    tells its kind."""
    verb = VERBS.get(question.action.name)
    if verb is None or question.entity is None:
        return Check(LAYER)
    words = entity_words(question.subtask, question.action.arguments)
    action = question.action.name.lower()
    entity_state = question.world.state(question.entity, question.action.result, question.observation)
    if entity_state is None and not verb.fits(question.entity):
        return Check(LAYER, ErrorCode.L4, ErrorCode.L4.filled(action=action, item=words))
    rule = verb.rule
    if rule is not None and _lacks_tool(rule, question):
        return Check(LAYER, ErrorCode.L2, f"Unable to {action}, {rule.asks}")
    if rule is not None and question.world.state(question.entity, rule.process, question.observation) is False:
        return Check(LAYER, ErrorCode.L4, f"Can not {action} {words.lower()}, {rule.asks}")
    return Check(LAYER)


def _lacks_tool(rule: Rule, question: CheckQuestion) -> bool:
    """Whether the held object is known not to be the tool that a rule requires."""
    held = question.world.held(question.observation)
    if not rule.tool or held is None:
        return False
    used_up = bool(rule.uses) and question.world.state(held, rule.uses, question.observation) is False
    return used_up or not is_of_kind(rule.tool, held)


def people(question: CheckQuestion) -> Check:
    """Return L4 if the target is not a person, or the person is not in the state that the verb requires; L2 if the held
    object is not the one to show or hand over. Unknown states are not rejected."""
    verb = PERSON_VERBS.get(question.action.name)
    if verb is None or question.entity is None:
        return Check(PEOPLE_LAYER)
    words = entity_words(question.subtask, question.action.arguments)
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
