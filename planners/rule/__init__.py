"""The rule planner: household instructions are parsed into orders and run one subtask per round."""

from planners.rule.planner import RulePlanner

__all__ = ["RulePlanner"]
