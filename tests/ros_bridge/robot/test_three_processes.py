"""An agent, a guard and a served robot, each in a process of its own, over loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from homie.runtime.runstore import read_steps
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.simulation import TOPIC, Simulation
from ros_bridge.robot.twin import Twin
from ros_bridge.transport.dds.node import DdsNode
from ros_bridge.transport.interface import LATCHED, SENSOR
from ros_bridge.transport.network import Network
from tests.homes import one_room
from tests.own_network import own_domain
from tests.ros_bridge.links import succeeded
from tests.ros_bridge.profiles.tiago import BODY, write_profile
from tests.waiting import follow, running, until

ROOT = Path(__file__).parents[3]
APPLE = {
    "name": "apple_1",
    "kind": "apple",
    "colour": "red",
    "receptacle": "table_1",
    "surface": "top",
    "x": -0.1,
    "y": 0,
}
TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 3.2, "y": 2.0, "yaw": 3.14159}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(network, tmp_path_factory):
    """A folder with the sockets of guards, and the variables of the network."""
    return on_domain(network.domain, tmp_path_factory.mktemp("r"))


@pytest.fixture
def alone(tmp_path_factory):
    """The same on a domain of its own: `served`, whose topics are the same, may be running in whatever order."""
    with own_domain() as domain:
        yield on_domain(domain, tmp_path_factory.mktemp("o"))


def on_domain(domain, folder):
    variables = {"ROS_DOMAIN_ID": str(domain), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(ROOT)}
    return folder, {**os.environ, **variables, "XDG_RUNTIME_DIR": str(folder)}


@pytest.fixture(scope="module")
def served(place):
    """The Fetch in a room with an apple on a table."""
    with serving(place) as process:
        yield process


@contextmanager
def serving(place, *words):
    folder, environment = place
    scene = folder / "scene.json"
    scene.write_text(one_room([TABLE], [APPLE], robot=(1.0, 2.0, 0.0)).dump())
    words = ["serve", "ros", "--scene", str(scene), "--camera-rate", "1", "--picture-size", "64", *words]
    command = [sys.executable, "-m", "homie", *words]
    with running(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        follow(process.stderr, "is on the ROS 2 network")
        yield process
        process.terminate()
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("speed", "task", "held", "subtasks"),
    [("0.5", "go to the table", None, 1), ("3", "pick up the apple", "apple_1", 2)],
)
def test_an_episode_of_a_slower_or_faster_simulator_ends_as_in_real_time(alone, tmp_path, speed, task, held, subtasks):
    profile = tmp_path / "fetch.yaml"
    profile.write_text((ROOT / "ros_bridge/profiles/fetch.yaml").read_text() + "use_sim_time: true\n")
    words = ["--robot", f"ros:{profile}", "--rounds", "4", "--no-video", "--no-frames", "--out", str(tmp_path / "run")]
    with serving(alone, "--profile", str(profile), "--speed", speed):
        completed = homie(alone, "run", task, *words)
    assert completed.returncode == 0, completed.stderr
    assert succeeded(completed.stderr, subtasks)
    (episode,) = (tmp_path / "run" / "episodes").iterdir()
    assert json.loads((episode / "final_state.json").read_text())["held"] == held
    times = json.loads((episode / "episode.json").read_text())
    rate = times["robot_seconds"] / times["wall_seconds"]
    assert (rate > 1.0) is (float(speed) > 1.0) and rate < 1.3 * float(speed), "on a busy machine it is slower"


def test_a_body_of_others_is_served_and_driven_by_its_own_profile(alone, tmp_path):
    profile = write_profile(tmp_path)
    with serving(alone, "--profile", str(profile), "--robot-option", f"body={os.path.relpath(BODY, alone[0])}"):
        words = ["--robot", f"ros:{profile}", "--rounds", "4", "--no-video", "--no-frames"]
        completed = homie(alone, "run", "go to the table", *words, "--out", str(tmp_path / "run"))
    assert completed.returncode == 0 and succeeded(completed.stderr, 1), completed.stderr
    assert json.loads((tmp_path / "run/run.json").read_text())["options"]["robot"] == f"ros:{profile}"


def test_a_table_is_served_and_its_twin_opened(alone):
    folder, environment = alone
    words = ["serve", "ros", "--robot", "franka:pick", "--seed", "3", "--camera-rate", "1", "--picture-size", "64"]
    command = [sys.executable, "-m", "homie", *words]
    network = Network(domain=int(environment["ROS_DOMAIN_ID"]), interface="lo")
    with (
        running(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as process,
        DdsNode("/test", network) as node,
    ):
        follow(process.stderr, "is on the ROS 2 network")
        texts = []
        node.subscription(TEXT, TOPIC, lambda message: texts.append(message.data), LATCHED)
        until(lambda: texts)
        simulation = Simulation.parse(texts[0])
        assert simulation.cameras["wrist"].frame == "camera_color_optical_frame"
        twin = Twin(node, simulation)
        assert twin.robot.spec.first("base") is None and twin.robot.spec.first("arm") is not None
        twin.close()
        process.terminate()
        assert process.wait(60) == 0


def test_a_rehearsed_arm_finds_by_its_camera_what_it_takes_and_puts_it_down(alone, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(["[Pick, gray star]", "[Put, gray star, gray container]"]))
    serving = ["serve", "ros", "--robot", "franka:pick", "--seed", "13", "--rehearsal", "--picture-size", "256"]
    guarding = ["robot", "guard", "franka", "--arm-robot", "--silence", "2"]
    with ExitStack() as stack:
        for words, ready in ((serving, "is on the ROS 2 network"), (guarding, "listening at")):
            process = stack.enter_context(start_process([sys.executable, "-m", "homie", *words], alone))
            follow(process.stderr, ready)
        words = ["--robot", "ros:franka", "--targets", "sensors", "--planner", f"scripted:{plan}", "--no-video"]
        completed = homie(alone, "run", "put the star down", *words, "--no-frames", "--out", str(tmp_path / "run"))
    assert completed.returncode == 0 and "2 of 2 subtasks succeeded" in completed.stderr, completed.stderr


@contextmanager
def start_process(command, place):
    """A process that is ended afterwards, whatever happens."""
    folder, environment = place
    with subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def homie(place, *words):
    folder, environment = place
    return subprocess.run(
        [sys.executable, "-m", "homie", *words],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=400,
    )


def run(place, out, *words):
    common = ["--robot", "ros:fetch", "--rounds", "3", "--no-video", "--no-frames", "--out", str(out)]
    return homie(place, "run", "go to the table", *common, *words)


def test_an_episode_over_the_network_ends_as_it_should(place, served, tmp_path):
    completed = run(place, tmp_path / "run")
    assert completed.returncode == 0, completed.stderr
    assert succeeded(completed.stderr, 1)
    (episode,) = (tmp_path / "run" / "episodes").iterdir()
    records = read_steps(episode)
    assert [str(record.execution.subtask) for record in records][-1] == "[End]"
    robot = json.loads((episode / "final_state.json").read_text())["robot"]
    assert robot["x"] > 2.0, "the simulated world says where it is"
    assert not list(place[0].glob("homie/*.sock")), "the guard that the run began has ended with it"
    assert served.poll() is None


def test_what_stands_in_for_nav2_and_moveit_drives_and_reaches(place, served, tmp_path):
    words = ["--robot", "ros:fetch", "--skills", "nav2,moveit,classical", "--rounds", "8", "--no-video", "--no-frames"]
    completed = homie(place, "run", "pick up the apple", *words, "--out", str(tmp_path / "run"))
    assert completed.returncode == 0, completed.stderr
    (episode,) = (tmp_path / "run" / "episodes").iterdir()
    attempts = [attempt for record in read_steps(episode) for attempt in record.execution.attempts]
    assert [(attempt.skill, attempt.outcome.value) for attempt in attempts][-1] == ("moveit/pick", "succeeded")
    assert json.loads((episode / "final_state.json").read_text())["held"] == "apple_1"


def test_an_emergency_stop_ends_the_run_as_infrastructure_and_no_planner_is_asked_again(place, served, tmp_path, nodes):
    guarding = [sys.executable, "-m", "homie", "robot", "guard", "fetch", "--arm-robot", "--silence", "1"]
    running = [sys.executable, "-m", "homie", "run", "go to the table", "--robot", "ros:fetch", "--no-video"]
    node, turning = nodes("/test"), []
    node.subscription("nav_msgs/msg/Odometry", "/odom", lambda message: turning.append(message.twist.twist), SENSOR)
    with ExitStack() as stack:
        guard = stack.enter_context(start_process(guarding, place))
        follow(guard.stderr, "listening at")
        run = stack.enter_context(start_process([*running, "--no-frames", "--out", str(tmp_path / "run")], place))
        until(lambda: turning and abs(turning[-1].angular.z) + abs(turning[-1].linear.x) > 0.05, process=run)
        stop = node.publisher("std_msgs/msg/Bool", "/homie/estop")
        pressed = node.message("std_msgs/msg/Bool", data=True)
        until(lambda: stop.publish(pressed) or run.poll() is not None)  # the first messages may be lost
        _, errors = run.communicate(timeout=120)
    assert run.returncode == 4, errors
    assert "Emergency stop (the topic /homie/estop): a person must release it at the guard." in errors
    (episode,) = (tmp_path / "run" / "episodes").iterdir()
    assert not (episode / "episode.json").exists(), "there is no result"
    assert list(read_steps(episode)) == [], "no subtask has failed"


def test_a_run_does_not_arm_the_guard_of_a_person(place, served, tmp_path):
    folder, environment = place
    words = [sys.executable, "-m", "homie", "robot", "guard", "fetch"]
    with running(words, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as guard:
        follow(guard.stderr, "listening at")
        completed = run(place, tmp_path / "run")
        guard.terminate()
        guard.wait(60)
    assert completed.returncode == 4
    assert "is not armed, so nothing would move" in completed.stderr
    assert not (tmp_path / "run").exists()
