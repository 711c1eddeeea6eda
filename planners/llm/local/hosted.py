"""A model that another process has loaded, as a worker asks it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from typing import Any

from homie.kernel import errors
from homie.kernel.errors import InfrastructureError, PlannerError
from planners.llm.local.frames import LARGEST, question_frame, read_frame
from planners.llm.local.question import Question, Written
from planners.llm.local.source import Facts, Weights

VARIABLE = "HOMIE_MODEL_HOST"
"""The environment variable by which workers find the process that holds their model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Where a model process can be asked: the path of its socket, and the token that it wants, in hex."""

    address: str
    token: str = field(repr=False)
    weights: Weights
    log: str

    def announcement(self) -> str:
        """The value of VARIABLE."""
        return json.dumps(asdict(self))


def announced_host(weights: Weights) -> Host | None:
    """The host that this process knows, None if there is none or it has other weights."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    announcement: dict[str, Any] = json.loads(text)
    host = Host(**{**announcement, "weights": Weights(**announcement["weights"])})
    return host if host.weights == weights else None


class HostedModel:
    """One client of a model in another process. After an error it cannot be asked any more.

    Raises:
        InfrastructureError: The process is not there, or ended while it loaded the model.
        HomieError: What loading the model raised over there.
    """

    def __init__(self, host: Host) -> None:
        self._log = host.log
        try:
            self._connection = Client(host.address, "AF_UNIX", authkey=bytes.fromhex(host.token))
            content = read_frame(self._connection.recv_bytes(LARGEST))
        except (AuthenticationError, EOFError, OSError) as error:
            raise InfrastructureError(self._gone()) from error
        if "refused" in content:
            self._connection.close()
            raise getattr(errors, content["refused"])(content["message"])
        self.facts = Facts(**content["facts"])

    def ask(self, question: Question, batch: int) -> Written:
        """The answer. Raises PlannerError; whoever is interrupted while waiting leaves, and the other side notices."""
        try:
            self._connection.send_bytes(question_frame(question, batch))
            content: Mapping[str, Any] = read_frame(self._connection.recv_bytes(LARGEST))
        except (EOFError, OSError) as error:
            raise PlannerError(self._gone()) from error
        except BaseException:
            self._connection.close()
            raise
        if failed := content.get("failed"):
            raise PlannerError(failed)
        return Written(**content["written"])

    def _gone(self) -> str:
        return f"The process that holds the model has ended; what it wrote is in {self._log}."
