"""A plain question with pictures, and who answers it: the contract of question suites, where no robot is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from homie.kernel.types import Image


@dataclass(frozen=True, slots=True)
class PlainQuestion:
    """What one answer is asked for.

    Attributes:
        id: Of the question in its suite.
        text: All that is asked, choices and how to answer included.
        pictures: (H, W, 3) uint8 RGB, in the order in which the text counts them.
        possible: The answers that it can have, where they are listed.
    """

    id: str
    text: str
    pictures: tuple[Image, ...] = ()
    possible: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """An answer, word for word, and what it took.

    Attributes:
        cost: US dollars, 0 where the price is not known.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


class Respondent(ABC):
    """Answers questions one by one, remembering nothing of the earlier ones.

    The registry has them under `respondents`, by the name in `--planner`; `model` takes any model planner.
    """

    @abstractmethod
    def answer(self, question: PlainQuestion) -> Said:
        """The answer, readable or not.

        Raises:
            PlannerError: no answer can be had.
        """

    @abstractmethod
    def describe(self) -> Mapping[str, object]:
        """What decides its answers; JSON-ready, without secrets."""
