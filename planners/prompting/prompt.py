"""From what the robot knows to a request: the six-part instruction of EMMOE (equation 4), by a template.

PlannerInput --situation (text, pictures)--> template --> system message, earlier turns, this round
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from homie.errors import BadInput
from homie.types import VIEWS, Image, PlannerInput, in_sight
from perception.boxes import Marked, in_order, mark
from planners.answers import Layout, how
from planners.messages import Message, Request
from planners.prompting.examples import Example, load_examples
from planners.prompting.pictures import shrink
from planners.prompting.settings import PromptSettings
from planners.prompting.templates import Template, load_template
from planners.reading import Reading, Unreadable, chosen_rules, read
from planners.schemas import decision_schema

EXAMPLES = 6
"""In-context examples where the settings do not say how many. With fewer the fixed part of the built-in prompts has
less than 1,024 tokens, the least that providers keep in their caches (docs/endpoints.md)."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One view as a template sees it: its name, and the names in it (`apple`, with boxes `3: apple`)."""

    name: str
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One round as it was asked, to be told again later: the text, the pictures in `VIEWS` order, the answer."""

    text: str
    pictures: Mapping[str, Image]
    answer: str = ""

    def answered(self, answer: str) -> Turn:
        """The turn with what the model said; "" where it could not be read."""
        return replace(self, answer=answer)


class Prompt:
    """A template with its switches. Raises BadInput for a template or examples that can not be used."""

    def __init__(self, settings: PromptSettings) -> None:
        self.settings = settings
        self.template: Template = load_template(settings.template)
        self.examples = load_examples(self.template.head.examples, self.template.folder)
        have = len(self.examples.all)
        if (settings.examples or 0) > have:
            raise BadInput(
                f"The template '{self.template.name}' has {have or 'no'} examples, {settings.examples} were asked for: "
                f"use --set examples={have}."
            )
        if settings.reading == "strict-emmoe" and self.template.answer != "text":
            raise BadInput(
                f"The reading strict-emmoe is for answers as text, and the template '{self.template.name}' asks for "
                f"{self.template.answer}: use --template emmoe-text."
            )
        self._leniencies = chosen_rules(settings.leniencies)
        self._number = min(EXAMPLES, have) if settings.examples is None else settings.examples

    @property
    def layout(self) -> Layout:
        """How answers are written, and by which profile they are read."""
        return Layout(self.template.answer, self.settings.reading)

    def request(self, given: PlannerInput, earlier: Sequence[Turn] = ()) -> tuple[Request, Turn]:
        """The question of this round and the turn to keep of it. `earlier`: the turns of the rounds before, in order.

        Images are scaled, then marked; the numbers drawn are the numbers in the list of names.
        """
        pictures = self._pictures(given)
        marked = self._marked(given, pictures)
        told = self.told(given, marked)
        turn = Turn(self.template.render("user", told), pictures)
        kept = _last(earlier, self.settings.chat_turns)
        shown = _last(earlier, self.settings.past_images)
        messages = [Message("system", (self.template.render("system", told),))]
        for one in kept:
            if one.answer:
                again = one.pictures if any(one is other for other in shown) else {}
                messages.append(Message("user", (*self._captioned(again, 0), one.text)))
                messages.append(Message("assistant", (one.answer,)))
        past: list[str | Image] = []
        for ago, one in zip(range(len(shown), 0, -1), shown, strict=True):
            if not (one.answer and any(one is other for other in kept)):
                past += self._captioned(one.pictures, ago)
        messages.append(Message("user", (*past, *self._captioned(marked.pictures, 0), turn.text)))
        schema = decision_schema(self.template.answer, given.actions, given.models, given.arguments)
        return Request(tuple(messages), schema), turn

    def read(self, text: str, given: PlannerInput) -> Reading:
        """What an answer says. Raises Unreadable, also for an example of the prompt that comes back word for word."""
        reading = read(text, self.layout, given.actions, given.models, given.arguments, self._leniencies)
        shown = [one.analysis for one in self.fitting(given)] if self.settings.reading == "homie" else []
        if reading.analysis and any(analysis in reading.analysis for analysis in shown):
            raise Unreadable(f"The answer is an example of the instructions. {how(self.layout.answer)}")
        return reading

    def describe(self) -> dict[str, object]:
        """Name, version and SHA-256 of the template and of its examples."""
        head = self.template.head
        examples = {"name": self.examples.name, "sha256": self.examples.sha256} if self.examples.name else None
        return {
            "template": head.name,
            "version": head.version,
            "sha256": self.template.sha256,
            "answer": head.answer,
            "examples": examples,
        }

    def texts(self) -> dict[str, str]:
        """The template and its examples, by their SHA-256."""
        made = {self.template.sha256: self.template.text, self.examples.sha256: self.examples.text}
        return {digest: text for digest, text in made.items() if digest}

    def told(self, given: PlannerInput, marked: Marked) -> dict[str, object]:
        """What a template may use."""
        return {
            "task": given.task,
            "round": given.round,
            "inventory": given.inventory_text,
            "history": given.history_text,
            "feedback": "None" if given.feedback is None else given.feedback.message,
            "actions": given.actions,
            "models": given.models,
            "listing": given.listing,
            "views": self._sights(given, marked) if self.settings.listed else (),
            "images": self.settings.images,
            "boxes": self.settings.boxes and self.settings.images,
            "past_images": self.settings.past_images,
            "examples": self._shown_examples(given),
        }

    def _shown_examples(self, given: PlannerInput) -> list[dict[str, object]]:
        model = given.models[0] if given.models else ""
        return [self._example(one, model) for one in self.fitting(given)]

    def fitting(self, given: PlannerInput) -> list[Example]:
        """The examples that are shown: those whose actions there are, as many as the settings say."""
        return [one for one in self.examples.all if one.uses(given.actions)][: self._number]

    def _example(self, one: Example, model: str) -> dict[str, object]:
        return {**one.situation(), "answer": one.answer(self.template.answer, model)}

    def _marked(self, given: PlannerInput, pictures: Mapping[str, Image]) -> Marked:
        """What is in sight with its numbers, and the pictures with the same. They belong to this round only."""
        if not (self.settings.boxes and self.settings.images):
            return Marked({}, pictures)
        things = [one for one in in_sight(given.detections) if one.part != "floor"]
        widths = {view: picture.shape[1] for view, picture in given.views.items()}
        return mark(pictures, things if given.listing else in_order(things, VIEWS), widths=widths)

    def _sights(self, given: PlannerInput, marked: Marked) -> tuple[Sight, ...]:
        """The names in each view: with their numbers in the order of these, then those without."""
        numbered = {id(one) for one in marked.things.values()}
        sights = []
        for view in VIEWS:
            seen = [one for one in in_sight(given.detections) if one.view == view]
            bare = [one.name for one in seen if id(one) not in numbered]
            sights.append(Sight(view, tuple(dict.fromkeys([*marked.listed(view), *bare]))))
        return tuple(sights)

    def _pictures(self, given: PlannerInput) -> dict[str, Image]:
        if not self.settings.images:
            return {}
        return {view: shrink(given.views[view], self.settings.image_size) for view in VIEWS if view in given.views}

    def _captioned(self, pictures: Mapping[str, Image], ago: int) -> list[str | Image]:
        parts: list[str | Image] = []
        for view, picture in pictures.items():
            caption = self.template.render("view", {"view": view, "ago": ago})
            parts += [caption, picture] if caption else [picture]
        return parts


def _last(turns: Sequence[Turn], number: int) -> Sequence[Turn]:
    return turns[-number:] if number else ()
