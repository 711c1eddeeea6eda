"""What a household asks for besides moving things: verbs, and the states of things with their rules, as data.

Worlds that have such states, skills that bring them about and checks that refuse ask the same tables.

>>> from homie.household import VERBS, states_of
>>> VERBS["Slice"].action.result, states_of("potato")["sliced"]
('sliced', False)
"""

from homie.household.people import PERSON_VERBS, PersonVerb
from homie.household.rules import RULES, Rule, fits, states_of
from homie.household.verbs import VERBS, Verb

__all__ = ["PERSON_VERBS", "RULES", "VERBS", "PersonVerb", "Rule", "Verb", "fits", "states_of"]
