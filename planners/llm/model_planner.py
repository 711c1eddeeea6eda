"""The model planner: one round of any language model, from the planner's input to a decision.

PlannerInput --prompt--> Request --model--> Reply --parsing--> Decision
                            ^                 | unreadable
                            +-- the problem --+   (a bounded number of times)
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.interfaces.prompts import Message
from homie.kernel.pose_action import MOVE
from homie.kernel.types import Answer, Decision, PlannerInput
from planners.llm.answer_formats import format_instruction
from planners.llm.messages import BESIDE, ODD_END, LanguageModel, Reply, Request
from planners.llm.prompting.prompt_builder import Prompt, Turn
from planners.llm.prompting.settings import PromptSettings
from planners.llm.reading import FORMAL, Reading, UnlistedName, UnreadableAnswer

__all__ = ["ModelPlanner", "PromptSettings"]

MAX_ECHO = 4000
"""Maximum characters of an answer that is shown to the model again."""
_FINISH_PROBLEMS = {
    "length": "Your answer was cut off before its end. Answer again and be brief.",
    "refusal": "You declined to answer. Nothing but the next step of a household robot is asked for: answer again.",
    "unknown": "Your answer ended in a way that is not known, so it may not be whole. Answer again.",
}
_THOUGHTS_ONLY = "Your thoughts took all the tokens that you have, and no answer came. Think briefly and answer again."


class ModelPlanner(Planner):
    """Asks a language model. Subclasses create the model from their argument and settings.

    After an answer that cannot be parsed, or that names an unlisted action or model, the model is asked again with an
    explanation of the problem, at most `reasks` times; then the episode continues with F1 feedback. No action is ever
    made up. Every answer is in `Decision.answers`, with the leniencies by which it was parsed.
    """

    Settings: ClassVar[type[BaseModel] | None] = PromptSettings

    def __init__(self, model: LanguageModel, settings: PromptSettings) -> None:
        self.model = model
        self.settings = settings
        self.prompt = Prompt(settings)
        self.uses_wrist_camera = settings.hand and settings.images
        self._given_advice: set[str] = set()
        self._turns: deque[Turn] = deque(maxlen=max(settings.chat_turns, settings.past_images))

    def reset(self, task: str, *, seed: int) -> None:
        self._turns.clear()
        self.model.reset(seed=seed)

    def decide(self, planner_input: PlannerInput) -> Decision:
        """Return the next decision (EMMOE, section 4.2).

        Raises PlannerError if the model gives no answer at all, and BadInput for a template that does not fit the
        suite: by number without numbered actions, by name with them, or by pose without an action for poses.
        """
        self._check_numbers(planner_input)
        request, turn = self.prompt.request(planner_input, tuple(self._turns))
        system = "".join(part for part in request.messages[0].parts if isinstance(part, str))
        decision = replace(self._ask(request, planner_input), system=system, question=turn.text)
        self._turns.append(turn.answered("" if decision.problem else _echo(decision.raw)))
        return decision

    def _check_numbers(self, planner_input: PlannerInput) -> None:
        """Raise BadInput if the template does not fit the available actions."""
        by_number, name = self.prompt.layout.answer == "ids", self.prompt.template.name
        if by_number and not planner_input.choices:
            raise BadInput(
                f"The template '{name}' is for suites with numbered actions, and here is no list of them: use another "
                "one, such as --template embodiedbench, or play such a suite, as `homie bench homie-eb-house`."
            )
        if planner_input.choices and not by_number:
            raise BadInput(
                f"The actions of this suite are numbered, and the template '{name}' asks for their names: use "
                "--template embodiedbench-ids, or embodiedbench-nav where they are small steps."
            )
        if self.prompt.layout.answer == "poses" and MOVE not in planner_input.actions:
            raise BadInput(
                f"The template '{name}' asks for poses of an arm, and no skill here goes to poses: use another one, "
                "or --robot franka."
            )

    def describe(self) -> Mapping[str, object]:
        described_settings = self.settings.model_dump(mode="json", include=set(PromptSettings.model_fields))
        return {"prompt": self.prompt.describe(), "settings": described_settings, "model": self.model.describe()}

    def texts(self) -> Mapping[str, str]:
        return self.prompt.texts()

    def _ask(self, request: Request, planner_input: PlannerInput) -> Decision:
        answers: list[Answer] = []
        messages = request.messages
        reasks = self.settings.reasks if planner_input.quirks.explains else 0
        while True:
            start = time.perf_counter()
            reply = self.model.complete(replace(request, messages=messages))
            seconds = time.perf_counter() - start
            text = reply.text if reply.text.strip() else reply.reasoning
            try:
                reading = self._read(reply, text, planner_input)
            except UnreadableAnswer as unread:
                problem = str(unread)
                answers.append(_answer(reply, problem, seconds))
                advice = "" if isinstance(unread, UnlistedName) else self._advise(reply)
                if len(answers) > reasks:
                    return _final_decision(unread, reply.text, tuple(answers), advice)
                messages = (*messages, Message("assistant", (_echo(reply.text),)), Message("user", (problem,)))
                continue
            answers.append(_answer(reply, "", seconds, reading.leniencies))
            return replace(reading.decision(text), answers=tuple(answers))

    def _read(self, reply: Reply, text: str, planner_input: PlannerInput) -> Reading:
        """Parse a reply. Raises UnreadableAnswer, without parsing for a truncated or declined answer.

        Args:
            reply: The reply.
            text: Its text, or its reasoning if it has no text. Reasoning, and text with an unknown finish reason, are
                parsed only if they are one complete answer.
            planner_input: That of `decide`.
        """
        if planner_input.quirks.reads:
            return self.prompt.read(reply.text, planner_input)  # whatever its finish reason
        if reply.finish in ("length", "refusal"):
            thoughts_only = reply.finish == "length" and not reply.text.strip() and text
            raise UnreadableAnswer(_THOUGHTS_ONLY if thoughts_only else _FINISH_PROBLEMS[reply.finish])
        rules = [*reply.leniencies]
        rules += [BESIDE] if text is not reply.text else []
        rules += [ODD_END] if reply.finish == "unknown" else []
        is_complete = text is not reply.text or reply.finish == "unknown"
        if is_complete and self.prompt.layout.profile == "strict-emmoe":
            text, rules, is_complete = reply.text, [], False
        try:
            if reply.finish == "unknown" and self.prompt.layout.answer == "text":
                raise UnreadableAnswer(_FINISH_PROBLEMS["unknown"])  # free text does not show whether it was cut off
            reading = self.prompt.read(text, planner_input, FORMAL if is_complete else None)
        except UnlistedName:
            raise
        except UnreadableAnswer:
            if text is not reply.text:
                self.prompt.read(reply.text, planner_input)  # raises UnreadableAnswer: there is no answer
            if is_complete and reply.text.strip():
                raise UnreadableAnswer(_FINISH_PROBLEMS["unknown"]) from None
            raise
        if forbidden := [rule for rule in rules if rule not in self.prompt.leniencies]:
            raise UnreadableAnswer(
                f"The answer does not have the form that was asked for ({forbidden[0]} is not read). "
                f"{format_instruction(self.prompt.layout.answer)}"
            )
        return replace(reading, leniencies=(*dict.fromkeys((*rules, *reading.leniencies)),))

    def _advise(self, reply: Reply) -> str:
        """Return the model's advice about an unreadable reply, and warn with it once."""
        advice = self.model.advice(reply)
        if advice and advice not in self._given_advice:
            self._given_advice.add(advice)
            warnings.warn(advice, stacklevel=2)
        return advice


