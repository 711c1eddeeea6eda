"""`--planner anthropic:MODEL`: Claude decides, through the `anthropic` SDK. The form of a decision is that of a tool.

The module has another name than the SDK so as not to shadow it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image
from planners.llm.calls import Body, EndpointSettings, RemoteModel, schema_instruction
from planners.llm.calls.address_and_key import host_name
from planners.llm.calls.body_parsing import Count, Words, a_mapping
from planners.llm.calls.http_requests import http_client, load_sdk
from planners.llm.calls.planner import EndpointPlanner
from planners.llm.calls.reply_contents import arguments_of, read_content
from planners.llm.messages import BESIDE, Finish, Reply, Request
from planners.llm.prompting.settings import PromptSettings

BASE_URL = "https://api.anthropic.com"
KEY = "ANTHROPIC_API_KEY"
ADDRESS = "ANTHROPIC_BASE_URL"
"""Environment variable of the vendor's SDK for the endpoint's URL."""
_FINISH: Mapping[str, Finish] = {
    **dict.fromkeys(("end_turn", "stop_sequence", "tool_use"), "stop"),
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    **dict.fromkeys(("refusal", "content_filter", "safety"), "refusal"),
}


class ClaudeSettings(PromptSettings, EndpointSettings):
    """Settings for `--set`."""


class _Usage(BaseModel):
    """`input_tokens` are those after the last cache mark; the cached ones are additional."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0


class _Answer(BaseModel):
    """The used fields of an answer of the Messages API."""

    content: Any
    stop_reason: Words = ""
    usage: Annotated[_Usage, BeforeValidator(a_mapping)] = _Usage()


class ClaudeModel(RemoteModel):
    """One Claude model. Raises BadInput, and MissingPart without the SDK.

    Forms: `tool` forces a tool whose input is the decision; `offered` only offers it, as a reasoning model cannot be
    forced; `text` puts the schema into the question.
    """

    forms: ClassVar[tuple[str, ...]] = ("tool", "offered", "text")

    def __init__(self, name: str, settings: EndpointSettings) -> None:
        load_sdk("anthropic", "anthropic", "anthropic")
        first = "offered" if _reasons(settings) else "tool"
        # As with chat: the default key is only for the provider itself; other addresses get the key that is named.
        address = settings.base_url or os.environ.get(ADDRESS) or BASE_URL
        variable = KEY if host_name(address) == host_name(BASE_URL) else ""
        super().__init__(name, settings, base_url=address, variable=variable, first_form=first)

    def describe(self) -> Mapping[str, object]:
        return {**super().describe(), "sdk": f"anthropic {version('anthropic')}"}

    def body(self, request: Request, form: str) -> Body:
        s = self.settings
        system = "\n\n".join(
            str(part) for message in request.messages if message.role == "system" for part in message.parts
        )
        messages = [self._message(message) for message in request.messages if message.role != "system"]
        body: Body = {"model": self.name, "max_tokens": s.max_tokens, "messages": messages}
        if system:
            body["system"] = system
        if _reasons(s):
            body["max_tokens"] += s.reasoning_tokens
            body["thinking"] = {"type": "adaptive", "display": "summarized"}
            # The lowest of Claude's efforts is `low`.
            body["output_config"] = {"effort": "low" if s.reasoning == "minimal" else s.reasoning}
        if request.schema is None:
            return body
        if form == "text":
            last, schema_wish = messages[-1]["content"], schema_instruction(request.schema)
            content_with_schema = (
                f"{last}\n\n{schema_wish}" if isinstance(last, str) else [*last, {"type": "text", "text": schema_wish}]
            )
            messages[-1]["content"] = content_with_schema
            return body
        tool_description = "Say what the robot does next. Always answer with this tool."
        body["tools"] = [{"name": request.name, "description": tool_description, "input_schema": dict(request.schema)}]
        if form == "tool":
            body["tool_choice"] = {"type": "tool", "name": request.name, "disable_parallel_tool_use": True}
        else:
            body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
        return body

    def mark_cached_prefix(self, body: Body, request: Request) -> Body:
        """Mark the system message as the end of the cached prefix, which consists of the tools and this message."""
        if "system" not in body:
            return body
        return {**body, "system": [{"type": "text", "text": body["system"], "cache_control": {"type": "ephemeral"}}]}

    async def send(self, body: Body, key: str) -> Reply:
        import anthropic

        http = http_client()
        async with anthropic.AsyncAnthropic(
            api_key=key or "none",
            base_url=self.endpoint.url,
            max_retries=0,
            http_client=http,
        ) as client:
            try:
                raw = await client.messages.with_raw_response.create(**body, timeout=http.timeout)
            except anthropic.APIStatusError as error:
                raise self.refused(error.status_code, error.response.headers, error.body) from None
            except anthropic.APIConnectionError as error:
                raise self.unreachable(error) from None
            return self._read(await raw.text())

    def _read(self, text: str) -> Reply:
        answer = self.parse_body(_Answer, text)
        usage = answer.usage
        blocks = answer.content if isinstance(answer.content, list) else [answer.content]
        contents = [read_content(block) for block in blocks if not _is_call(block)]
        return Reply(
            text=_tool_inputs(blocks) or "\n".join(content.text for content in contents if content.text),
            reasoning="\n".join(content.thought for content in contents if content.thought),
            finish=_FINISH.get(answer.stop_reason, "unknown"),
            leniencies=(BESIDE,) if any(content.odd for content in contents) else (),
            reason=answer.stop_reason,
            input_tokens=usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_input_tokens,
            cache_write_tokens=usage.cache_creation_input_tokens,
        )

    def _message(self, message: Message) -> dict[str, Any]:
        """Return a message of the API; text alone becomes a plain string, which clones of the API understand too."""
        if all(isinstance(part, str) for part in message.parts):
            return {"role": message.role, "content": "\n".join(str(part) for part in message.parts)}
        return {"role": message.role, "content": list(self._blocks(message))}

    def _blocks(self, message: Message) -> Iterator[dict[str, Any]]:
        for part in message.parts:
            yield {"type": "text", "text": part} if isinstance(part, str) else self._picture(part)

    def _picture(self, image: Image) -> dict[str, Any]:
        source = {"type": "base64", "media_type": self.pictures.media_type, "data": self.pictures.base64(image)}
        return {"type": "image", "source": source}


def _is_call(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_use"


def _tool_inputs(blocks: list[Any]) -> str:
    """Return the inputs of all tool calls as JSON, a line each, "" for none."""
    inputs = (arguments_of(block) for block in blocks if _is_call(block))
    texts = (
        tool_input if isinstance(tool_input, str) else json.dumps(tool_input, ensure_ascii=False)
        for tool_input in inputs
        if tool_input
    )
    return "\n".join(texts)


def _reasons(settings: EndpointSettings) -> bool:
    return settings.reasoning not in (None, "none")


class ClaudePlanner(EndpointPlanner):
    """Claude through the Messages API."""

    name = "anthropic"
    Settings: ClassVar[type[BaseModel] | None] = ClaudeSettings
    extra: ClassVar[str] = "anthropic"
    keys: ClassVar[tuple[str, ...]] = (KEY,)

    def __init__(self, argument: str, settings: ClaudeSettings) -> None:
        super().__init__(ClaudeModel, argument, settings)
