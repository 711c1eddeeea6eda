"""Parse the answer of a language model into a decision: see `planners.llm.reading.reader`."""

from planners.llm.reading.reader import MAX_TEXT, Reading, UnlistedName, UnreadableAnswer, match_model, read
from planners.llm.reading.rules import ALL, FORMAL, RULES, parse_rules

__all__ = [
    "ALL",
    "FORMAL",
    "MAX_TEXT",
    "RULES",
    "Reading",
    "UnlistedName",
    "UnreadableAnswer",
    "match_model",
    "parse_rules",
    "read",
]
