"""Conformance kit for planners. It needs no robot and no home: the situations are synthetic, some of them unusual."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TypeAlias

import numpy as np

from homie.kernel.actions import ACTIONS, Ability
from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.function_planner import Decide
from homie.kernel.interfaces import Planner
from homie.kernel.interfaces.planner import decision_of
from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.registry import PLANNER
from homie.kernel.support.text import format_count
from homie.kernel.types import (
    END,
    FLOOR,
    SUCCESS,
    VIEWS,
    Decision,
    Detection,
    ErrorCode,
    Feedback,
    HistoryItem,
    Image,
    PlannerInput,
    Subtask,
)
from homie.testing.violations import (
    check_description,
    check_name,
    describe_error,
    environment_secrets,
    settle,
    usable_part,
)

TASK = "put the apple in the bowl"
_FAILURES = tuple((code, code.sentence.format(action="pick", item="apple", container="fridge")) for code in ErrorCode)


_KNOWN = Knowledge(
    "sensors",
    "kitchen",
    ("kitchen", "bedroom"),
    (Doorway("doorway", "kitchen", "bedroom"),),
    (RememberedThing("fridge", "kitchen", "", 1, "open"), RememberedThing("apple", "", "in the fridge", 1)),
)
_ABLE = {"classical": Ability(ACTIONS[:-1], (), "does everything"), "nomad": Ability(("Go to",), ("Go to",))}


def check_planner(planner: Planner | type[Planner] | Decide, *, deterministic: bool = False) -> None:
    """Check a planner against `homie.kernel.interfaces.Planner`.

    The planner is queried in about twenty situations, first each in its own episode, then all in one: no detections, a
    long history, every error code, unusual images; about 45 decisions. Decisions must have subtasks or a problem and be
    recordable. The input must not be modified, nothing printed on stdout, and `describe` must return JSON without
    secrets.

    Args:
        planner: Planner, its class, or a function that decides.
        deterministic: Whether equal task, seed and situations must give equal decisions, whatever came before. Doubles
            the number of decisions.

    Raises:
        NotConforming: Lists every violation.
        PlannerError: Raised by the planner, e.g. because its endpoint fails: nothing can be checked.

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
    planner = usable_part(PLANNER, planner)
    violations = [*check_name(planner), *check_description(planner, "before the first reset")]
    rounds_by_problem: RoundsByProblem = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        first = [_play(planner, 1, episode, violations, rounds_by_problem) for episode in episodes(TASK)]
        violations += check_description(planner, "after an episode")
        if deterministic:
            second_decisions = [_play(planner, 1, episode, violations, rounds_by_problem) for episode in episodes(TASK)]
            violations += _differences(first, second_decisions)
    violations += [_with_first_round(problem, list(rounds)) for problem, rounds in rounds_by_problem.items()]
    if printed.getvalue():
        violations.append("It prints on stdout, which belongs to --json: use stderr or `logging`.")
    settle(violations)


# ---------------------------------------------------------------- situations


Episode = tuple[tuple[str, PlannerInput], ...]
"""Rounds of an episode with their names."""
RoundsByProblem: TypeAlias = dict[str, dict[str, None]]
"""Problems of decisions, as the end of a sentence, with the names of the rounds in which they occur."""


def episodes(task: str) -> Iterator[Episode]:
    """Yield the test episodes: one for each unusual situation, as the second round, then one with all of them."""
    (_, first), *odd = _situations(task)
    begins = ("round 1", first)
    for name, planner_input in odd:
        yield begins, (f"round 2: {name}", replace(planner_input, round=2))
    yield (
        begins,
        *(
            (f"round {at} of one long episode: {name}", replace(planner_input, round=at))
            for at, (name, planner_input) in enumerate(odd, 2)
        ),
    )


