"""Lines of a data set, in one of two forms.

chat      TRL's conversational form with pictures: `prompt` and `completion`, or `prompt`, `chosen` and `rejected`,
          in the words of Homie's planners
emmoe     EMMOE's own: `conversations` of LLaVA, and `prompt`, `chosen`, `rejected` as texts (appendix F)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from homie.data import emmoe_wording
from homie.data.episode import Episode, SkippedEpisode, Step
from homie.data.examples.pairs import Choice, pairs, teachable
from homie.data.pictures import blank, read_picture
from homie.kernel.actions import arguments_of
from homie.kernel.interfaces.prompts import Answered, Message, PromptWriter
from homie.kernel.types import VIEWS, Image, PlannerInput
from homie.runtime.planner_inputs import HAND

Purpose: TypeAlias = Literal["sft", "dpo"]
Look: TypeAlias = Callable[[Path], Image]
"""Function that reads a picture file."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a data set, without its picture column.

    Attributes:
        pictures: Files, or arrays (H, W, 3) for pictures that are in no file; listed in this order in the form's
            picture column.
        counts: Category in the tables of counts.
    """

    fields: Mapping[str, Any]
    pictures: tuple[Path | Image, ...] = ()
    counts: str = field(default="", compare=False)


class Form(ABC):
    """Text form of steps and pairs."""

    name: str = ""
    pictures_in: str = ""
    """Name of the column with picture files, for lines that have pictures."""

    def lines(self, purpose: Purpose, episode: Episode, version: int = 0) -> Iterator[Line]:
        """Yield the lines of an episode. Raises SkippedEpisode.

        Args:
            version: Number of the rewording; 0 for the original wording.
        """
        return self.conversations(episode, version) if purpose == "sft" else self.preferences(episode, version)

    @abstractmethod
    def conversations(self, episode: Episode, version: int) -> Iterator[Line]:
        """Yield a line for each successful step, with everything before it."""

    @abstractmethod
    def preferences(self, episode: Episode, version: int) -> Iterator[Line]:
        """Yield a line for each pair."""


class ChatForm(Form):
    """TRL's conversational form: prompts and answers of a planner as messages with parts.

    Args:
        writer: Writer of the prompts.
        seed: Seed of the random choices in pairs.
    """

    name = "chat"
    pictures_in = "images_file_names"  # `datasets` turns it into the column `images`

    def __init__(self, writer: PromptWriter, seed: int) -> None:
        self._writer = writer
        self._seed = seed

    def conversations(self, episode: Episode, version: int) -> Iterator[Line]:
        for index in teachable(episode):
            step = episode.steps[index]
            messages, pictures = self._prompt(episode, index)
            answer = self._target_answer(step)
            yield Line(
                {
                    **_identity(episode, step, version),
                    "prompt": messages,
                    "completion": [_message("assistant", answer)],
                    **_options(step),
                },
                pictures,
                step.subtask.action,
            )

    def preferences(self, episode: Episode, version: int) -> Iterator[Line]:
        asked: dict[int, tuple[list[dict[str, Any]], tuple[Path | Image, ...]]] = {}
        for pair in pairs(episode, f"{self._seed}/{version}"):
            step = episode.steps[pair.step]
            if pair.step not in asked:
                asked[pair.step] = self._prompt(episode, pair.step)
            messages, pictures = asked[pair.step]
            yield Line(
                {
                    **_identity(episode, step, version, pair.kind),
                    "prompt": messages,
                    "chosen": [_message("assistant", self._answer(pair.chosen))],
                    "rejected": [_message("assistant", self._answer(pair.rejected))],
                    **_options(step),
                },
                pictures,
                pair.kind,
            )

    def _target_answer(self, step: Step) -> str:
        return self._writer.answer(
            step.subtask, step.model, step.analysis or None, report=step.report, answer=step.answer
        )

    def _answer(self, choice: Choice) -> str:
        return self._writer.answer(choice.subtask, choice.model)

    def _prompt(self, episode: Episode, index: int) -> tuple[list[dict[str, Any]], tuple[Path | Image, ...]]:
        """Return the messages before a step, with a placeholder for each picture, and the pictures.

        Unmodified pictures are not read: blank ones of the same size stand in for them. A picture in the messages that
        is none of these was modified by the writer; then the messages are written again with the real pictures.
        """
        messages, files = self._write_messages(episode, index, blank)
        shown = [part for message in messages for part in message.parts if not isinstance(part, str)]
        if any(id(part) not in files for part in shown):
            messages, files = self._write_messages(episode, index, read_picture)
            shown = [part for message in messages for part in message.parts if not isinstance(part, str)]
        content = [{"role": message.role, "content": [_part(part) for part in message.parts]} for message in messages]
        return content, tuple(files[id(part)][1] if id(part) in files else part for part in shown)

    def _write_messages(
        self, episode: Episode, index: int, look: Look
    ) -> tuple[Sequence[Message], dict[int, tuple[Image, Path]]]:
        """Return the messages, and picture files by the id of their array; the arrays are kept so that ids stay
        unique."""
        files: dict[int, tuple[Image, Path]] = {}
        asked = [step for step in episode.steps[:index] if step.asked]
        context_steps = asked[-self._writer.remembers :] if self._writer.remembers else []
        earlier: list[Answered] = []
        for step in context_steps:
            answer = self._target_answer(step)
            earlier.append((self._input(step, look, files), answer))
        return self._writer.ask(self._input(episode.steps[index], look, files), earlier), files

    def _input(self, step: Step, look: Look, files: dict[int, tuple[Image, Path]]) -> PlannerInput:
        shown = [*VIEWS, HAND] if self._writer.uses_wrist_camera else [*VIEWS] if self._writer.sees else []
        if shown and not step.pictures:
            raise SkippedEpisode(
                "it has no pictures: play it with --frames, or ask without them (--prompt images=false)"
            )
        views = {view: look(step.pictures[view]) for view in shown if view in step.pictures}
        files.update({id(image): (image, step.pictures[view]) for view, image in views.items()})
        hand = views.pop(HAND, None)
        return step.input.planner_input(step.history, views, hand)


class OfficialForm(Form):
    """EMMOE's own form, character by character; its pairs have no pictures."""

    name = "emmoe"
    pictures_in = "image"

    def conversations(self, episode: Episode, version: int) -> Iterator[Line]:
        for index in teachable(episode):
            step = episode.steps[index]
            answer = emmoe_wording.answer(step.subtask, step.model, step.analysis)
            turns = [
                {"from": "human", "value": emmoe_wording.instruction(step, episode.steps[:index])},
                {"from": "gpt", "value": answer},
            ]
            views = tuple(step.pictures[view] for view in VIEWS if view in step.pictures)
            yield Line({"id": _id(episode, step, version), "conversations": turns}, views, step.subtask.action)

    def preferences(self, episode: Episode, version: int) -> Iterator[Line]:
        for pair in pairs(episode):
            prompt = emmoe_wording.instruction(episode.steps[pair.step], episode.steps[: pair.step])
            chosen, rejected = (
                emmoe_wording.answer(choice.subtask, choice.model) for choice in (pair.chosen, pair.rejected)
            )
            if chosen != rejected:
                yield Line({"prompt": prompt, "chosen": chosen, "rejected": rejected}, (), pair.kind)


def _identity(episode: Episode, step: Step, version: int, kind: str = "") -> dict[str, Any]:
    """Return the fields that identify a line and its episode."""
    return {
        "id": _id(episode, step, version) + (f"-{kind}" if kind else ""),
        "episode": episode.name,
        "task": episode.task,
        "step": step.number,
        "version": version,
        **({"kind": kind} if kind else {}),
    }


def _id(episode: Episode, step: Step, version: int) -> str:
    name = f"{episode.name.replace('/', '_')}_subtask{step.number}"
    return f"{name}_v{version}" if version else name


def _options(step: Step) -> dict[str, Any]:
    """Return the options that an answer chooses from; `arguments` lists the parameters of each action, in the same
    order."""
    round_input = step.input
    arguments = [list(arguments_of(action, round_input.arguments)) for action in round_input.actions]
    return {"actions": list(round_input.actions), "models": list(round_input.models), "arguments": arguments}


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [_part(text)]}


def _part(part: str | Image) -> dict[str, Any]:
    return {"type": "text", "text": part} if isinstance(part, str) else {"type": "image", "text": None}
