"""Chat completions through the `openai` SDK."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, Field, ValidationError

from homie.types import Image
from planners.calls import Body, EndpointSettings, RemoteModel, wish_for
from planners.calls.wire import http_client, load_sdk
from planners.chat.providers import DEFAULT, find_provider
from planners.messages import Message, Reply, Request

ADDRESS = "OPENAI_BASE_URL"
"""The variable of the vendor's SDK for the address of the endpoint."""

_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_OF_REASONING = re.compile(r"temperature|max_tokens|max_completion_tokens")
"""What an endpoint complains of when a model that reasons is asked like another one."""
_FINISH: Mapping[str | None, Literal["length", "refusal"]] = {"length": "length", "content_filter": "refusal"}


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    """What is used of a message. Reasoning has two names: DeepSeek's and OpenRouter's, which vLLM took over."""

    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    """What is used of a completion; what an endpoint adds or leaves out besides is its own affair."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class ChatModel(RemoteModel):
    """One model of one endpoint. Raises BadInput, and MissingPart without the SDK."""

    forms: ClassVar[tuple[str, ...]] = ("json_schema", "json_object", "text")

    def __init__(
        self, name: str, settings: EndpointSettings, provider: str | None, structured: str, temperature: float | None
    ) -> None:
        load_sdk("chat", "openai", "chat")
        address = settings.base_url
        if provider in (None, DEFAULT):
            address = address or os.environ.get(ADDRESS)
        self.provider_name, self.provider = find_provider(provider, address)
        self.temperature = temperature
        first = self.provider.structured if structured == "auto" else structured
        base_url = address or self.provider.base_url
        super().__init__(name, settings, base_url=base_url, variable=self.provider.key, first_form=first)

    def describe(self) -> Mapping[str, object]:
        temperature = None if self.settings.reasoning else self.temperature
        about = {"provider": self.provider_name, "temperature": temperature, "sdk": f"openai {version('openai')}"}
        return {**super().describe(), **about}

    def body(self, request: Request, form: str) -> Body:
        s, provider = self.settings, self.provider
        body: Body = {"model": self.name, "messages": [self._message(message) for message in request.messages]}
        if request.schema is not None:
            body.update(self._asked(request, form, body["messages"]))
        if s.reasoning is not None:
            body["reasoning_effort"] = s.reasoning
            body[provider.limit] = s.max_tokens + s.reasoning_tokens
        else:
            body[provider.limit] = s.max_tokens
            if self.temperature is not None:
                body["temperature"] = self.temperature
        if provider.seed == "seed":
            body["seed"] = self.seed
        elif provider.seed:
            body["extra_body"] = {provider.seed: self.seed}
        return body

    async def send(self, body: Body, key: str) -> Reply:
        import openai

        http = http_client()
        async with openai.AsyncOpenAI(
            api_key=key or "none", base_url=self.endpoint.url, max_retries=0, http_client=http
        ) as client:
            try:
                raw = await client.chat.completions.with_raw_response.create(**body)
            except openai.APIStatusError as error:
                exhausted = error.code == "insufficient_quota"
                said = _said(error.body)
                if error.status_code == 400 and self.settings.reasoning is None and _OF_REASONING.search(said):
                    said += " (if it is a model that reasons, say so: --set reasoning=low)"
                raise self.refused(error.status_code, error.response.headers, said, exhausted=exhausted) from None
            except openai.APIConnectionError as error:
                raise self.unreachable(error) from None
            return self._read(raw.text)

    def _read(self, text: str) -> Reply:
        try:
            completion = _Completion.model_validate_json(text)
        except ValidationError:
            raise self.garbage() from None
        choice, usage = completion.choices[0], completion.usage or _Usage()
        message = choice.message
        content = message.content or ""
        said = content if isinstance(content, str) else "".join(part.text for part in content)
        thought = message.reasoning_content or message.reasoning or ""
        if (inside := _THOUGHT.match(said)) and not thought:
            said, thought = said[inside.end() :], inside.group(1).strip()
        return Reply(
            text=said or message.refusal or "",
            reasoning=thought,
            finish="refusal" if message.refusal else _FINISH.get(choice.finish_reason, "stop"),
            input_tokens=usage.prompt_tokens or 0,
            output_tokens=usage.completion_tokens or 0,
        )

    def _message(self, message: Message) -> dict[str, Any]:
        """Text alone goes as a plain string, which every endpoint understands."""
        if all(isinstance(part, str) for part in message.parts):
            return {"role": message.role, "content": "\n".join(str(part) for part in message.parts)}
        return {"role": message.role, "content": [self._part(part) for part in message.parts]}

    def _part(self, part: str | Image) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        return {"type": "image_url", "image_url": {"url": self.pictures.url(part)}}

    def _asked(self, request: Request, form: str, messages: list[dict[str, Any]]) -> Body:
        """The parameter that asks for the schema; where none can, the schema goes into the last message."""
        assert request.schema is not None
        if form == "json_schema":
            schema: Body = {"name": request.name, "schema": dict(request.schema)}
            if self.provider.strict and _strict(request.schema):
                schema["strict"] = True
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        wish = wish_for(request.schema)
        last = messages[-1]["content"]
        messages[-1]["content"] = f"{last}\n\n{wish}" if isinstance(last, str) else [*last, self._part(wish)]
        return {"response_format": {"type": "json_object"}} if form == "json_object" else {}


def _strict(schema: object) -> bool:
    """Whether a schema may be marked as binding: every object is closed and needs all its properties."""
    if isinstance(schema, Mapping):
        if "properties" in schema and (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", ())) != set(schema["properties"])
        ):
            return False
        return all(_strict(value) for value in schema.values())
    return all(_strict(value) for value in schema) if isinstance(schema, list | tuple) else True


def _said(body: object) -> str:
    """The endpoint's own words in the body of an error: `error.message` (OpenAI), `detail` (FastAPI), text, ..."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(inner, Mapping):
        inner = inner.get("message") or inner.get("detail")
    text = str(inner or "")
    return "" if text.lstrip().startswith("<") else text  # a page for a browser
