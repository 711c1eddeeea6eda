"""How large prompts are, by template and setting, and how much of a question a provider's cache can hold:

    python benchmarks/prompt_sizes.py

Rendered for round 10 of a run: nine subtasks of history, four pictures of 256 x 256. Nothing is asked.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from homie.types import VIEWS, Detection, HistoryItem, PlannerInput, Subtask
from homie.types import Feedback as Result
from planners.messages import Message
from planners.prompting.prompt import Prompt, Turn
from planners.prompting.settings import PromptSettings

CHARACTERS = 4
"""Characters a token; OpenAI's o200k_base has 3.7 to 3.8 in these prompts, so tokens are rather counted too low."""
PICTURE = 255
"""Tokens of one picture of 256 x 256 for GPT-4o: 85, and 170 for its one tile."""
LOW = 85
"""The same with image_detail=low."""
ROUND = 10
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "no examples": {"examples": 0},
    "three examples": {"examples": 3},
    "default": {},
    "`names=true`": {"names": True},
    "`chat_turns=3`": {"chat_turns": 3},
    "`past_images=2`": {"past_images": 2},
    "`images=false`": {"images": False},
    "`template=emmoe-text`": {"template": "emmoe-text"},
    "`template=embodiedbench`": {"template": "embodiedbench"},
}
ANSWER = '{"analysis": "The apple is not in sight; the fridge is.", "subtask": {"action": "Go to", "target": "fridge"}}'


def given(number: int) -> PlannerInput:
    """What a planner is told in a round: every subtask before it was done."""
    views = {view: np.zeros((256, 256, 3), np.uint8) for view in VIEWS}
    names = ("kitchen counter", "fridge", "apple", "wood table", "brown chair")
    seen = tuple(Detection(name, view, (10, 10, 60, 60)) for view in VIEWS for name in names)
    history = tuple(
        HistoryItem(place, Subtask("Go to", "kitchen counter"), Result("success", None, ""))
        for place in range(1, number)
    )
    actions = ("Go to", "Pick", "Put", "Open", "Close", "End")
    return PlannerInput("put the apple in the fridge", number, views, seen, (), history, None, actions, ("classical",))


def sizes(settings: PromptSettings) -> tuple[int, int, int]:
    """Tokens of the fixed part, tokens of the other texts, and how many pictures there are."""
    prompt = Prompt(settings)
    turns: list[Turn] = []
    for number in range(1, ROUND):
        turns.append(prompt.request(given(number), turns)[1].answered(ANSWER))
    request, _ = prompt.request(given(ROUND), turns)
    system, *others = request.messages
    pictures = sum(not isinstance(part, str) for message in others for part in message.parts)
    return tokens([system]), tokens(others), pictures


def tokens(messages: list[Message]) -> int:
    """Tokens of the texts of messages."""
    return sum(len(part) for message in messages for part in message.parts if isinstance(part, str)) // CHARACTERS


def main() -> None:
    heads = ("setting", "fixed part", "rest of the text", "pictures", "whole, GPT-4o", "cached")
    print(f"| {' | '.join(heads)} | cached with `image_detail=low` |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, more in SETTINGS.items():
        fixed, rest, pictures = sizes(PromptSettings.model_validate(more))
        kept = fixed if fixed >= 1024 else 0  # providers keep no less
        whole, low = (fixed + rest + pictures * each for each in (PICTURE, LOW))
        print(f"| {name} | {fixed} | {rest} | {pictures} | {whole} | {kept / whole:.0%} | {kept / low:.0%} |")


if __name__ == "__main__":
    main()
