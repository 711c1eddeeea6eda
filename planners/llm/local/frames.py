"""Questions and answers between processes: one line of JSON, then the pictures of a question as they are. No pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image
from planners.llm.local.question import Question, Written
from planners.llm.local.source import Facts

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
    line, _, rest = frame.partition(b"\n")
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
            parts.append(np.frombuffer(rest, np.uint8, size, at).reshape(height, width, colours))
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
