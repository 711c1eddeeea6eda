"""How a language model is asked and how it answers, as a contract: training data are written in the words of planners.
At the end a plain question with pictures, and who answers it: the contract of question suites, where no robot is.

PlannerInput --PromptWriter.ask--> messages
subtask, analysis, model --PromptWriter.answer--> what a model should say --PromptWriter.read--> Decision
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from pydantic import BaseModel

from homie.kernel.types import Decision, Image, PlannerInput, Report, Subtask


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: texts and pictures (H, W, 3) uint8 RGB, in the order in which they are read."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Image, ...]


Answered: TypeAlias = tuple[PlannerInput, str]
"""An earlier round: the input of the planner, and its answer."""


class PromptWriter(ABC):
    """Asks as planners ask. It is made as `cls()`, or with `Settings` as `cls(settings)`.

    The registry has them under `prompts`; `default` is that of Homie's own model planners.
    """

    Settings: ClassVar[type[BaseModel] | None] = None
    """The model of its settings, or None if it has none."""
    remembers: int = 0
    """How many earlier rounds `ask` makes use of."""
    sees: bool = True
    """Whether the model is shown pictures."""
    uses_wrist_camera: bool = False
    """Whether it is shown what the camera at the hand sees."""

    @abstractmethod
    def ask(self, planner_input: PlannerInput, earlier: Sequence[Answered] = ()) -> Sequence[Message]:
        """The messages of a round, up to the answer.

        A picture that is shown as it was taken is the very array of `planner_input`; one that is scaled or drawn in is
        another.

        Args:
            planner_input: what the planner sees.
            earlier: the rounds before with their answers, in order; the last `remembers` of them will do.

        Raises:
            BadInput: the template cannot be filled.
        """

    @abstractmethod
    def answer(
        self,
        subtask: Subtask,
        model: str = "",
        analysis: str | None = None,
        *,
        report: Report = "",
        answer: str = "",
    ) -> str:
        """What a model should say for one subtask.

        Args:
            analysis: None leaves it out of the answer.
            report: What is said of the task with End, left out where it is empty or the form of answers has no place
                for it.
            answer: The answer to a question, left out likewise.
        """

    @abstractmethod
    def read(self, text: str, planner_input: PlannerInput) -> Decision:
        """What a planner reads in an answer.

        `problem` says why it would ask again, and "" that it would not. There may be subtasks all the same: of an
        answer that is readable, but names what is not in its list.
        """

    @abstractmethod
    def describe(self) -> Mapping[str, object]:
        """What decides the words: template, version, SHA-256, settings; JSON-ready."""


class Rewriter(ABC):
    """Says the same in other words. The registry has them under `rewriters`; `default` takes any model planner."""

    @abstractmethod
    def rewrite(self, text: str, names: Sequence[str], versions: int) -> tuple[str, ...]:
        """At most so many other versions of a text, all different.

        Args:
            text: an instruction or an analysis.
            names: names of things; those that are in the text are in every version.
            versions: how many are wanted. There may be fewer, if no more are good.

        Raises:
            PlannerError: no answer can be had.
        """

    @abstractmethod
    def describe(self) -> Mapping[str, object]:
        """What decides its versions; JSON-ready, without secrets."""


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