def _final_decision(unread: UnreadableAnswer, text: str, answers: tuple[Answer, ...], advice: str) -> Decision:
    """Return the decision after the last unreadable answer. An unlisted action or model is left to the executor, which
    refuses it with the usual feedback (F1); any other problem gives a decision without subtasks."""
    if isinstance(unread, UnlistedName):
        reading = unread.reading
        return replace(reading.decision(text), answers=answers)
    return Decision((), raw=text, problem=str(unread), answers=answers, advice=advice)


def _answer(reply: Reply, problem: str, seconds: float, leniencies: tuple[str, ...] = ()) -> Answer:
    return Answer(
        reply.text,
        reply.reasoning,
        problem,
        reply.input_tokens,
        reply.output_tokens,
        reply.cost,
        reply.cached,
        round(seconds, 6),
        reply.cache_read_tokens,
        leniencies,
        reply.asked,
    )


def _echo(text: str) -> str:
    """Return a model's answer as shown to it again: never empty and without lone surrogates, which endpoints refuse,
    and truncated, as an endless answer would cost twice."""
    echoed = text[:MAX_ECHO].encode("utf-8", "replace").decode()
    if not echoed.strip():
        return "(empty)"
    return echoed if len(text) <= MAX_ECHO else f"{echoed} ..."
