"""Parse the answer of a language model into a decision: see `planners.llm.reading.reader`."""

from planners.llm.reading.reader import MAX_TEXT, Reading, Unlisted, Unreadable, listed_model, read
from planners.llm.reading.rules import ALL, FORMAL, RULES, chosen_rules

__all__ = [
    "ALL",
    "FORMAL",
    "MAX_TEXT",
    "RULES",
    "Reading",
    "Unlisted",
    "Unreadable",
    "chosen_rules",
    "listed_model",
    "read",
]
