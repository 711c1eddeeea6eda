"""The chat planner: any model behind an OpenAI-compatible endpoint."""

from planners.chat.planner import ChatPlanner

__all__ = ["ChatPlanner"]
