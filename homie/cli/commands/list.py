"""`homie list`: the parts that can be chosen, built in and from other packages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, TypeVar

import typer
from pydantic.fields import FieldInfo

from homie.bench.suite.suite import Suite, find_suite
from homie.cli.output import columns, print_json, say
from homie.cli.part_availability import CONFIGURED, PartState, own_state, part_states
from homie.kernel import registry
from homie.kernel.errors import BadInput, MissingPart, suggestion
from homie.kernel.support.text import first_sentence, format_count

T = TypeVar("T")
KINDS = ("planners", "skills", "robots", "bodies", "detectors", "locators", "checks", "suites")
TASKS = "tasks"
INDENT = "  "


def list_command(
    kind: Annotated[
        str | None,
        typer.Argument(
            help=f"One of: {', '.join(KINDS)}; or `{TASKS}`, of a suite.",
            show_default=False,
            autocompletion=lambda incomplete: [name for name in (*KINDS, TASKS) if name.startswith(incomplete)],
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(help="One of that kind; with `tasks`: a suite, by name or file.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List what can be chosen: all names, a line for each of a KIND, or with a NAME everything about that one, such as
    the settings of a planner. `homie list tasks SUITE` lists the tasks of a suite."""
    if kind == TASKS:
        _list_tasks(name, json=json)
        return
    if kind is not None and kind not in KINDS:
        hint = suggestion(kind, KINDS, f"choose one of: {', '.join(KINDS)}.")
        raise BadInput(f"There is no list of '{kind}': {hint}")
    if kind is None:
        _list_names(json=json)
    elif kind == "suites":
        _list_suites(name, json=json)
    else:
        _list_parts(kind, name, json=json)


def _list_names(*, json: bool) -> None:
    """Print the names of all kinds; as JSON, with their import paths."""
    targets_by_kind = {kind: registry.targets(kind) for kind in KINDS}
    if json:
        print_json(targets_by_kind)
        return
    say(columns((kind, ", ".join(targets)) for kind, targets in targets_by_kind.items()))
    say("`homie list KIND` says what each of them is.")


def _list_parts(kind: str, name: str | None, *, json: bool) -> None:
    states = {state.name: state for state in part_states(kind)}
    if kind == "planners":
        states["expert"] = _expert()
    if name is not None:
        is_own = ":" in name and name not in states
        states = {name: own_state(kind, name)} if is_own else _only(states, name, kind)
    if json:
        print_json({kind: {state.name: _part(state, kind) for state in states.values()}})
        return
    say(kind)
    if name is not None:
        _show_part(states[name], kind)
        return
    say(columns([_row(state, kind) for state in states.values()], indent=INDENT))
    _advise({state.name: state.fix or state.problem for state in states.values() if state.problem})
    if any(state.settings for state in states.values()):
        say(f"`homie list {kind} NAME` lists the settings of one.")


def _row(state: PartState, kind: str) -> tuple[str, ...]:
    """Return a line of the list. Kinds whose parts declare no requirements are not called usable."""
    if kind in CONFIGURED:
        return (state.name, "not usable" if state.problem else "usable", _about(state))
    return (state.name, "not usable" if state.problem else _about(state))


def _about(state: PartState) -> str:
    return f"{state.about} ({state.note})".strip() if state.note else state.about


def _show_part(state: PartState, kind: str) -> None:
    """Print everything about one part."""
    say(columns([(state.name, _about(state))], indent=INDENT))
    if state.problem or kind in CONFIGURED:
        say(f"{INDENT}{'':<4}{state.problem or 'usable'}")
    if state.fix:
        say(f"{INDENT}{'':<4}-> {state.fix}")
    settings = [(setting, _default(field), field.description or "") for setting, field in _fields(state)]
    if settings:
        say(columns([("SETTING", "DEFAULT", ""), *settings], indent=INDENT))


def _advise(advice: Mapping[str, str]) -> None:
    """Print how to make unusable parts usable: a line for each piece of advice, below the names that it helps."""
    for sentence in dict.fromkeys(advice.values()):
        say(f"{', '.join(name for name, text in advice.items() if text == sentence)}:")
        say(f"{INDENT}-> {sentence}")


