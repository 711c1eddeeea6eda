"""A base without an arm, an arm without a base and two arms: guarded and driven by profiles from their URDFs."""

from __future__ import annotations

import contextlib
import threading

import pytest

from homie.kernel.errors import CommandRefused
from ros_bridge.guard.commands_to_robot import RosOutlet
from ros_bridge.guard.guard import Guard
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.measured import Measurements
from ros_bridge.guard.process import _loop
from ros_bridge.guard.sockets import AgentSocket
from ros_bridge.profiles.model import parse_profile
from ros_bridge.profiles.profile_from_urdf import profile_from_urdf
from tests.ros_bridge.checking import check_until
from tests.ros_bridge.fake_robot import FakeRobot
from tests.ros_bridge.profiles.urdf_robots import ROBOTS
from tests.waiting import until


@pytest.fixture
def guarded(nodes, network, tmp_path_factory):
    """Opens a robot of a URDF, its armed guard in a thread, and a link."""
    over, ends = threading.Event(), []

    def open_robot(name):
        folder = tmp_path_factory.mktemp("g")
        (folder / "robot.urdf").write_text(ROBOTS[name]().text())
        profile = parse_profile(profile_from_urdf(folder / "robot.urdf"), name)
        robot, node = FakeRobot(nodes("/robot"), profile), nodes("/guard")
        guard = Guard(
            profile, RosOutlet(node, profile), Measurements(node, profile, oldest=5.0), armed=True, silence=5.0
        )
        agent = AgentSocket(folder / "guard.sock", guard, dry_run=False, network=network)
        thread = threading.Thread(target=_loop, args=(guard, agent, over.is_set))
        thread.start()
        link = GuardLink(profile, folder / "guard.sock", network=network)
        ends.extend([link.close, over.set, thread.join, agent.close])
        until(lambda: not guard.state.unmeasured)
        return profile, robot, link

    yield open_robot
    for end in ends:
        end()


def refusal(say):
    """Why something that is said is refused; what was refused before does not count."""
    try:
        future = say()
        if future is not None:
            future.result(20)
    except CommandRefused as error:
        return str(error)
    return ""


def problems_shown(node, profile, expected):
    """Parts and problems that the check shows, as soon as they are as expected."""

    def by_part(findings):
        return {finding.part: finding.problem for finding in findings}

    return by_part(check_until(node, profile, lambda findings: by_part(findings) == expected))


def test_a_base_without_an_arm_drives_and_refuses_what_it_has_not(guarded, nodes):
    profile, robot, link = guarded("rover")

    def drives():
        with contextlib.suppress(CommandRefused):  # late, on a busy machine
            link.velocity(0.2, 0.1)
        return robot.pose[0] > 0.02

    until(drives)
    assert link.stop(20).confirmed and abs(robot.speed[0]) < 0.01
    assert refusal(lambda: link.follow("arm", {"j": [0.1]}, [1.0])) == "The robot has no group 'arm': it has none."
    assert refusal(lambda: link.grip(0.05, 10.0)) == f"The robot {profile.name} has no gripper."
    assert "names no planner of the robot's own" in refusal(lambda: link.reach([]))
    parts = ("clock", "joint states", "odometry", "base command", "effector frame", "odometry frame")
    assert problems_shown(nodes("/check"), profile, dict.fromkeys(parts, "")) == dict.fromkeys(parts, "")


def test_an_arm_without_a_base_moves_and_refuses_what_it_has_not(guarded, nodes):
    profile, robot, link = guarded("panda_arm")
    target = {name: [at + 0.05] for name, at in robot.joints.items()}
    assert link.follow("arm", target, [1.0]).result(20).outcome == "succeeded"
    assert robot.joints["panda_joint1"] == pytest.approx(target["panda_joint1"][0])
    assert link.stop(20).confirmed
    assert "names no navigation" in refusal(lambda: link.navigate(1.0, 0.0, 0.0))
    link.velocity(0.1, 0.0)
    until(lambda: refusal(lambda: link.velocity(0.1, 0.0)) == f"The robot {profile.name} has no base that drives.")
    parts = ("clock", "joint states", "arm action", "effector frame")
    expected = dict.fromkeys(parts, "") | {"arm stream": "nobody listens"}
    assert problems_shown(nodes("/check"), profile, expected) == expected


def test_two_arms_move_at_once(guarded):
    profile, robot, link = guarded("two_arms")
    arms = {name: [joint.name for joint in group.joints] for name, group in profile.groups.items()}
    assert {names[0].partition("_")[0] for names in arms.values()} == {"left", "right"}
    targets = {name: {joint: [robot.joints[joint] + 0.05] for joint in joints} for name, joints in arms.items()}
    moved = [link.follow(name, target, [1.0]) for name, target in targets.items()]
    assert [each.result(20).outcome for each in moved] == ["succeeded", "succeeded"]
    for target in targets.values():
        assert {joint: [robot.joints[joint]] for joint in target} == {
            joint: [pytest.approx(at[0])] for joint, at in target.items()
        }
