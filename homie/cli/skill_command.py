"""`homie skill`: what a checkpoint of a low-level policy is, and random ones to try Homie with."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from homie import registry
from homie.cli.output import print_json, say


def info(
    path: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="A checkpoint file, or its folder.", show_default=False)
    ],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Tell whose checkpoint a file is, and whether its policy can load it. Nothing in the file is run."""
    found = registry.load("checkpoints", "inspect")(path)
    if json:
        print_json(asdict(found))
        return
    bad = found.not_finite
    lines = {
        "policy": found.kind,
        "file": found.path,
        "form": found.form,
        "sha256": found.sha256,
        "tensors": f"{found.tensors}, {found.parameters:,} parameters",
        "step": "" if found.step is None else f"{found.step:,}",
        "not finite": f"{len(bad)} tensors: {', '.join(bad[:5])}" if bad else "",
        "loads": f"no: {found.problem}" if found.problem else "yes",
        "use": "" if found.problem else found.use,
    }
    for name, value in lines.items():
        if value:
            say(f"{name:<12}{value}")
    for name, value in found.config.items():
        say(f"{'config':<12}{name}: {value}")


def generate(
    policy: Annotated[str, typer.Argument(help="The policy, such as nomad.", show_default=False)],
    out: Annotated[Path, typer.Argument(help="The new file or folder.", show_default=False)],
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Other seeds, other numbers.")] = 0,
) -> None:
    """Write a checkpoint of RANDOM weights: to try the plumbing without a download. It can do nothing."""
    registry.load("checkpoints", "generate")(policy, out, seed)
    say(f"wrote {out}: random weights in the layout of {policy}. They are not trained and can do nothing.")


skill_command = {"info": info, "generate": generate}
