"""Prompt writer for training data: the same requests and answers as those of the model planners.

PlannerInput --Prompt--> messages        subtask, analysis, model --the format of the template--> answer
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Answered, Message, PromptWriter
from homie.kernel.types import Decision, PlannerInput, Report, Subtask
from planners.llm.prompting.answering import write_answer
from planners.llm.prompting.prompt_builder import Prompt, Turn
from planners.llm.prompting.settings import PromptSettings
from planners.llm.reading import UnlistedName, UnreadableAnswer


class TemplateWriter(PromptWriter):
    """Writes the same prompts as `planners.llm.model_planner.ModelPlanner` with equal settings. Raises BadInput for
    incompatible settings.

    Example:
        writer = TemplateWriter(PromptSettings(template="emmoe-text"))
        messages = writer.ask(given)
        answer = writer.answer(Subtask("Pick", "apple"), "classical", "The apple is in reach.")
    """

    Settings = PromptSettings

    def __init__(self, settings: PromptSettings) -> None:
        self._prompt = Prompt(settings)
        if self._prompt.layout.answer == "ids":
            raise BadInput(
                f"The template '{settings.template}' answers by the numbers of a suite's actions, and training data "
                "have subtasks: use another one, such as --template embodiedbench."
            )
        self._settings = settings
        self.remembers = max(settings.chat_turns, settings.past_images)
        self.sees = settings.images
        self.uses_wrist_camera = settings.hand and settings.images

    def ask(self, planner_input: PlannerInput, earlier: Sequence[Answered] = ()) -> Sequence[Message]:
        turns: list[Turn] = []
        for earlier_turn, answer in earlier[-self.remembers :] if self.remembers else ():
            turns.append(self._prompt.request(earlier_turn, turns)[1].answered(answer))
        return self._prompt.request(planner_input, turns)[0].messages

    def answer(
        self,
        subtask: Subtask,
        model: str = "",
        analysis: str | None = None,
        *,
        report: Report = "",
        answer: str = "",
    ) -> str:
        head = self._prompt.template.head
        shown_analysis = analysis if head.analysis else None
        return write_answer(head.answer, (subtask,), model=model, analysis=shown_analysis, report=report, answer=answer)

    def read(self, text: str, planner_input: PlannerInput) -> Decision:
        try:
            reading = self._prompt.read(text, planner_input)
        except UnlistedName as unlisted:
            reading = unlisted.reading
            return replace(reading.decision(text), problem=str(unlisted))
        except UnreadableAnswer as unread:
            return Decision((), raw=text, problem=str(unread))
        return reading.decision(text)

    def describe(self) -> Mapping[str, object]:
        return {"prompt": self._prompt.describe(), "settings": self._settings.model_dump(mode="json")}
