"""Questions from a chore in stages: the next step, past steps, and failures.

Skills are ideal: the state of the world is set, nothing moves. Failures are injected: a step is left out, or the object
is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from homie.kernel.types import Subtask
from homie.kernel.world import thresholds
from suites.questions.making.numbered_marks import beside
from suites.questions.making.picture_contents import Sight
from suites.questions.making.question_unit import Keep, Unit, contrast
from suites.questions.written_plans import SKILLS, written_step

PERCEPTION, PLANNING, FAILURE = "perception_reasoning", "generalized_planning", "failure_analysis"
CHANGED = 0.05
"""Minimum share of the pixels that an open door has to change, so that a person sees it."""
DIFFERENT = 24
"""Minimum difference of a changed pixel in levels of 255, above the shading of one wall."""
CAMERAS = "The picture shows what the robot's head sees, and on the right what the camera at its hand sees."


@dataclass(frozen=True, slots=True)
class Stage:
    """One moment of a chore: the views of the head and hand cameras."""

    head: Sight
    hand: Sight

    def kept(self, keep: Keep) -> str:
        """Head and hand view in one picture, stored; the name of its file."""
        return keep(beside(self.head.picture, self.hand.picture))

    def holds(self, name: str) -> bool:
        """Whether the robot holds the object and it can be seen: by state and by pixels."""
        return self.hand.world.held == name and (self.hand.shows(name) or self.head.shows(name))

    @property
    def empty(self) -> bool:
        """Whether the hand is empty."""
        return self.hand.world.held is None


@dataclass(frozen=True, slots=True)
class Chore:
    """An object is put into a closed piece of furniture. stages by name: `closed` and `open` (before it, with an empty
    hand), `before` and `picked` (at the object's place), `brought`, `inside`, `shut` (closed again), `dropped`."""

    item: str
    container: str
    item_words: str
    container_words: str
    stages: Mapping[str, Stage]
    source: str


def chores(chore: Chore, keep: Keep) -> Iterator[Unit]:
    """All questions that the stages allow."""
    sound = {name for name in chore.stages if _sound(chore, name)}
    for maker, needs in _MAKERS:
        if set(needs) <= sound:
            yield from maker(chore, {name: (chore.stages[name].kept(keep),) for name in needs})


def _sound(chore: Chore, name: str) -> bool:
    """Whether a stage has the state of its name, and shows it."""
    stage, item, container = chore.stages[name], chore.item, chore.container
    head = stage.head
    fractions = [joint.fraction for joint in head.world.joints.values() if joint.receptacle == container]
    is_open, is_shut = all(map(thresholds.is_open, fractions)), all(map(thresholds.is_closed, fractions))
    place = head.world.objects[item].at
    match name:
        case "closed":
            return is_shut and head.shows(container) and stage.empty and place != container and _changed(chore)
        case "open":
            return is_open and head.shows(container) and stage.empty and place != container and _changed(chore)
        case "before":
            return stage.empty and head.seen(item)
        case "picked":
            return stage.holds(item)
        case "brought":
            return is_open and head.shows(container) and stage.holds(item)
        case "inside":
            return is_open and stage.empty and place == container and head.shows(item)
        case "shut":
            return is_shut and head.shows(container) and place == container and not head.pixels[item]
        case "dropped":
            here = head.shows(container) and not head.pixels[item] and not stage.hand.pixels[item]
            return stage.empty and place != container and is_open and here
    return False


def _changed(chore: Chore) -> bool:
    first, second = (chore.stages[name].head.picture.astype(int) for name in ("closed", "open"))
    return bool((np.abs(first - second).max(axis=-1) > DIFFERENT).mean() >= CHANGED)


Shown = Mapping[str, tuple[str, ...]]


def _next(chore: Chore, shown: Shown) -> Iterator[Unit]:
    item, place = chore.item_words, chore.container_words
    text = (
        f"The task is: put the {item} into the {place}, and leave the {place} closed. {CAMERAS} What has the robot to "
        "do next?"
    )
    answers = [
        (f"open the {place}", shown["closed"]),
        (f"pick up the {item}", shown["open"]),
        (f"put the {item} into the {place}", shown["brought"]),
        (f"close the {place}", shown["inside"]),
    ]
    yield contrast(PLANNING, "next_step", chore.source, text, answers)


def _written(chore: Chore, shown: Shown) -> Iterator[Unit]:
    """The next step, in writing. An object that is not at hand has to be approached first."""
    item, place = chore.item_words, chore.container_words
    text = (
        f"The task is: put the {item} into the {place}, and leave the {place} closed. {CAMERAS} The robot stands "
        f"before the {place}; the {item} is in its hand, in the {place}, or somewhere else. Its skills are {SKILLS}. "
        "It has to go to a thing before it picks it, and opens and closes with an empty hand. Write the one step that "
        "comes next, as in `pick(cup)`, and nothing else; an underscore stands for a blank in a name."
    )
    steps = (
        (Subtask("Open", place), "closed"),
        (Subtask("Go to", item), "open"),
        (Subtask("Put", item, place), "brought"),
        (Subtask("Close", place), "inside"),
    )
    answers = [(written_step(step), shown[stage]) for step, stage in steps]
    yield contrast(PLANNING, "next_step_written", chore.source, text, answers, "plan")


def _done(chore: Chore, shown: Shown) -> Iterator[Unit]:
    text = f"The subtask is: put the {chore.item_words} into the {chore.container_words}. {CAMERAS} Is it done?"
    answers = [("yes", shown["inside"]), ("no", shown["brought"])]
    yield contrast(PLANNING, "is_it_done", chore.source, text, answers, "yes_no")


def _caused(chore: Chore, shown: Shown) -> Iterator[Unit]:
    item, place = chore.item_words, chore.container_words
    text = f"The first picture was taken before a step of the robot and the second after it. {CAMERAS} What did it do?"
    answers = [
        (f"it opened the {place}", (*shown["closed"], *shown["open"])),
        (f"it picked up the {item}", (*shown["before"], *shown["picked"])),
        (f"it put the {item} into the {place}", (*shown["brought"], *shown["inside"])),
        (f"it closed the {place}", (*shown["inside"], *shown["shut"])),
    ]
    yield contrast(PERCEPTION, "causality", chore.source, text, answers)


def _first(chore: Chore, shown: Shown) -> Iterator[Unit]:
    item, place = chore.item_words, chore.container_words
    for words, before, after in (
        (f"opened the {place}", "closed", "open"),
        (f"put the {item} into the {place}", "brought", "inside"),
    ):
        text = f"The robot {words}. {CAMERAS} Which picture was taken earlier?"
        early, late = shown[before], shown[after]
        answers = [("the first", (*early, *late)), ("the second", (*late, *early))]
        yield contrast(PERCEPTION, "time_order", chore.source, text, answers)


def _placed(chore: Chore, shown: Shown) -> Iterator[Unit]:
    item, place = chore.item_words, chore.container_words
    text = f"The robot has tried to put the {item} into the {place}. {CAMERAS} What came of it?"
    answers = [
        (f"the {item} is in the {place}", shown["inside"]),
        (f"the {item} is still in the hand", shown["brought"]),
        (f"the {item} was lost: it is neither in the hand nor in the {place}", shown["dropped"]),
    ]
    yield contrast(FAILURE, "put_execution", chore.source, text, answers)


def _opened(chore: Chore, shown: Shown) -> Iterator[Unit]:
    text = f"The robot has tried to open the {chore.container_words}. {CAMERAS} Did it work?"
    answers = [("yes", shown["open"]), ("no", shown["closed"])]
    yield contrast(FAILURE, "open_execution", chore.source, text, answers, "yes_no")


def _picked(chore: Chore, shown: Shown) -> Iterator[Unit]:
    text = f"The robot has tried to pick up the {chore.item_words}. {CAMERAS} Did it work?"
    answers = [("yes", shown["picked"]), ("no", shown["before"])]
    yield contrast(FAILURE, "pick_execution", chore.source, text, answers, "yes_no")


def _planned(chore: Chore, shown: Shown) -> Iterator[Unit]:
    """A plan with an opening step, and one without: the picture decides which is right."""
    item, place = chore.item_words, chore.container_words
    rest = f"pick up the {item}, put the {item} into the {place}"
    question = "Is every step that is needed in the plan, and none that is not?"
    for plan, right, wrong in ((f"open the {place}, {rest}", "closed", "open"), (rest, "open", "closed")):
        text = f"The task is: put the {item} into the {place}. The plan from here is: {plan}. {CAMERAS} {question}"
        yield contrast(FAILURE, "plan", chore.source, text, [("yes", shown[right]), ("no", shown[wrong])], "yes_no")


_MAKERS = (
    (_next, ("closed", "open", "brought", "inside")),
    (_written, ("closed", "open", "brought", "inside")),
    (_done, ("brought", "inside")),
    (_caused, ("closed", "open", "before", "picked", "brought", "inside", "shut")),
    (_first, ("closed", "open", "brought", "inside")),
    (_placed, ("inside", "brought", "dropped")),
    (_opened, ("open", "closed")),
    (_picked, ("picked", "before")),
    (_planned, ("closed", "open")),
)
"""Functions that make questions, and the stages that each needs."""
