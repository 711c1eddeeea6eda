"""Chat completions through the `openai` SDK."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image
from planners.llm.calls import Body, Failure, schema_instruction
from planners.llm.calls.body_parsing import Count, Words, a_mapping, words
from planners.llm.calls.failure import about_length
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
from planners.llm.calls.reply_contents import calls_as_text, read_content
from planners.llm.messages import BESIDE, ODD_END, Finish, Reply, Request
from planners.llm.providers.chat_providers import DEFAULT, find_provider

if TYPE_CHECKING:
    import openai

_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_REASONING_ERROR = re.compile(r"temperature|max_tokens|max_completion_tokens")
"""Errors of endpoints when a reasoning model gets the parameters of others."""
_PICTURE_ERROR = re.compile(r"image|vision|multi.?modal|valid string", re.IGNORECASE)
"""Errors when a text-only model gets pictures."""
_PICTURE_SERVER_ERROR = re.compile(r"image.{0,20}not supported|not support.{0,20}image|mmproj", re.IGNORECASE)
"""The same with status 500 (llama.cpp)."""
_PICTURE_LIMIT_ERROR = re.compile(
    r"at most (\d+) (?:image|picture|media|multi-?modal)|(?:max\w*|limit)[^.]{0,40}\bimages?\b[^.\d]{0,30}(\d+)"
    r"|too many images|\b(?:only|supports?) (?:one|a single|1) image",
    re.IGNORECASE,
)
"""Errors when the number of pictures exceeds a limit."""
_BAD_REQUEST = frozenset({400, 413, 422})
"""Statuses of a request that is wrong, too large, or of an invalid form (FastAPI)."""
_CRASHED = "Internal Server Error"
"""Whole message, with status 500, of a server that crashed on a request."""
_FINISH: Mapping[str, Finish] = {
    **dict.fromkeys(("", "stop", "eos", "eos_token", "stop_sequence", "stop_token", "end_turn"), "stop"),
    **dict.fromkeys(("complete", "completed", "finished", "done"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_length", "max_length", "max_output_tokens"), "length"),
    **dict.fromkeys(("content_filter", "content-filter", "safety", "refusal", "guardrail"), "refusal"),
}
"""Finish reasons of OpenAI and of other servers and gateways."""
_TOOL_CALL_REASONS = frozenset({"tool_calls", "tool_call", "function_call", "tool_use"})
"""Finish reasons of tool calls. No tools are offered, but some servers use these for ordinary answers."""
_ABORT_REASONS = frozenset({"abort", "aborted", "cancelled", "error", "timeout"})
"""Finish reasons of aborted answers (SGLang: abort, OpenRouter: error), whose text is not used."""


class _Message(BaseModel):
    """The used fields of a message. Reasoning has two names: DeepSeek's, and OpenRouter's, which vLLM adopted."""

    content: Any = None
    refusal: Words = ""
    reasoning_content: Words = ""
    reasoning: Words = ""
    tool_calls: Any = None
    function_call: Any = None


class _Choice(BaseModel):
    """One completion.

    Attributes:
        text: Instead of a message, in the older completions API.
    """

    message: _Message | None = None
    text: Words = ""
    finish_reason: Words = ""
    error: Any = None


class _Usage(BaseModel):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    prompt_tokens_details: Annotated[CachedTokens, BeforeValidator(a_mapping)] = CachedTokens()


class _Completion(BaseModel):
    """The used fields of a completion; endpoints may add or omit others."""

    choices: list[_Choice] = Field(min_length=1)
    usage: Annotated[_Usage, BeforeValidator(a_mapping)] = _Usage()


class ChatEndpoint(OpenAISettings):
    """Settings of endpoints of chat completions."""

    provider: str | None = Field(
        None, description="Whose endpoint it is (docs/models.md); default: by the host of base_url, else openai."
    )
    structured: Literal["auto", "json_schema", "schema_object", "json_object", "text"] = Field(
        "auto", description="How the form of an answer is asked for; auto: as the provider understands it."
    )


class ChatModel(OpenAIModel):
    """One model of one endpoint. Raises BadInput, and MissingPart without the SDK."""

    settings: ChatEndpoint
    plainer: ClassVar[str] = "--set structured=text"
    forms: ClassVar[tuple[str, ...]] = ("json_schema", "schema_object", "json_object", "text")
    """`schema_object` is JSON mode with the schema next to it, as llama-cpp-python accepts it."""

    def __init__(self, name: str, settings: ChatEndpoint) -> None:
        load_sdk("chat", "openai", "chat")
        address = settings.base_url
        if settings.provider in (None, DEFAULT):
            address = address or os.environ.get(ADDRESS)
        self.provider_name, self.provider = find_provider(settings.provider, address)
        first = self.provider.structured if settings.structured == "auto" else settings.structured
        base_url = address or self.provider.base_url
        super().__init__(name, settings, base_url=base_url, variable=self.provider.key, first_form=first)

    def describe(self) -> Mapping[str, object]:
        return {**super().describe(), "provider": self.provider_name}

    def body(self, request: Request, form: str) -> Body:
        s, provider = self.settings, self.provider
        body: Body = {"model": self.name, "messages": [self._message(message) for message in request.messages]}
        if request.schema is not None:
            body.update(self._schema_parameter(request, form, body["messages"]))
        if s.reasoning is not None:
            body["reasoning_effort"] = s.reasoning
            body[provider.limit] = s.max_tokens + s.reasoning_tokens
        else:
            body[provider.limit] = s.max_tokens
            if s.temperature is not None:
                body["temperature"] = s.temperature
        if provider.seed == "seed":
            body["seed"] = self.seed
        elif provider.seed:
            body["extra_body"] = {provider.seed: self.seed}
        return body

    def mark_cached_prefix(self, body: Body, request: Request) -> Body:
        """Return the body with the provider's cache mark at the end of the system messages, and their cache key."""
        provider = self.provider
        messages = body["messages"]
        system_indices = [place for place, message in enumerate(messages) if message["role"] == "system"]
        if not system_indices:
            return body
        extra_body = dict(body.get("extra_body", {}))
        if provider.cache_mark:
            last = system_indices[-1]
            part = {"type": "text", "text": messages[last]["content"], provider.cache_mark: MARKS[provider.cache_mark]}
            messages = [*messages[:last], {"role": "system", "content": [part]}, *messages[last + 1 :]]
        if provider.cache_mark == "prompt_cache_breakpoint" and len(messages) == len(system_indices) + 1:
            # Otherwise the question would be cached too, at a price, although it is never sent again.
            extra_body["prompt_cache_options"] = {"mode": "explicit"}
        if provider.cache_key:
            extra_body["prompt_cache_key"] = cache_key([messages[place] for place in system_indices])
        return {**body, "messages": messages, **({"extra_body": extra_body} if extra_body else {})}

    async def create(self, client: openai.AsyncOpenAI, body: Body) -> str:
        return (await client.chat.completions.with_raw_response.create(**body)).text

    def read(self, text: str) -> Reply:
        completion = self.parse_body(_Completion, text)
        choice, usage = completion.choices[0], completion.usage
        message, reason = choice.message, choice.finish_reason.lower()
        if choice.error:
            raise self.error_inside({"error": choice.error})
        if message is None and not choice.text:
            raise self.garbage("its choice has no 'message'")
        if reason in _ABORT_REASONS:
            raise Failure(f"{self.endpoint.host} gave up on its answer (finish reason '{reason}')", again=True)
        message = message or _Message(content={"text": choice.text})
        content = read_content(message.content)
        text, thought = content.text, message.reasoning_content or message.reasoning or content.thought
        if (thought_match := _THOUGHT.match(text)) and not thought:
            text, thought = text[thought_match.end() :], thought_match.group(1).strip()
        odd = [BESIDE] if content.odd or choice.message is None else []
        calls = calls_as_text(message.tool_calls) or calls_as_text(message.function_call)
        if reason in _TOOL_CALL_REASONS:
            finish: Finish = "stop"
            odd += [] if calls else [ODD_END]
        else:
            finish = _FINISH.get(reason, "unknown")
        refusal = message.refusal or content.refusal
        return Reply(
            text="\n".join(filter(None, (text if text.strip() else "", calls))) or refusal,
            reasoning=thought,
            finish="refusal" if refusal else finish,
            leniencies=tuple(odd),
            reason=choice.finish_reason,
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cache_read_tokens=usage.prompt_tokens_details.cached_tokens,
            cache_write_tokens=usage.prompt_tokens_details.cache_write_tokens,
        )

    def answer_inside(self, refusal: object) -> Reply | None:
        """Return the answer that an endpoint (Groq) rejects because it violates the schema, to parse it like others."""
        inner = refusal.get("error", refusal) if isinstance(refusal, Mapping) else {}
        answer_text = words(inner.get("failed_generation")) if isinstance(inner, Mapping) else ""
        return Reply(answer_text) if answer_text else None

    def hint(self, status: int, message: str, body: Body) -> str:
        is_bad_request = status in _BAD_REQUEST
        if (
            (limit_match := _PICTURE_LIMIT_ERROR.search(message))
            and _shows_pictures(body)
            and (limit_match[1] or limit_match[2]) != "0"
        ):
            return (
                " (it takes fewer images than are sent: raise its limit, for vLLM --limit-mm-per-prompt "
                "'{\"image\": 8}', play a suite whose protocol has fewer views, or send none: --set images=false)"
            )
        if is_bad_request and self.settings.reasoning is None and _REASONING_ERROR.search(message):
            return " (if it is a model that reasons, say so: --set reasoning=low)"
        of_pictures = is_bad_request and (about_length(message) or _PICTURE_ERROR.search(message))
        of_pictures = of_pictures or (status >= 500 and _PICTURE_SERVER_ERROR.search(message))
        if (of_pictures or (status == 500 and message.strip() == _CRASHED)) and _shows_pictures(body):
            return " (if the model only reads text: --set images=false)"
        return ""

    def _message(self, message: Message) -> dict[str, Any]:
        """Return a message of the API; text alone becomes a plain string, which every endpoint understands."""
        if all(isinstance(part, str) for part in message.parts):
            return {"role": message.role, "content": "\n".join(str(part) for part in message.parts)}
        return {"role": message.role, "content": [self._part(part) for part in message.parts]}

    def _part(self, part: str | Image) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        detail = {} if self.settings.image_detail == "auto" else {"detail": self.settings.image_detail}
        return {"type": "image_url", "image_url": {"url": self.pictures.url(part), **detail}}

    def _schema_parameter(self, request: Request, form: str, messages: list[dict[str, Any]]) -> Body:
        """Return the parameter that requests the schema; without one, append the schema to the last message."""
        assert request.schema is not None
        if form == "json_schema":
            schema: Body = {"name": request.name, "schema": dict(request.schema)}
            if self.provider.strict and is_strict(request.schema):
                schema["strict"] = True
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        schema_wish = schema_instruction(request.schema)
        last = messages[-1]["content"]
        messages[-1]["content"] = (
            f"{last}\n\n{schema_wish}" if isinstance(last, str) else [*last, self._part(schema_wish)]
        )
        if form == "text":
            return {}
        schema_field = {"schema": dict(request.schema)} if form == "schema_object" else {}
        return {"response_format": {"type": "json_object", **schema_field}}


def _shows_pictures(body: Body) -> bool:
    contents = [message["content"] for message in body["messages"]]
    return any(part["type"] == "image_url" for content in contents if isinstance(content, list) for part in content)
