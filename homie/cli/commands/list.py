"""`homie list`: the parts that can be chosen, built in and from other packages."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Annotated

import typer
from pydantic.fields import FieldInfo

from homie.bench.suite.suite import Suite, find_suite
from homie.cli.output import columns, print_json, say
from homie.cli.parts import CONFIGURED, PartState, part_states
from homie.kernel import registry
from homie.kernel.errors import BadInput, MissingPart, suggestion

KINDS = ("planners", "skills", "robots", "bodies", "detectors", "locators", "checks", "suites")
TASKS = "tasks"


def list_command(
    kind: Annotated[
        str | None,
        typer.Argument(
            help=f"One of: {', '.join(KINDS)}; or `{TASKS}`, of a suite.",
            show_default=False,
            autocompletion=lambda incomplete: [name for name in (*KINDS, TASKS) if name.startswith(incomplete)],
        ),
    ] = None,
    suite: Annotated[
        str | None, typer.Argument(help="With `tasks`: a suite, by name or file.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List what can be chosen. For planners, skills and detectors: whether they can be used here, and their settings.
    For suites: how many tasks they have; `homie list tasks SUITE` lists the tasks."""
    if kind == TASKS:
        _list_tasks(suite, json=json)
        return
    if suite is not None:
        raise BadInput(f"'{suite}' means nothing here: the tasks of a suite are listed by `homie list tasks {suite}`.")
    if kind is not None and kind not in KINDS:
        hint = suggestion(kind, KINDS, f"choose one of: {', '.join(KINDS)}.")
        raise BadInput(f"There is no list of '{kind}': {hint}")
    if kind in CONFIGURED:
        _list_parts(kind, json=json)
    elif kind == "suites":
        _list_suites(json=json)
    else:
        listed = {name: registry.targets(name) for name in KINDS if kind in (None, name)}
        if json:
            print_json(listed)
            return
        for name, targets in listed.items():
            say(name)
            say(columns(targets.items(), indent="  "))


def _list_parts(kind: str, *, json: bool) -> None:
    states = [*part_states(kind), *([_expert()] if kind == "planners" else [])]
    if json:
        print_json({kind: {state.name: _part(state, kind) for state in states}})
        return
    say(kind)
    for state in states:
        say(f"  {state.name:<16}{state.problem or 'usable'}{f'; {state.note}' if state.note else ''}")
        if state.fix:
            say(f"  {'':<16}-> {state.fix}")
        for name, field in _fields(state):
            say(f"    {name:<20}{_default(field):<18} {field.description or ''}")


def _expert() -> PartState:
    """The planner that only a bench has: it is no part that can be loaded by its name."""
    return PartState(
        name="expert",
        target=registry.targets("planners")["scripted"],
        note="`homie bench` only: plays the subtasks that the suite gives for each task; needs a simulator, whose names"
        " they use; with settings it errs and recovers, as `erring`",
        settings=registry.load("planners", "erring").Settings,
    )


def _list_suites(*, json: bool) -> None:
    suites: dict[str, Suite] = {}
    for name in registry.targets("suites"):
        try:
            suites[name] = find_suite(name)
        except MissingPart as error:
            warnings.warn(f"{error}", stacklevel=2)
    if json:
        shown = {name: _suite(name, suite) for name, suite in suites.items()}
        print_json({"suites": shown})
        return
    say("suites")
    for name, suite in suites.items():
        say(f"  {name:<16}{_counted(suite)}  {registry.targets('suites')[name]}")
        if suite.description:
            say(f"  {'':<16}{' '.join(suite.description.split())}")


def _list_tasks(name: str | None, *, json: bool) -> None:
    """The tasks of a suite: their ids, as for `homie bench --tasks`, and their instructions."""
    if name is None:
        known = ", ".join(registry.names("suites"))
        raise BadInput(f"Which suite's tasks? Give its name or file: homie list tasks SUITE (there is: {known}).")
    suite = find_suite(name)
    if json:
        tasks = {task.id: {"text": task.text, "split": task.split} for task in suite.tasks}
        print_json({"suite": suite.name, "tasks": tasks})
        return
    say(columns([(task.id, task.text) for task in suite.tasks]))


def _counted(suite: Suite) -> str:
    return (
        f"version {suite.version}, {len(suite.tasks)} tasks, {suite.protocol.trials} trials of up to"
        f" {_rounds(suite)} rounds"
    )


def _rounds(suite: Suite) -> int:
    """The most that a task of the suite has."""
    return max(suite.protocol_of(task).rounds for task in suite.tasks)


def _suite(name: str, suite: Suite) -> dict[str, object]:
    counts = {
        "version": suite.version,
        "tasks": len(suite.tasks),
        "trials": suite.protocol.trials,
        "rounds": _rounds(suite),
    }
    return {"target": registry.targets("suites")[name], **counts, "description": suite.description}


def _part(state: PartState, kind: str) -> dict[str, object]:
    settings = {name: {"default": _default(field), "about": field.description} for name, field in _fields(state)}
    fix = {"problem": state.problem, "fix": state.fix} if state.problem else {}
    keys = {"keys": state.keys} if kind == "planners" else {}
    note = {"note": state.note} if state.note else {}
    return {"target": state.target, "usable": not state.problem, **note, **fix, "settings": settings, **keys}


def _fields(state: PartState) -> Iterable[tuple[str, FieldInfo]]:
    return state.settings.model_fields.items() if state.settings is not None else ()


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    return "-" if default in (None, "") or field.is_required() else str(default)
