"""Bodies of answers as OpenAI's Responses API and Gemini's own API write them."""

from __future__ import annotations

import json


def response(text: str, **more: object) -> bytes:
    """A body of the Responses API."""
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
    usage = {
        "input_tokens": 1300,
        "input_tokens_details": {"cached_tokens": 1100, "cache_write_tokens": 7},
        "output_tokens": 20,
    }
    body = {"id": "r", "object": "response", "status": "completed", "error": None, "incomplete_details": None}
    return json.dumps({**body, "output": [thought, message], "usage": usage, **more}).encode()


def generated(text: str, finish: str = "STOP", **more: object) -> bytes:
    """A body of generateContent."""
    parts = [{"text": "Hm.", "thought": True}, {"text": text, "thoughtSignature": "s"}]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
    usage = {
        "promptTokenCount": 1300,
        "cachedContentTokenCount": 1100,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 5,
    }
    return json.dumps({"candidates": [candidate], "usageMetadata": usage, **more}).encode()
