"""`homie skill`: information about checkpoints of low-level policies, and random checkpoints for trials."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from homie.bench.suite.suite import find_suite, read_subtask
from homie.cli.output import print_json, say
from homie.cli.parameters import settings
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.support.validation_sentences import explain


def info(
    path: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="A checkpoint file, or its folder.", show_default=False)
    ],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Tell which policy a checkpoint is for, and whether that policy can load it. No code in the file is run."""
    inspect = registry.load("tools", "checkpoint-info")
    # A policy may have several networks, as m3 does: its folder has a file for each that it has. One of LeRobot has
    # files beside its network's.
    has_network = (path / "model.safetensors").is_file()
    files = sorted([*path.glob("*.pth"), *path.glob("*.safetensors")]) if path.is_dir() and not has_network else []
    checkpoints = [inspect(file) for file in files or [path]]
    if json:
        print_json(
            asdict(checkpoints[0])
            if len(checkpoints) == 1
            else {"checkpoints": [asdict(checkpoint) for checkpoint in checkpoints]}
        )
        return
    for number, checkpoint in enumerate(checkpoints):
        if number:
            say("")
        _show(checkpoint)


def _show(checkpoint: Any) -> None:
    bad = checkpoint.not_finite
    lines = {
        "policy": checkpoint.kind,
        "file": checkpoint.path,
        "form": checkpoint.form,
        "sha256": checkpoint.sha256,
        "tensors": f"{checkpoint.tensors}, {checkpoint.parameters:,} parameters",
        "read": "; ".join(checkpoint.notes),
        "step": "" if checkpoint.step is None else f"{checkpoint.step:,}",
        "not finite": f"{len(bad)} tensors: {', '.join(bad[:5])}" if bad else "",
        "loads": f"no: {checkpoint.problem}" if checkpoint.problem else "yes",
        "use": "" if checkpoint.problem else checkpoint.use,
    }
    for name, value in lines.items():
        if value:
            say(f"{name:<12}{value}")
    for name, value in checkpoint.config.items():
        say(f"{'config':<12}{name}: {value}")


def generate(
    policy: Annotated[str, typer.Argument(help="The policy, such as nomad.", show_default=False)],
    out: Annotated[Path, typer.Argument(help="The new file or folder.", show_default=False)],
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Other seeds, other numbers.")] = 0,
) -> None:
    """Write a checkpoint of RANDOM weights: to try the plumbing without a download. It can do nothing."""
    registry.load("tools", "checkpoint-generate")(policy, out, seed)
    say(f"wrote {out}: random weights in the layout of {policy}. They are not trained and can do nothing.")


def texts(
    name: Annotated[str, typer.Argument(metavar="SET", help="The skill set: rt1x or octo.", show_default=False)],
    suite: Annotated[str, typer.Argument(help="A suite, by its name or its file.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON list on stdout.")] = False,
    skill_option: Annotated[
        list[str] | None, typer.Option(help="A setting of the skill set; may be repeated.", metavar="SET.NAME=VALUE")
    ] = None,
) -> None:
    """List the texts that a policy gets for the key paths and experts of a suite: its table must contain them."""
    skill_set = registry.load("skills", name)
    if not hasattr(skill_set.Settings, "say"):
        raise BadInput(f"The policy of '{name}' takes no texts: use rt1x or octo.")
    values = settings({"planner_settings": None, "skill_settings": skill_option}).get("skill_settings", {})
    prefix = f"{name}."
    if foreign := [key for key in values if not key.startswith(prefix)]:
        raise BadInput(f"A setting is {prefix}NAME here (got '{foreign[0]}').")
    try:
        words = skill_set.Settings(**{key.removeprefix(prefix): value for key, value in values.items()})
    except ValidationError as error:
        raise BadInput(f"Setting of the skill set '{name}': {explain(error, skill_set.Settings)}") from error
    policy_texts = {
        words.say(read_subtask(node), task.text).replace("_", " ")
        for task in find_suite(suite).tasks
        for path in (*task.keypaths, task.expert or ())
        for node in path
    }
    sentences = sorted(policy_texts - {""})
    if not sentences:
        raise BadInput(
            f"The suite '{suite}' has no key paths or experts that name what is picked, put, opened or closed."
        )
    if json:
        print_json(sentences)
    else:
        say("\n".join(sentences))


skill_command = {"info": info, "generate": generate, "texts": texts}
