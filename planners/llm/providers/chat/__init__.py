"""The chat planner: any model behind an OpenAI-compatible endpoint."""

from planners.llm.providers.chat.planner import ChatPlanner

__all__ = ["ChatPlanner"]
