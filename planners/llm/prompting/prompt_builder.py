"""From the planner's input to a request: the six-part instruction of EMMOE (equation 4), by a template.

PlannerInput --situation (text, pictures)--> template --> system message, earlier turns, this round
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from homie.kernel.actions import ACTIONS
from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Message
from homie.kernel.knowledge import Knowledge
from homie.kernel.types import VIEWS, ErrorCode, HistoryItem, Image, PlannerInput, Subtask, in_sight
from perception.numbered_boxes import NumberedBoxes, draw_marks, in_order, mark
from planners.llm.answer_formats import Layout, format_instruction
from planners.llm.messages import Request
from planners.llm.numbered_choices import by_number, choice_lines, read_ids
from planners.llm.prompting.examples import Example, load_examples, load_picture
from planners.llm.prompting.image_scaling import crop, shrink, small_things
from planners.llm.prompting.memory_lines import brief_lines, count_names, known_names, memory_lines, room_lines
from planners.llm.prompting.schemas import decision_schema
from planners.llm.prompting.settings import PromptSettings
from planners.llm.prompting.templates import Template, load_template
from planners.llm.reading import Reading, UnreadableAnswer, parse_rules, read

HAND = "hand"
"""Name of the picture of the wrist camera."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One view for a template: its name, and the names in it (`apple`, `2 x chair`, with boxes `3: apple`)."""

    name: str
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One round of a conversation, kept to be shown again in later rounds.

    Attributes:
        pictures: In `VIEWS` order, then that of the wrist camera.
        answer: The model's answer, "" if it could not be parsed.
        again: The text for later rounds, without the knowledge of the home that every round repeats; "" if earlier
            rounds are not shown.
    """

    text: str
    pictures: Mapping[str, Image]
    answer: str = ""
    again: str = ""

    def answered(self, answer: str) -> Turn:
        """Return the turn with the model's answer; "" if it could not be parsed."""
        return replace(self, answer=answer)


