"""The rule planner: household instructions as errands, run one subtask a round. `planner.py` is the planner itself."""

from planners.rule.planner import RulePlanner

__all__ = ["RulePlanner"]
