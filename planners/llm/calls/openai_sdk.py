"""Base class of models that are called through the `openai` SDK, for all of its APIs."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from planners.llm.calls.body_parsing import Count, error_message
from planners.llm.calls.http_requests import http_client
from planners.llm.calls.remote import Body, RemoteModel
from planners.llm.calls.settings import SampledSettings
from planners.llm.messages import Reply

if TYPE_CHECKING:
    import openai

ADDRESS = "OPENAI_BASE_URL"
"""Environment variable of the SDK for the endpoint's URL."""
MARKS: Mapping[str, Mapping[str, str]] = {
    "prompt_cache_breakpoint": {"mode": "explicit"},
    "cache_control": {"type": "ephemeral"},
}
"""Values of the fields that mark the end of a cacheable prompt prefix."""


class OpenAISettings(SampledSettings):
    """Settings of endpoints that are called through the SDK."""

    image_detail: Literal["auto", "low", "high"] = Field(
        "auto", description="How closely the model looks at images; low: fewer tokens (auto: as the endpoint likes)."
    )


class CachedTokens(BaseModel):
    """The used fields of the input token details."""

    cached_tokens: Count = 0
    cache_write_tokens: Count = 0


class OpenAIModel(RemoteModel):
    """Base class: subclasses build the body, call the SDK with it, and parse the answer."""

    settings: OpenAISettings

    def describe(self) -> Mapping[str, object]:
        s = self.settings
        description = {
            "temperature": s.sent_temperature,
            "image_detail": s.image_detail,
            "sdk": f"openai {version('openai')}",
        }
        return {**super().describe(), **description}

    @abstractmethod
    async def create(self, client: openai.AsyncOpenAI, body: Body) -> str:
        """Call the SDK once and return the text of the response."""

    @abstractmethod
    def read(self, text: str) -> Reply:
        """Parse the answer in the text of a response. Raises Failure."""

    def hint(self, status: int, message: str, body: Body) -> str:
        """Return advice to append to an endpoint's error message, "" for none."""
        return ""

    def answer_inside(self, refusal: object) -> Reply | None:
        """Return the answer if the body of an error response contains one."""
        return None

    async def send(self, body: Body, key: str) -> Reply:
        import openai

        async with openai.AsyncOpenAI(
            api_key=key or "none", base_url=self.endpoint.url, max_retries=0, http_client=http_client()
        ) as client:
            try:
                return self.read(await self.create(client, body))
            except openai.APIStatusError as error:
                if (reply_in_error := self.answer_inside(error.body)) is not None:
                    return reply_in_error
                hint = self.hint(error.status_code, error_message(error.body), body)
                raise self.refused(error.status_code, error.response.headers, error.body, hint=hint) from None
            except openai.APIConnectionError as error:
                raise self.unreachable(error) from None


def cache_key(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return a short hash of a prompt prefix, the same in every episode with the same prefix."""
    return f"homie-{hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:16]}"


def is_strict(schema: object) -> bool:
    """Return whether a schema may be marked as strict: every object is closed and requires all its properties."""
    if isinstance(schema, Mapping):
        if "properties" in schema and (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", ())) != set(schema["properties"])
        ):
            return False
        return all(is_strict(value) for value in schema.values())
    return all(is_strict(value) for value in schema) if isinstance(schema, list | tuple) else True