class Prompt:
    """A template with its settings. Raises BadInput for a template or examples that cannot be used."""

    def __init__(self, settings: PromptSettings) -> None:
        self.settings = settings
        self.template: Template = load_template(settings.template)
        self.examples = load_examples(self.template.head.examples, self.template.folder)
        number = len(self.examples.all)
        if (settings.examples or 0) > number:
            raise BadInput(
                f"The template '{self.template.name}' has {number or 'no'} examples, {settings.examples} were asked "
                f"for: use --set examples={number}."
            )
        if settings.reading == "strict-emmoe" and self.template.answer != "text":
            raise BadInput(
                f"The reading strict-emmoe is for answers as text, and the template '{self.template.name}' asks for "
                f"{self.template.answer}: use --template emmoe-text."
            )
        by_number = self.template.answer == "ids"
        if self.examples.all and any(bool(example.numbers) != by_number for example in self.examples.all):
            raise BadInput(
                f"The template '{self.template.name}' asks for {'numbers' if by_number else 'no numbers'}, and its"
                f" examples '{self.examples.name}' are {'not' if by_number else 'all or in part'} by number."
            )
        picture_names = [example.picture for example in self.examples.all if example.picture]
        if settings.example_images and not picture_names:
            raise BadInput(
                f"The template '{self.template.name}' has no examples with pictures: leave example_images out, or use"
                " --template embodiedbench-arm or embodiedbench-nav."
            )
        self._loaded_pictures = (
            {name: load_picture(name, self.template.folder) for name in picture_names}
            if settings.example_images
            else {}
        )
        self.leniencies = parse_rules(settings.leniencies)

    @property
    def layout(self) -> Layout:
        """Format of the answers, and the profile by which they are parsed."""
        return Layout(self.template.answer, self.settings.reading)

    def request(self, planner_input: PlannerInput, earlier: Sequence[Turn] = ()) -> tuple[Request, Turn]:
        """Return the request of this round and its turn for later rounds. `earlier`: the turns of earlier rounds.

        Images are scaled, then marked; the drawn numbers are those in the list of names.
        """
        pictures = self._pictures(planner_input)
        marked = self._marked(planner_input, pictures)
        variables = self.variables(planner_input, marked)
        kept_later = self.settings.chat_turns > 0
        reminder = self.template.render("user", {**variables, "rooms": (), "memory": ()}) if kept_later else ""
        latest = Turn(self.template.render("user", variables), pictures, again=reminder)
        current_pictures = {**marked.pictures, **self._crops(planner_input)}
        kept_turns = _last_turns(earlier, self.settings.chat_turns)
        pictured_turns = _last_turns(earlier, self.settings.past_images)
        messages = [Message("system", (self.template.render("system", variables),))]
        first = self._example_pictures(planner_input)
        for turn in kept_turns:
            if turn.answer:
                shown_again = turn.pictures if any(turn is other for other in pictured_turns) else {}
                messages.append(Message("user", (*first, *self._add_captions(shown_again, 0), turn.again)))
                first = []
                messages.append(Message("assistant", (turn.answer,)))
        past_parts: list[str | Image] = []
        for ago, turn in zip(range(len(pictured_turns), 0, -1), pictured_turns, strict=True):
            if not (turn.answer and any(turn is other for other in kept_turns)):
                past_parts += self._add_captions(turn.pictures, ago)
        messages.append(Message("user", (*first, *past_parts, *self._add_captions(current_pictures, 0), latest.text)))
        actions, models, arguments = planner_input.actions, planner_input.models, planner_input.arguments
        head = self.template.head
        targets = known_names(planner_input) if self.settings.targets == "known" else ()
        schema = decision_schema(head.answer, actions, models, arguments, analysis=head.analysis, targets=targets)
        return Request(tuple(messages), schema, useless=_useless_steps(planner_input.history)), latest

    def read(self, text: str, planner_input: PlannerInput, leniencies: Collection[str] | None = None) -> Reading:
        """Parse an answer with the leniencies of the settings, restricted to `leniencies` if given. Raises
        UnreadableAnswer, also for an answer that repeats an example of the prompt verbatim."""
        allowed = self.leniencies if leniencies is None else self.leniencies.intersection(leniencies)
        if self.layout.answer == "ids":
            reading = read_ids(text, planner_input.choices, allowed, quirks=planner_input.quirks)
        else:
            reading = read(
                text,
                self.layout,
                planner_input.actions,
                () if self.layout.answer == "poses" else planner_input.models,  # poses have no field for a model
                planner_input.arguments,
                allowed,
                words=planner_input.words,
            )
        reads_examples = self.settings.reading == "homie" and planner_input.quirks.explains
        analyses = [example.analysis for example in self.fitting(planner_input)] if reads_examples else []
        if reading.analysis and any(analysis in reading.analysis for analysis in analyses):
            raise UnreadableAnswer(
                f"The answer is an example of the instructions. {format_instruction(self.layout.answer)}"
            )
        return reading

    def describe(self) -> dict[str, object]:
        """Return name, version and SHA-256 of the template and of its examples."""
        head = self.template.head
        pictures = (
            {"pictures": {name: digest for name, (_, digest) in self._loaded_pictures.items()}}
            if self._loaded_pictures
            else {}
        )
        examples = (
            {"name": self.examples.name, "sha256": self.examples.sha256, **pictures} if self.examples.name else None
        )
        return {
            "template": head.name,
            "version": head.version,
            "sha256": self.template.sha256,
            "answer": head.answer,
            "examples": examples,
        }

    def texts(self) -> dict[str, str]:
        """Return the texts of the template and its examples, by their SHA-256."""
        texts = {self.template.sha256: self.template.text, self.examples.sha256: self.examples.text}
        return {digest: text for digest, text in texts.items() if digest}

    def variables(self, planner_input: PlannerInput, marked: NumberedBoxes) -> dict[str, object]:
        """Return the variables of a template."""
        settings, known = self.settings, planner_input.knowledge
        planner_input = by_number(planner_input)
        rooms, memory = self._section_flags(planner_input)
        last = planner_input.history[-1] if planner_input.history else None
        return {
            "task": planner_input.task,
            "round": planner_input.round,
            "inventory": planner_input.inventory_text,
            "history": _history(planner_input) if settings.reasons else planner_input.history_text,
            "brief_history": [
                _brief(item, _place_now(item, known) if item is last else "", reasons=settings.reasons or item is last)
                for item in planner_input.history
            ],
            "feedback": "None" if planner_input.feedback is None else planner_input.feedback.message,
            "actions": planner_input.actions,
            "models": planner_input.models,
            "abilities": planner_input.abilities,
            "explanations": planner_input.explanations,
            "setting": known.setting,
            "listing": planner_input.listing,
            "choices": choice_lines(planner_input.choices),
            "reports": planner_input.reports,
            "names": settings.listed,
            "views": self._sights(planner_input, marked)
            if settings.listed and (planner_input.detections or not settings.images)
            else (),
            "rooms": room_lines(known) if rooms else (),
            "memory": memory_lines(known, planner_input.round) if memory else (),
            "brief_memory": brief_lines(known) if memory else (),
            "tells_rooms": rooms,
            "tells_memory": memory,
            "images": settings.images,
            "boxes": settings.boxes and settings.images,
            "hand": settings.hand and settings.images,
            "crops": settings.crops if settings.images else 0,
            "past_images": settings.past_images,
            "examples": [self._example(example, planner_input) for example in self.fitting(planner_input)],
        }

    def fitting(self, planner_input: PlannerInput) -> list[Example]:
        """Return the examples to show: those that fit the setting and the available actions, up to the configured
        number."""
        rooms, _ = self._section_flags(planner_input)
        setting = planner_input.knowledge.setting
        choice_names = [choice.name for choice in planner_input.choices]
        fit = [
            example
            for example in self.examples.all
            if example.fits(planner_input.actions, setting, doorways=rooms, listed=choice_names)
        ]
        return fit[: self.settings.examples]

    def _section_flags(self, planner_input: PlannerInput) -> tuple[bool, bool]:
        """Return whether the prompt has rooms and doorways, and remembered objects: neither without a setting."""
        known = bool(planner_input.knowledge.setting)
        return self.settings.rooms and known, self.settings.memory and known

    def _example(self, example: Example, planner_input: PlannerInput) -> dict[str, object]:
        sections = dict(zip(("rooms", "memory"), self._section_flags(planner_input), strict=True))
        empty_sections: dict[str, object] = {name: [] for name, is_wanted in sections.items() if not is_wanted}
        return {
            **example.situation(),
            **empty_sections,
            "answer": example.answer(
                self.template.answer, planner_input.models, planner_input.abilities, reports=planner_input.reports
            ),
        }

    def _marked(self, planner_input: PlannerInput, pictures: Mapping[str, Image]) -> NumberedBoxes:
        """Number the objects in sight and draw the numbers on the pictures. They are valid for this round only."""
        if not (self.settings.boxes and self.settings.images):
            return NumberedBoxes({}, pictures)
        things = [detection for detection in in_sight(planner_input.detections) if not detection.is_room]
        widths = {view: picture.shape[1] for view, picture in planner_input.views.items()}
        return mark(pictures, things if planner_input.listing else in_order(things, VIEWS), widths=widths)

    def _sights(self, planner_input: PlannerInput, marked: NumberedBoxes) -> tuple[Sight, ...]:
        """Return the names in each view: the numbered by number, then the others."""
        numbers = {id(detection) for detection in marked.things.values()}
        sights = []
        for view in [view for view in VIEWS if view in planner_input.views] or VIEWS:
            visible_detections = [
                detection for detection in in_sight(planner_input.detections) if detection.view == view
            ]
            bare = [detection.called for detection in visible_detections if id(detection) not in numbers]
            sights.append(Sight(view, (*marked.listed(view), *count_names(bare))))
        return tuple(sights)

    def _pictures(self, planner_input: PlannerInput) -> dict[str, Image]:
        if not self.settings.images:
            return {}
        camera_pictures = {view: planner_input.views[view] for view in VIEWS if view in planner_input.views}
        if self.settings.hand and planner_input.hand is not None:
            camera_pictures[HAND] = planner_input.hand
        return {view: shrink(picture, self.settings.image_size) for view, picture in camera_pictures.items()}

    def _example_pictures(self, planner_input: PlannerInput) -> list[str | Image]:
        """Return the pictures of the examples with the number of each example, marked if this round's are."""
        if not self.settings.images:
            return []
        return [
            part
            for number, example in enumerate(self.fitting(planner_input), 1)
            if example.picture in self._loaded_pictures
            for part in (f"Picture of example {number}:", self._example_picture(example))
        ]

    def _example_picture(self, example: Example) -> Image:
        loaded_picture, _ = self._loaded_pictures[example.picture]
        picture = shrink(loaded_picture, self.settings.image_size)
        boxes = dict(enumerate(example.boxes, 1)) if self.settings.boxes else {}
        return draw_marks(picture, boxes, picture.shape[1] / loaded_picture.shape[1])

    def _crops(self, planner_input: PlannerInput) -> dict[str, Image]:
        """Return enlarged crops of small objects, from the robot's original pictures, by caption."""
        if not self.settings.images:
            return {}
        things = [detection for detection in in_sight(planner_input.detections) if not detection.is_room]
        cropped_detections = small_things(things, planner_input.views, planner_input.task, self.settings.crops)
        return {
            f"{detection.called} ({detection.view}), enlarged": crop(planner_input.views[detection.view], detection)
            for detection in cropped_detections
        }

    def _add_captions(self, pictures: Mapping[str, Image], ago: int) -> list[str | Image]:
        parts: list[str | Image] = []
        for view, picture in pictures.items():
            caption = self.template.render("view", {"view": view, "ago": ago})
            parts += [caption, picture] if caption else [picture]
        return parts


