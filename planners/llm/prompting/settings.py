"""Settings of a prompt: its contents in every round."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from homie.kernel.errors import BadInput
from planners.llm.answer_formats import Profile
from planners.llm.reading.rules import parse_rules


class PromptSettings(BaseModel):
    """Settings of every model planner (`--set NAME=VALUE`). Subclasses add those of their endpoint or weights."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    template: str = Field("emmoe-json", min_length=1, description="A prompt template: a name or a file.")
    examples: int | None = Field(None, ge=0, le=50, description="In-context examples (default: all that fit).")
    example_images: bool = Field(False, description="Show the pictures of the examples that have some.")
    images: bool = Field(True, description="Show the four views; without them the names in sight are listed.")
    names: bool = Field(True, description="List the names in sight beside the images.")
    rooms: bool = Field(True, description="Tell the room, the rooms known, and the doorways.")
    memory: bool = Field(True, description="List what has been seen so far, where, and what stands open.")
    reasons: bool = Field(True, description="Tell in the history why earlier subtasks failed.")
    boxes: bool = Field(False, description="Draw detections with index marks on the images, and list them.")
    hand: bool = Field(False, description="Show what the camera at the hand sees.")
    crops: int = Field(0, ge=0, le=20, description="Small things that are shown once more, enlarged, at most.")
    image_size: int = Field(768, ge=32, le=4096, description="Longest side of an image in pixels; never enlarged.")
    past_images: int = Field(0, ge=0, le=20, description="Earlier rounds whose images are shown again.")
    chat_turns: int = Field(0, ge=0, le=100, description="Earlier rounds kept as a conversation (0: single turn).")
    targets: Literal["open", "known"] = Field(
        "open", description="known: hold targets to the names in sight, in memory and in the task."
    )
    reasks: int = Field(2, ge=0, le=10, description="Times that an unreadable answer is asked for again.")
    reading: Profile = Field("homie", description="How answers are read; strict-emmoe: as the official code does.")
    leniencies: str = Field(
        "all",
        description="Rules that read what is not to the letter: all, none, names with commas; -NAME leaves one out.",
    )

    @field_validator("leniencies")
    @classmethod
    def _check_leniencies(cls, text: str) -> str:
        try:
            parse_rules(text)
        except BadInput as error:
            raise ValueError(str(error)) from error
        return text

    @property
    def listed(self) -> bool:
        """Whether the names in sight are listed as text."""
        return self.names or self.boxes or not self.images
