"""Interfaces of prompts: how planner inputs become messages to a language model, and its answers decisions.

Training data use the same prompts as planners. The last classes are the interface of question suites, which ask plain
questions with pictures and have no robot.

PlannerInput --PromptWriter.ask--> messages
subtask, analysis, model --PromptWriter.answer--> expected answer of a model --PromptWriter.read--> Decision
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
    """One message of a conversation: texts and pictures (H, W, 3) uint8 RGB, in reading order."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Image, ...]


Answered: TypeAlias = tuple[PlannerInput, str]
"""An earlier round: the planner input and the answer to it."""


class PromptWriter(ABC):
    """Builds the prompts of planners and parses answers. Constructed as `cls()`, or with `Settings` as `cls(settings)`.

    Registered under `prompts`; `default` is the prompt of Homie's own model planners.
    """

    Settings: ClassVar[type[BaseModel] | None] = None
    """Pydantic model of its settings, or None if it has none."""
    remembers: int = 0
    """Number of earlier rounds that `ask` uses."""
    sees: bool = True
    """Whether the model gets pictures."""
    uses_wrist_camera: bool = False
    """Whether the model gets the picture of the wrist camera."""

    @abstractmethod
    def ask(self, planner_input: PlannerInput, earlier: Sequence[Answered] = ()) -> Sequence[Message]:
        """Build the messages of a round, up to the answer.

        An unchanged picture is the same array object as in `planner_input`; a scaled or annotated picture is a new one.

        Args:
            planner_input: Input of the planner in this round.
            earlier: Earlier rounds with their answers, in order; the last `remembers` of them are enough.

        Raises:
            BadInput: The template cannot be filled.
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
        """Return the text that a model should answer for one subtask.

        Args:
            analysis: None leaves it out of the answer.
            report: Report on the task with End, left out if it is empty or the answer format has no field for it.
            answer: The answer to a question, left out likewise.
        """

    @abstractmethod
    def read(self, text: str, planner_input: PlannerInput) -> Decision:
        """Parse an answer as a planner does.

        `problem` says why a planner would ask the model again, "" if it would not. A decision with a problem may have
        subtasks all the same: if the answer is readable but has names that are not in its list.
        """

    @abstractmethod
    def describe(self) -> Mapping[str, object]:
        """Return what determines the prompt: template, version, SHA-256, settings; JSON-serializable."""


class Rewriter(ABC):
    """Paraphrases texts. Registered under `rewriters`; `default` takes any model planner."""

    @abstractmethod
    def rewrite(self, text: str, names: Sequence[str], versions: int) -> tuple[str, ...]:
        """Return at most `versions` different paraphrases of a text.

        Args:
            text: An instruction or an analysis.
            names: Names of objects; those in the text are kept in every version.
            versions: Number of versions wanted. Fewer are returned if no more are good.

        Raises:
            PlannerError: The model gives no answer.
        """

    @abstractmethod
    def describe(self) -> Mapping[str, object]:
        """Return what determines its versions; JSON-serializable, without secrets."""


@dataclass(frozen=True, slots=True)
class PlainQuestion:
    """A question of a question suite.

    Attributes:
        id: Identifier of the question in its suite.
        text: The whole question, with choices and answering instructions.
        pictures: (H, W, 3) uint8 RGB, in the order in which the text counts them.
        possible: The possible answers, if they are listed.
    """

    id: str
    text: str
    pictures: tuple[Image, ...] = ()
    possible: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerbatimAnswer:
    """A verbatim answer and its cost.

    Attributes:
        cost: US dollars, 0 if the price is not known.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


class Respondent(ABC):
    """Answers questions one by one, without memory of earlier ones.

    Registered under `respondents`, by the name in `--planner`; `model` takes any model planner.
    """

    @abstractmethod
    def answer(self, question: PlainQuestion) -> VerbatimAnswer:
        """Return the answer, readable or not.

        Raises:
            PlannerError: The model gives no answer.
        """

    @abstractmethod
    def describe(self) -> Mapping[str, object]:
        """Return what determines its answers; JSON-serializable, without secrets."""
