"""The rule planner: household instructions are parsed into errands and run one subtask per round."""

from planners.rule.planner import RulePlanner

__all__ = ["RulePlanner"]
