"""What models behind the `openai` SDK have in common, whichever of its APIs they are asked through."""

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
"""The variable of the vendor's SDK for the address of the endpoint."""
MARKS: Mapping[str, Mapping[str, str]] = {
    "prompt_cache_breakpoint": {"mode": "explicit"},
    "cache_control": {"type": "ephemeral"},
}
"""What the marks of a prompt cache are set to."""


class OpenAISettings(SampledSettings):
    """Of endpoints that are asked through the SDK."""

    image_detail: Literal["auto", "low", "high"] = Field(
        "auto", description="How closely the model looks at images; low: fewer tokens (auto: as the endpoint likes)."
    )


class CachedTokens(BaseModel):
    """The details of input tokens that are used."""

    cached_tokens: Count = 0
    cache_write_tokens: Count = 0


class OpenAIModel(RemoteModel):
    """Subclasses build the body, say which call of the SDK takes it, and read the answer."""

    settings: OpenAISettings

    def describe(self) -> Mapping[str, object]:
        s = self.settings
        description = {"temperature": s.sampled, "image_detail": s.image_detail, "sdk": f"openai {version('openai')}"}
        return {**super().describe(), **description}

    @abstractmethod
    async def create(self, client: openai.AsyncOpenAI, body: Body) -> str:
        """The text of the response to one call of the SDK."""

    @abstractmethod
    def read(self, text: str) -> Reply:
        """The answer in the text of a response. Raises Failure."""

    def hint(self, status: int, message: str, body: Body) -> str:
        """What may help where an endpoint answers with an error, behind its own words; "" for nothing."""
        return ""

    def answer_inside(self, refusal: object) -> Reply | None:
        """The answer that the body of a refusal holds after all."""
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
    """A short name for the beginning of a conversation; the same in every episode that has the same beginning."""
    return f"homie-{hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:16]}"


def is_strict(schema: object) -> bool:
    """Whether a schema may be marked as binding: every object is closed and needs all its properties."""
    if isinstance(schema, Mapping):
        if "properties" in schema and (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", ())) != set(schema["properties"])
        ):
            return False
        return all(is_strict(value) for value in schema.values())
    return all(is_strict(value) for value in schema) if isinstance(schema, list | tuple) else True
