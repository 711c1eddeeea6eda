"""The same episode in this process and through a socket: same decisions, commands and end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("msgpack")

from remote_servers import HERE, ROOT

import homie

TABLE = "snapshot_table:open_snapshot_table:pick"
PLAN = ["[Pick, orange cube]", "[Pick, star]", "[End]"]


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The address of the table, served by the command in a process of its own."""
    monkeypatch.syspath_prepend(str(HERE))
    path = os.pathsep.join((str(ROOT), str(HERE)))
    command = "from homie.cli.main import main; main()"
    words = ["serve", "robot", TABLE, "--listen", f"unix:{tmp_path}/robot", "--picture-size", "96", "--json"]
    server = subprocess.Popen(
        [sys.executable, "-c", command, *words],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == "{\n"
    yield json.loads(server.stdout.readline().split(": ", 1)[1].rstrip(",\n"))
    server.terminate()
    assert server.wait(20.0) == 0


def _play(folder: Path, **options: Any) -> tuple[list[Any], list[Any], Any]:
    """Decisions with their feedback, commands, and the state of the world at the end."""
    run = homie.run(
        "put the cube on the table",
        planner=f"scripted:{folder.parent / 'plan.yaml'}",
        skills="classical",
        out=folder,
        video=False,
        frames=False,
        **options,
    )
    steps = [json.loads(line) for line in (run.episode_folder / "steps.jsonl").read_text().splitlines()]
    for step in steps:
        step.pop("timings")
    commands = [json.loads(line) for line in (run.episode_folder / "commands.jsonl").read_text().splitlines()]
    return steps, commands, json.loads((run.episode_folder / "final_state.json").read_text())


def test_same_decisions(address: str, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(json.dumps(PLAN))
    here = _play(tmp_path / "here", robot=TABLE, picture_size=96)
    there = _play(tmp_path / "there", robot=f"remote:{address}")
    assert [step["execution"]["feedback"]["status"] for step in here[0]] == ["success", "fail", "success"]
    assert len(here[1]) > 50
    assert there == here
