"""The message of each release to a model for a question, and its pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from string import ascii_uppercase
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

Release = Literal["2025-10", "2026-08"]
Texts = Mapping[str, str]
"""`system_prompt.json`: texts by key."""


class Question(BaseModel):
    """An entry of `questions.json`; fields that no prompt needs are left out.

    Attributes:
        unique_id: `<folder>/images/<episode>[_Q1|_Q2|_Q3]`.
        task_type: The parts of the folder's path.
        options: Options of a multiple choice.
        robotic_type: Robot of a planning question.
        input_type: In 2025-10, image or images.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    unique_id: str
    task_type: tuple[str, ...] = Field(min_length=1)
    question: str
    gt_answer: str
    image_urls: tuple[str, ...]
    options: tuple[str, ...] | None = None
    robotic_type: str = ""
    input_type: str = ""


class Prompt(NamedTuple):
    """The text of the message, and the paths of its pictures from the top of the data set."""

    text: str
    images: tuple[str, ...]


_QUESTION = re.compile(r"_(Q[123])$")
_PLANNING = ("1_", "3_")
"""Starts of the dimensions whose questions are plans: instruction comprehension and generalised planning."""
_MODES = ("color", "number", "shape", "size")
_OWN = (
    "robot_type",
    "robot_view",
    "spatial_relation",
    "spatial_temporal_causality",
    "high_level_planning_error",
    "low_level_execution_error",
)
"""Subtasks with a text of their own name."""
_ATTRIBUTES = {
    "is_sealed": "Sealed",
    "material": "Material",
    "contents": "Content",
    "can_contain_liquid": "Liquid",
    "transparency": "Transparency",
    "deformability": "Deformability",
    "fragility": "Fragility",
    "mass": "Mass",
}
"""Keys of attributes in 2026-08; in 2025-10 they are the names of the folders."""


def build_prompt(question: Question, texts: Texts, release: Release) -> Prompt:
    """Build the message for a question.

    Args:
        question: an entry of `questions.json`.
        texts: `system_prompt.json` of the same release.
        release: the release whose rules apply.

    Raises:
        KeyError: a text is missing, or, in 2026-08, a multiple choice has no options or a plan's id names no question.
    """
    if question.task_type[0].startswith(_PLANNING):
        return Prompt(_planning(question, texts, release), image_paths(question, release))
    text = _choice_text(question, texts, release) + question.question
    if question.options is None and release == "2026-08":
        raise KeyError("options")
    if question.options is not None:
        lines = (f"{letter}. {option}" for letter, option in zip(ascii_uppercase, question.options, strict=False))
        text += "\n" + "\n".join(lines) + texts["MCQ_post_prompt"]
    return Prompt(text, image_paths(question, release))


def image_paths(question: Question, release: Release) -> tuple[str, ...]:
    """Return the paths of a question's pictures from the top of the data set, in its order."""
    episode = PurePosixPath(_QUESTION.sub("", question.unique_id))
    return tuple(str(_folder(question, release, episode, name) / name) for name in question.image_urls)


def _planning(question: Question, texts: Texts, release: Release) -> str:
    subtask = question.task_type[-1]
    system = texts["navigation_skill_list"] if subtask == "navigation" else texts[_skills(question, release)]
    if subtask in _MODES:
        system += texts[subtask]
    robot = question.robotic_type
    body = f"You are a {'single-arm' if robot == 'human' else robot} robot."
    if subtask == "multi_view":
        names = [PurePosixPath(name).stem for name in question.image_urls]
        body += (
            "The multiple images you have received now represent camera images from different views at the same time. "
            f"The names of these views are {names} in order."
        )
    return system + body + question.question


def _skills(question: Question, release: Release) -> str:
    """Return the key of the list of skills: by the end of the id after its last `_`; Q1 in 2025-10 without such an
    end."""
    if release == "2026-08":
        return f"skill_list_{question.unique_id.rpartition('_')[2]}"
    match = _QUESTION.search(question.unique_id)
    return f"skill_list_{match[1] if match else 'Q1'}"


def _choice_text(question: Question, texts: Texts, release: Release) -> str:
    subtask = question.task_type[-1]
    if subtask == "static_attribute":
        attribute = PurePosixPath(question.unique_id).parts[-2]
        return texts[_ATTRIBUTES[attribute] if release == "2026-08" else attribute]
    if question.task_type[0].startswith("4_"):
        return texts["afforadance_point"]  # the released spelling
    return texts[subtask] if subtask in _OWN else ""


def _folder(question: Question, release: Release, episode: PurePosixPath, name: str) -> PurePosixPath:
    """Return the folder of a picture: 2025-10 decides by `input_type`, except for attributes, 2026-08 by whether the
    picture is named after the episode."""
    if release == "2026-08":
        return episode.parent if PurePosixPath(name).stem == episode.name else episode
    single = question.input_type == "image" and question.task_type[-1] != "static_attribute"
    return episode.parent if single else episode
