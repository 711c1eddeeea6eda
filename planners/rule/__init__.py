"""The rule planner: parses household instructions into orders and runs one subtask per round."""

from planners.rule.planner import RulePlanner

__all__ = ["RulePlanner"]
