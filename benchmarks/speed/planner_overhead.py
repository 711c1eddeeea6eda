"""The time that a model planner takes without the model: `python benchmarks/speed/planner_overhead.py [--rounds 200]`

Builds the request of a round with four 256 x 256 views (template, images as data URLs, the body as JSON) and reads an
answer, without any server. Prints medians and 95th percentiles in milliseconds; the aim is 10 ms together.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping

from homie.kernel import registry
from homie.kernel.errors import MissingPart
from homie.kernel.options import RunOptions
from homie.kernel.types import VIEWS, Detection, Feedback, HistoryItem, Image, PlannerInput, Subtask
from homie.runtime.assembly import load_planner
from planners.llm.prompting.prompt import Turn
from planners.llm.providers.chat_planner import ChatPlanner

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
ROUND = 15
AIM = 10.0
VARIANTS: Mapping[str, Mapping[str, object]] = {
    "four views": {},
    "four views with numbered boxes": {"boxes": True},
    "four views, two earlier rounds, chat": {"past_images": 2, "chat_turns": 4},
    "text only": {"images": False},
}
ANSWER = {
    "analysis": "I hold the apple and don't see the bowl, so I look for it in the kitchen. " * 5,
    "subtask": {"action": "Go to", "target": "kitchen"},
    "model": "classical",
}


def pictures(seeds: int) -> list[dict[str, Image]]:
    """The four views from the first place of some houses, 256 x 256."""
    views = []
    for seed in range(seeds):
        options = RunOptions(task="look", seed=seed)
        with registry.load("robots", options.robot)(options) as robot:
            robot.reset(seed=seed)
            frames = robot.observe(VIEWS).frames
            views.append({view: frames[view].rgb for view in VIEWS})
    return views


def situation(views: Mapping[str, Image]) -> PlannerInput:
    """A late round of a long episode, with pictures that have not been seen before."""
    seen = tuple(Detection(f"thing {n}", VIEWS[n % 4], (n * 5, n * 5, n * 5 + 60, n * 5 + 80), 0.9) for n in range(24))
    done = tuple(HistoryItem(n, Subtask("Go to", f"thing {n}"), Feedback("success")) for n in range(1, ROUND))
    fresh = {view: picture.copy() for view, picture in views.items()}
    return PlannerInput(
        "put the apple in the bowl", ROUND, fresh, seen, ("apple",), done, done[0].feedback, ACTIONS, ("classical",)
    )


def measure(
    settings: Mapping[str, object], houses: list[dict[str, Image]], rounds: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of building and of reading, one of each for every round."""
    planner = load_planner("chat:any", {"base_url": "http://127.0.0.1:9/v1", "provider": "vllm", **settings})
    assert isinstance(planner, ChatPlanner)
    answer = f"```json\n{json.dumps(ANSWER)}\n```"
    built, read = [], []
    turns: list[Turn] = []
    for number in range(rounds):
        planner_input = situation(houses[number % len(houses)])
        began = time.perf_counter()
        request, turn = planner.prompt.request(planner_input, turns[-4:])
        json.dumps(planner.model.body(request, "json_schema"))
        middle = time.perf_counter()
        planner.prompt.read(answer, planner_input)
        read.append((time.perf_counter() - middle) * 1e3)
        built.append((middle - began) * 1e3)
        turns.append(turn.answered(answer))
    return built, read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    houses = pictures(4)
    print(f"{'':<40}{'build':>8}{'read':>8}{'both':>8}{'95 %':>8}   ms, {rounds} rounds, aim {AIM:g}")
    for name, settings in VARIANTS.items():
        for image_format in ("png", "jpeg"):
            try:
                built, read = measure({**settings, "image_format": image_format}, houses, rounds)
            except MissingPart as error:
                sys.exit(str(error))
            both = [building + reading for building, reading in zip(built, read, strict=True)]
            numbers = (
                *(statistics.median(times) for times in (built, read, both)),
                statistics.quantiles(both, n=20)[-1],
            )
            print(f"{name + ', ' + image_format:<40}" + "".join(f"{number:8.2f}" for number in numbers))


if __name__ == "__main__":
    main()