def _situations(task: str) -> list[tuple[str, PlannerInput]]:
    """Return named situations: the first round of an episode, then possible later rounds."""
    first_round = PlannerInput(
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
    second_round = replace(first_round, history=(HistoryItem(1, Subtask("Go to", "apple"), SUCCESS),), feedback=SUCCESS)
    failed_rounds = [
        (
            f"feedback {code}",
            replace(second_round, feedback=Feedback("fail", code, message, about=("fridge",), lasting=True)),
        )
        for code, message in _FAILURES
    ]
    long = tuple(HistoryItem(n, Subtask("Go to", f"place {n}"), SUCCESS) for n in range(1, 301))
    detections = tuple(Detection(f"thing {n}", VIEWS[n % 4], (n, n, n + 5, n + 5)) for n in range(200))
    return [
        ("nothing has been done", first_round),
        ("nothing detected", replace(second_round, detections=())),
        *failed_rounds,
        ("a held object", replace(second_round, inventory=("apple",))),
        ("a history of 300 subtasks", replace(second_round, history=long)),
        ("200 detections", replace(second_round, detections=detections)),
        ("a home that is known", replace(second_round, knowledge=_KNOWN, abilities=_ABLE)),
        ("images of 480 x 640", replace(second_round, views=_views((480, 640)))),
        ("images of 7 x 31", replace(second_round, views=_views((7, 31)))),
        ("images of 1 x 1", replace(second_round, views=_views((1, 1)), detections=())),
        ("images that are not contiguous in memory", replace(second_round, views=_views((512, 512), every=2))),
        ("no images", replace(second_round, views={}, detections=())),
        ("no models", replace(second_round, models=())),
        ("actions of another suite", replace(second_round, actions=("Go to", "Slice", "Turn on", "End"))),
    ]


def _views(size: tuple[int, int], every: int = 1) -> dict[str, Image]:
    """Return four read-only pictures (H, W, 3), as camera drivers may provide them."""
    rng = np.random.default_rng(0)
    views = {}
    for view in VIEWS:
        picture = rng.integers(0, 256, (*size, 3), dtype=np.uint8)[::every, ::every]
        picture.flags.writeable = False
        views[view] = picture
    return views


# ---------------------------------------------------------------- checks


def _play(
    planner: Planner, seed: int, episode: Episode, violations: list[str], rounds_by_problem: RoundsByProblem
) -> list[Decision | None]:
    """Play a synthetic episode. Returns its decisions without times; None for a failed one."""
    try:
        planner.reset(episode[0][1].task, seed=seed)
    except PlannerError:
        raise
    except Exception as error:
        violations.append(describe_error("reset", error))
        return []
    return [_ask(planner, name, planner_input, rounds_by_problem) for name, planner_input in episode]


def _ask(
    planner: Planner, name: str, planner_input: PlannerInput, rounds_by_problem: RoundsByProblem
) -> Decision | None:
    snapshot_before = _snapshot(planner_input)
    decision: Decision | None = None
    try:
        answer = planner.decide(planner_input)
    except PlannerError:
        raise
    except BadInput as error:
        problems = [f": {error}"]
    except Exception as error:
        problems = [describe_error("", error)]
    else:
        try:
            decision = decision_of(answer, "")
            problems = list(_problems(decision))
        except BadInput as error:
            problems = [str(error)]
    if _snapshot(planner_input) != snapshot_before:
        problems.append(" changed its input.")
    for problem in problems:
        rounds_by_problem.setdefault(problem, {})[name] = None
    return None if decision is None or problems else _timeless(decision)


def _with_first_round(problem: str, rounds: Sequence[str]) -> str:
    """Format a problem of decisions with the first of the rounds in which it occurs."""
    suffix = f" The same in {format_count(len(rounds) - 1, 'other round')}." if len(rounds) > 1 else ""
    return f"decide ({rounds[0]}){problem}{suffix}"


def _differences(first: list[list[Decision | None]], second: list[list[Decision | None]]) -> Iterator[str]:
    """Yield the first difference between two runs of the episodes, if any."""
    for episode, played_first, played_again in zip(episodes(TASK), first, second, strict=True):
        for (name, _), first_decision, second_decision in zip(episode, played_first, played_again, strict=False):
            if first_decision != second_decision:
                yield (
                    f"decide ({name}): the same task, seed and situations gave other decisions after a reset: "
                    f"{_printable(first_decision)}, then {_printable(second_decision)}."
                )
                return


def _snapshot(planner_input: PlannerInput) -> tuple[object, ...]:
    """Return the complete situation by value."""
    views = tuple((name, picture.shape, picture.tobytes()) for name, picture in planner_input.views.items())
    return (views, planner_input.detections, repr(replace(planner_input, views={})))


def _timeless(decision: Decision) -> Decision:
    return replace(
        decision, answers=tuple(replace(answer, seconds=0.0, cached=False, cost=0.0) for answer in decision.answers)
    )


def _problems(decision: Decision) -> Iterator[str]:
    """Yield the problems of a decision that its field types do not exclude."""
    for subtask in decision.subtasks:
        parts = (subtask.action, subtask.target, subtask.destination)
        if any(part != " ".join(part.split()) for part in parts):
            yield f": the parts of a subtask have single blanks and one line (got {parts!r})."
    if (decision.report or decision.answer) and END.action not in [subtask.action for subtask in decision.subtasks]:
        yield ": only a decision that ends the task can have a report or an answer."
    try:
        record = json.dumps(asdict(decision), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f": it cannot be recorded as JSON: {error}."
        return
    yield from (f": its record has {secret}." for secret in environment_secrets(record))


def _printable(decision: Decision | None) -> str:
    if decision is None:
        return "none"
    return " ".join(str(subtask) for subtask in decision.subtasks) or decision.problem
