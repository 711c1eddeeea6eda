"""Plain questions to the model of a model planner: its endpoint, its pictures, none of its prompts."""

from __future__ import annotations

from collections.abc import Mapping

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.planning.prompts import Message
from homie.kernel.planning.respondents import PlainQuestion, Respondent, Said
from homie.kernel.types import Image
from planners.llm.brain import ModelPlanner
from planners.llm.messages import Request
from planners.llm.prompting.pictures import shrink


class ModelRespondent(Respondent):
    """Asks in one user message: the pictures, then the text. Settings `images` and `image_size` of the planner hold
    here too, so `--set images=false` is the text-only row. Raises BadInput for a planner without a model."""

    def __init__(self, planner: Planner) -> None:
        if not isinstance(planner, ModelPlanner):
            name = type(planner).__name__
            raise BadInput(f"{name} has no language model to be asked questions: give another, such as chat:MODEL.")
        self._planner = planner

    def answer(self, question: PlainQuestion) -> Said:
        settings, model = self._planner.settings, self._planner.model
        model.reset(seed=0)  # limits of cost are for one question, as they are for one episode elsewhere
        parts: list[str | Image] = []
        if settings.images:
            parts += [shrink(picture, settings.image_size) for picture in question.pictures]
        reply = model.complete(Request((Message("user", (*parts, question.text)),)))
        return Said(reply.text, reply.input_tokens, reply.output_tokens, reply.cost)

    def describe(self) -> Mapping[str, object]:
        settings = self._planner.settings
        shown = {"images": settings.images, "image_size": settings.image_size}
        return {"model": self._planner.model.describe(), "settings": shown}
