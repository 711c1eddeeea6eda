"""Server that answers for every language model of the docs, at the address that the pages use."""

from __future__ import annotations

from collections.abc import Sequence

from endpoint import Body, Connection, Endpoint, says
from native_bodies import response

from planners.llm.rewriting import SYSTEM

PORT = 8000
URL = f"http://127.0.0.1:{PORT}/v1"
END = '{"analysis": "Nothing is left to do.", "subtasks": [{"action": "End"}], "model": "classical"}'


def model_server() -> Endpoint:
    """Return a server that ends every task at once, and paraphrases texts on request.

    Raises OSError if its port is in use.
    """
    return Endpoint(_answer, port=PORT)


def _answer(at: Connection, body: Body) -> None:
    messages: Sequence[Body] = body.get("messages", ())
    if messages and SYSTEM in str(messages[0]["content"]):
        answers = sum(message["role"] == "assistant" for message in messages)
        says(f"In other words {answers + 1}: {_text(messages[1])}")(at, body)
    else:
        _send(END, at, body)


def _send(text: str, at: Connection, body: Body) -> None:
    if at.path.endswith("/responses"):
        at.send(200, response(text))
    else:
        says(text)(at, body)


def _text(message: Body) -> str:
    """Return the text of a message, whose content is a text, or parts of which the first is a text."""
    content = message["content"]
    return str(content if isinstance(content, str) else content[0]["text"])
