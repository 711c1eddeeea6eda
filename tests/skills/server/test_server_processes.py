"""A real `homie serve` process: Ctrl-C, SIGKILL and SIGSTOP in the middle of the work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import m3_checkpoints
from homes import made_with, one_room, play
from live_server import remote

from homie.kernel.errors import InfrastructureError
from homie.kernel.types import Outcome
from skills.m3.layout import STOP
from skills.policies.policy import PolicyFailed
from skills.policy_client import RemotePolicy
from skills.remote_policies import RemoteSettings

HOMIE = [sys.executable, "-c", "from homie.cli.main import main; main()"]
FORWARD = 12
"""The navigation action that drives straight on and never stops."""
TOLD = {"head_depth": np.ones((128, 128), np.float32), "goal_at_base": np.ones(3)}


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("m3")
    m3_checkpoints.stubborn(folder / "navigate.pth", m3_checkpoints.NAVIGATION, FORWARD)
    return folder


@contextmanager
def serve(checkpoints: Path, *, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A policy server in a process of its own, and its address."""
    command = [*HOMIE, "serve", "policy", "m3", "--checkpoint", str(checkpoints), "--port", str(port), "--json"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    try:
        assert process.stdout is not None
        lines = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read() if process.stderr is not None else ""
        yield process, json.loads("".join(lines))["url"]
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_ctrl_c_ends_sessions_and_server_cleanly(checkpoints):
    with serve(checkpoints) as (process, url), remote(url) as policy:
        policy.reset({"skill": "navigate"})
        assert policy.step(TOLD) == {"action": FORWARD}
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, "")
        assert "Traceback" not in err
        assert err.splitlines()[-1] == "The policy server has ended."
        with pytest.raises(PolicyFailed, match="lost"):
            policy.step(TOLD)


@pytest.mark.slow
def test_a_stopped_server_can_not_hold_the_robot_up(checkpoints):
    """Not while it is asked, not while it is sent more than any buffer takes, not when it is tried again."""
    seconds = {"reply_seconds": 1.0, "connect_seconds": 1.0, "reconnect_seconds": 1.0}
    with serve(checkpoints) as (process, url):
        for inputs in (TOLD, {**TOLD, "much": np.zeros(15 * 2**20, np.uint8)}):
            with remote(url, **seconds) as policy:
                policy.reset({"skill": "navigate"})
                assert policy.step(TOLD) == {"action": FORWARD}
                process.send_signal(signal.SIGSTOP)
                start = time.monotonic()
                with pytest.raises(PolicyFailed, match="not answered for 1 s"):
                    policy.step(inputs)
                assert time.monotonic() - start < 4
                with pytest.raises(InfrastructureError, match="lost and cannot be reached again"):
                    policy.reset({"skill": "navigate"})
                assert time.monotonic() - start < 8
                process.send_signal(signal.SIGCONT)
                policy.reset({"skill": "navigate"})
                assert policy.step(TOLD) == {"action": FORWARD}


@pytest.mark.slow
def test_a_server_that_is_killed_and_started_again_is_found_by_the_settings_as_they_are(checkpoints):
    """It is away for three seconds, then imports torch and reads its networks: far longer than a short patience."""
    with ExitStack() as second, serve(checkpoints) as (process, url):
        policy = RemotePolicy(url, token="", **RemoteSettings().model_dump(exclude={"token_env"}))
        second.callback(policy.close)
        policy.reset({"skill": "navigate"})
        process.kill()
        process.wait()

        def again() -> None:
            time.sleep(3.0)
            second.enter_context(serve(checkpoints, port=int(url.rpartition(":")[2])))

        starter = threading.Thread(target=again)
        starter.start()
        with pytest.raises(PolicyFailed, match="lost"):
            policy.step(TOLD)
        policy.reset({"skill": "navigate"})
        assert policy.step(TOLD) == {"action": FORWARD}
        starter.join()


def kill_in_an_attempt(process: subprocess.Popen[str], url: str) -> threading.Thread:
    """SIGKILL the server once it has made ten decisions."""

    def kill() -> None:
        while json.loads(urllib.request.urlopen(url.replace("ws", "http", 1) + "/healthz").read())["decisions"] < 10:
            time.sleep(0.02)
        process.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


GO = {"subtask": "[Go to, apple]", "model": "m3"}
APPLE = {"name": "apple", "kind": "apple", "colour": "red", "x": 3.5, "y": 3.5}
SCENE = one_room((), (APPLE,), robot=(1.0, 1.0, 3.0))


@pytest.mark.slow
def test_an_episode_runs_the_named_skill_with_its_policy_elsewhere(tmp_path):
    m3_checkpoints.stubborn(tmp_path / "m3/navigate.pth", m3_checkpoints.NAVIGATION, STOP)
    here = one_room((), (APPLE,), robot=(2.9, 2.9, 0.8))
    with serve(tmp_path / "m3") as (_, url):
        (record, *_) = play(tmp_path, here, [GO], skills=f"classical,remote:{url}")
    (attempt,) = record.execution.attempts
    assert record.execution.feedback.ok
    assert (attempt.skill, attempt.reason, attempt.stands_in_for) == ("m3/navigate", "the policy stopped", "")
    run = made_with(tmp_path / "run")
    assert run["skills"]["m3"]["policy"] == "m3"
    assert run["skills"]["m3"]["server"] == url
    assert run["skills"]["m3"]["navigate"]["checkpoint"].endswith("m3/navigate.pth")


@pytest.mark.slow
def test_a_server_killed_in_an_attempt_fails_it_and_ends_the_episode_at_the_next(checkpoints, tmp_path):
    with serve(checkpoints) as (process, url):
        killer = kill_in_an_attempt(process, url)
        settings = {"remote.reconnect_seconds": 1.0}
        records = []
        with pytest.raises(InfrastructureError, match="lost and cannot be reached again"):
            records = play(tmp_path, SCENE, [GO, GO], skills=f"remote:{url}", skill_settings=settings, attempts=1)
        killer.join()
        assert records == []
    (steps,) = (tmp_path / "run/episodes").glob("*/steps.jsonl")
    (line,) = [json.loads(text) for text in steps.read_text().splitlines() if '"subtask"' in text]
    (attempt,) = line["execution"]["attempts"]
    assert line["execution"]["feedback"]["code"] == "E1"
    assert (attempt["skill"], attempt["outcome"]) == ("m3/navigate", Outcome.FAILED)
    assert attempt["reason"].startswith(f"the policy server at {url} is lost")
    assert attempt["commands"] > 20
    run = made_with(tmp_path / "run")
    assert run["skills"]["m3"]["server"] == url
