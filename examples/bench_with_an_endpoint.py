"""Bench a language model behind any OpenAI-compatible endpoint.

    pip install -c constraints.txt -e '.[chat]'
    python examples/bench_with_an_endpoint.py --url http://localhost:8000/v1 --model qwen2.5-vl
    python examples/bench_with_an_endpoint.py

Without a URL it queries a server of its own, whose model is the function `parrot`: it repeats a fixed plan, and uses
the history in the prompt to find the next step. It is useless for other tasks.
"""

from __future__ import annotations

import argparse
import json
import re
from contextlib import ExitStack
from pathlib import Path

import homie
from homie.testing import ChatMessages, ChatServer

SUITE = Path(__file__).parent / "suites/first-six.yaml"
PLAN = ("Go to, orange", "Pick, orange", "Go to, desk", "Put, orange, desk", "End")


def parrot(messages: ChatMessages) -> str:
    """Return the step of the plan that follows those in the history."""
    prompt = json.dumps(messages[-1]["content"])
    steps = re.findall(r"\(\d+\) \[", prompt.rpartition("History:")[2])
    names = PLAN[min(len(steps), len(PLAN) - 1)].split(", ")
    subtask = dict(zip(("action", "target", "destination"), names, strict=False))
    return json.dumps({"analysis": f"I have done {len(steps)} steps.", "subtask": subtask, "model": "ideal"})


def main() -> None:
    parser = argparse.ArgumentParser(description="Bench a language model.")
    parser.add_argument("--url", help="address of the endpoint")
    parser.add_argument("--model", default="parrot", help="name of the model there")
    options = parser.parse_args()
    with ExitStack() as stack:
        url = options.url or stack.enter_context(ChatServer(parrot)).url
        summary = homie.bench(
            SUITE,
            planner=f"chat:{options.model}",
            planner_settings={"base_url": url},
            tasks="orange-to-desk,mug-for-the-kitchen",
            skills="ideal",
            trials=1,
            workers=1,
            out=f"runs/bench_with_an_endpoint/{options.model}",
        )
    for line in summary.lines:
        print(f"{line.task}: {'done' if line.success else 'not done'} after {line.rounds} rounds")


if __name__ == "__main__":  # needed: worker processes import this file
    main()
