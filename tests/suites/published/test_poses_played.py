"""A language model plays a task of homie-eb-table by poses, over HTTP; what it is shown, and what becomes of it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from endpoint import Endpoint, says
from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import BenchSummary, bench
from homie.bench.score.compare import compare
from homie.bench.suite.suite import find_suite
from homie.envs.mujoco.table.expert import plan
from homie.envs.mujoco.table.sampled_tables import generate

TASK = "stack-03-visual-appearance"


def answer(poses: list[list[int]]) -> str:
    reply = {"visual_state_description": "blocks", "reasoning_and_reflection": "b", "language_plan": "c"}
    return json.dumps({**reply, "executable_plan": poses})


def play(out: Path, *answers: list[list[int]] | str, suite: str = "homie-eb-table") -> tuple[BenchSummary, list[Any]]:
    """The bench of the task with these answers, and the messages of each request."""
    texts = [each if isinstance(each, str) else answer(each) for each in answers]
    with Endpoint(*map(says, texts)) as endpoint:
        options = BenchOptions.build(
            suite=suite,
            tasks=TASK,
            planner="chat:served",
            planner_settings={"base_url": endpoint.url, "template": "embodiedbench-arm", "boxes": True},
            out=out,
            workers=1,
        )
        return bench(options, Progress(Console(file=io.StringIO(), width=200))), [
            request.body["messages"] for request in endpoint.asked
        ]


def test_poses_are_carried_out_and_an_empty_plan_ends(tmp_path: Path) -> None:
    scene = find_suite("homie-eb-table").by_id[TASK].scene
    poses = [json.loads(str(action)) for action in plan(generate("stack", scene.seed))]
    refused = [poses[0], [99, 99, 99, 0, 60, 60, 1], poses[1]]
    result, prompts = play(tmp_path, refused, poses[1:], [])
    assert (result.judged, result.successes) == (1, 1)
    texts = [json.dumps(messages[-1]) for messages in prompts]
    assert len(texts) == 3 and all("image_url" in text and "object 3: [" in text for text in texts)
    assert "Unable to move to [99, 99, 99, 0, 60, 60, 1]" in texts[1] and "(2)" in texts[1] and "(3)" not in texts[1]
    names = [item.words for item in generate("stack", scene.seed).things]
    assert not [name for name in names if any(name in text for text in texts)]


def test_what_went_wrong_is_named(tmp_path: Path) -> None:
    result, _ = play(tmp_path, [])
    assert (result.judged, result.successes) == (1, 0)
    (mistakes,) = [table for table in compare([tmp_path]) if table.title == "Mistakes"]
    assert mistakes.columns[3].head == "reasoning: wrong termination"
    assert mistakes.rows == (("chat:served", "all", 1, 1), ("chat:served", "visual-appearance", 1, 1))


def test_with_the_faults_of_eb_manipulation_a_plan_goes_on_poses_are_drawn_and_the_goal_ends_it(tmp_path: Path) -> None:
    scene = find_suite("homie-eb-table").by_id[TASK].scene
    poses = [json.loads(str(action)) for action in plan(generate("stack", scene.seed))]
    beyond = [[0, 0, 100, 0, 60, 60, 1], *poses]
    result, prompts = play(tmp_path, "I do not know.", beyond, suite="homie-eb-table-strict-eb")
    assert (result.judged, result.successes) == (1, 1) and [line.ended_by for line in result.lines] == ["goal"]
    assert len(prompts) == 2, "an answer that cannot be read is not asked for again"
    steps = [json.loads(line) for line in (tmp_path / f"episodes/{TASK}-0/steps.jsonl").read_text().splitlines()]
    drawn = json.loads(steps[0]["execution"]["subtask"]["target"])
    assert len(drawn) == 7 and drawn[6] == 1, "a random pose has an open gripper"
    assert steps[1]["execution"]["feedback"]["status"] == "fail" and len(steps) > 3
