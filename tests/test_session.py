"""What a run does when things around it break: its listeners, its disk."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import av
import pytest
from homie_tiny import FilmedTinyRobot

from homie.kernel.errors import InfrastructureError, Interrupted, PartError, RobotFault
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.types import PlannerAnswered, SubtaskRecorded
from homie.runtime import session
from homie.runtime.runstore import read_episode, read_steps
from homie.runtime.task_outcome import Verdict

EPISODE = "episodes/put-the-ball-in-the-box-0"


class Breaking(EpisodeListener):
    """A display whose terminal is gone."""

    def __init__(self) -> None:
        self.calls = 0

    def on(self, event):
        if isinstance(event, PlannerAnswered):
            self.calls += 1
            raise OSError("the terminal is gone")


class Counting(EpisodeListener):
    def __init__(self) -> None:
        self.rounds = 0

    def on(self, event):
        self.rounds += isinstance(event, SubtaskRecorded)


def test_a_listener_that_fails_gets_nothing_more_and_the_episode_goes_on(tiny_options, caplog):
    breaking, counting = Breaking(), Counting()
    with caplog.at_level(logging.WARNING, logger="homie"):
        summary = session.run(tiny_options(), [breaking, counting])
    assert summary.result.ended_by == "ended" and counting.rounds == 5
    assert breaking.calls == 1
    assert len(caplog.records) == 1 and "Breaking failed" in caplog.text and "the terminal is gone" in caplog.text


class Failing(FilmedTinyRobot):
    """Raises what it was given when it should move."""

    def __init__(self, error):
        self.error = error
        super().__init__()

    def _send(self, command):
        raise self.error


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            OSError(28, "No space left on device"),
            InfrastructureError,
            r"^Cannot write into .*: No space left on device\.",
        ),
        (
            ZeroDivisionError("a bug"),
            PartError,
            r"^Error in the code of the robot 'Failing' at \S+, line \d+, in _send: ZeroDivisionError: a bug\. The ",
        ),
        (OSError(2, "No such file"), PartError, r"^Error in .* FileNotFoundError: .* The traceback is in "),
        (RobotFault("A motor is hot."), RobotFault, r"^A motor is hot\.$"),
        (KeyboardInterrupt(), Interrupted, r"^Stopped by the user; the finished rounds are in .*-0\.$"),
    ],
)
def test_whatever_is_raised_the_robot_stops_and_the_files_are_whole(tiny_options, tmp_path, error, kind, message):
    robot, filmed = Failing(error), isinstance(error, ZeroDivisionError | KeyboardInterrupt)
    with pytest.raises(kind, match=message):
        session.run(tiny_options(video=filmed), objects={("robot", "tiny"): robot})
    assert robot.calls[:2] == ["stop", "close"]
    folder = tmp_path / "run" / EPISODE
    assert read_episode(folder) is None and (folder / "steps.jsonl").exists()
    traced = isinstance(error, ZeroDivisionError) or getattr(error, "errno", 28) == 2
    assert (folder / "error.log").exists() is traced
    assert not traced or type(error).__name__ in (folder / "error.log").read_text()
    if filmed:
        with av.open(str(folder / "video.mp4")) as video:
            assert video.streams.video[0].frames > 0, "a video that was not closed cannot be played"


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        (None, None),
        ({"held": None}, None),
        ({"success": "yes"}, None),
        ({"success": True, "instruction": "stack"}, Verdict(True, "stack")),
        ({"success": False}, Verdict(False, "")),
        (
            {"success": False, "conditions": [{"condition": {"on": [1]}, "met": False}, {"condition": 2, "met": True}]},
            Verdict(False, "", ('{"on": [1]}',)),
        ),
    ],
)
def test_the_verdict_of_a_world_that_sets_a_task(tmp_path, state, verdict):
    if state is not None:
        (tmp_path / "final_state.json").write_text(json.dumps(state))
    assert session.own_verdict(tmp_path) == verdict


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from homie.cli.main import main
main()
"""
"""No file can grow beyond the first argument: what a full disk does to a run, without filling one."""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [3_000, 20_000])
def test_a_full_disk_is_a_sentence_and_never_a_finished_episode(tiny_arguments, environment, tmp_path, homie, limit):
    arguments = ["run", "put the ball in the box", *tiny_arguments, "--out", "out"]
    completed = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *arguments],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},  # it would be cut off too, and fail later tests
    )  # fmt: skip
    assert completed.returncode == 4, completed.stderr
    (sentence,) = [line for line in completed.stderr.splitlines() if line.startswith("homie: ")]
    assert f"Cannot write into out/{EPISODE}: File too large. Make room there" in sentence
    folder = tmp_path / "out" / EPISODE
    assert read_episode(folder) is None
    assert not list(folder.glob(".*.tmp"))
    again = homie(*arguments)
    assert again.returncode == 0, again.stderr
    assert len(read_steps(folder)) == 5