def _useless_steps(history: Sequence[HistoryItem]) -> tuple[Subtask, ...]:
    """Return subtasks without an effect now: the last if it succeeded, and those that a check has refused since the
    last success. Actions beyond EMMOE's may have an effect when repeated."""
    refused_subtasks: list[Subtask] = []
    for item in reversed(history):
        if item.feedback.ok:
            return (item.subtask, *refused_subtasks) if item.subtask.action in ACTIONS else tuple(refused_subtasks)
        if item.feedback.code is not None and item.feedback.code not in (ErrorCode.E1, ErrorCode.E2):
            refused_subtasks.append(item.subtask)
    return tuple(refused_subtasks)


def _history(planner_input: PlannerInput) -> str:
    """Return the history with the reasons of failures, except for the last subtask, whose reason is the feedback."""
    earlier, last = planner_input.history[:-1], planner_input.history[-1:]
    return " ".join([*(_item_with_reason(item) for item in earlier), *map(str, last)]) or "None"


def _item_with_reason(item: HistoryItem) -> str:
    """Return a round of the history with its feedback message, if any; that of a success begins with None."""
    reason = _failure_text(item)
    return f"({item.number}) {item.subtask}({item.feedback.status}{': ' if reason else ''}{reason})"


def _failure_text(item: HistoryItem) -> str:
    return item.feedback.message.removeprefix("None").removeprefix(", ").rstrip(".")


def _place_now(item: HistoryItem, known: Knowledge) -> str:
    """Return the place of the object to which the robot went: `on shelf`."""
    if item.subtask.action != "Go to" or not item.feedback.ok:
        return ""
    places = (remembered.place for remembered in known.remembered if remembered.name == item.subtask.target)
    return next(places, "").replace(" the ", " ")


def _brief(item: HistoryItem, place: str, *, reasons: bool) -> str:
    """Return a round of the history in few words: `Go to apple on shelf`, `Pick apple (fail: it is too far)`."""
    subtask, reason = item.subtask, _failure_text(item) if reasons else ""
    words = ", ".join(filter(None, (subtask.target, subtask.destination)))
    result = ": ".join(filter(None, ("fail" if item.feedback.status == "fail" else "", reason)))
    return " ".join(filter(None, (subtask.action, words, place, f"({result})" if result else "")))


def _last_turns(turns: Sequence[Turn], number: int) -> Sequence[Turn]:
    return turns[-number:] if number else ()
