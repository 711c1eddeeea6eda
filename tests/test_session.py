"""What a run does when things around it break: its listeners, its disk."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from homie import session
from homie.agent import EpisodeListener
from homie.runstore import read_episode, read_steps

EPISODE = "episodes/put-the-ball-in-the-box-0"


class Breaking(EpisodeListener):
    """A display whose terminal is gone."""

    def __init__(self) -> None:
        self.calls = 0

    def decided(self, round_number, decision):
        self.calls += 1
        raise OSError("the terminal is gone")


class Counting(EpisodeListener):
    def __init__(self) -> None:
        self.rounds = 0

    def recorded(self, record):
        self.rounds += 1


def test_a_listener_that_fails_is_told_nothing_more_and_the_episode_goes_on(tiny_options, caplog):
    breaking, counting = Breaking(), Counting()
    with caplog.at_level(logging.WARNING, logger="homie"):
        summary = session.run(tiny_options(), [breaking, counting])
    assert summary.result.ended_by == "ended" and counting.rounds == 5
    assert breaking.calls == 1
    assert len(caplog.records) == 1 and "Breaking failed" in caplog.text and "the terminal is gone" in caplog.text


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from homie.cli.main import main
main()
"""
"""No file can grow beyond the first argument: what a full disk does to a run, without filling one."""


@pytest.mark.parametrize("limit", [3_000, 20_000])
def test_a_full_disk_is_a_sentence_and_never_a_finished_episode(tiny_arguments, environment, tmp_path, homie, limit):
    arguments = ["run", "put the ball in the box", *tiny_arguments, "--out", "out"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *arguments],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("homie: ")]
    assert f"Cannot write into out/{EPISODE}: File too large. Make room there" in sentence
    folder = tmp_path / "out" / EPISODE
    assert read_episode(folder) is None
    assert not list(folder.glob(".*.tmp"))
    again = homie(*arguments)
    assert again.returncode == 0, again.stderr
    assert len(read_steps(folder)) == 5
