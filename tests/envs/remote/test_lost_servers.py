"""A server that is killed at any moment ends its episode as a fault of infrastructure, and the bench goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("msgpack")

from remote_servers import LINE, Homie, Serve

from homie import BadInput, Command, InfrastructureError, Robot, RobotFault
from homie.envs.remote.factory import RemoteSettings, open_robot
from homie.envs.remote.robot import RemoteRobot

SUITE = """\
format: 1
name: line
protocol: {{rounds: 8, trials: 1}}
tasks:
{tasks}
"""
TASK = """\
  - id: ball-{number}
    text: put the ball in the box
    scene: {{seed: {number}}}
    goal: {{in: [ball, box]}}
    expert: ["[Go to, ball]", "[Pick, ball]", "[Go to, box]", "[Put, ball, box]"]
"""


@pytest.mark.parametrize("moment", [0.0, 0.003, 0.011])
def test_kill_9_at_any_moment(moment: float) -> None:
    with open_robot(LINE, RemoteSettings()) as robot:
        assert isinstance(robot, RemoteRobot)
        server = int(robot.link.about["pid"])
        killer = threading.Timer(moment, os.kill, (server, signal.SIGKILL))
        killer.start()
        with pytest.raises(RobotFault, match=r"^The robot server of .* was lost at '\w+': signal SIGKILL killed it\.$"):
            _drive(robot, 20.0)
        killer.join()


def _drive(robot: Robot, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        robot.act(Command(base=(0.5, 0.0)))
        robot.observe(("front", "wrist"))


def _suite(folder: Path, tasks: int) -> Path:
    path = folder / "line.yaml"
    path.write_text(SUITE.format(tasks="".join(TASK.format(number=number) for number in range(tasks))))
    return path


def _bench(homie: Homie, folder: Path, robot: str, tasks: int, *more: str) -> tuple[int, str, list[Path]]:
    out = folder / "run"
    words = ["--planner", "expert", "--robot", robot, "--skills", "tiny", "--out", str(out), *more]
    completed = homie("bench", str(_suite(folder, tasks)), *words)
    return completed.returncode, completed.stderr, sorted((out / "episodes").glob("*/episode.json"))


@pytest.mark.slow
def test_the_bench_goes_on_with_another_server(homie: Homie, tmp_path: Path) -> None:
    """The first server is killed in its episode, the second hangs; the third plays both tasks."""
    robot = f"remote:{LINE}:kill,hang@40@{tmp_path}/servers"
    code, output, finished = _bench(homie, tmp_path, robot, 2, "--robot-option", "reply_seconds=1.5")
    assert code == 0, output
    assert len(finished) == 2
    for episode in finished:
        assert json.loads((episode.parent / "final_state.json").read_text())["objects"]["ball"]["at"] == "box"
    failures = [json.loads(path.read_text()) for path in (tmp_path / "run" / "episodes").glob("*/failure.json")]
    assert sorted(failure["cause"] for failure in failures) == ["robot", "robot"]
    assert all("was lost at 'step'" in failure["message"] for failure in failures)


def test_a_server_that_stays_away_is_named_in_every_try(homie: Homie, tmp_path: Path, serve: Serve) -> None:
    _, url = serve(f"{LINE}:kill@17")
    code, output, _ = _bench(homie, tmp_path, f"remote:{url}", 1)
    assert code == 4 and "Traceback" not in output
    assert f"robot, try 1: The robot server at {url} was lost at 'step'" in output
    assert f"error, try 3: There is no robot server at {url}: Connection refused." in output


def test_a_server_that_ends_before_it_is_ready_says_why(tmp_path: Path) -> None:
    (tmp_path / "early.py").write_text(
        "import os, signal\ndef killed(argument): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with pytest.raises(InfrastructureError, match=r"has not started: signal SIGKILL killed it\.$"):
        open_robot(f"{tmp_path}/early.py:killed", RemoteSettings())
    (tmp_path / "broken.py").write_text("def broken(argument): raise ValueError('no camera')\n")
    with pytest.raises(InfrastructureError, match=r"has not started: ValueError: no camera$"):
        open_robot(f"{tmp_path}/broken.py:broken", RemoteSettings())
    (tmp_path / "slow.py").write_text("import time\ndef slow(argument): time.sleep(60)\n")
    with pytest.raises(InfrastructureError, match=r"has not started in 1 s\.$"):
        open_robot(f"{tmp_path}/slow.py:slow", RemoteSettings(start_seconds=1.0))


def test_a_python_without_numpy_says_how_to_get_it(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    with pytest.raises(BadInput, match=r"has no numpy: install it with `.*python -m pip install numpy msgpack`\.$"):
        open_robot(LINE, RemoteSettings(python=str(tmp_path / "bare" / "bin" / "python")))
