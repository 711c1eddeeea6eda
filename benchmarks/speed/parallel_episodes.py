"""Episodes that wait for one slow endpoint at the same time, and what a request costs on our side:

    python benchmarks/speed/parallel_episodes.py [--episodes 8] [--seconds 1]

The endpoint is a real HTTP server of this process that takes its time; the world is the quick one of the tests. The
images of the overhead are four views of the embedded home.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
sys.path += [str(TESTS / "plugin"), str(TESTS / "planners")]

from endpoint import Body, Connection, Endpoint, Way, says, slowly  # noqa: E402
from text_world import stage  # noqa: E402

from homie.kernel import registry  # noqa: E402
from homie.kernel.options import RunOptions  # noqa: E402
from homie.kernel.types import VIEWS, PlannerInput  # noqa: E402
from homie.runtime.assembly import load_planner  # noqa: E402
from planners.llm.providers.chat_planner import ChatPlanner  # noqa: E402

SUBTASKS = ({"action": "Go to", "target": "lemon"}, {"action": "Pick", "target": "lemon"}, {"action": "End"})


def decides(model: str) -> Way:
    """A model of many episodes at once: it reads in the question how far this one is."""

    def way(at: Connection, body: Body) -> None:
        done = json.dumps(body["messages"][-1]).count("(success)")
        says(json.dumps({"analysis": "Next.", "subtask": SUBTASKS[done], "model": model}))(at, body)

    return way


def episodes(count: int, seconds: float) -> float:
    """Wall seconds of so many parallel episodes of three rounds each."""
    with Endpoint(slowly(seconds, decides("text"))) as endpoint, ThreadPoolExecutor(count) as pool:

        def play(number: int) -> int:
            planner = load_planner("chat:m", {"base_url": endpoint.url, "examples": 0})
            return stage().play("pick up the lemon", planner).rounds

        began = time.perf_counter()
        rounds = list(pool.map(play, range(count)))
        took = time.perf_counter() - began
    assert rounds == [len(SUBTASKS)] * count
    return took


def overhead(image_format: str) -> tuple[float, float]:
    """Milliseconds to build a request with four 256 x 256 images, body and all, and to read the answer; medians."""
    robot = registry.load("robots", "mujoco")(RunOptions.build(task="benchmark", seed=7))
    robot.reset(seed=7)
    frames = robot.observe(VIEWS).frames
    robot.close()
    actions = ("Go to", "Pick", "Put", "Open", "Close", "End")

    def given() -> PlannerInput:
        views = {view: frames[view].rgb.copy() for view in VIEWS}  # new pictures, as in every round
        return PlannerInput("put the apple in the bowl", 1, views, (), (), (), None, actions, ("classical",))

    planner = load_planner("chat:m", {"base_url": "http://localhost:1/v1", "image_format": image_format})
    assert isinstance(planner, ChatPlanner)
    text = json.dumps({"analysis": "Next. " * 30, "subtask": SUBTASKS[0], "model": "classical"})

    def build() -> None:
        request, _ = planner.prompt.request(given())
        json.dumps(planner.model.body(request, "json_schema"))

    return 1e3 * median(build), 1e3 * median(lambda: planner.prompt.read(text, given()))


def median(call: Callable[[], object], times: int = 50) -> float:
    """The median of the wall seconds of a call, after one call to warm up."""
    call()
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=8, help="at one time")
    parser.add_argument("--seconds", type=float, default=1.0, help="that the endpoint takes for an answer")
    asked = parser.parse_args()
    episodes(1, 0.0)  # the SDK is imported once
    alone = episodes(1, asked.seconds)
    together = episodes(asked.episodes, asked.seconds)
    print(f"1 episode of {len(SUBTASKS)} rounds at {asked.seconds:g} s: {alone:.2f} s")
    print(f"{asked.episodes} at one time: {together:.2f} s, {together / alone:.2f} times as long")
    for image_format in ("png", "jpeg"):
        building, reading = overhead(image_format)
        print(f"{image_format}: {building:.2f} ms to build a request, {reading:.2f} ms to read the answer")


if __name__ == "__main__":
    main()
