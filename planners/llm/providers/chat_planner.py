"""`--planner chat:MODEL`: a model behind an OpenAI-compatible endpoint decides."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel

from planners.llm.calls.planner import EndpointPlanner
from planners.llm.prompting.settings import PromptSettings
from planners.llm.providers.chat_model import ChatEndpoint, ChatModel
from planners.llm.providers.chat_providers import key_variables


class ChatSettings(PromptSettings, ChatEndpoint):
    """Settings for `--set`."""


class ChatPlanner(EndpointPlanner):
    """Any OpenAI-compatible endpoint: GPT, Gemini, vLLM, SGLang, LMDeploy, Ollama, llama.cpp, a gateway."""

    name = "chat"
    Settings: ClassVar[type[BaseModel] | None] = ChatSettings
    extra: ClassVar[str] = "chat"
    keys: ClassVar[tuple[str, ...]] = key_variables()

    def __init__(self, argument: str, settings: ChatSettings) -> None:
        super().__init__(ChatModel, argument, settings)
