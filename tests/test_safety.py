"""The safety gate: whatever is asked for, what is sent is finite, within limits, and no jump."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.interfaces import Robot
from homie.kernel.robot.body import Group, Joint, RobotSpec
from homie.kernel.robot.safety import SafetyGate
from homie.kernel.types import Command, GripperState, Pose, Pose2, Proprioception, SentCommand

SPEC = RobotSpec(
    name="two joints",
    groups=(
        Group.base(linear=1.0, angular=2.0, linear_acceleration=0.5, angular_acceleration=4.0),
        Group("arm", "arm", (Joint("elbow", -1.0, 2.0, 1.0), Joint("roll", -math.inf, math.inf, 2.0))),
        Group("torso", "torso", (Joint("lift", 0.0, 0.4, 0.1),)),
        Group("head", "head", (Joint("pan", -1.5, 1.5, 1.5), Joint("tilt", -0.7, 1.4, 1.5))),
        Group.gripper(opening=0.1, speed=0.1),
    ),
    period=0.1,
)
ARM, TORSO, HEAD = SPEC.groups[1:4]


def body(arm=(0.0, 0.0), torso=0.2, head=(0.0, 0.0), gripper=0.05):
    """What is measured with the limbs there."""
    joints = dict(zip((*ARM.names, *TORSO.names, *HEAD.names), (*arm, torso, *head), strict=True))
    return Proprioception(Pose2(0.0, 0.0, 0.0), joints=joints, grippers={"gripper": GripperState(gripper)})


STATE = body()
BAD_NUMBERS = [math.nan, math.inf, -math.inf]

finite = st.floats(-1e6, 1e6)
commands = st.builds(
    Command,
    base=st.none() | st.tuples(finite, finite),
    arm=st.none() | st.tuples(finite, finite),
    torso=st.none() | finite,
    head=st.none() | st.tuples(finite, finite),
    gripper=st.none() | finite,
)


def parts_with(value: object) -> list[Command]:
    """A command for every part and place, with the value there."""
    return [
        Command(base=(value, 0.0)),
        Command(base=(0.0, value)),
        Command(arm=(value, 0.0)),
        Command(arm=(0.0, value)),
        Command(torso=value),
        Command(head=(0.0, value)),
        Command(gripper=value),
    ]


@pytest.mark.parametrize("over_limit", ["clamp", "refuse"])
@pytest.mark.parametrize("value", BAD_NUMBERS)
def test_what_is_not_finite_is_refused(over_limit, value):
    for command in parts_with(value):
        with pytest.raises(CommandRefused, match="not finite"):
            SafetyGate(SPEC, over_limit).check(command, STATE)


@pytest.mark.parametrize("value", ["fast", "0.5", b"1", [1.0, 2.0], {}, object(), 1j])
def test_what_is_no_number_is_refused(value):
    for command in parts_with(value):
        with pytest.raises(CommandRefused, match="number"):
            SafetyGate(SPEC).check(command, STATE)


def test_nothing_is_no_number_inside_a_part():
    with pytest.raises(CommandRefused):
        SafetyGate(SPEC).check(Command(base=(None, 0.0)), STATE)


def test_arrays_are_taken_as_they_come_from_a_policy():
    sent = SafetyGate(SPEC).check(Command(base=np.array([0.04, 0.1]), arm=np.zeros(2, np.float32)), STATE).sent
    assert sent.get("base") == pytest.approx((0.04, 0.1)) and sent.get("arm") == (0.0, 0.0)


@pytest.mark.parametrize(
    "command",
    [
        Command(base=(0.1,)),
        Command(base=(0.1, 0.1, 0.1)),
        Command(base=()),
        Command(arm=(0.0,)),
        Command(arm=(0.0, 0.0, 0.0)),
        Command(arm=()),
        Command(head=(0.0,)),
        Command(torso=(0.1, 0.2)),
        Command(gripper=()),
    ],
)
def test_wrong_lengths_are_refused(command):
    with pytest.raises(CommandRefused, match="number"):
        SafetyGate(SPEC).check(command, STATE)


def test_integers_are_numbers():
    sent = SafetyGate(SPEC).check(Command(base=(0, 0), arm=(0, 0), torso=0, gripper=0), STATE).sent
    assert sent.get("base") == (0.0, 0.0) and sent.get("gripper") == pytest.approx((0.04,))


def test_an_effector_pose_must_be_resolved_first():
    with pytest.raises(CommandRefused, match="kinematics"):
        SafetyGate(SPEC).check(Command(effector=Pose(np.zeros(3), np.eye(3))), STATE)


def assert_safe(sent: SentCommand, last_base: tuple[float, float]) -> None:
    """Finite, within limits, near the measured limbs and the last base velocity."""
    now, slack = sent.sent, 1e-9
    assert now.get("base") is not None
    assert abs(now.get("base")[0]) <= SPEC.max_linear + slack
    assert abs(now.get("base")[1]) <= SPEC.max_angular + slack
    assert abs(now.get("base")[0] - last_base[0]) <= SPEC.max_linear_acceleration * SPEC.period + slack
    assert abs(now.get("base")[1] - last_base[1]) <= SPEC.max_angular_acceleration * SPEC.period + slack
    if now.get("arm") is not None:
        assert -1.0 - slack <= now.get("arm")[0] <= 2.0 + slack
        assert (np.abs(np.array(now.get("arm"))) <= 3 * ARM.speeds * SPEC.period + slack).all()
    if now.get("torso") is not None:
        assert 0.0 - slack <= now.get("torso")[0] <= 0.4 + slack
        assert abs(now.get("torso")[0] - 0.2) <= 3 * 0.1 * SPEC.period + slack
    if now.get("head") is not None:
        assert (np.array(now.get("head")) >= HEAD.limits[:, 0] - slack).all()
        assert (np.array(now.get("head")) <= HEAD.limits[:, 1] + slack).all()
    if now.get("gripper") is not None:
        assert 0.0 <= now.get("gripper")[0] <= SPEC.gripper_max
        assert abs(now.get("gripper")[0] - 0.05) <= 3 * SPEC.gripper_speed * SPEC.period + slack
    assert set(now.targets) == {"base", *sent.requested.targets}


@given(st.lists(commands, min_size=1, max_size=12))
def test_any_sequence_of_finite_commands_is_made_safe(sequence):
    gate, last = SafetyGate(SPEC), (0.0, 0.0)
    for command in sequence:
        sent = gate.check(command, STATE)
        assert sent.requested == command
        assert_safe(sent, last)
        last = sent.sent.get("base") or (0.0, 0.0)


@given(commands)
def test_what_was_changed_is_said_and_what_was_not_is_sent_as_asked(command):
    sent = SafetyGate(SPEC).check(command, STATE)
    if sent.changes:
        return
    requested = Command(command.targets, base=command.get("base") or (0.0, 0.0))
    for part in ("base", "torso", "head", "gripper"):
        target, other = requested.get(part), sent.sent.get(part)
        assert target is other is None or np.allclose(target, other, atol=1e-5)


@given(commands, st.sampled_from(BAD_NUMBERS), st.integers(0, 6))
def test_a_refusal_changes_nothing(command, bad, place):
    refused, untouched = SafetyGate(SPEC), SafetyGate(SPEC)
    refused.check(Command(base=(0.05, 0.0)), STATE)
    untouched.check(Command(base=(0.05, 0.0)), STATE)
    with pytest.raises(CommandRefused):
        refused.check(parts_with(bad)[place], STATE)
    assert refused.check(command, STATE) == untouched.check(command, STATE)


@pytest.mark.parametrize(
    "command", [Command(base=(1.2, 0.0)), Command(arm=(2.1, 0.0)), Command(torso=0.5), Command(gripper=-0.01)]
)
def test_over_a_limit_is_clamped_or_refused_by_profile(command):
    sent = SafetyGate(SPEC, "clamp").check(command, STATE)
    assert any("clamped" in change for change in sent.changes)
    strict = SafetyGate(SPEC, "refuse")
    with pytest.raises(CommandRefused, match="outside"):
        strict.check(command, STATE)
    assert strict.check(Command(), STATE).sent.get("base") == (0.0, 0.0)


def test_a_refusal_late_in_a_command_changes_nothing():
    """The base is looked at before the gripper: what was worked out for it must not be remembered."""
    strict, fresh = SafetyGate(SPEC, "refuse"), SafetyGate(SPEC, "refuse")
    with pytest.raises(CommandRefused):
        strict.check(Command(base=(0.05, 0.0), arm=(0.1, 0.0), gripper=9.0), STATE)
    probe = Command(base=(1.0, 0.0), arm=(1.0, 0.0))
    assert strict.check(probe, STATE) == fresh.check(probe, STATE)


def test_a_step_of_the_base_becomes_a_ramp():
    gate = SafetyGate(SPEC)
    speeds = [gate.check(Command(base=(1.0, 0.0)), STATE).sent.get("base")[0] for _ in range(25)]
    assert np.allclose(speeds[:4], [0.05, 0.1, 0.15, 0.2])
    assert speeds[-1] == 1.0


def test_a_base_that_is_not_commanded_stops():
    gate = SafetyGate(SPEC)
    for _ in range(4):
        gate.check(Command(base=(1.0, 0.0)), STATE)
    speeds = [gate.check(Command(), STATE).sent.get("base")[0] for _ in range(5)]
    assert np.allclose(speeds, [0.15, 0.1, 0.05, 0.0, 0.0])


def test_after_a_stop_everything_starts_from_rest():
    gate = SafetyGate(SPEC)
    for _ in range(10):
        gate.check(Command(base=(1.0, 0.0), arm=(1.0, 0.0)), STATE)
    gate.reset()
    assert gate.check(Command(base=(1.0, 0.0)), STATE).sent.get("base") == pytest.approx((0.05, 0.0))


def test_a_blocked_joint_does_not_wind_up():
    gate = SafetyGate(SPEC)
    for _ in range(100):
        sent = gate.check(Command(arm=(2.0, 0.0)), STATE).sent  # the joint is measured at 0 all the time
    assert sent.get("arm") is not None and sent.get("arm")[0] == pytest.approx(3 * 1.0 * 0.1)


def test_on_a_compliant_robot_a_target_jumps_as_far_as_it_may_lead():
    gate = SafetyGate(replace(SPEC, compliant=True), lead=6.0)
    for wanted, sent in ((0.5, 0.5), (-0.5, -0.5), (2.0, 0.6)):
        command = gate.check(Command(arm=(wanted, 0.0), gripper=0.1), STATE).sent
        assert command.get("arm")[0] == pytest.approx(sent)
    assert gate.check(Command(gripper=0.0), STATE).sent.get("gripper")[0] == pytest.approx(0.04), "as on any robot"


def test_continuous_joints_take_the_short_way_round():
    state = body(arm=(0.0, 3.0))
    sent = SafetyGate(SPEC).check(Command(arm=(0.0, -3.0)), state).sent
    assert sent.get("arm") is not None and 3.0 < sent.get("arm")[1] <= 3.2 + 1e-9


def changes(command, *, gate=None, state=STATE):
    return (gate or SafetyGate(SPEC)).check(command, state)


def test_every_part_has_its_own_limits_and_says_which_was_left():
    for command, worst in (
        (Command(base=(-1.5, 0.0)), "base: forward speed (m/s) -1.5 is outside -1..1: clamped"),
        (Command(base=(0.0, 2.5)), "base: turning speed (rad/s) 2.5 is outside -2..2: clamped"),
        (Command(arm=(-1.25, 0.0)), "arm: elbow (rad) -1.25 is outside -1..2: clamped"),
        (Command(torso=0.55), "torso: lift (m) 0.55 is outside 0..0.4: clamped"),
        (Command(torso=-0.1), "torso: lift (m) -0.1 is outside 0..0.4: clamped"),
        (Command(head=(0.0, -0.9)), "head: tilt (rad) -0.9 is outside -0.7..1.4: clamped"),
        (Command(head=(1.75, 3.0)), "head: tilt (rad) 3 is outside -0.7..1.4: clamped"),
        (Command(gripper=0.125), "gripper: opening (m) 0.125 is outside 0..0.1: clamped"),
    ):
        assert changes(command).changes[0] == worst
        with pytest.raises(CommandRefused) as refusal:
            SafetyGate(SPEC, "refuse").check(command, STATE)
        assert str(refusal.value) == f"Command refused: {worst.removesuffix(': clamped')}."
        assert SafetyGate(SPEC).over_limit == "clamp"


def test_at_a_limit_and_a_hair_over_it_nothing_is_said():
    beside = body(arm=(2.0, 0.0), torso=0.4, head=(1.5, 1.4), gripper=0.1)
    at = Command(arm=(2.0, 0.0), torso=0.4, head=(1.5, 1.4), gripper=0.1)
    over = Command(arm=(2.0 + 1e-7, 0.0), torso=0.4 + 1e-7, head=(1.5, 1.4 + 1e-7), gripper=0.1 + 1e-7)
    for command in (at, over):
        sent = changes(command, state=beside, gate=SafetyGate(SPEC, "refuse"))
        assert sent.changes == ()
        assert (
            sent.sent.get("arm") == (2.0, 0.0)
            and sent.sent.get("torso") == (0.4,)
            and sent.sent.get("gripper") == (0.1,)
        )
    with pytest.raises(CommandRefused):
        SafetyGate(SPEC, "refuse").check(Command(gripper=0.1 + 1e-5), STATE)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_every_limb_moves_as_fast_as_it_may_and_no_faster(way):
    gate = SafetyGate(SPEC)
    far = Command(
        arm=(0.5 + way * 0.5, way * 1.0),
        torso=0.2 + way * 0.1,
        head=(way * 0.6, 0.35 + way * 0.6),
        gripper=0.05 + way * 0.05,
    )
    state = body(arm=(0.5, 0.0), head=(0.0, 0.35), gripper=0.05)
    sent = changes(far, gate=gate, state=state)
    assert sent.sent.get("arm") == pytest.approx((0.5 + way * 0.1, way * 0.2))
    assert sent.sent.get("torso") == pytest.approx((0.2 + way * 0.01,))
    assert sent.sent.get("head") == pytest.approx((way * 0.15, 0.35 + way * 0.15))
    assert sent.sent.get("gripper") == pytest.approx((0.05 + way * 0.01,))
    assert sent.changes == tuple(f"{name}: speed limited" for name in ("arm", "torso", "head", "gripper"))
    for steps in (2, 3, 3):  # from the last target on, but not more than three periods ahead of the joint
        sent = changes(far, gate=gate, state=state)
        assert sent.sent.get("arm") == pytest.approx((0.5 + way * 0.1 * steps, way * 0.2 * steps))
        assert sent.sent.get("torso") == pytest.approx((0.2 + way * 0.01 * steps,))
        assert sent.sent.get("head") == pytest.approx((way * 0.15 * steps, 0.35 + way * 0.15 * steps))
    ahead = SafetyGate(SPEC, lead=1.0)
    for _ in range(3):
        sent = changes(far, gate=ahead, state=state)
    assert sent.sent.get("torso") == pytest.approx((0.2 + way * 0.01,))


def test_a_limb_that_is_left_out_keeps_its_last_target():
    gate = SafetyGate(SPEC)
    first = changes(Command(arm=(1.0, 0.0), torso=0.4, head=(1.0, 0.0)), gate=gate).sent
    changes(Command(base=(0.01, 0.0)), gate=gate)
    second = changes(Command(arm=(1.0, 0.0), torso=0.4, head=(1.0, 0.0)), gate=gate).sent
    assert second.get("arm")[0] == pytest.approx(2 * first.get("arm")[0]) and second.get("torso") == pytest.approx(
        (0.22,)
    )
    assert second.get("head")[0] == pytest.approx(0.3)
    gate.reset()
    again = changes(Command(arm=(1.0, 0.0), torso=0.4, head=(1.0, 0.0)), gate=gate).sent
    assert again == first


def test_the_base_ramps_in_both_its_numbers_and_says_so():
    gate = SafetyGate(SPEC)
    first = changes(Command(base=(-1.0, 2.0)), gate=gate)
    assert first.sent.get("base") == pytest.approx((-0.05, 0.4)) and first.changes == ("base: acceleration limited",)
    second = changes(Command(base=(-1.0, -2.0)), gate=gate)
    assert second.sent.get("base") == pytest.approx((-0.1, 0.0))
    assert changes(Command(base=(0.05, 0.4))).changes == ()


def test_a_continuous_joint_may_be_commanded_any_number_of_turns():
    for turns in (-2, 0, 3):
        sent = changes(Command(arm=(0.0, 0.1 + turns * 2 * math.pi)))
        assert sent.sent.get("arm") == pytest.approx((0.0, 0.1)) and sent.changes == ()
    assert changes(Command(arm=(0.1, 0.0))).sent.get("arm")[0] == pytest.approx(0.1), "a joint with limits is as told"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Command(base=(0.1,)), "base takes 2 numbers, forward speed (m/s) and turning speed (rad/s); got 1."),
        (Command(arm=(0.0, 0.0, 0.0)), "arm takes 2 numbers, elbow (rad) and roll (rad); got 3."),
        (Command(torso=(0.1, 0.2)), "torso takes 1 number, lift (m); got 2."),
        (Command(left_leg=(0.1,)), "two joints has no group 'left_leg': it has base, arm, torso, head, gripper."),
        (Command(griper=(0.1,)), "two joints has no group 'griper': did you mean 'gripper'?"),
        (Command(head=(0.0, 0.0, 0.0)), "head takes 2 numbers, pan (rad) and tilt (rad); got 3."),
        (Command(gripper=()), "gripper takes 1 number, opening (m); got 0."),
        (Command(torso="up"), "torso takes 1 number, lift (m); got 'up'."),
        (Command(arm=([1.0], 0.0)), "arm takes 2 numbers, elbow (rad) and roll (rad); got ([1.0], 0.0)."),
        (Command(gripper=math.nan), "gripper holds a value that is not finite ((nan,))."),
    ],
)
def test_a_refusal_names_part_and_reason(command, reason):
    with pytest.raises(CommandRefused) as refusal:
        SafetyGate(SPEC).check(command, STATE)
    assert str(refusal.value) == f"Command refused: {reason}"


@pytest.mark.parametrize("number", BAD_NUMBERS)
def test_a_group_is_not_moved_from_where_it_cannot_be(number):
    with pytest.raises(
        CommandRefused, match=r"^Command refused: gripper is measured at \[.*\], which is not finite\.$"
    ):
        SafetyGate(SPEC).check(Command(gripper=0.05), body(gripper=number))
    assert SafetyGate(SPEC).check(Command(torso=0.0), body(gripper=number)).sent.get("torso") is not None


def test_a_closed_gripper_opens_from_where_its_fingers_are():
    gate, measured = SafetyGate(SPEC), body(gripper=0.05)
    squeezed = [changes(Command(gripper=0.0), gate=gate, state=measured).sent.get("gripper")[0] for _ in range(5)]
    assert np.allclose(squeezed, [0.04, 0.03, 0.02, 0.02, 0.02]), "no further than three periods into what it holds"
    assert changes(Command(gripper=0.1), gate=gate, state=measured).sent.get("gripper") == pytest.approx((0.06,))


GENTLE = RobotSpec(name="gentle", groups=(Group("arm", "arm", (Joint("elbow", -2.0, 2.0, 1.0, 2.0),)),), period=0.05)


@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=6))
def test_a_joint_with_a_largest_acceleration_never_exceeds_it_but_at_its_limits(places):
    """The joint follows at once, so that the gate alone decides; each place is asked for over a second."""
    gate, at, speed = SafetyGate(GENTLE), 0.0, 0.0
    for place in places:
        for _ in range(20):
            now = Proprioception(Pose2(0.0, 0.0, 0.0), joints={"elbow": at})
            (target,) = gate.check(Command(arm=(place,)), now).sent.get("arm")
            assert -2.0 <= target <= 2.0 and abs(target - at) <= 1.0 * 0.05 + 1e-9
            if abs(target) < 2.0:
                assert abs((target - at) / 0.05 - speed) <= 2.0 * 0.05 + 1e-6
            at, speed = target, (target - at) / 0.05


def test_a_joint_with_a_largest_acceleration_comes_to_rest_where_it_is_wanted():
    gate, at = SafetyGate(GENTLE), 0.0
    way = []
    for _ in range(80):
        (at,) = gate.check(Command(arm=(1.0,)), Proprioception(Pose2(0, 0, 0), joints={"elbow": at})).sent.get("arm")
        way.append(at)
    assert way[-1] == pytest.approx(1.0, abs=1e-3) and max(way) <= 1.0 + 1e-3


def test_what_a_body_cannot_be():
    arm = Group("arm", "arm", (Joint("elbow", -1.0, 1.0, 1.0),))
    for make, message in (
        (lambda: Group("left arm", "arm", arm.joints), "needs another name"),
        (lambda: Group("effector", "arm", arm.joints), "needs another name"),
        (lambda: Group("tail", "tail", arm.joints), "is of no kind 'tail': choose one of base, torso, arm"),
        (lambda: Group("base", "base", arm.joints), r"has 1 joint; one of kind 'base' has 2 or 3"),
        (lambda: Group("arm", "arm", (Joint("elbow", 1.0, -1.0, 1.0),)), "'elbow' needs a lower limit"),
        (lambda: Group("arm", "arm", (Joint("elbow", -1.0, 1.0, 0.0),)), "a speed and an acceleration above 0"),
        (lambda: RobotSpec(name="x", groups=(arm, arm), period=0.1), "two groups 'arm'"),
        (lambda: RobotSpec(name="x", groups=(arm,), period=0.0), "control period above 0 s"),
        (
            lambda: RobotSpec(name="x", groups=(arm,), period=0.1, rest={"arm": (0.0, 1.0)}),
            "posture rest needs for .* 1 number, ",
        ),
        (
            lambda: RobotSpec(name="x", groups=(arm,), period=0.1, ready=({},)),
            "posture rest needs for .* 1 number, ",
        ),
    ):
        with pytest.raises(BadInput, match=message):
            make()


def test_several_arms_are_commanded_by_name():
    arms = tuple(Group(name, "arm", (Joint(f"{name}_elbow", -1.0, 1.0, 1.0),)) for name in ("left_arm", "right_arm"))
    spec = RobotSpec(
        name="two arms", groups=(Group("lift", "torso", (Joint("lift", 0.0, 1.0, 0.1),)), *arms), period=0.1
    )
    now = Proprioception(Pose2(0, 0, 0), joints={"lift": 0.5, "left_arm_elbow": 0.0, "right_arm_elbow": 0.0})
    sent = SafetyGate(spec).check(Command(right_arm=0.05, lift=0.5), now).sent
    assert sent == Command(right_arm=(0.05,), lift=(0.5,))
    assert spec.chain.names == ("lift", "left_arm_elbow") and spec.chain.torso == 1
    assert spec.chain.command(np.array([0.4, 0.2])) == Command(lift=0.4, left_arm=0.2)


def test_no_robot_can_go_around_its_gate():
    for name in ("act", "stop", "reset", "gate"):
        with pytest.raises(BadInput, match=f"The robot Rogue overrides '{name}', which keeps every command within"):
            type("Rogue", (Robot,), {name: lambda self: None})
