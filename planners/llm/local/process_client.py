"""Client of a model in another process, and the wire format of questions and answers: one line of JSON, then the raw
pictures of a question. No pickle."""

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
from planners.llm.local.question import Completion, Question

LARGEST = 2**30
"""Maximum bytes of a frame: hundreds of pictures of 768 x 768, more than any prompt has."""


def question_frame(question: Question, batch: int) -> bytes:
    """Serialize a question, and the maximum number of questions in its pass."""
    messages = [
        {"role": message.role, "parts": [_part_header(part) for part in message.parts]} for message in question.messages
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
    """Parse a frame of `question_frame`. Raises ValueError, KeyError or TypeError for anything else."""
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


def answer_frame(*, written: Completion | None = None, failed: str = "") -> bytes:
    """Serialize an answer, or the sentence that says why there is none."""
    return _line({"failed": failed} if written is None else {"written": asdict(written)})


def facts_frame(facts: Facts) -> bytes:
    """Serialize the first message to a client."""
    return _line({"facts": asdict(facts)})


def refusal_frame(kind: str, message: str) -> bytes:
    """Serialize the error of loading the model: a class name of `homie.kernel.errors`, and its sentence."""
    return _line({"refused": kind, "message": message})


def read_frame(frame: bytes) -> Mapping[str, Any]:
    """Parse a frame without pictures. Raises ValueError."""
    content = json.loads(frame)
    if not isinstance(content, dict):
        raise ValueError("not an object")
    return content


def _part_header(part: str | Image) -> object:
    return part if isinstance(part, str) else {"shape": part.shape}


def _line(content: Mapping[str, object]) -> bytes:
    return json.dumps(content).encode("ascii") + b"\n"


VARIABLE = "HOMIE_MODEL_HOST"
"""Environment variable by which workers find the process that holds their model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Address of a model process: the path of its socket, and its token in hex."""

    address: str
    token: str = field(repr=False)
    weights: Weights
    log: str

    def announcement(self) -> str:
        """Return the value of VARIABLE."""
        return json.dumps(asdict(self))


def announced_host(weights: Weights) -> Host | None:
    """Return the host in this process's environment; None if there is none or it has other weights."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    announcement: dict[str, Any] = json.loads(text)
    host = Host(**{**announcement, "weights": Weights(**announcement["weights"])})
    return host if host.weights == weights else None


class HostedModel:
    """A client of a model in another process. It is unusable after an error.

    Raises:
        InfrastructureError: The process is not running, or ended while it loaded the model.
        HomieError: The error of that process in loading the model.
    """

    def __init__(self, host: Host) -> None:
        self._log = host.log
        try:
            self._connection = Client(host.address, "AF_UNIX", authkey=bytes.fromhex(host.token))
            content = read_frame(self._connection.recv_bytes(LARGEST))
        except (AuthenticationError, EOFError, OSError) as error:
            raise InfrastructureError(self._lost_message()) from error
        if "refused" in content:
            self._connection.close()
            raise getattr(errors, content["refused"])(content["message"])
        self.facts = Facts(**content["facts"])

    def ask(self, question: Question, batch: int) -> Completion:
        """Answer a question. Raises PlannerError. An interrupt closes the connection, which cancels the question."""
        try:
            self._connection.send_bytes(question_frame(question, batch))
            content: Mapping[str, Any] = read_frame(self._connection.recv_bytes(LARGEST))
        except (EOFError, OSError) as error:
            raise PlannerError(self._lost_message()) from error
        except BaseException:
            self._connection.close()
            raise
        if error_message := content.get("failed"):
            raise PlannerError(error_message)
        return Completion(**content["written"])

    def _lost_message(self) -> str:
        return f"The process that holds the model has ended; what it wrote is in {self._log}."
