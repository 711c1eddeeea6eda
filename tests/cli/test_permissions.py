"""Files and folders that may not be read: one sentence that names them, and nothing is made without them in silence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "data"))
from episodes import write_run

from homie.data.emmoe_export import export_emmoe
from homie.data.options import EmmoeOptions

BOUND = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.geteuid() == 0 else ()
"""Before a command of root: permissions count for it, too."""
pytestmark = pytest.mark.skipif(bool(BOUND) and shutil.which("setpriv") is None, reason="root needs setpriv for it")


def homie(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [*BOUND, sys.executable, "-m", "homie", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("forbidden", "sentence"),
    [
        ("runs/run", "homie: Cannot read runs/run: Permission denied."),
        ("runs/run/episodes", "homie: Cannot read runs/run/episodes: Permission denied."),
        ("runs/run/episodes/a-0", "left out: run/a-0: damaged: episode.json (Permission denied)"),
        (
            "runs/run/episodes/a-0/frames",
            "left out: run/a-0: damaged: runs/run/episodes/a-0/frames cannot be read: Permission denied",
        ),
    ],
)
def test_what_cannot_be_read_of_a_run_is_not_taken_for_empty(tmp_path, forbidden, sentence):
    write_run(tmp_path / "runs/run", ["a-0"])
    write_run(tmp_path / "runs/other", ["b-0"])
    (tmp_path / forbidden).chmod(0)
    try:
        completed = homie(tmp_path, "data", "emmoe", "runs", "--out", "out", "--keep", "all")
    finally:
        (tmp_path / forbidden).chmod(0o755)
    assert sentence in completed.stderr.splitlines(), completed.stderr
    assert completed.returncode == (2 if sentence.startswith("homie") else 0)


def test_a_report_names_the_episodes_that_cannot_be_read_and_shows_the_others(tmp_path):
    run = write_run(tmp_path / "run", ["a-0", "b-0", "c-0"])
    closed = (run / "episodes/a-0", run / "episodes/b-0/frames")
    for folder in closed:
        folder.mkdir(exist_ok=True)
        folder.chmod(0)
    completed = homie(tmp_path, "report", "run", "--out", "page.html")
    for folder in closed:
        folder.chmod(0o755)
    assert completed.returncode == 0, completed.stderr
    unread = "not read: a-0: episode.json (Permission denied)", "not read: b-0: frames (Permission denied)"
    assert completed.stderr.splitlines()[:-1] == list(unread)
    page = (tmp_path / "page.html").read_text()
    assert '<dd class="said">damaged: episode.json (Permission denied)</dd>' in page
    assert '<dt>not read</dt><dd class="said">frames (Permission denied)</dd>' in page
    assert "c-0" in page


def test_a_task_folder_of_emmoe_that_cannot_be_read_is_not_left_out_in_silence(tmp_path):
    run = write_run(tmp_path / "run", ["a-0", "b-0"])
    export_emmoe(EmmoeOptions.build(sources=[run], out=tmp_path / "emmoe", keep="all", split="none"))
    folder = tmp_path / "emmoe/data/train/run-a-0"
    folder.chmod(0)
    try:
        completed = homie(tmp_path, "data", "sft", "emmoe", "--out", "out")
    finally:
        folder.chmod(0o755)
    assert completed.returncode == 2
    assert completed.stderr == "homie: Cannot read emmoe/data/train/run-a-0: Permission denied.\n"


SUITE = """\
format: 1
name: small
tasks:
  - id: a
    text: put the ball in the box
    keypaths: [["[Go to, ball]", "[Pick, ball]", "[Go to, box]", "[Put, ball, box]", "[End]"]]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mode", "sentence"),
    [
        ("bench/episodes", 0o000, "Cannot read bench/episodes: Permission denied."),
        ("bench/episodes", 0o555, "Cannot write into bench/episodes: Permission denied."),
        ("bench/parts", 0o000, "Cannot read bench/parts: Permission denied."),
        ("bench/workers/worker-0.log", 0o444, "Cannot write the log bench/workers/worker-0.log: Permission denied."),
        ("bench", 0o555, "Cannot write into bench: Permission denied."),
    ],
)
def test_no_episode_of_a_bench_is_lost_to_a_closed_folder_or_log(
    tmp_path, tiny_arguments, environment, name, mode, sentence
):
    (tmp_path / "suite.yaml").write_text(SUITE)
    command = ("bench", "suite.yaml", *tiny_arguments, "--trials", "1", "--out", "bench")
    assert homie(tmp_path, *command, environment=environment).returncode == 0
    (tmp_path / "bench/episodes/a-0/episode.json").unlink()
    before = {path: path.read_bytes() for path in tmp_path.glob("bench/episodes/*/*")}
    (tmp_path / name).chmod(mode)
    try:
        completed = homie(tmp_path, *command, environment=environment)
    finally:
        (tmp_path / name).chmod(0o755)
    assert (completed.returncode, completed.stderr) == (2, f"homie: {sentence}\n")
    assert {path: path.read_bytes() for path in tmp_path.glob("bench/episodes/*/*")} == before


def test_a_run_whose_folders_are_closed_is_not_begun_again(tmp_path, tiny_arguments, environment):
    command = ("run", "go", *tiny_arguments, "--out", "run")
    assert homie(tmp_path, *command, environment=environment).returncode == 0
    next(tmp_path.glob("run/episodes/*/episode.json")).unlink()
    (tmp_path / "run/parts").chmod(0o555)
    completed = homie(tmp_path, *command, environment=environment)
    assert (completed.returncode, completed.stderr) == (2, "homie: Cannot write into run/parts: Permission denied.\n")


def test_a_folder_closed_since_a_data_set_was_begun_is_named(tmp_path):
    write_run(tmp_path / "run", ["a-0"])
    (tmp_path / "out/data/train").mkdir(parents=True)
    (tmp_path / "out/data/train").chmod(0o555)
    completed = homie(tmp_path, "data", "emmoe", "run", "--out", "out", "--keep", "all", "--split", "none")
    assert (completed.returncode, completed.stderr) == (
        2,
        "homie: Cannot write into out/data/train: Permission denied.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("data", "sft", "run", "--out", "kept/x"), "Cannot write the data set kept/x: Permission denied."),
        (("data", "sft", "run", "--out", "kept"), "Cannot write into kept: Permission denied."),
        (("report", "run", "--out", "kept/r.html"), "Cannot write the report to kept/r.html: Permission denied."),
        (("run", "go", "--out", "kept/r"), "Cannot write the run folder kept/r: Permission denied."),
    ],
)
def test_where_nothing_may_be_written(tmp_path, arguments, sentence, tiny_arguments, environment):
    write_run(tmp_path / "run", ["a-0"])
    (tmp_path / "kept").mkdir(mode=0o555)
    more = tiny_arguments if arguments[0] == "run" else ()
    completed = homie(tmp_path, *arguments, *more, environment=environment)
    assert (completed.returncode, completed.stderr) == (2, f"homie: {sentence}\n")


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    write_run(tmp_path / "run", ["a-0"])
    (tmp_path / "page.html").write_text("kept")
    (tmp_path / "page.html").chmod(0o444)
    completed = homie(tmp_path, "report", "run", "--out", "page.html")
    sentence = "homie: Cannot write the report to page.html: Permission denied.\n"
    assert (completed.returncode, completed.stderr) == (2, sentence)
    assert (tmp_path / "page.html").read_text() == "kept"
