"""A model that another process has loaded, as a worker asks it; and questions and answers between processes: one line
of JSON, then the pictures of a question as they are. No pickle."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from typing import Any

import numpy as np

from homie.kernel import errors
from homie.kernel.errors import InfrastructureError, PlannerError
from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image
from planners.llm.local.own_or_shared_model import Facts, Weights
from planners.llm.local.question import Question, Written

LARGEST = 2**30
"""Bytes of one frame: hundreds of pictures of 768 x 768, more than any prompt has."""


def question_frame(question: Question, batch: int) -> bytes:
    """A question, and how many may share its pass."""
    messages = [
        {"role": message.role, "parts": [_described(part) for part in message.parts]} for message in question.messages
    ]
    head = {
        "messages": messages,
        "schema": question.schema,
        "limit": question.limit,
        "temperature": question.temperature,
        "seed": question.seed,
        "batch": batch,
    }
    pictures = (np.ascontiguousarray(picture, np.uint8).tobytes() for picture in question.pictures)
    return b"".join([_line(head), *pictures])


def read_question(frame: bytes) -> tuple[Question, int]:
    """What `question_frame` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    line, _, payload = frame.partition(b"\n")
    head = json.loads(line)
    at = 0
    messages = []
    for message in head["messages"]:
        parts: list[str | Image] = []
        for part in message["parts"]:
            if isinstance(part, str):
                parts.append(part)
                continue
            height, width, colours = part["shape"]
            size = height * width * colours
            parts.append(np.frombuffer(payload, np.uint8, size, at).reshape(height, width, colours))
            at += size
        messages.append(Message(message["role"], tuple(parts)))
    question = Question(tuple(messages), head["schema"], head["limit"], head["temperature"], head["seed"])
    return question, head["batch"]


def answer_frame(*, written: Written | None = None, failed: str = "") -> bytes:
    """An answer, or the sentence that says why there is none."""
    return _line({"failed": failed} if written is None else {"written": asdict(written)})


def facts_frame(facts: Facts) -> bytes:
    """The first message to a client."""
    return _line({"facts": asdict(facts)})


def refusal_frame(kind: str, message: str) -> bytes:
    """Why nobody can ask: the name of a class of `homie.kernel.errors`, and its sentence."""
    return _line({"refused": kind, "message": message})


def read_frame(frame: bytes) -> Mapping[str, Any]:
    """The content of a frame without pictures. Raises ValueError."""
    content = json.loads(frame)
    if not isinstance(content, dict):
        raise ValueError("not an object")
    return content


def _described(part: str | Image) -> object:
    return part if isinstance(part, str) else {"shape": part.shape}


def _line(content: Mapping[str, object]) -> bytes:
    return json.dumps(content).encode("ascii") + b"\n"


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
        if error_message := content.get("failed"):
            raise PlannerError(error_message)
        return Written(**content["written"])

    def _gone(self) -> str:
        return f"The process that holds the model has ended; what it wrote is in {self._log}."
