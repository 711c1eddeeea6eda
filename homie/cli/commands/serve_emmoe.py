"""`homie serve emmoe-planner`: a planner in the place of EMMOE's model server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from homie.bench.score.error_code_of_feedback import code_of
from homie.bench.suite.emmoe_files import INFO, parse_info
from homie.cli.commands.plan import detecting, first_round
from homie.cli.output import print_json, tell
from homie.cli.parameters import settings
from homie.data.emmoe_wording import OFFICIAL_NAMES
from homie.kernel import registry
from homie.kernel.error_codes import ErrorCode
from homie.kernel.errors import BadInput
from homie.kernel.options import PlanOptions
from homie.kernel.support.files import reading
from homie.runtime.assembly import load_planner

Option = typer.Option


def emmoe_planner(
    task: Annotated[str, typer.Argument(help="The task of every trial, where there is no --tasks.")] = "",
    tasks: Annotated[
        Path | None, Option(help="A folder of task folders with info.txt, such as EMMOE-100/data/test.")
    ] = None,
    trials: Annotated[int, Option(help="Trials of each task.", min=1)] = 3,
    planner: Annotated[str, Option(help="The planner, as of `homie run`.")] = "rule",
    planner_settings: Annotated[
        list[str] | None, Option("--set", help="A setting of the planner; may be repeated.", metavar="NAME=VALUE")
    ] = None,
    detector: Annotated[str | None, Option(help="Detector that looks at the pictures (default: nothing does).")] = None,
    detector_settings: Annotated[
        list[str] | None,
        Option("--detector-option", help="A setting of the detector; may be repeated.", metavar="NAME=VALUE"),
    ] = None,
    wire: Annotated[
        Literal["repaired", "strict"],
        Option(help="`strict`: bytes and bookkeeping of the released code; `repaired`: without what it stumbles over."),
    ] = "repaired",
    pictures: Annotated[
        Path | None, Option(help="Only pictures in this folder are opened (default: the parent of --executor-folder).")
    ] = None,
    executor_folder: Annotated[
        Path, Option(help="The folder that the executor works in: relative paths begin there.")
    ] = Path(),
    host: Annotated[str, Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 10010,
    without_token: Annotated[
        bool, Option("--without-token", help="Let other machines connect: nothing protects the connection.")
    ] = False,
    idle_seconds: Annotated[float, Option(help="How long an executor may be silent.", min=0.1)] = 3600.0,
    seed: Annotated[int, Option(help="Of the planner in the first trial of a task.", min=0)] = 0,
    out: Annotated[
        Path | None, Option(help="New folder for TASK/TRIAL/conversation.json, as EMMOE writes them.")
    ] = None,
    json: Annotated[bool, Option("--json", help="Print one JSON object on stdout when it is ready.")] = False,
) -> None:
    """Let a planner decide for EMMOE's released executor, until Ctrl-C or, with `strict`, the last trial."""
    pairs = settings({"planner_settings": planner_settings, "detector_settings": detector_settings})
    options = PlanOptions.build(
        task=task or "-", planner=planner, detector=detector, skills=",".join(OFFICIAL_NAMES), **pairs
    )
    served = registry.load("services", "emmoe-served")(
        planner=load_planner(options.planner, options.planner_settings),
        start=first_round(options),
        tasks=_tasks(task, tasks),
        trials=trials,
        seed=seed,
        models=OFFICIAL_NAMES,
        code_of=_code_of,
        detect=detecting(options),
        pictures=pictures or executor_folder.absolute().parent,
        start_folder=executor_folder,
        out=out,
        idle_seconds=idle_seconds,
        wire=wire,
    )

    def ready(host: str, port: int) -> None:
        tell(f"The planner {planner} waits for EMMOE's executor at {host}:{port}; Ctrl-C ends it.")
        if json:
            print_json({"host": host, "port": port, "planner": planner})

    serve: Any = registry.load("services", "emmoe-planner")
    serve(served, host=host, port=port, without_token=without_token, ready=ready, tell=tell)
    tell("All trials are over.")


def _tasks(task: str, folder: Path | None) -> Mapping[str, str]:
    """Return texts by the names of their folders, in the order in which an executor lists that folder. Raises
    BadInput."""
    if bool(task) == (folder is not None):
        raise BadInput("Which task? Give its text, or a folder of tasks as --tasks.")
    if folder is None:
        return {"": task}
    with reading(folder, "the folder of tasks"):
        names = os.listdir(folder)
    infos = {name: folder / name / INFO for name in names if (folder / name / INFO).is_file()}
    if not infos:
        raise BadInput(f"There is no task in {folder}: it has no folder with an {INFO}.")
    texts = {}
    for name, path in infos.items():
        with reading(path):
            texts[name] = parse_info(path.read_text(encoding="utf-8"), str(path))[0]
    return texts


def _code_of(sentence: str) -> ErrorCode:
    """Return the code of a feedback sentence; for one in no table that of a skill."""
    return ErrorCode(code_of(sentence) or "E1")
