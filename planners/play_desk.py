"""Thread-safe queue of questions for the person who answers as the model, oldest first."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Question:
    """One pending request.

    Attributes:
        body: Body of the request.
        since: When it arrived, seconds of the monotonic clock.
        answer: None until it is answered.
    """

    number: int
    body: Mapping[str, Any]
    since: float = field(default_factory=time.monotonic)
    answer: str | None = None


class Desk:
    """Queue of questions, filled by `ask`; the person sees and answers the first."""

    def __init__(self) -> None:
        self._waiting: list[Question] = []
        self._numbers = itertools.count(1)
        self._changes = 0
        self._changed = threading.Condition()

    def ask(self, body: Mapping[str, Any]) -> Question:
        """Append a question to the queue."""
        with self._changed:
            question = Question(next(self._numbers), body)
            self._waiting.append(question)
            self._notify()
            return question

    def wait(self, question: Question, seconds: float) -> str | None:
        """Wait for the answer to a question; None after `seconds` without one."""
        with self._changed:
            self._changed.wait_for(lambda: question.answer is not None, seconds)
            return question.answer

    def answer(self, number: int, text: str) -> bool:
        """Answer a question; return False if it is no longer in the queue."""
        with self._changed:
            question = next((waiting for waiting in self._waiting if waiting.number == number), None)
            if question is None:
                return False
            question.answer = text
            self._waiting.remove(question)
            self._notify()
            return True

    def withdraw(self, question: Question) -> None:
        """Remove a question whose client has gone."""
        with self._changed:
            if question in self._waiting:
                self._waiting.remove(question)
                self._notify()

    def look(self, after: int, seconds: float) -> tuple[int, list[Question]]:
        """Wait until there were more than `after` changes, or for `seconds`; return the number of changes and the
        queue."""
        with self._changed:
            self._changed.wait_for(lambda: self._changes > after, seconds)
            return self._changes, list(self._waiting)

    def _notify(self) -> None:
        self._changes += 1
        self._changed.notify_all()
