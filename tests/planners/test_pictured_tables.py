"""The pictures of the arm's in-context examples: what a model gets of them, and that they are of their tables."""

from __future__ import annotations

import io
import json
import re
from importlib.resources import files

import numpy as np
import pytest
import yaml
from PIL import Image as Pictures

from benchmarks.prompt_tables import ROUNDS, examples_of
from homie.kernel.errors import BadInput
from homie.kernel.types import Image, PlannerInput
from perception.numbered_boxes import COLOURS
from planners.llm.prompting.examples import Example, load_examples, load_picture
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings

EXAMPLES = load_examples("tables", None).all
VIEW = np.full((500, 500, 3), 200, np.uint8)
GIVEN = PlannerInput(
    task="Put the star into the container.",
    round=1,
    views={"front": VIEW},
    detections=(),
    inventory=(),
    history=(),
    feedback=None,
    actions=("Move", "End"),
    models=("arm",),
    listing=("object 1: [51, 36, 18]",),
)


def first_parts(**settings: object) -> list[str | Image]:
    """What a model is shown with its first question."""
    prompt_settings = {"template": "embodiedbench-arm", "example_images": True, **settings}
    request, _ = Prompt(PromptSettings.model_validate(prompt_settings)).request(GIVEN)
    return list(request.messages[-1].parts)


def pictures(parts: list[str | Image]) -> list[Image]:
    return [part for part in parts if isinstance(part, np.ndarray)]


def test_every_example_has_its_picture_before_the_question_and_fewer_have_fewer() -> None:
    parts = first_parts()
    number = len(EXAMPLES)
    assert parts[: 2 * number : 2] == [f"Picture of example {place}:" for place in range(1, number + 1)]
    for example, picture in zip(EXAMPLES, pictures(parts), strict=False):
        assert np.array_equal(picture, load_picture(example.picture, None)[0])
    assert len(pictures(parts)) == number + 1, "the last is that of this round"
    assert len(pictures(first_parts(examples=2))) == 3 and len(pictures(first_parts(examples=0))) == 1
    assert len(pictures(first_parts(example_images=False))) == 1
    assert pictures(first_parts(images=False)) == []
    assert [picture.shape for picture in pictures(first_parts(image_size=125))] == [(125, 125, 3)] * (number + 1)


@pytest.mark.parametrize("size", [500, 250])
def test_numbers_are_drawn_at_the_things_of_the_list_where_they_are_in_the_rounds(size: int) -> None:
    plain, marked = pictures(first_parts(image_size=size)), pictures(first_parts(image_size=size, boxes=True))
    for example, before, after in zip(EXAMPLES, plain, marked, strict=False):
        drawn = np.any(before != after, axis=2)
        for number, box in enumerate(example.boxes, 1):
            x0, y0, x1, y1 = (round(side * size / 500) for side in box)
            colour = np.all(after == COLOURS[number % len(COLOURS)], axis=2)
            around = np.zeros_like(drawn)
            around[y0 - 1 : y1 + 1, x0 - 1 : x1 + 1] = True
            assert (colour & drawn & around).any(), f"example {number} of {example.picture}"


def test_what_a_run_keeps_names_the_pictures_by_content() -> None:
    prompt = Prompt(PromptSettings(template="embodiedbench-arm", example_images=True))
    described = prompt.describe()["examples"]
    assert isinstance(described, dict)
    assert sorted(described["pictures"]) == [f"tables-{number}.jpg" for number in range(1, len(EXAMPLES) + 1)]
    plain = Prompt(PromptSettings(template="embodiedbench-arm")).describe()["examples"]
    assert isinstance(plain, dict) and "pictures" not in plain


def test_the_files_are_small_and_their_boxes_are_in_them_one_for_each_thing() -> None:
    for example in EXAMPLES:
        data = files("planners.llm").joinpath("prompt_templates", "examples", example.picture).read_bytes()
        width, height = Pictures.open(io.BytesIO(data)).size
        assert len(data) < 40_000 and (width, height) == (500, 500), "as large as a picture of a round"
        assert len(example.boxes) == len(example.listing) > 0
        assert all(0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height for x0, y0, x1, y1 in example.boxes)


def test_a_template_without_pictures_names_those_that_have_some() -> None:
    with pytest.raises(BadInput, match="use --template embodiedbench-arm or embodiedbench-nav") as excinfo:
        Prompt(PromptSettings(template="arm", example_images=True))
    for name in re.findall(r"embodiedbench-\w+", str(excinfo.value)):
        assert Prompt(PromptSettings(template=name, example_images=True))


def cells(example: Example) -> np.ndarray:
    return np.array([json.loads(line.partition(": ")[2]) for line in example.listing])


@pytest.mark.parametrize("place", [0, 5])
def test_an_example_is_what_was_given_and_seen_at_its_table_and_does_what_it_says(place: int) -> None:
    """Played once more; the goal is asked for there. A picture as a JPEG differs by little from what is seen."""
    episode = yaml.safe_load(ROUNDS.read_text(encoding="utf-8"))[place]
    ((reported, picture),) = examples_of(episode)
    example, again = EXAMPLES[place], Example.model_validate(reported)
    same = {"listing", "boxes", "picture"}
    assert again.model_dump(exclude=same) == example.model_dump(exclude=same)
    assert np.abs(cells(again) - cells(example)).max() <= 1, "another renderer may see an edge otherwise"
    assert np.abs(np.array(again.boxes) - np.array(example.boxes)).max() <= 2
    difference = np.abs(picture.astype(int) - load_picture(example.picture, None)[0])
    # Of 255, in the box of each thing: 9 and less when the files were made, over 50 in those of the other examples.
    assert max(difference[y0:y1, x0:x1].mean() for x0, y0, x1, y1 in example.boxes) < 25
