"""Code shared by the makers of suites: YAML that people read, the play of the experts, the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench

WIDTH = 118
"""Columns of a line, as in the sources."""


def write_yaml(path: Path, head: str, content: Mapping[str, Any]) -> None:
    """Write a comment and then the content, keys in their order. Raises OSError."""
    text = yaml.dump(
        dict(content), Dumper=_Plain, sort_keys=False, default_flow_style=None, width=WIDTH, allow_unicode=True
    )
    path.write_text(head + text, encoding="utf-8")


def play_experts(suite: str, out: Path, **options: Any) -> None:
    """Play the experts of a suite, and print their failures; the same call resumes.

    Args:
        suite: Its name.
        out: The run folder.
        options: More options of `homie bench`.
    """
    for line in bench(BenchOptions.build(suite=suite, planner="expert", out=out, **options)).lines:
        if not line.success:
            sys.stdout.write(f"{line.task}: {line.cause or 'its goal is not reached'}\n")


def maker_command(suite: str, write: Callable[[], None], experts: Callable[[Path], None]) -> None:
    """Run the command line of a maker: write the suite, or with `--experts FOLDER` play its experts."""
    parser = argparse.ArgumentParser(description=f"Make the suite {suite}, or play all its experts.")
    parser.add_argument("--experts", type=Path, metavar="FOLDER", help="play the experts into this run folder")
    folder: Path | None = parser.parse_args().experts
    if folder is None:
        write()
    else:
        experts(folder)


class _Plain(yaml.SafeDumper):
    """YAML without anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
