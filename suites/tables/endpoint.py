"""A scripted model behind an OpenAI-compatible endpoint on 127.0.0.1, for tables of the planner `chat`.

It answers in the format of a suite's template with the next step of the suite's expert: the seed of the request
identifies the task, the history in the prompt the progress. So it keeps no state between requests, and workers and
kills change no answer. Questions are answered with their truth, identified by text and pictures. In homie-vigil it
reports success at once: an expert there has to look, and a script cannot.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.scripted import Endpoint
from homie.bench.authoring.numbered_actions import endings, list_actions
from homie.bench.episode_plan import episode_seed
from homie.bench.suite.suite import Suite, Task, find_suite, read_subtask
from homie.envs.mujoco.table.expert import plan as poses_of
from homie.envs.mujoco.table.sampled_tables import generate
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.robot.graph_moves import ROWS as MOVES
from homie.kernel.scenes import scenes_of
from homie.kernel.types import END, Image, SentTo, Subtask
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS
from suites.questions.folder import read_questions

PROVIDER = "vllm"
"""A provider known to Homie that is sent the episode's seed and needs no key."""
REPORT = {"skill_name": "report", "arguments": {"status": "success", "summary": "scripted"}}
TABLES = (
    ACTION_TABLE,
    {**ACTION_TABLE, **{name: verb.action for name, verb in VERBS.items()}},
    {**ACTION_TABLE, **{name: verb.action for name, verb in PERSON_VERBS.items()}},
    {**ACTION_TABLE, **MOVES, **{name: verb.action for name, verb in PERSON_VERBS.items()}},
)
"""Action tables of the skills with which suites with numbered actions are played here."""
_NUMBER = re.compile(r"\((\d+)\) ")
_MODEL = re.compile(r"^- (\S+) \(([^)]*)\)", re.MULTILINE)
_CHOICE = re.compile(r"^(\d+): (.*)$", re.MULTILINE)


class Script:
    """Answers of the scripted model.

    Args:
        questions: Folder of the questions, if there is one.
    """

    def __init__(self, questions: Path | None = None) -> None:
        self._questions = questions

    def answer(self, suite: str, body: Mapping[str, Any]) -> str:
        """The answer to a request. Raises KeyError and ValueError for a request that no suite makes."""
        if suite == "homie-vigil":
            return json.dumps(REPORT)
        if suite == "homie-questions":
            return self._truths()[_question_key(*_content(body["messages"][-1]))]
        messages = [_content(message)[0] for message in body["messages"]]
        task = _tasks(suite)[body["seed"]]
        (history,) = re.findall(r"^History: (.*)$", messages[-1], re.MULTILINE)
        done = max(map(int, _NUMBER.findall(history)), default=0)
        return _next(task, find_suite_once(suite), messages[0], done)

    @functools.cache  # noqa: B019 - it lives as long as the endpoint
    def _truths(self) -> Mapping[str, str]:
        assert self._questions is not None, "a folder of questions is asked about"
        question_set = read_questions(self._questions)
        return {_question_key(q.asked, question_set.pictures(q)): q.truth for q in question_set.questions}


find_suite_once = functools.cache(find_suite)


@functools.cache
def _tasks(suite: str) -> Mapping[int, Task]:
    """The tasks by the seed of their first trial."""
    return {episode_seed(0, task.id, 0): task for task in find_suite_once(suite).tasks}


def _next(task: Task, suite: Suite, system: str, done: int) -> str:
    """The rest of the expert's plan, after a number of subtasks."""
    if suite.robot == "franka":
        family = task.scene.settings["family"]
        poses = [json.loads(str(action)) for action in poses_of(generate(family, task.scene.seed))]
        return _planned(poses[done:])
    steps = [read_subtask(step) for step in task.expert or ()]
    steps = steps if steps[-1].action == END.action or suite.protocol.end == "goal" else [*steps, END]
    left = steps[done:] or steps[-1:]
    if suite.protocol.actions == "numbered":
        names = [name for _, name in _CHOICE.findall(system)]
        numbers = _numbers(task, names, suite.protocol.sent_to)
        return _planned([{"action_id": numbers[step], "action_name": names[numbers[step]]} for step in left])
    parts = {"action": left[0].action, "target": left[0].target, "destination": left[0].destination}
    able = next((name for name, actions in _MODEL.findall(system) if left[0].action in actions.split(", ")), "")
    subtask = {name: part for name, part in parts.items() if part}
    return json.dumps({"analysis": "scripted", "subtask": subtask, **({"model": able} if able else {})})


def _numbers(task: Task, names: Sequence[str], sent_to: SentTo) -> Mapping[Subtask, int]:
    """The numbers of subtasks in a list of actions. Raises ValueError if the list is not that of the scene."""
    alone = {Subtask(name): number for number, name in enumerate(names)}
    if all(read_subtask(step) in alone for step in task.expert or ()):
        return alone
    world = scenes_of("mujoco").begin(task.scene.seed, task.scene.settings)
    assert world is not None, "the built-in suites have scenes of the home"
    options = [read_subtask(option) for option in task.options]
    for table in TABLES:
        choices = (*list_actions(world, table, table, str, sent_to, options), *endings(task.answers))
        if [_verb(choice.name) for choice in choices] == [_verb(name) for name in names]:
            return {choice.subtask: number for number, choice in enumerate(choices)}
    raise ValueError(f"the list of {task.id} has {len(names)} actions, which no skills of its suite give")


def _verb(name: str) -> str:
    """The action in the name of a choice, without its object: `pick up` of `pick up the mug 2`."""
    return name.partition(" the ")[0]


def _planned(steps: Sequence[object]) -> str:
    words = dict.fromkeys(("visual_state_description", "reasoning_and_reflection", "language_plan"), "scripted")
    return json.dumps({**words, "executable_plan": list(steps)})


def _content(message: Mapping[str, Any]) -> tuple[str, tuple[Image, ...]]:
    """Text and pictures of a message."""
    content = message["content"]
    if isinstance(content, str):
        return content, ()
    texts = [part["text"] for part in content if part["type"] == "text"]
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    return "\n".join(texts), tuple(_picture(url) for url in urls)


def _picture(url: str) -> Image:
    data = np.frombuffer(base64.b64decode(url.partition(",")[2]), np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert picture is not None, "Homie sends pictures that can be read"
    return np.asarray(picture[:, :, ::-1], dtype=np.uint8)


def _question_key(text: str, pictures: Sequence[Image]) -> str:
    """Key of a question by text and pictures: the text alone is not unique."""
    digest = hashlib.sha256(text.encode())
    for picture in pictures:
        digest.update(np.ascontiguousarray(picture).tobytes())
    return digest.hexdigest()


class SuiteEndpoint(Endpoint):
    """The endpoint, with a path for each suite; a context manager. Raises OSError if the port is in use.

    Args:
        port: Port to use; 0 for a free one.
    """

    def __init__(self, script: Script, port: int = 0) -> None:
        super().__init__(lambda suite, body: (script.answer(suite, body), 0), port)
