"""Suites: a set of tasks and how to run them, as a YAML or JSON file. docs/suites.md explains every field.

suite file --read_suite--> Suite --select--> the tasks of a run
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StrictStr,
    StringConstraints,
    ValidationError,
    model_serializer,
    model_validator,
)

from homie.bench.splits import TaskSplit
from homie.bench.suite.emmoe_files import is_emmoe, read_emmoe
from homie.bench.suite.protocol import Limit, Protocol, Strict
from homie.kernel import registry
from homie.kernel.errors import BadInput, did_you_mean, suggestion
from homie.kernel.options import MAX_SEED
from homie.kernel.support.checksums import sha256
from homie.kernel.support.documents import load_yaml
from homie.kernel.support.files import is_about_a_field, place_of, reading, slug
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.text import split_commas
from homie.kernel.support.text_pattern import pattern_validator
from homie.kernel.support.validation_sentences import fault_of
from homie.kernel.types import (
    END,
    Subtask,
    is_interaction,
)
from homie.kernel.world.conditions import Condition, problem_of

Attribute: TypeAlias = Literal[
    "short-horizon",
    "long-horizon",
    "open-ended",
    "logical",
    "human-style",
    "base",
    "common-sense",
    "complex-instruction",
    "spatial",
    "visual-appearance",
    "attribute-question",
    "spatial-question",
    "navigation",
    "object-interaction",
    "social",
]
ATTRIBUTES: tuple[str, ...] = get_args(Attribute)
"""The five attributes of EMMOE (section 3.1), then the subsets of EmbodiedBench (one of which, `long-horizon`, has the
name of an attribute), then the categories of EmbodiedEval. A task may have several."""
SUFFIXES = (".yaml", ".yml", ".json")


def read_subtask(text: str) -> Subtask:
    """Parse a subtask such as `[Put, apple, fridge]`. Raises ValueError."""
    stripped = text.strip()
    parts = [part.strip() for part in stripped[1:-1].split(",")]
    if not (stripped.startswith("[") and stripped.endswith("]")) or not 1 <= len(parts) <= 3 or not all(parts):
        raise ValueError(f'a subtask is written "[Action, target]" or "[Put, object, place]" (got {text!r})')
    return Subtask(*parts)


def _subtask_text(value: Any) -> Any:
    """Return a subtask as text. YAML parses `[Pick, apple]` without quotation marks as a list, which is accepted
    too."""
    if isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(part, str) for part in value):
        value = f"[{', '.join(value)}]"
    return str(read_subtask(value)) if isinstance(value, str) else value


def _is_end(subtask: str) -> bool:
    return read_subtask(subtask).action == END.action


SubtaskText = Annotated[StrictStr, BeforeValidator(_subtask_text)]
"""A subtask as text: `[Put, apple, fridge]`, `[End]`."""
_WORDS = "[a-z0-9]+(-[a-z0-9]+)*"
_OF_WORDS = "be words of lower case letters and digits with - between them, such as"
TaskId = Annotated[str, Field(max_length=48), pattern_validator(_WORDS, f"{_OF_WORDS} apple-in-fridge")]
SuiteName = Annotated[
    str, Field(max_length=48), pattern_validator(f"{_WORDS}(@{_WORDS})?", f"{_OF_WORDS} first-six or eb-alfred@2025-02")
]
"""A suite of a third-party protocol has its version after an @: `eb-alfred@2025-02`."""


Answer = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
    pattern_validator(r"[^\[\],]+", "have no comma and no bracket, since it stands in a subtask"),
]
"""Answer to a question: words without commas and brackets, because it stands in a subtask."""


class SceneChoice(PlainNumbers, BaseModel):
    """Scene of a task: a scene spec file (relative to the suite file), or the scene of a seed.

    Attributes:
        sha256: Checksum of the scene spec file. It is set when the suite is read; if given, the file must match.
        settings: All other keys under `scene`, which are specific to the environment (`homie.kernel.scenes.Scenes`):
            the family of a table's task, the rooms of a house.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    spec: Path | None = None
    sha256: str = ""
    seed: int = Field(default=0, ge=0, le=MAX_SEED)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings for the robot's environment other than seed and spec."""
        return dict(self.model_extra or {})

    @model_validator(mode="after")
    def _check_hash(self) -> SceneChoice:
        if self.spec is None and self.sha256:
            raise ValueError("sha256 is that of a spec, and there is none")
        return self


