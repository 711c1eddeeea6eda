"""An OpenAI-compatible endpoint on 127.0.0.1 whose answers a function gives: a model that is not a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from homie.testing.endpoints import JsonServer, completion, problem

Answer: TypeAlias = Callable[[str, Mapping[str, Any]], tuple[str, int]]
"""From the first part of the path and the request: the text, and how many tokens the prompt is said to have. Raises
KeyError and ValueError for a request that it has no answer to."""


class Endpoint(JsonServer):
    """The endpoint, while the `with` block lasts. Raises OSError for one that is in use.

    Args:
        port: 0 takes a free one.
    """

    def __init__(self, answer: Answer, port: int = 0) -> None:
        super().__init__(self._reply, port)
        self._answer = answer

    def url(self, first: str = "") -> str:
        """Its address; `first` is the first part of its path."""
        return f"http://127.0.0.1:{self.port}/{first}/v1" if first else f"http://127.0.0.1:{self.port}/v1"

    def _reply(self, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        try:
            text, tokens = self._answer(path.split("/")[1], body)
        except (KeyError, ValueError) as error:
            return 400, problem(f"The script has no answer: {error!r}.")
        return 200, completion(body, text, tokens, 0)
