"""Prompt sizes by template and setting, and the fraction of a prompt that a provider's prefix cache can hold:

    python benchmarks/speed/prompt_sizes.py

Prompts are rendered for round 10 of a run in sensors: nine subtasks of history, four pictures of 256 x 256, a home of
three rooms of which 28 pieces of furniture and 12 objects have been seen, as in benchmarks/prompt_episodes.py. No model
is called.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from homie.kernel.actions import ACTIONS, Ability
from homie.kernel.interfaces.prompts import Message
from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.types import VIEWS, Detection, HistoryItem, PlannerInput, Subtask
from homie.kernel.types import Feedback as Result
from planners.llm.prompting.prompt_builder import Prompt, Turn
from planners.llm.prompting.settings import PromptSettings
from skills.classical.skill_set import Classical

CHARACTERS = 4
"""Characters per token; OpenAI's o200k_base has 3.7 to 3.8 in these prompts, so token counts are slightly too low."""
PICTURE = 255
"""Tokens of one picture of 256 x 256 for GPT-4o: 85, plus 170 for its single tile."""
LOW = 85
"""The same with image_detail=low."""
ROUND = 10
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "default": {},
    "`examples=0`": {"examples": 0},
    "`examples=4`": {"examples": 4},
    "`names=false`": {"names": False},
    "`memory=false`": {"memory": False},
    "`rooms=false`": {"rooms": False},
    "`reasons=false`": {"reasons": False},
    "all four false": {"names": False, "memory": False, "rooms": False, "reasons": False},
    "`chat_turns=3`": {"chat_turns": 3},
    "`past_images=2`": {"past_images": 2},
    "`hand=true`, `crops=2`": {"hand": True, "crops": 2},
    "`images=false`": {"images": False},
    "`template=emmoe-text`": {"template": "emmoe-text"},
    "`template=embodiedbench`": {"template": "embodiedbench"},
}
ANSWER = '{"analysis": "The apple is not in sight; the fridge is.", "subtask": {"action": "Go to", "target": "fridge"}}'


def planner_input(number: int) -> PlannerInput:
    """Build the planner input of a round, with all earlier subtasks in the history."""
    views = {view: np.zeros((256, 256, 3), np.uint8) for view in VIEWS}
    names = ("kitchen counter", "fridge", "apple", "wood table", "brown chair", "kitchen", "drawer 2")
    seen = tuple(
        Detection(name, view, (10, 10, 60, 60) if name != "apple" else (10, 10, 20, 20))
        for view in VIEWS
        for name in names
    )
    missing = Result("fail", None, "apple does not exist! Please choose another object")
    history = tuple(
        HistoryItem(place, Subtask("Go to", "apple"), missing)
        if place % 4 == 0
        else HistoryItem(place, Subtask("Go to", "kitchen counter"), Result("success"))
        for place in range(1, number)
    )
    models = {"classical": Ability(ACTIONS[:-1], (), Classical.about)}
    return PlannerInput(
        task="put the apple in the fridge",
        round=number,
        views=views,
        detections=seen,
        inventory=(),
        history=history,
        feedback=None,
        actions=ACTIONS,
        models=tuple(models),
        abilities=models,
        knowledge=KNOWN,
        hand=views["front"],
    )


ROOMS = ("kitchen", "living room", "bedroom")
KNOWN = Knowledge(
    "sensors",
    ROOMS[0],
    ROOMS,
    (Doorway("doorway 1", ROOMS[0], ROOMS[1], True), Doorway("doorway 2", ROOMS[0], ROOMS[2])),
    (
        *(RememberedThing(f"kitchen counter {number}", ROOMS[number % 3], "", 7) for number in range(1, 19)),
        *(RememberedThing(f"drawer {number}", ROOMS[number % 3], "", 7, "closed") for number in range(1, 11)),
        *(RememberedThing("potted meat can", room, "on the wood table", 8) for room in ROOMS for _ in range(4)),
    ),
)


def sizes(settings: PromptSettings) -> tuple[int, int, int]:
    """Return the tokens of the fixed part, the tokens of the other texts, and the number of pictures."""
    prompt = Prompt(settings)
    turns: list[Turn] = []
    for number in range(1, ROUND):
        turns.append(prompt.request(planner_input(number), turns)[1].answered(ANSWER))
    request, _ = prompt.request(planner_input(ROUND), turns)
    system, *others = request.messages
    pictures = sum(not isinstance(part, str) for message in others for part in message.parts)
    return tokens([system]), tokens(others), pictures


def tokens(messages: list[Message]) -> int:
    """Estimate the tokens of the texts of messages."""
    return sum(len(part) for message in messages for part in message.parts if isinstance(part, str)) // CHARACTERS


def main() -> None:
    heads = ("setting", "fixed part", "rest of the text", "pictures", "whole, GPT-4o", "cached")
    print(f"| {' | '.join(heads)} | cached with `image_detail=low` |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, more in SETTINGS.items():
        fixed, rest, pictures = sizes(PromptSettings.model_validate(more))
        cached = fixed if fixed >= 1024 else 0  # minimum length that providers cache
        whole, low = (fixed + rest + pictures * each for each in (PICTURE, LOW))
        print(f"| {name} | {fixed} | {rest} | {pictures} | {whole} | {cached / whole:.0%} | {cached / low:.0%} |")


if __name__ == "__main__":
    main()
