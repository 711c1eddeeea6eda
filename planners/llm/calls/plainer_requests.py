"""Simpler forms of a request, for endpoints without support for a system role or a schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from homie.kernel.interfaces.prompts import Message
from planners.llm.messages import Request


def merge_system_messages(request: Request) -> Request:
    """Return the request with its system messages merged into the first user message, and no role twice in a row."""
    system = [part for message in request.messages if message.role == "system" for part in message.parts]
    others = [message for message in request.messages if message.role != "system"]
    merged: list[Message] = [Message("user", tuple(system))] if system else []
    for message in others:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(message.role, (*merged[-1].parts, *message.parts))
        else:
            merged.append(message)
    return replace(request, messages=tuple(merged))


def schema_instruction(schema: Mapping[str, object]) -> str:
    """Return the prompt text that asks for a schema, for endpoints without a parameter for it."""
    return f"Answer with one JSON object of this schema and nothing else:\n{json.dumps(schema)}"