class Task(Strict):
    """One task: instruction, scene, and criteria of success.

    Attributes:
        keypaths: Lists of subtasks that have to succeed in this order; any one of the lists is sufficient.
        never: Lists of subtasks that make the task fail, whatever else is done.
        goal: Condition on the world at the end.
        expert: Subtasks that do the task.
        answers: Possible answers with which a planner ends, if the task is a question; a key path gives the correct
            one, `[End, red]`.
        limits: Limits that replace those of the suite's protocol.
        options: The only interactions in the list of numbered actions, correct and misleading ones; all that are
            possible in the scene if empty.
    """

    id: TaskId
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    attributes: tuple[Attribute, ...] = ()
    split: TaskSplit = "test"
    scene: SceneChoice = SceneChoice()
    keypaths: tuple[Annotated[tuple[SubtaskText, ...], Field(min_length=1)], ...] = ()
    never: tuple[Annotated[tuple[SubtaskText, ...], Field(min_length=1)], ...] = ()
    goal: Condition | None = None
    expert: tuple[SubtaskText, ...] | None = Field(default=None, min_length=1)
    answers: tuple[Answer, ...] = Field(default=(), max_length=100)
    limits: dict[Limit, Annotated[int, Field(ge=1, le=1000)]] = Field(default_factory=dict)
    options: tuple[SubtaskText, ...] = Field(default=(), max_length=100)

    @model_serializer(mode="wrap")
    def _serialize(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Omit empty answers, limits and options, so that unfinished runs from before these fields have the same
        suite."""
        content: dict[str, Any] = write(self)
        return {name: value for name, value in content.items() if name not in ("answers", "limits", "options") or value}

    @property
    def expert_length(self) -> int:
        """Number of the expert's subtasks including End; 0 if there is none."""
        return len(self.expert or ()) + (self.expert is not None and not _is_end(self.expert[-1]))

    @model_validator(mode="after")
    def _check_endings(self) -> Task:
        if self.goal is None and not self.keypaths:
            raise ValueError("give a goal, keypaths, or both: nothing says when the task is done")
        if len(set(self.attributes)) < len(self.attributes):
            raise ValueError("an attribute is given twice")
        if len(set(self.answers)) < len(self.answers):
            raise ValueError("an answer is given twice")
        final_nodes = {path[-1] for path in self.keypaths}
        if self.answers and (not final_nodes or not final_nodes <= {f"[End, {answer}]" for answer in self.answers}):
            raise ValueError("a question needs key paths that end with one of its answers, such as [End, red]")
        return self

    @model_validator(mode="after")
    def _check_options(self) -> Task:
        options = [read_subtask(option) for option in self.options]
        if len(set(options)) < len(options):
            raise ValueError("an option is given twice")
        for option in options:
            if not is_interaction(option):
                raise ValueError(
                    f"{option} is not an option: options are what is done to a thing, such as [Pick, mug_1]; moves and "
                    "ends are in the list without them"
                )
        steps = [read_subtask(step) for step in self.expert or ()]
        if options and (missing := [step for step in steps if is_interaction(step) and step not in options]):
            hint = did_you_mean(str(missing[0]), map(str, options), " (", ")")
            raise ValueError(f"its expert needs {missing[0]}, which is none of its options{hint}")
        return self


class Suite(Strict):
    """A set of tasks, and how to run them.

    Attributes:
        version: Increased when tasks change, to distinguish results before and after.
        robot: The only robot for its tasks, as in `--robot` without an argument; "" for any.
        skills: Default skill sets for its tasks; "" for the usual ones.
        series: Name of a series of suites, in which tasks with equal ids are counterparts in different worlds; "" for
            none.
        names: Additional words for objects in the key paths, mapped to the words used there (docs/metrics.md).
    """

    format: Literal[1]
    name: SuiteName
    version: int = Field(default=1, ge=1)
    description: str = ""
    robot: str = ""
    skills: str = ""
    series: str = ""
    protocol: Protocol = Protocol()
    names: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    tasks: tuple[Task, ...] = Field(min_length=1)

    @model_serializer(mode="wrap")
    def _serialize(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Omit empty skills and series, so that unfinished runs from before these fields have the same suite."""
        content: dict[str, Any] = write(self)
        return {name: value for name, value in content.items() if name not in ("skills", "series") or value}

    @model_validator(mode="after")
    def _check_tasks(self) -> Suite:
        seen: set[str] = set()
        for task in self.tasks:
            if task.id in seen:
                raise ValueError(f"two tasks have the id '{task.id}'")
            seen.add(task.id)
            for field in ("answers", "options"):
                if getattr(task, field) and self.protocol.actions != "numbered":
                    raise ValueError(f"task '{task.id}' has {field}: they need `actions: numbered` in the protocol")
            if self.protocol.sent_to == "points" and any(
                read_subtask(step).action == "Go to" for step in task.expert or ()
            ):
                raise ValueError(
                    f"the expert of task '{task.id}' has Go to, and its protocol `sent_to: points`: give moves"
                )
            if (end := self.protocol.end) != "planner" and (task.goal is None or task.answers):
                raise ValueError(f"task '{task.id}' needs a goal and no answers: its protocol has `end: {end}`")
        return self

    @cached_property
    def by_id(self) -> dict[str, Task]:
        """Tasks by id."""
        return {task.id: task for task in self.tasks}

    def protocol_of(self, task: Task) -> Protocol:
        """Return the protocol of a task: the suite's protocol with the task's own limits."""
        return self.protocol.model_copy(update={str(name): limit for name, limit in task.limits.items()})

    def select(self, patterns: str | None = None, split: str | None = None) -> tuple[Task, ...]:
        """Return the tasks of a split whose id matches one of the patterns (`fridge-*,apple-1`). Raises BadInput."""
        globs = split_commas(patterns or "*")
        for pattern in globs:
            if not fnmatch.filter(self.by_id, pattern):
                hint = suggestion(pattern, self.by_id, "`homie list tasks SUITE` lists its ids.")
                raise BadInput(f"The suite '{self.name}' has no task '{pattern}': {hint}")
        selected = tuple(
            task
            for task in self.tasks
            if any(fnmatch.fnmatchcase(task.id, pattern) for pattern in globs) and split in (None, task.split)
        )
        if not selected:
            raise BadInput(f"The suite '{self.name}' has no task of the split '{split}' among those.")
        return selected


def find_suite(text: str) -> Suite:
    """Return a suite by its registered name, its file, a folder of EMMOE-100, or the published files of another
    benchmark as `NAME:FOLDER`. Raises BadInput."""
    path = Path(text).expanduser()
    if path.suffix in SUFFIXES or path.exists():
        return read_suite(path)
    names = registry.names("suites")
    published, _, folder = text.partition(":")
    if published in registry.names("published"):
        if not folder:
            raise BadInput(f"The suite '{published}' is read from its published files: give `{published}:FOLDER`.")
        published_suite: Suite = registry.load("published", published)(Path(folder).expanduser())
        return published_suite
    if text not in names:
        known = f"give a file, or one of: {', '.join(names)}." if names else "give a file."
        raise BadInput(f"There is no suite '{text}': {suggestion(text, names, known)}")
    suite: Suite = registry.load("suites", text)()
    return suite


def read_suite(path: str | Path) -> Suite:
    """Read a suite from its file, or a folder in the format of EMMOE-100. Raises BadInput naming file, task, field."""
    path = Path(path)
    if is_emmoe(path):
        return _emmoe_suite(path)
    advice = "A suite is a YAML file (docs/suites.md); `homie list suites` names those that come with Homie."
    with reading(path, "the suite", advice=advice):
        document = load_yaml(path, words=True)
    if not isinstance(document, dict):
        raise BadInput(f"The suite {path} must hold a mapping with format, name and tasks. {advice}")
    try:
        suite = Suite.model_validate(document)
    except ValidationError as error:
        hint = "" if is_about_a_field(error) else f" {advice}"
        raise BadInput(f"{path}: {_task_problem(error, document)}{hint}") from error
    return suite.model_copy(
        update={"tasks": tuple(_with_scene_path(_checked_keypaths(task, path), path) for task in suite.tasks)}
    )


def _checked_keypaths(task: Task, path: Path) -> Task:
    """Return the task. Raises BadInput for a key path without any subtask; those published by EMMOE are accepted."""
    if any(keypath == ("[End]",) for keypath in task.keypaths):
        raise BadInput(
            f"{path}: task '{task.id}': keypaths: a key path of [End] alone would call everything done: name what has"
            " to be done before, or give a goal instead (of a task that its scene sets: `goal: {done: true}`)."
        )
    return task


def _with_scene_path(task: Task, path: Path) -> Task:
    """Return the task with an absolute path of its scene spec. Raises BadInput if the file does not match."""
    if task.scene.spec is None:
        return task
    if redundant := [*(["seed"] if task.scene.seed else []), *task.scene.settings]:
        raise BadInput(
            f"{path}: task '{task.id}': scene: the spec says which scene it is: leave out {', '.join(redundant)}."
        )
    spec = place_of(path.parent / task.scene.spec)
    if not spec.is_file():
        raise BadInput(f"{path}: task '{task.id}': scene.spec: there is no file {spec}.")
    digest = sha256(spec)
    if task.scene.sha256 not in ("", digest):
        raise BadInput(f"{path}: task '{task.id}': scene.sha256: {spec} is another file, it has {digest}.")
    return task.model_copy(update={"scene": SceneChoice(spec=spec, sha256=digest)})


def _task_problem(error: ValidationError, document: dict[str, Any]) -> str:
    """Return the first problem, with the task's id instead of its index."""
    location = fault_of(error)["loc"]
    message = problem_of(error)
    if len(location) < 2 or location[0] != "tasks" or not isinstance(location[1], int):
        return message
    number = location[1]
    task = document["tasks"][number]
    name = f"'{task['id']}'" if isinstance(task, dict) and "id" in task else f"number {number + 1}"
    return f"task {name}: {message.removeprefix(f'tasks.{number}').lstrip('.: ')}"


def _emmoe_suite(folder: Path) -> Suite:
    """Return EMMOE-100 as a suite with key paths. Its scenes are those of another simulator and are not included."""
    tasks = [
        Task(
            id=f"emmoe-{slug(task.name)}",
            text=task.text,
            split="train" if task.split == "train" else "test",
            keypaths=task.keypaths,
            expert=tuple(str(step.subtask) for step in task.expert) or None,
        )
        for task in read_emmoe(folder)
    ]
    return Suite(format=1, name=slug(folder.name), description="Read from the files of EMMOE-100.", tasks=tuple(tasks))
