"""A robot in another process, as `--robot remote:URL` has it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("msgpack")

from remote_servers import LINE, Homie, Serve

from homie import BadInput, Command, InfrastructureError, Robot, RobotFault
from homie.envs.remote.factory import RemoteSettings, open_robot
from homie.kernel.errors import CommandRefused, HomieError
from homie.kernel.interfaces import WorldState
from homie.kernel.scenes import scene_options
from homie.testing import check_robot

QUICK = RemoteSettings(reply_seconds=0.5, connect_seconds=5.0)


@pytest.mark.parametrize("listen", ["unix", "tcp"])
def test_the_kit_of_robots_is_content(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listen: str
) -> None:
    monkeypatch.setenv("HOMIE_ROBOT_TOKEN", "a-long-and-secret-token")
    _, url = serve(listen=f"unix:{tmp_path}/robot" if listen == "unix" else "tcp://127.0.0.1:0")
    with open_robot(url, RemoteSettings()) as robot:
        check_robot(robot)
        robot.close()


def test_pictures_measurements_and_world_are_those_of_the_server(serve: Serve) -> None:
    _, url = serve()
    with open_robot(url, RemoteSettings()) as robot:
        for _ in range(10):
            robot.act(Command(base=(1.0, 0.0), gripper=0.03))
        observation = robot.observe(("front", "wrist"))
        assert observation.stamp == pytest.approx(1.0) and 0.5 < observation.body.base.x < 1.0
        assert observation.body.grippers["gripper"].opening == pytest.approx(0.03)
        front, wrist = observation.frames["front"], observation.frames["wrist"]
        assert front.rgb[5, 7].tolist() == [0, 7, 0] and wrist.rgb[5, 7].tolist() == [0, 7, 255]
        assert front.depth is not None and front.depth.dtype == np.float32
        assert front.depth[0, 0] == pytest.approx(9.0 - observation.body.base.x)
        assert front.instance_names == ("ball",) and front.pose.rotation.shape == (3, 3)
        assert isinstance(robot, WorldState)
        world = robot.snapshot()
        assert world.objects["ball"].at == "floor" and world.robot.x == pytest.approx(observation.body.base.x)
        height, width = front.rgb.shape[:2]
        film = robot.film(4 * width, 2 * height)  # type: ignore[attr-defined]
        assert film.shape == (2 * height, 4 * width, 3)
        assert np.array_equal(film[::2, width : 3 * width : 2], front.rgb), "twice as large, in its own shape"
        assert not film[:, :width].any() and not film[:, 3 * width :].any()


@pytest.mark.parametrize(
    ("trouble", "error", "sentence"),
    [
        ("kill@3", RobotFault, "was lost at 'step': signal SIGKILL killed it."),
        ("hang@3", RobotFault, "was lost at 'step': it has not answered for 0.5 s."),
        ("slow@3", RobotFault, "was lost at 'step': it has not answered for 0.5 s."),
        ("fault@3", RobotFault, "The motor is hot."),
        ("refuse@3", CommandRefused, "The way is blocked."),
        ("bug@3", InfrastructureError, "line_robot.py, line 87, in make_trouble)."),
        ("nonsense@3", InfrastructureError, "cannot be sent: A object cannot be sent."),
    ],
)
def test_every_trouble_is_one_sentence_in_time(trouble: str, error: type[HomieError], sentence: str) -> None:
    with open_robot(f"{LINE}:{trouble}", QUICK) as robot:
        robot.act(Command(base=(0.1, 0.0)))
        robot.act(Command(base=(0.1, 0.0)))
        start = time.monotonic()
        with pytest.raises(error) as raised:
            robot.act(Command(base=(0.1, 0.0)))
        assert sentence in str(raised.value) and "\n" not in str(raised.value)
        lost = "was lost" in sentence
        if lost:
            with pytest.raises(RobotFault, match="was lost at 'step'"):
                robot.stop()
        elif trouble != "nonsense@3":
            robot.stop()
        assert time.monotonic() - start < 30.0


def test_a_client_that_goes_leaves_a_robot_that_was_halted(serve: Serve) -> None:
    _, url = serve()
    robot = open_robot(url, RemoteSettings())
    for _ in range(5):
        robot.act(Command(base=(1.0, 0.0)))
    assert robot.measured().base_velocity[0] > 0.5
    robot.close()
    robot.close()
    link = open_robot.__globals__["Link"](url, token="", connect_seconds=5.0, reply_seconds=5.0)
    assert link.ask("measured")["base_velocity"] == [0.0, 0.0]
    link.close()


def test_a_robot_whose_time_goes_on_is_halted_when_nothing_comes() -> None:
    with open_robot(f"{LINE}:live", RemoteSettings()) as robot:
        robot.act(Command(base=(1.0, 0.0)))
        assert robot.measured().base_velocity[0] > 0.0
        time.sleep(1.0)
        assert robot.measured().base_velocity == (0.0, 0.0)


def test_a_scene_is_that_of_its_seed_in_every_episode() -> None:
    with open_robot(LINE, RemoteSettings(seed=4)) as robot:
        assert isinstance(robot, WorldState)
        for episode in (0, 123456789):
            robot.reset(seed=episode)
            assert robot.snapshot().objects["ball"].position == pytest.approx((2.1, 0.0, 0.1))


def test_a_second_client_is_sent_away(serve: Serve) -> None:
    _, url = serve()
    with open_robot(url, RemoteSettings()), pytest.raises(InfrastructureError, match="another client has the robot"):
        open_robot(url, RemoteSettings())
    open_robot(url, RemoteSettings()).close()


def test_a_token_keeps_others_out(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, url = serve(listen="tcp://127.0.0.1:0", HOMIE_ROBOT_TOKEN="the-token-of-this-server")
    for token in ("", "another"):
        monkeypatch.setenv("MINE", token)
        with pytest.raises(BadInput, match="wants another token"):
            open_robot(url, RemoteSettings(token_env="MINE"))
    monkeypatch.setenv("MINE", "the-token-of-this-server")
    open_robot(url, RemoteSettings(token_env="MINE")).close()


def test_a_server_on_tcp_makes_a_token_where_none_is_given(serve: Serve) -> None:
    server, url = serve(listen="tcp://127.0.0.1:0", HOMIE_ROBOT_TOKEN="")
    with pytest.raises(BadInput, match="wants another token"):
        open_robot(url, RemoteSettings(token_env="NOT_THERE"))
    server.terminate()
    assert "export HOMIE_ROBOT_TOKEN=" in server.communicate()[1]


def test_a_socket_is_its_users_alone_and_goes_with_the_server(serve: Serve, tmp_path: Path) -> None:
    server, _ = serve()
    path = tmp_path / "robot"
    assert path.stat().st_mode & 0o077 == 0
    server.kill()
    server.wait()
    assert path.exists()
    server, _ = serve()  # in the place of the one that was killed
    server.terminate()
    assert server.wait(10.0) == 0 and not path.exists()


def test_strangers_do_not_disturb_a_server(serve: Serve, tmp_path: Path) -> None:
    _, url = serve()
    for data in (b"", b"GET / HTTP/1.1\r\n\r\n", b"HRS1" + bytes(12), os.urandom(100)):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(tmp_path / "robot"))
            stranger.sendall(data)
    open_robot(url, RemoteSettings()).close()


def test_another_version_is_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, url = serve()
    monkeypatch.setattr("homie.envs.remote.link.PROTOCOL", 9)
    with pytest.raises(InfrastructureError, match="it speaks version 1 of the robot protocol, and this client 9"):
        open_robot(url, RemoteSettings())


def test_a_server_that_never_greets(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(InfrastructureError, match=r"There is no robot server at .*: it has not answered for 0.3 s"):
            open_robot(url, RemoteSettings(connect_seconds=0.3))


@pytest.mark.parametrize(
    ("argument", "settings", "error", "sentence"),
    [
        ("", {}, BadInput, "Which robot server?"),
        ("tcp://nowhere", {}, BadInput, "is not an address of a robot server"),
        ("unix:/nowhere/robot", {}, InfrastructureError, "No such file or directory. `homie serve robot` starts one."),
        ("unix:/nowhere", {"python": "python3"}, BadInput, "leave out the setting `python`"),
        (LINE, {"python": "/nowhere/python"}, BadInput, "Cannot start the Python '/nowhere/python'"),
        (f"{LINE}:fly", {}, BadInput, "There is no trouble 'fly'."),
        ("nowhere.py:Robot", {}, BadInput, "There is no file nowhere.py."),
        ("spot", {}, BadInput, "'spot' names no robot"),
        ("json:Robot", {}, BadInput, "json has no 'Robot'."),
        ("no_such_module:Robot", {}, BadInput, "There is no module 'no_such_module' in this Python"),
    ],
)
def test_what_cannot_be_opened(argument: str, settings: dict[str, str], error: type[HomieError], sentence: str) -> None:
    with pytest.raises(error) as raised:
        open_robot(argument, RemoteSettings(**settings))
    assert type(raised.value) is error and sentence in str(raised.value)


def test_a_suite_names_what_is_started() -> None:
    assert scene_options("remote", {"target": "robosuite:Stack"}) == {"robot": "remote:robosuite:Stack"}
    assert scene_options(f"remote:{LINE}", {}) == {}
    with pytest.raises(BadInput, match=r"scene.target: .* give `--robot remote` alone"):
        scene_options(f"remote:{LINE}", {"target": "robosuite:Stack"})


def test_a_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "from homie.envs.remote.factory import RemoteSettings, open_robot\n"
        f"robot = open_robot({LINE!r}, RemoteSettings())\n"
        "print(robot.link.about['pid'], flush=True)\n"
        "time.sleep(100)\n"
    )
    client = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    server = int(client.stdout.readline())
    client.send_signal(signal.SIGKILL)
    client.communicate()
    stop = threading.Event()
    for _ in range(200):
        try:
            os.kill(server, 0)
        except ProcessLookupError:
            stop.set()
            break
        time.sleep(0.05)
    assert stop.is_set()


def test_the_command_serves_a_robot_from_another_python(homie: Homie, tmp_path: Path) -> None:
    words = ["serve", "robot", LINE, "--python", sys.executable, "--listen", f"unix:{tmp_path}/robot", "--json"]
    command = [sys.executable, "-c", "from homie.cli.main import main; main()", *words]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert json.loads(server.stdout.readline()) == {"url": f"unix:{tmp_path}/robot", "robot": LINE}
    with open_robot(f"unix:{tmp_path}/robot", RemoteSettings()) as robot:
        assert robot.spec.name == "line"
    server.terminate()
    assert server.wait(10.0) == 0
    completed = homie("serve", "robot", "robosuite:Fly", "--seed", "3")
    assert completed.returncode == 2 and "is made of its argument" in completed.stderr
    completed = homie("serve", "robot", LINE, "--python", "/nowhere/python")
    assert completed.returncode == 2 and "Cannot start the Python '/nowhere/python'" in completed.stderr


@pytest.mark.parametrize("delay", [0.02, 0.0213, 0.0227, 0.0241, 0.0256])
def test_ctrl_c_at_any_moment_leaves_a_robot_that_can_be_stopped(delay: float) -> None:
    with open_robot(LINE, RemoteSettings()) as robot:
        interrupt = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            _drive(robot)
        interrupt.join()
        robot.stop()
        assert robot.measured().base_velocity == (0.0, 0.0)
        assert robot.observe(("front",)).frames["front"].rgb[5, 7].tolist() == [0, 7, 0]


def test_an_answer_that_comes_after_ctrl_c_is_not_taken_for_the_next() -> None:
    """The interrupt comes while the server is at a step that takes a while."""
    with open_robot(f"{LINE}:slow@3", RemoteSettings()) as robot:
        interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        robot.act(Command(base=(0.1, 0.0)))
        robot.act(Command(base=(0.1, 0.0)))
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            robot.act(Command(base=(0.1, 0.0)))
        robot.stop()
        assert robot.observe().stamp == pytest.approx(0.3)


def _drive(robot: Robot) -> None:
    ends = time.monotonic() + 20.0
    while time.monotonic() < ends:
        robot.act(Command(base=(0.1, 0.0)))
        robot.observe(("front", "wrist"))
