"""OpenAI-compatible endpoint on 127.0.0.1 whose answers come from a function, in place of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from homie.testing.endpoints import JsonServer, completion, problem

Answer: TypeAlias = Callable[[str, Mapping[str, Any]], tuple[str, int]]
"""Function of the first part of the path and the request that returns the text, and the token count to report for the
prompt. Raises KeyError or ValueError for a request that it cannot answer."""


class Endpoint(JsonServer):
    """Endpoint that runs during the `with` block. Raises OSError if the port is in use.

    Args:
        port: 0 for a free port.
    """

    def __init__(self, answer: Answer, port: int = 0) -> None:
        super().__init__(self._reply, port)
        self._answer = answer

    def url(self, first: str = "") -> str:
        """Return its URL; `first` is the first part of the path."""
        return f"http://127.0.0.1:{self.port}/{first}/v1" if first else f"http://127.0.0.1:{self.port}/v1"

    def _reply(self, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        try:
            text, tokens = self._answer(path.split("/")[1], body)
        except (KeyError, ValueError) as error:
            return 400, problem(f"The script has no answer: {error!r}.")
        return 200, completion(body, text, tokens, 0)
