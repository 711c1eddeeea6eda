"""`--planner chat:MODEL`: a model behind an OpenAI-compatible endpoint decides."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from homie.errors import BadInput
from planners.brain import ModelPlanner
from planners.calls import EndpointSettings
from planners.chat.model import ChatModel
from planners.chat.providers import key_variables
from planners.prompting.settings import PromptSettings


class ChatSettings(PromptSettings, EndpointSettings):
    """Everything that can be set with `--set`."""

    provider: str | None = Field(
        None, description="Whose endpoint it is (docs/endpoints.md); default: by the host of base_url, else openai."
    )
    structured: Literal["auto", "json_schema", "schema_object", "json_object", "text"] = Field(
        "auto", description="How the form of an answer is asked for; auto: as the provider understands it."
    )
    image_detail: Literal["auto", "low", "high"] = Field(
        "auto", description="How closely the model looks at images; low: fewer tokens (auto: as the endpoint likes)."
    )
    temperature: float | None = Field(0.0, ge=0, le=2, description="Of sampling; not sent to a model that reasons.")


class ChatPlanner(ModelPlanner):
    """GPT, Gemini, o-series, and what vLLM, SGLang, LMDeploy, Ollama, llama.cpp or a gateway serves."""

    name = "chat"
    Settings: ClassVar[type[BaseModel] | None] = ChatSettings
    extra: ClassVar[str] = "chat"
    keys: ClassVar[tuple[str, ...]] = key_variables()

    def __init__(self, argument: str, settings: ChatSettings) -> None:
        if not argument:
            raise BadInput("The chat planner needs a model: --planner chat:MODEL.")
        s = settings
        model = ChatModel(argument, s, s.provider, s.structured, s.temperature, s.image_detail)
        super().__init__(model, settings)