def _expert() -> PartState:
    """Return the planner that only a bench has: it cannot be loaded by its name."""
    return PartState(
        name="expert",
        target=registry.targets("planners")["scripted"],
        about="Plays the subtasks that the suite gives for each task; with settings it errs and recovers, as `erring`.",
        note="`homie bench` only; needs a simulator, whose names they use",
        settings=registry.load("planners", "erring").Settings,
    )


def _list_suites(name: str | None, *, json: bool) -> None:
    targets = registry.targets("suites")
    if name is not None:
        targets = _only(targets, name, "suites")
    suites: dict[str, Suite] = {}
    missing: dict[str, str] = {}
    for suite_name in targets:
        try:
            suites[suite_name] = find_suite(suite_name)
        except MissingPart as error:
            missing[suite_name] = error.need
    if json:
        summaries = {
            suite_name: {"target": targets[suite_name], **_counts(suite)} for suite_name, suite in suites.items()
        }
        print_json({"suites": summaries, "missing": missing})
        return
    say("suites")
    if name in suites:
        _show_suite(name, targets[name], suites[name])
        return
    rows = [
        (
            suite_name,
            format_count(len(suites[suite_name].tasks), "task"),
            first_sentence(suites[suite_name].description),
        )
        if suite_name in suites
        else (suite_name, "not usable", "")
        for suite_name in targets
    ]
    say(columns(rows, indent=INDENT))
    _advise(missing)
    if name is None:
        say("`homie list suites NAME` says more of one, `homie list tasks NAME` lists its tasks.")


def _show_suite(name: str, target: str, suite: Suite) -> None:
    """Print everything about one suite except its tasks."""
    protocol_text = f"{format_count(suite.protocol.trials, 'trial')} of up to {format_count(_rounds(suite), 'round')}"
    say(f"{INDENT}{name}  version {suite.version}, {format_count(len(suite.tasks), 'task')}, {protocol_text}  {target}")
    say(columns([("", " ".join(suite.description.split()))], indent=INDENT))


def _list_tasks(name: str | None, *, json: bool) -> None:
    """Print the tasks of a suite: their ids, as for `homie bench --tasks`, and their instructions."""
    if name is None:
        known = ", ".join(registry.names("suites"))
        raise BadInput(f"Which suite's tasks? Give its name or file: homie list tasks SUITE (there is: {known}).")
    suite = find_suite(name)
    if json:
        tasks = {task.id: {"text": task.text, "split": task.split} for task in suite.tasks}
        print_json({"suite": suite.name, "tasks": tasks})
        return
    say(columns([(task.id, task.text) for task in suite.tasks]))


def _only(parts: Mapping[str, T], name: str, kind: str) -> dict[str, T]:
    """Select one of the parts of a kind. Raises BadInput."""
    if name not in parts:
        raise registry.unknown(kind, name)
    return {name: parts[name]}


def _rounds(suite: Suite) -> int:
    """Return the largest number of rounds of a task of the suite."""
    return max(suite.protocol_of(task).rounds for task in suite.tasks)


def _counts(suite: Suite) -> dict[str, object]:
    return {
        "version": suite.version,
        "tasks": len(suite.tasks),
        "trials": suite.protocol.trials,
        "rounds": _rounds(suite),
        "description": suite.description,
    }


def _part(state: PartState, kind: str) -> dict[str, object]:
    settings = {name: {"default": _default(field), "about": field.description} for name, field in _fields(state)}
    fix = {"problem": state.problem, "fix": state.fix} if state.problem else {}
    keys = {"keys": state.keys} if kind == "planners" else {}
    note = {"note": state.note} if state.note else {}
    about = {"about": state.about, **note}
    usability = {"usable": not state.problem} if state.problem or kind in CONFIGURED else {}
    return {"target": state.target, **usability, **about, **fix, "settings": settings, **keys}


def _fields(state: PartState) -> Iterable[tuple[str, FieldInfo]]:
    return state.settings.model_fields.items() if state.settings is not None else ()


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    return "-" if default in (None, "") or field.is_required() else str(default)
