"""From what a language model wrote to a decision: see `planners.reading.reader`."""

from planners.reading.reader import MAX_TEXT, Reading, Unlisted, Unreadable, listed_model, read
from planners.reading.rules import ALL, RULES, chosen_rules

__all__ = ["ALL", "MAX_TEXT", "RULES", "Reading", "Unlisted", "Unreadable", "chosen_rules", "listed_model", "read"]
