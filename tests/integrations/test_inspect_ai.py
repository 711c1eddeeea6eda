"""The real Inspect AI evaluates models on suites of Homie, without a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import homie
from tests import other_packages

INSPECT = ("inspect_ai", "inspect-ai>=0.3.280")
TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}
STEPS = ("Go to, ball", "Pick, ball", "Go to, box", "Put, ball, box", "End")
EVALUATE = """
import json, sys
from inspect_ai import eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, get_model

def told(request):
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in request["answers"]]
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = eval("homie/suite", model=model, task_args=request["arguments"], log_dir="logs", display="none",
                  max_samples=request["samples"], fail_on_error=False)
    log = read_eval_log(log.location)
    return {
        "status": log.status,
        "metrics": {score.name: {name: metric.value for name, metric in score.metrics.items()}
                    for score in (log.results.scores if log.results else [])},
        "samples": [{
            "id": sample.id, "epoch": sample.epoch, "error": bool(sample.error),
            "events": sum(event.event == "model" for event in sample.events),
            "pictures": sum(getattr(part, "type", "") == "image" for message in sample.messages
                            if not isinstance(message.content, str) for part in message.content),
        } for sample in log.samples],
    }

print(json.dumps([told(request) for request in json.loads(sys.stdin.read())]))
"""


def answers(*steps: str) -> list[str]:
    """What a model says that decides on these subtasks, in the words of the default prompt."""
    parts = [step.split(", ") for step in steps]
    keys = ("action", "target", "destination")
    return [
        json.dumps({"analysis": "", "subtasks": [dict(zip(keys, part, strict=False))], "model": ""}) for part in parts
    ]


class Evaluated(NamedTuple):
    folder: Path
    logs: list[dict[str, Any]]


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    """Four evaluations of a model with given answers, in a process where Homie is installed."""
    folder = tmp_path_factory.mktemp("inspect")
    task = {"id": "put", "text": "put the ball in the box", "goal": {"in": ["ball", "box"]}}
    suite = {"format": 1, "name": "small", "protocol": {"rounds": 8, "trials": 2}, "tasks": [task]}
    (folder / "small.json").write_text(json.dumps(suite))
    variables = other_packages.environment(*INSPECT)
    variables["PYTHONPATH"] = f"{other_packages.installed_homie(folder)}{os.pathsep}{variables['PYTHONPATH']}"

    def request(out: str, *lines: str, samples: int = 1, **arguments: Any) -> dict[str, Any]:
        given = {"name": str(folder / "small.json"), "out": str(folder / out), **TINY, **arguments}
        return {"answers": answers(*lines), "arguments": given, "samples": samples}

    requests = [
        request("whole", *STEPS, "Go to, box", "End"),
        request("half", *STEPS),  # no answers are left for the second trial
        request("half", *STEPS),
        request("blind", "End", "End", samples=2, planner_settings={"images": False}),
    ]
    line = [sys.executable, "-c", EVALUATE]
    completed = subprocess.run(
        line, input=json.dumps(requests), env=variables, cwd=folder, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stderr
    return Evaluated(folder, json.loads(completed.stdout.splitlines()[-1]))


@pytest.mark.slow
def test_a_suite_is_evaluated_and_both_keep_it(evaluations: Evaluated, tmp_path: Path) -> None:
    log, run = evaluations.logs[0], evaluations.folder / "whole"
    assert log["status"] == "success"
    first, second = log["samples"]
    assert (first["id"], first["epoch"], first["events"], first["pictures"]) == ("put", 1, 5, 4)
    assert (second["epoch"], second["events"]) == (2, 2)
    assert log["metrics"]["SR"]["mean"] == 0.5 and log["metrics"]["GC"]["mean"] == 0.5
    scored = homie.load_run(run)
    assert scored.label == "function:inspect" and [score.success for score in scored.results.scores] == [True, False]
    plan = tmp_path / "plan.txt"
    plan.write_text("\n".join(step.replace(", ", " | ") for step in STEPS))
    suite = evaluations.folder / "small.json"
    homie.bench(suite, planner=f"lines:{plan}", out=tmp_path / "lines", workers=1, trials=1, **TINY)
    own_steps, planner_steps = (homie.read_steps(place / "episodes/put-0") for place in (run, tmp_path / "lines"))
    assert [(step.stamp, step.execution.feedback) for step in own_steps] == [
        (step.stamp, step.execution.feedback) for step in planner_steps
    ]


def test_an_evaluation_goes_on_with_its_run_folder(evaluations: Evaluated) -> None:
    before, after = evaluations.logs[1:3]
    assert [sample["error"] for sample in before["samples"]] == [False, True]
    assert [(sample["events"], sample["error"]) for sample in after["samples"]] == [(0, False), (5, False)]
    assert after["metrics"]["SR"]["mean"] == 1.0
    assert [score.success for score in homie.load_run(evaluations.folder / "half").results.scores] == [True, True]


def test_settings_of_prompts_are_arguments_of_the_task(evaluations: Evaluated) -> None:
    assert [(sample["events"], sample["pictures"]) for sample in evaluations.logs[3]["samples"]] == [(1, 0), (1, 0)]


def test_tasks_have_their_names_in_a_clone_too(tmp_path: Path) -> None:
    """As `pip install -e` has it: modules in the clone, entry points elsewhere."""
    script = (
        "from importlib.metadata import entry_points; from inspect_ai.util import registry_info\n"
        "(integration,) = entry_points(group='inspect_ai', name='homie')\n"
        "print(*(registry_info(task).name for task in (integration.load().homie_100, integration.load().suite)))"
    )
    installed, names = other_packages.installed_homie(tmp_path), []
    for site in (installed, tmp_path):
        variables = other_packages.environment(*INSPECT)
        variables["PYTHONPATH"] = f"{site}{os.pathsep}{variables['PYTHONPATH']}"
        completed = subprocess.run(
            [sys.executable, "-c", script], env=variables, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        names.append(completed.stdout.split())
        for about in installed.glob("*.dist-info"):
            about.rename(tmp_path / about.name)
    assert names == [["homie/homie_100", "homie/suite"]] * 2
