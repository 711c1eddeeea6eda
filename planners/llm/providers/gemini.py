"""`--planner gemini:MODEL`: Google's own generateContent.

It accepts a seed and a resolution of pictures, and returns the reasoning and the number of cached tokens.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import quote

from pydantic import BaseModel, BeforeValidator, Field

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image
from planners.llm.calls import Body, RemoteModel, SampledSettings, schema_instruction
from planners.llm.calls.address_and_key import host_name
from planners.llm.calls.body_parsing import Count, Words, a_mapping
from planners.llm.calls.http_requests import http_client, load_sdk
from planners.llm.calls.planner import EndpointPlanner
from planners.llm.calls.reply_contents import calls_as_text, read_content
from planners.llm.messages import BESIDE, Finish, Reply, Request
from planners.llm.prompting.settings import PromptSettings

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
KEY = "GEMINI_API_KEY"
ADDRESS = "GOOGLE_GEMINI_BASE_URL"
"""Environment variable of the vendor's SDK for the endpoint's URL."""
_FINISH: Mapping[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "refusal"),
    **dict.fromkeys(("IMAGE_SAFETY", "MODEL_ARMOR", "GUARDRAIL"), "refusal"),
}


class GeminiSettings(PromptSettings, SampledSettings):
    """Settings for `--set`."""

    image_detail: Literal["auto", "low", "medium", "high"] = Field(
        "auto", description="The resolution at which images are read; low: fewer tokens."
    )


class _Content(BaseModel):
    parts: Any = None


class _Candidate(BaseModel):
    content: Annotated[_Content, BeforeValidator(a_mapping)] = _Content()
    finishReason: Words = ""  # noqa: N815  (name in the API)


class _Usage(BaseModel):
    promptTokenCount: Count = 0  # noqa: N815
    cachedContentTokenCount: Count = 0  # noqa: N815
    candidatesTokenCount: Count = 0  # noqa: N815
    thoughtsTokenCount: Count = 0  # noqa: N815


class _Feedback(BaseModel):
    blockReason: Words = ""  # noqa: N815


def _or_empty_list(value: object) -> object:
    return [] if value is None else value


class _Response(BaseModel):
    """The used fields of a response. Without candidates the question itself was blocked."""

    candidates: Annotated[list[_Candidate], BeforeValidator(_or_empty_list)] = Field(default_factory=list)
    promptFeedback: Annotated[_Feedback, BeforeValidator(a_mapping)] = _Feedback()  # noqa: N815
    usageMetadata: Annotated[_Usage, BeforeValidator(a_mapping)] = _Usage()  # noqa: N815


class GeminiModel(RemoteModel):
    """One Gemini model. Raises BadInput, and MissingPart without httpx2."""

    settings: GeminiSettings
    forms: ClassVar[tuple[str, ...]] = ("json_schema", "json_object", "text")

    def __init__(self, name: str, settings: GeminiSettings) -> None:
        load_sdk("gemini", "httpx2", "gemini")
        address = settings.base_url or os.environ.get(ADDRESS) or BASE_URL
        variable = KEY if host_name(address) == host_name(BASE_URL) else ""
        super().__init__(name, settings, base_url=address, variable=variable, first_form="json_schema")

    def describe(self) -> Mapping[str, object]:
        s = self.settings
        return {**super().describe(), "temperature": s.sent_temperature, "image_detail": s.image_detail}

    def body(self, request: Request, form: str) -> Body:
        contents = [self._content(message) for message in request.messages if message.role != "system"]
        config: Body = {"maxOutputTokens": self.settings.max_tokens, "seed": self.seed % 2**31}
        if self.settings.reasoning is not None:
            config["thinkingConfig"] = _thinking(self.settings.reasoning)
            config["maxOutputTokens"] += self.settings.reasoning_tokens
        elif self.settings.temperature is not None:
            config["temperature"] = self.settings.temperature
        if self.settings.image_detail != "auto":
            config["mediaResolution"] = f"MEDIA_RESOLUTION_{self.settings.image_detail.upper()}"
        if request.schema is not None:
            if form != "text":
                config["responseMimeType"] = "application/json"
            if form == "json_schema":
                config["responseJsonSchema"] = dict(request.schema)
            else:
                contents[-1]["parts"].append({"text": schema_instruction(request.schema)})
        body: Body = {"contents": contents, "generationConfig": config}
        system = [part for message in request.messages if message.role == "system" for part in self._parts(message)]
        return {"systemInstruction": {"parts": system}, **body} if system else body

    async def send(self, body: Body, key: str) -> Reply:
        import httpx2

        url = f"{self.endpoint.url}/models/{quote(self.name, safe='')}:generateContent"
        headers = {"Content-Type": "application/json", **({"x-goog-api-key": key} if key else {})}
        async with http_client() as http:
            try:
                response = await http.post(url, content=json.dumps(body), headers=headers)
            except httpx2.RequestError as error:
                raise self.unreachable(error) from None
        if response.status_code != 200:
            raise self.refused(response.status_code, response.headers, response.text)
        return self._read(response.text)

    def _read(self, text: str) -> Reply:
        response = self.parse_body(_Response, text)
        usage, is_blocked = response.usageMetadata, bool(response.promptFeedback.blockReason)
        if not (response.candidates or is_blocked):
            raise self.garbage("it has no candidate")
        candidate = response.candidates[0] if response.candidates else _Candidate(finishReason="SAFETY")
        content_parts = candidate.content.parts
        parts = content_parts if isinstance(content_parts, list) else [content_parts]
        calls = [part["functionCall"] for part in parts if isinstance(part, Mapping) and "functionCall" in part]
        content = read_content([part for part in parts if not (isinstance(part, Mapping) and "functionCall" in part)])
        reason = candidate.finishReason if response.candidates else response.promptFeedback.blockReason
        return Reply(
            text="\n".join(filter(None, (content.text, calls_as_text(calls)))),
            reasoning=content.thought,
            finish=_FINISH.get(candidate.finishReason.upper(), "unknown"),
            leniencies=(BESIDE,) if content.odd else (),
            reason=reason,
            input_tokens=usage.promptTokenCount,
            output_tokens=usage.candidatesTokenCount + usage.thoughtsTokenCount,
            cache_read_tokens=usage.cachedContentTokenCount,
        )

    def _content(self, message: Message) -> dict[str, Any]:
        return {"role": "model" if message.role == "assistant" else "user", "parts": list(self._parts(message))}

    def _parts(self, message: Message) -> Iterator[dict[str, Any]]:
        for part in message.parts:
            yield {"text": part} if isinstance(part, str) else self._picture(part)

    def _picture(self, image: Image) -> dict[str, Any]:
        return {"inlineData": {"mimeType": self.pictures.media_type, "data": self.pictures.base64(image)}}


def _thinking(effort: str) -> Body:
    """Return the reasoning configuration: a level, at most `high`, or no reasoning."""
    if effort == "none":
        return {"thinkingBudget": 0}
    return {"includeThoughts": True, "thinkingLevel": "high" if effort in ("xhigh", "max") else effort}


class GeminiPlanner(EndpointPlanner):
    """Gemini through its own API."""

    name = "gemini"
    Settings: ClassVar[type[BaseModel] | None] = GeminiSettings
    extra: ClassVar[str] = "gemini"
    keys: ClassVar[tuple[str, ...]] = (KEY,)

    def __init__(self, argument: str, settings: GeminiSettings) -> None:
        super().__init__(GeminiModel, argument, settings)
