"""`homie teleop`: over a pipe, and over a terminal of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from homie.data.recording.reader import read_recording
from homie.data.recording.takes import list_takes
from homie.runtime.runstore import read_steps
from homie.studio.operation import PRACTICE

TINY = ("--robot", "tiny", "--skills", "tiny", "--detector", "tiny", "--targets", "tiny")
PLUGIN = Path(__file__).parents[1] / "plugin"


def command(folder: Path) -> tuple[list[str], dict[str, str]]:
    places = [str(PLUGIN), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    return [sys.executable, "-m", "homie", "teleop", *TINY, "--record", str(folder)], environment


def test_lines_from_a_pipe_are_carried_out_one_after_another(tmp_path):
    words, environment = command(tmp_path)
    lines = "begin fetch the ball\ngo to ball # it is near\n\n# a remark\ndance\npick ball\nend success\n"
    completed = subprocess.run(words, input=lines, capture_output=True, text=True, env=environment)
    assert completed.returncode == 2, completed.stderr
    assert "'dance' is not understood" in completed.stderr
    assert "1 line of the input could not be carried out, as was said above; all others were." in completed.stderr
    assert "say why, as in `go to apple # it is nearest`" in completed.stderr
    assert "The person ended the task after 3 rounds" in completed.stderr
    (take,) = list_takes(tmp_path)
    assert take.mark == "success"
    printed = completed.stderr.splitlines()
    assert printed.index(f"recorded    {take.run}  marked success") < len(printed) - 1 - printed[::-1].index(
        f"task  {PRACTICE}"
    )
    assert [record.execution.feedback.ok for record in read_steps(take.episode)] == [True] * 3


def test_every_recording_ends_with_its_folder_and_its_verdict(tmp_path):
    words, environment = command(tmp_path)
    lines = "begin one\nend failure\nbegin two\ndiscard\nbegin three\nend\nbegin four\n"
    completed = subprocess.run(words, input=lines, capture_output=True, text=True, env=environment)
    assert completed.returncode == 0, completed.stderr
    unmarked = "marked neither success nor failure"
    verdicts = ("marked failure", "discarded", unmarked, unmarked)
    printed = [line for line in completed.stderr.splitlines() if line.startswith("recorded ")]
    takes = sorted(list_takes(tmp_path), key=lambda take: ("one", "two", "three", "four").index(take.task))
    assert printed == [f"recorded    {take.run}  {verdict}" for take, verdict in zip(takes, verdicts, strict=True)]


@pytest.mark.parametrize(
    ("last", "who"),
    [("", "end of the input"), ("quit\n", "person"), ("end\n", "person")],
)
def test_a_recording_says_who_ended_it(tmp_path, last, who):
    words, environment = command(tmp_path)
    completed = subprocess.run(words, input=f"begin one\n{last}", capture_output=True, text=True, env=environment)
    assert completed.returncode == 0, completed.stderr
    assert f"The {who} ended the task after 1 round" in completed.stderr
    (take,) = list_takes(tmp_path)
    assert [record.decision.who for record in read_steps(take.episode)] == [who]


def test_a_misspelt_line_gets_what_may_be_meant(tmp_path):
    words, environment = command(tmp_path)
    lines = "begn one\nhnad up 1\nend sukcess\nmark failurre\n"
    completed = subprocess.run(words, input=lines, capture_output=True, text=True, env=environment)
    assert completed.returncode == 2, completed.stderr
    for meant in ("begin", "hand up", "end success", "failure"):
        assert f": did you mean '{meant}'?" in completed.stderr


def test_input_of_which_nothing_could_be_done_is_bad_input(tmp_path):
    words, environment = command(tmp_path)
    completed = subprocess.run(words, input="dance\nsing\n", capture_output=True, text=True, env=environment)
    assert completed.returncode == 2
    assert (
        "'sing' is not understood" in completed.stderr
        and "no line of the input could be carried out" in completed.stderr
    )
    nothing = subprocess.run(words, input="# a remark\n", capture_output=True, text=True, env=environment)
    assert nothing.returncode == 0


def test_a_subtask_that_an_error_breaks_off_counts_as_not_carried_out(tmp_path):
    words, environment = command(tmp_path / "recordings")
    (tmp_path / "careless.py").write_text("def check(question):\n    return None\n")
    environment["PYTHONPATH"] += f"{os.pathsep}{tmp_path}"
    words += ["--check-order", "careless:check"]
    completed = subprocess.run(words, input="go to ball\n", capture_output=True, text=True, env=environment)
    assert completed.returncode == 2 and "The check 'check' returned None: a check returns a" in completed.stderr, (
        completed.stderr
    )


def test_keys_of_a_terminal_drive_and_it_is_put_back(tmp_path):
    import termios

    words, environment = command(tmp_path)
    person, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    running = subprocess.Popen(words, stdin=terminal, stderr=subprocess.PIPE, text=True, env=environment)
    lines_shown = iter(running.stderr.readline, "")
    assert any("this help" in line for line in lines_shown)
    os.write(person, b":begin drivq\x7fe\n")
    assert any("recording" in line for line in lines_shown)
    os.write(person, b"w:forward 0.3\n:go to ball\n")
    assert any("feedback" in line for line in lines_shown)
    os.write(person, b":end\n")
    assert any("recorded" in line for line in lines_shown)
    os.write(person, b"\x04")
    running.communicate()
    assert running.returncode == 0
    assert termios.tcgetattr(terminal) == before
    os.close(person)
    os.close(terminal)
    (take,) = list_takes(tmp_path)
    assert take.task == "drive"
    requested = read_recording(take.episode).requested
    assert 0.5 in requested.values[:, requested.labels.index("base.linear.vel")]


def test_a_folder_that_cannot_be_written_is_refused_before_anybody_drives(tmp_path):
    (tmp_path / "file").touch()
    words, environment = command(tmp_path / "file" / "recordings")
    completed = subprocess.run(words, env=environment, input="", capture_output=True, text=True, check=False)
    assert completed.returncode == 2
    assert completed.stderr.splitlines()[-1].startswith(
        f"homie: Cannot write recordings into {tmp_path}/file/recordings: "
    )
