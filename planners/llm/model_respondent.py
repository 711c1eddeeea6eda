"""Plain questions to the model of a model planner: with its endpoint and pictures, without its prompts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.interfaces import Planner
from homie.kernel.interfaces.prompts import Message, PlainQuestion, Respondent, VerbatimAnswer
from homie.kernel.types import Image
from planners.llm.messages import Reply, Request
from planners.llm.model_planner import ModelPlanner
from planners.llm.prompting.image_scaling import shrink


class ModelRespondent(Respondent):
    """Asks in one user message: the pictures, then the text. The planner's settings `images` and `image_size` apply, so
    `--set images=false` gives the text-only baseline. Raises BadInput for a planner without a model."""

    def __init__(self, planner: Planner) -> None:
        if not isinstance(planner, ModelPlanner):
            name = type(planner).__name__
            raise BadInput(f"{name} has no language model to be asked questions: give another, such as chat:MODEL.")
        self._planner = planner
        self._had_text = self._warned = False

    def answer(self, question: PlainQuestion) -> VerbatimAnswer:
        settings, model = self._planner.settings, self._planner.model
        model.reset(seed=0)  # the budget is per question here, per episode elsewhere
        parts: list[str | Image] = []
        if settings.images:
            parts += [shrink(picture, settings.image_size) for picture in question.pictures]
        reply = model.complete(Request((Message("user", (*parts, question.text)),)))
        self._check(reply, question.id)
        return VerbatimAnswer(reply.text, reply.input_tokens, reply.output_tokens, reply.cost)

    def _check(self, reply: Reply, question: str) -> None:
        """Warn of a reply without text, which counts as a wrong answer.

        Raises PlannerError if no reply so far has had any text, unless the model declined: then endpoint or settings
        are at fault, and no question should be scored.
        """
        if reply.text.strip():
            self._had_text = True
            return
        trouble = f"The model's reply to the question '{question}' has no text"
        advice = self._planner.model.advice(reply) or "See the log of its endpoint."
        if not self._had_text and reply.finish != "refusal":
            raise PlannerError(f"{trouble}, and no other had any. {advice}")
        if not self._warned:
            self._warned = True
            warnings.warn(f"{trouble}: it counts as an answer that is wrong. {advice}", stacklevel=3)

    def describe(self) -> Mapping[str, object]:
        settings = self._planner.settings
        described_settings = {"images": settings.images, "image_size": settings.image_size}
        return {"model": self._planner.model.describe(), "settings": described_settings}
