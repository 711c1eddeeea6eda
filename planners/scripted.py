"""The scripted planner: decisions from a YAML or JSON file, one per round, then End. For tests, demos and replays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from homie.kernel.actions import canonical_action
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.interfaces import Planner
from homie.kernel.support.documents import LARGEST, bounded_bytes, parse_json, parse_yaml
from homie.kernel.support.files import reading
from homie.kernel.types import END, Decision, PlannerInput, Report, Subtask
from planners.parse_subtask import make_subtask, parse_subtask

ADVICE = "A script is a YAML list of decisions, such as `- subtask: [Pick, apple]` (docs/planners.md)."


class ScriptEntry(BaseModel):
    """One decision in a script: either `subtask` or `subtasks`, each as text or as a list of its parts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    analysis: StrictStr = ""
    subtask: StrictStr | list[StrictStr] | None = None
    subtasks: list[StrictStr | list[StrictStr]] | None = Field(None, min_length=1)
    model: StrictStr = ""
    report: Report = ""
    answer: StrictStr = ""

    def decision(self) -> Decision:
        """Convert the entry to a decision. Raises BadInput."""
        if (self.subtask is None) == (self.subtasks is None):
            raise BadInput("it needs either 'subtask' or 'subtasks'.")
        step_fields = [self.subtask] if self.subtask is not None else self.subtasks or []
        subtasks = tuple(_subtask(subtask) for subtask in step_fields)
        if (self.report or self.answer) and canonical_action(subtasks[-1].action) != END.action:
            raise BadInput("'report' and 'answer' belong to End, and its last subtask is another one.")
        return Decision(subtasks, self.analysis, self.model, report=self.report, answer=self.answer)


class ScriptedPlanner(Planner):
    """Plays the decisions of a file, or of the folder of an episode. Format: docs/planners.md.

    Raises BadInput for an unusable file.
    """

    name = "scripted"

    def __init__(self, argument: str = "") -> None:
        if not argument:
            raise BadInput("The scripted planner needs a file: --planner scripted:plan.yaml.")
        path = Path(argument).expanduser()
        self._text = script_of(path) if path.is_dir() else _read(path)
        self._decisions = parse_script(self._text, path)
        self._next = 0

    def describe(self) -> Mapping[str, object]:
        return {"decisions": len(self._decisions), "sha256": self._digest}

    def texts(self) -> Mapping[str, str]:
        return {self._digest: self._text}

    @property
    def _digest(self) -> str:
        return hashlib.sha256(self._text.encode()).hexdigest()

    def reset(self, task: str, *, seed: int) -> None:
        self._next = 0

    def decide(self, planner_input: PlannerInput) -> Decision:
        if self._next >= len(self._decisions):
            return Decision((END,), "The script is over.")
        self._next += 1
        return self._decisions[self._next - 1]


def read_script(path: Path) -> tuple[Decision, ...]:
    """Read the decisions in a YAML or JSON file. Raises BadInput with a sentence that names the entry, from 1."""
    return parse_script(_read(path), path)


def parse_script(text: str, path: Path) -> tuple[Decision, ...]:
    """Parse the text of a script; `path` names it in errors. Raises BadInput as `read_script`."""
    with reading(path, "the script", advice=ADVICE):
        loaded = parse_yaml(text)
    if not isinstance(loaded, list) or not loaded:
        raise BadInput(f"The script {path} must be a list of decisions with at least one entry. {ADVICE}")
    return tuple(_entry(path, number, entry) for number, entry in enumerate(loaded, 1))


def script_of(episode: Path) -> str:
    """Return the decisions of an episode folder as a script (YAML), one entry per round. Raises BadInput.

    Rounds whose output could not be parsed are omitted.
    """
    if not (episode / "steps.jsonl").exists():
        raise BadInput(f"The folder {episode} is not an episode of a run: it has no steps.jsonl. {ADVICE}")
    rounds: dict[int, Any] = {}
    for number, line in enumerate(_read(episode / "steps.jsonl").splitlines(), 1):
        try:
            record = parse_json(line)
            rounds.setdefault(record["round"], record["decision"])
        except (ValueError, LookupError, TypeError) as error:
            raise BadInput(f"Line {number} of {episode / 'steps.jsonl'} is not a round record.") from error
    entries = []
    for decision in rounds.values():
        subtasks = [[part for part in subtask.values() if part] for subtask in decision["subtasks"]]
        fields = {name: decision[name] for name in ("analysis", "model", "report", "answer") if decision.get(name)}
        if subtasks:
            entries.append({"subtasks": subtasks, **fields})
    return str(yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=1000))


def _read(path: Path) -> str:
    with reading(path, "the script", advice=ADVICE):
        return bounded_bytes(path, LARGEST).decode()


def _entry(path: Path, number: int, entry: Any) -> Decision:
    try:
        if isinstance(entry, dict):
            return ScriptEntry.model_validate(entry).decision()
        return ScriptEntry.model_validate({"subtask": entry}).decision()
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            hint = suggestion(field, ScriptEntry.model_fields, f"its keys are {', '.join(ScriptEntry.model_fields)}.")
            raise BadInput(f"Entry {number} of {path}: unknown key '{field}': {hint}") from error
        raise BadInput(
            f"Entry {number} of {path}: '{field}' is not understood (got {first['input']!r}); "
            "write text such as [Pick, apple]."
        ) from error
    except BadInput as error:
        raise BadInput(f"Entry {number} of {path}: {error}") from error


def _subtask(parts: str | list[str]) -> Subtask:
    return parse_subtask(parts) if isinstance(parts, str) else make_subtask(parts)
