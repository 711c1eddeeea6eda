"""The desk of the person who answers: questions that wait, the oldest first. Shared by the threads of the server."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Question:
    """One request as it came.

    Attributes:
        since: When, in seconds of the monotonic clock.
    """

    number: int
    body: Mapping[str, Any]
    since: float = field(default_factory=time.monotonic)
    answer: str | None = None


class Desk:
    """Questions come with `ask`, the person sees the first of them and answers it."""

    def __init__(self) -> None:
        self._waiting: list[Question] = []
        self._numbers = itertools.count(1)
        self._changes = 0
        self._changed = threading.Condition()

    def ask(self, body: Mapping[str, Any]) -> Question:
        """A question more, behind those that wait."""
        with self._changed:
            question = Question(next(self._numbers), body)
            self._waiting.append(question)
            self._change()
            return question

    def wait(self, question: Question, seconds: float) -> str | None:
        """The answer to a question, or None if there is none after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: question.answer is not None, seconds)
            return question.answer

    def answer(self, number: int, text: str) -> bool:
        """Answer a question; False where it does not wait any more."""
        with self._changed:
            question = next((waiting for waiting in self._waiting if waiting.number == number), None)
            if question is None:
                return False
            question.answer = text
            self._waiting.remove(question)
            self._change()
            return True

    def withdraw(self, question: Question) -> None:
        """Nobody waits for the answer any more."""
        with self._changed:
            if question in self._waiting:
                self._waiting.remove(question)
                self._change()

    def look(self, after: int, seconds: float) -> tuple[int, list[Question]]:
        """The number of changes so far and what waits: as soon as there were more than `after` changes, or after so
        many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._changes > after, seconds)
            return self._changes, list(self._waiting)

    def _change(self) -> None:
        self._changes += 1
        self._changed.notify_all()
