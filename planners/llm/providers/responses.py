"""`--planner responses:MODEL`: OpenAI's Responses API, which returns a summary of the model's reasoning.

Nothing is stored at the provider and calls are independent of each other, as with every other model.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image
from planners.llm.calls import Body, Failure, schema_instruction
from planners.llm.calls.body_parsing import Count, Words, a_mapping, words
from planners.llm.calls.http_requests import load_sdk
from planners.llm.calls.openai_sdk import (
    ADDRESS,
    MARKS,
    CachedTokens,
    OpenAIModel,
    OpenAISettings,
    cache_key,
    is_strict,
)
from planners.llm.calls.planner import EndpointPlanner
from planners.llm.calls.reply_contents import calls_as_text, read_content
from planners.llm.messages import BESIDE, Finish, Reply, Request
from planners.llm.prompting.settings import PromptSettings
from planners.llm.providers.chat_providers import find_provider, providers

if TYPE_CHECKING:
    import openai

_INCOMPLETE: Mapping[str, Finish] = {"max_output_tokens": "length", "content_filter": "refusal"}
_MARK = "prompt_cache_breakpoint"
_CALLS = ("function_call", "custom_tool_call", "tool_call")


class ResponsesSettings(PromptSettings, OpenAISettings):
    """Settings for `--set`."""


class _Item(BaseModel):
    """One item of the output: a message, the reasoning before it, or a tool call."""

    type: str
    content: Any = None
    summary: Words = ""
    name: Words = ""
    arguments: Any = None


class _Usage(BaseModel):
    input_tokens: Count = 0
    output_tokens: Count = 0
    input_tokens_details: Annotated[CachedTokens, BeforeValidator(a_mapping)] = CachedTokens()


class _IncompleteDetails(BaseModel):
    reason: Words = ""


class _Response(BaseModel):
    """The used fields of a response."""

    status: Words = "completed"
    incomplete_details: Annotated[_IncompleteDetails, BeforeValidator(a_mapping)] = _IncompleteDetails()
    output: list[_Item]
    usage: Annotated[_Usage, BeforeValidator(a_mapping)] = _Usage()


class ResponsesModel(OpenAIModel):
    """One model behind the Responses API. Raises BadInput, and MissingPart without the SDK."""

    forms: ClassVar[tuple[str, ...]] = ("json_schema", "json_object", "text")

    def __init__(self, name: str, settings: OpenAISettings) -> None:
        load_sdk("responses", "openai", "chat")
        address = settings.base_url or os.environ.get(ADDRESS)
        _, provider = find_provider(None, address)
        self.strict = provider.strict
        url = address or provider.base_url
        super().__init__(name, settings, base_url=url, variable=provider.key, first_form="json_schema")

    def body(self, request: Request, form: str) -> Body:
        s = self.settings
        items = [self._item(message) for message in request.messages]
        body: Body = {"model": self.name, "input": items, "max_output_tokens": s.max_tokens, "store": False}
        if s.reasoning is not None:
            body["reasoning"] = {"effort": s.reasoning, "summary": "auto"}
            body["max_output_tokens"] += s.reasoning_tokens
        elif s.temperature is not None:
            body["temperature"] = s.temperature
        if request.schema is None:
            return body
        if form == "json_schema":
            strict = {"strict": self.strict and is_strict(request.schema)}
            body["text"] = {
                "format": {"type": form, "name": request.name, "schema": dict(request.schema), **strict},
            }
            return body
        items[-1]["content"].append({"type": "input_text", "text": schema_instruction(request.schema)})
        if form == "json_object":
            body["text"] = {"format": {"type": form}}
        return body

    def mark_cached_prefix(self, body: Body, request: Request) -> Body:
        """Return the body with a cache mark at the end of the system messages, and their cache key."""
        system_items = [item for item in body["input"] if item["role"] == "system"]
        if not system_items:
            return body
        *leading_parts, last = system_items[-1]["content"]
        end = {"role": "system", "content": [*leading_parts, {**last, _MARK: MARKS[_MARK]}]}
        other_items = body["input"][len(system_items) :]
        cache_fields: Body = {"prompt_cache_key": cache_key(system_items)}
        if len(other_items) == 1:
            # Otherwise the question would be cached too, at a price, although it is never sent again.
            cache_fields["prompt_cache_options"] = {"mode": "explicit"}
        return {**body, "input": [*system_items[:-1], end, *other_items], "extra_body": cache_fields}

    async def create(self, client: openai.AsyncOpenAI, body: Body) -> str:
        return (await client.responses.with_raw_response.create(**body)).text

    def read(self, text: str) -> Reply:
        response = self.parse_body(_Response, text)
        if response.status not in ("completed", "incomplete", ""):
            raise Failure(f"{self.endpoint.host} gave up on its answer (status '{response.status}')", again=True)
        content = read_content([item.content for item in response.output if item.type == "message"])
        calls = calls_as_text([item.model_dump() for item in response.output if item.type in _CALLS])
        thoughts = (item.summary or words(item.content) for item in response.output if item.type == "reasoning")
        finish: Finish = "stop"
        reason = response.incomplete_details.reason
        if response.status == "incomplete":
            finish = _INCOMPLETE.get(reason, "unknown")
        details = response.usage.input_tokens_details
        return Reply(
            text="\n".join(filter(None, (content.text, calls))) or content.refusal,
            reasoning="\n".join(filter(None, (*thoughts, content.thought))),
            finish="refusal" if content.refusal else finish,
            leniencies=(BESIDE,) if content.odd else (),
            reason=reason,
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            cache_read_tokens=details.cached_tokens,
            cache_write_tokens=details.cache_write_tokens,
        )

    def _item(self, message: Message) -> dict[str, Any]:
        return {"role": message.role, "content": list(self._parts(message))}

    def _parts(self, message: Message) -> Iterator[dict[str, Any]]:
        kind = "output_text" if message.role == "assistant" else "input_text"
        for part in message.parts:
            yield {"type": kind, "text": part} if isinstance(part, str) else self._picture(part)

    def _picture(self, image: Image) -> dict[str, Any]:
        return {"type": "input_image", "image_url": self.pictures.url(image), "detail": self.settings.image_detail}


class ResponsesPlanner(EndpointPlanner):
    """GPT and its like through the Responses API."""

    name = "responses"
    Settings: ClassVar[type[BaseModel] | None] = ResponsesSettings
    extra: ClassVar[str] = "chat"
    keys: ClassVar[tuple[str, ...]] = (providers()["openai"].key,)

    def __init__(self, argument: str, settings: ResponsesSettings) -> None:
        super().__init__(ResponsesModel, argument, settings)
