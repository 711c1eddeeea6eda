"""The kit for planners. It needs no robot and no home: the situations are made up, some of them odd."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import get_args

import numpy as np

from homie.kernel.actions import ACTIONS, Ability
from homie.kernel.errors import PlannerError
from homie.kernel.interfaces import Planner
from homie.kernel.knowledge import Doorway, Knowledge, Remembered
from homie.kernel.types import (
    END,
    FLOOR,
    SUCCESS,
    VIEWS,
    Answer,
    Decision,
    Detection,
    ErrorCode,
    Feedback,
    HistoryItem,
    Image,
    PlannerInput,
    Report,
    Subtask,
)
from homie.testing.violations import NotConforming, described, environment_secrets, named

TASK = "put the apple in the bowl"
_FAILURES = tuple((code, code.sentence.format(action="pick", item="apple", container="fridge")) for code in ErrorCode)


_KNOWN = Knowledge(
    "sensors",
    "kitchen",
    ("kitchen", "bedroom"),
    (Doorway("doorway", "kitchen", "bedroom"),),
    (Remembered("fridge", "kitchen", "", 1, "open"), Remembered("apple", "", "in the fridge", 1)),
)
_ABLE = {"classical": Ability(ACTIONS[:-1], (), "does everything"), "nomad": Ability(("Go to",), ("Go to",))}


def check_planner(planner: Planner, *, deterministic: bool = False) -> None:
    """Check a planner against `homie.kernel.interfaces.Planner`.

    It is asked in about twenty situations, each in an episode of its own and all in one: no detections, a long history,
    every error code, odd images; about 45 decisions. Decisions have to have subtasks or a problem and to be recordable;
    the input stays as it was, nothing is printed on stdout, and `describe` is JSON without secrets.

    Args:
        planner: The planner.
        deterministic: Whether the same task, seed and situations have to give the same decisions, whatever was asked
            before. It is then asked twice as often.

    Raises:
        NotConforming: Lists every violation.
        PlannerError: The planner raised it (an endpoint that fails): nothing can be checked.

    Example:
        >>> from homie.kernel.interfaces import Planner
        >>> from homie.kernel.types import END, Decision
        >>> from homie.testing import check_planner
        >>> class Idle(Planner):
        ...     name = "idle"
        ...
        ...     def reset(self, task, *, seed):
        ...         pass
        ...
        ...     def decide(self, planner_input):
        ...         return Decision((END,), "I do nothing.")
        >>> check_planner(Idle(), deterministic=True)
    """
    if not isinstance(planner, Planner):
        raise NotConforming([f"{type(planner).__name__} is not a homie.kernel.interfaces.Planner."])
    violations = [*named(planner), *described(planner, "before the first reset")]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        first = [_play(planner, 1, episode, violations) for episode in episodes(TASK)]
        violations += described(planner, "after an episode")
        if deterministic:
            again = [_play(planner, 1, episode, violations) for episode in episodes(TASK)]
            violations += _differences(first, again)
    if printed.getvalue():
        violations.append("It prints on stdout, which belongs to --json: use stderr or `logging`.")
    if violations:
        raise NotConforming(list(dict.fromkeys(violations)))


# ---------------------------------------------------------------- situations


Episode = tuple[tuple[str, PlannerInput], ...]
"""The rounds of an episode, each with its name."""


def episodes(task: str) -> Iterator[Episode]:
    """What a planner is asked: each odd situation as the second round of an episode, then all of them in one."""
    first, *odd = _situations(task)
    for name, planner_input in odd:
        yield first, (name, replace(planner_input, round=2))
    yield (
        first,
        *((f"{name}, later", replace(planner_input, round=at)) for at, (name, planner_input) in enumerate(odd, 2)),
    )


def _situations(task: str) -> list[tuple[str, PlannerInput]]:
    """Situations with their names: the first round of an episode, then what may come after it."""
    plain = PlannerInput(
        task=task,
        round=1,
        views=_views((256, 256)),
        detections=(
            Detection("apple", "front", (40, 60, 80, 100), 0.9, "apple_1"),
            Detection("table", "front", (0, 90, 200, 250), 0.8, "table_1"),
            Detection("fridge", "left", (10, 0, 120, 250), 0.9, "fridge_1"),
            Detection("fridge", "left", (20, 5, 60, 240), 0.9, "fridge_1", "door"),
            Detection("kitchen", "back", (0, 128, 256, 256), 1.0, "kitchen_1", FLOOR),
        ),
        inventory=(),
        history=(),
        feedback=None,
        actions=ACTIONS,
        models=("classical", "nomad"),
    )
    later = replace(plain, history=(HistoryItem(1, Subtask("Go to", "apple"), SUCCESS),), feedback=SUCCESS)
    failed = [
        (f"feedback {code}", replace(later, feedback=Feedback("fail", code, message, about=("fridge",), lasting=True)))
        for code, message in _FAILURES
    ]
    long = tuple(HistoryItem(n, Subtask("Go to", f"place {n}"), SUCCESS) for n in range(1, 301))
    many = tuple(Detection(f"thing {n}", VIEWS[n % 4], (n, n, n + 5, n + 5)) for n in range(200))
    return [
        ("the first round", plain),
        ("nothing detected", replace(later, detections=())),
        *failed,
        ("a held object", replace(later, inventory=("apple",))),
        ("a history of 300 subtasks", replace(later, history=long)),
        ("200 detections", replace(later, detections=many)),
        ("a home that is known", replace(later, knowledge=_KNOWN, abilities=_ABLE)),
        ("images of 480 x 640", replace(later, views=_views((480, 640)))),
        ("images of 7 x 31", replace(later, views=_views((7, 31)))),
        ("images of 1 x 1", replace(later, views=_views((1, 1)), detections=())),
        ("images that are not contiguous in memory", replace(later, views=_views((512, 512), every=2))),
        ("no images", replace(later, views={}, detections=())),
        ("no models", replace(later, models=())),
        ("actions of another suite", replace(later, actions=("Go to", "Slice", "Turn on", "End"))),
    ]


def _views(size: tuple[int, int], every: int = 1) -> dict[str, Image]:
    """Four pictures (H, W, 3) that nobody may write to, as a camera driver may hand them out."""
    rng = np.random.default_rng(0)
    views = {}
    for view in VIEWS:
        picture = rng.integers(0, 256, (*size, 3), dtype=np.uint8)[::every, ::every]
        picture.flags.writeable = False
        views[view] = picture
    return views


# ---------------------------------------------------------------- checks


def _play(planner: Planner, seed: int, episode: Episode, violations: list[str]) -> list[Decision | None]:
    """One made-up episode. Returns its decisions without times; None where there was none."""
    try:
        planner.reset(episode[0][1].task, seed=seed)
    except PlannerError:
        raise
    except Exception as error:
        violations.append(f"reset raised {type(error).__name__}: {error}")
        return []
    return [_ask(planner, name, planner_input, violations) for name, planner_input in episode]


def _ask(planner: Planner, name: str, planner_input: PlannerInput, violations: list[str]) -> Decision | None:
    before = _snapshot(planner_input)
    try:
        decision = planner.decide(planner_input)
    except PlannerError:
        raise
    except Exception as error:
        violations.append(f"decide raised {type(error).__name__} ({name}): {error}")
        return None
    if _snapshot(planner_input) != before:
        violations.append(f"decide ({name}) changed its input.")
    wrong = _decision(decision)
    violations += [f"decide ({name}): {sentence}" for sentence in wrong]
    return None if wrong else _timeless(decision)


def _differences(first: list[list[Decision | None]], again: list[list[Decision | None]]) -> Iterator[str]:
    """The first decision that came out otherwise, if any did."""
    for episode, played_first, played_again in zip(episodes(TASK), first, again, strict=True):
        for (name, _), before, after in zip(episode, played_first, played_again, strict=False):
            if before != after:
                yield (
                    f"decide ({name}): the same task, seed and situations gave other decisions after a reset: "
                    f"{_shown(before)}, then {_shown(after)}."
                )
                return


def _snapshot(planner_input: PlannerInput) -> tuple[object, ...]:
    """All of a situation by value."""
    views = tuple((name, picture.shape, picture.tobytes()) for name, picture in planner_input.views.items())
    return (views, planner_input.detections, repr(replace(planner_input, views={})))


def _timeless(decision: Decision) -> Decision:
    return replace(
        decision, answers=tuple(replace(answer, seconds=0.0, cached=False, cost=0.0) for answer in decision.answers)
    )


def _decision(decision: object) -> list[str]:
    """What is wrong with a decision."""
    if not isinstance(decision, Decision):
        return [f"it returned {type(decision).__name__}, not a Decision."]
    wrong = []
    if not isinstance(decision.subtasks, tuple) or not all(
        isinstance(subtask, Subtask) for subtask in decision.subtasks
    ):
        return ["`subtasks` must be a tuple of Subtask."]
    if bool(decision.subtasks) == bool(decision.problem):
        wrong.append("it must have either subtasks or a problem that says why there are none.")
    for subtask in decision.subtasks:
        parts = (subtask.action, subtask.target, subtask.destination)
        if not all(isinstance(part, str) for part in parts):
            wrong.append(f"action, target and destination must be text (got {parts!r}).")
        elif not subtask.action or any(part != " ".join(part.split()) for part in parts):
            wrong.append(f"a subtask needs an action, and its parts single blanks and one line (got {parts!r}).")
    for name in ("analysis", "model", "raw", "problem", "answer"):
        if not isinstance(getattr(decision, name), str):
            wrong.append(f"`{name}` must be text.")
    if decision.report not in get_args(Report):
        wrong.append(f"`report` must be one of {', '.join(map(repr, get_args(Report)))} (got {decision.report!r}).")
    if (decision.report or decision.answer) and END.action not in [subtask.action for subtask in decision.subtasks]:
        wrong.append("only a decision that ends the task can have a report or an answer.")
    if not isinstance(decision.answers, tuple) or not all(isinstance(answer, Answer) for answer in decision.answers):
        wrong.append("`answers` must be a tuple of Answer.")
    try:
        record = json.dumps(asdict(decision), allow_nan=False)
    except (TypeError, ValueError) as error:
        return [*wrong, f"it cannot be recorded as JSON: {error}."]
    return wrong + [f"its record has {secret}." for secret in environment_secrets(record)]


def _shown(decision: Decision | None) -> str:
    if decision is None:
        return "none"
    return " ".join(str(subtask) for subtask in decision.subtasks) or decision.problem
