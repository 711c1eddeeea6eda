"""The safety gate: whatever is asked for, what is sent is finite, within limits, and no jump."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import CommandRefused
from homie.kernel.interfaces import RobotSpec
from homie.kernel.safety import GateState, SafetyGate
from homie.kernel.types import Command, Pose, SentCommand

SPEC = RobotSpec(
    name="two joints",
    arm_joints=("elbow", "roll"),
    arm_limits=np.array([[-1.0, 2.0], [-np.inf, np.inf]]),
    arm_speeds=np.array([1.0, 2.0]),
    torso_limits=(0.0, 0.4),
    torso_speed=0.1,
    head_limits=np.array([[-1.5, 1.5], [-0.7, 1.4]]),
    head_speeds=np.array([1.5, 1.5]),
    gripper_max=0.1,
    gripper_speed=0.1,
    max_linear=1.0,
    max_angular=2.0,
    max_linear_acceleration=0.5,
    max_angular_acceleration=4.0,
    footprint_radius=0.3,
    period=0.1,
    rest=np.zeros(3),
    carry=np.zeros(3),
    ready=(np.zeros(3),),
)
STATE = GateState(arm=np.zeros(2), torso=0.2, head=np.zeros(2), gripper=0.05)
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
        Command(base=(value, 0.0)),  # type: ignore[arg-type]
        Command(base=(0.0, value)),  # type: ignore[arg-type]
        Command(arm=(value, 0.0)),  # type: ignore[arg-type]
        Command(arm=(0.0, value)),  # type: ignore[arg-type]
        Command(torso=value),  # type: ignore[arg-type]
        Command(head=(0.0, value)),  # type: ignore[arg-type]
        Command(gripper=value),  # type: ignore[arg-type]
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
        SafetyGate(SPEC).check(Command(base=(None, 0.0)), STATE)  # type: ignore[arg-type]


def test_arrays_are_taken_as_they_come_from_a_policy():
    sent = SafetyGate(SPEC).check(Command(base=np.array([0.04, 0.1]), arm=np.zeros(2, np.float32)), STATE).sent  # type: ignore[arg-type]
    assert sent.base == pytest.approx((0.04, 0.1)) and sent.arm == (0.0, 0.0)


@pytest.mark.parametrize(
    "command",
    [
        Command(base=(0.1,)),  # type: ignore[arg-type]
        Command(base=(0.1, 0.1, 0.1)),  # type: ignore[arg-type]
        Command(base=()),  # type: ignore[arg-type]
        Command(arm=(0.0,)),
        Command(arm=(0.0, 0.0, 0.0)),
        Command(arm=()),
        Command(head=(0.0,)),  # type: ignore[arg-type]
        Command(torso=(0.1, 0.2)),  # type: ignore[arg-type]
        Command(gripper=()),  # type: ignore[arg-type]
    ],
)
def test_wrong_lengths_are_refused(command):
    with pytest.raises(CommandRefused, match="number"):
        SafetyGate(SPEC).check(command, STATE)


def test_integers_are_numbers():
    sent = SafetyGate(SPEC).check(Command(base=(0, 0), arm=(0, 0), torso=0, gripper=0), STATE).sent
    assert sent.base == (0.0, 0.0) and sent.gripper == 0.0


def test_an_effector_pose_must_be_resolved_first():
    with pytest.raises(CommandRefused, match="kinematics"):
        SafetyGate(SPEC).check(Command(effector=Pose(np.zeros(3), np.eye(3))), STATE)


def assert_safe(sent: SentCommand, last_base: tuple[float, float]) -> None:
    """Finite, within limits, near the measured limbs and the last base velocity."""
    now, slack = sent.sent, 1e-9
    assert now.base is not None
    assert abs(now.base[0]) <= SPEC.max_linear + slack
    assert abs(now.base[1]) <= SPEC.max_angular + slack
    assert abs(now.base[0] - last_base[0]) <= SPEC.max_linear_acceleration * SPEC.period + slack
    assert abs(now.base[1] - last_base[1]) <= SPEC.max_angular_acceleration * SPEC.period + slack
    if now.arm is not None:
        assert -1.0 - slack <= now.arm[0] <= 2.0 + slack
        assert (np.abs(np.array(now.arm) - STATE.arm) <= 3 * SPEC.arm_speeds * SPEC.period + slack).all()
    if now.torso is not None:
        assert 0.0 - slack <= now.torso <= 0.4 + slack
        assert abs(now.torso - STATE.torso) <= 3 * SPEC.torso_speed * SPEC.period + slack
    if now.head is not None:
        assert (np.array(now.head) >= SPEC.head_limits[:, 0] - slack).all()
        assert (np.array(now.head) <= SPEC.head_limits[:, 1] + slack).all()
    if now.gripper is not None:
        assert 0.0 <= now.gripper <= SPEC.gripper_max
    for part in ("arm", "torso", "head", "gripper"):
        assert (getattr(now, part) is None) == (getattr(sent.requested, part) is None)


@given(st.lists(commands, min_size=1, max_size=12))
def test_any_sequence_of_finite_commands_is_made_safe(asked):
    gate, last = SafetyGate(SPEC), (0.0, 0.0)
    for command in asked:
        sent = gate.check(command, STATE)
        assert sent.requested == command
        assert_safe(sent, last)
        last = sent.sent.base or (0.0, 0.0)


@given(commands)
def test_what_was_changed_is_said_and_what_was_not_is_sent_as_asked(command):
    sent = SafetyGate(SPEC).check(command, STATE)
    if sent.changes:
        return
    asked = replace(command, base=command.base or (0.0, 0.0))
    for part in ("base", "torso", "head", "gripper"):
        one, other = getattr(asked, part), getattr(sent.sent, part)
        assert one is other is None or np.allclose(one, other, atol=1e-5)


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
    assert strict.check(Command(), STATE).sent.base == (0.0, 0.0)


def test_a_refusal_late_in_a_command_changes_nothing():
    """The base is looked at before the gripper: what was worked out for it must not be remembered."""
    strict, fresh = SafetyGate(SPEC, "refuse"), SafetyGate(SPEC, "refuse")
    with pytest.raises(CommandRefused):
        strict.check(Command(base=(0.05, 0.0), arm=(0.1, 0.0), gripper=9.0), STATE)
    probe = Command(base=(1.0, 0.0), arm=(1.0, 0.0))
    assert strict.check(probe, STATE) == fresh.check(probe, STATE)


def test_a_step_of_the_base_becomes_a_ramp():
    gate = SafetyGate(SPEC)
    speeds = [gate.check(Command(base=(1.0, 0.0)), STATE).sent.base[0] for _ in range(25)]  # type: ignore[index]
    assert np.allclose(speeds[:4], [0.05, 0.1, 0.15, 0.2])
    assert speeds[-1] == 1.0


def test_a_base_that_is_not_told_stops():
    gate = SafetyGate(SPEC)
    for _ in range(4):
        gate.check(Command(base=(1.0, 0.0)), STATE)
    speeds = [gate.check(Command(), STATE).sent.base[0] for _ in range(5)]  # type: ignore[index]
    assert np.allclose(speeds, [0.15, 0.1, 0.05, 0.0, 0.0])


def test_after_a_stop_everything_starts_from_rest():
    gate = SafetyGate(SPEC)
    for _ in range(10):
        gate.check(Command(base=(1.0, 0.0), arm=(1.0, 0.0)), STATE)
    gate.stop()
    assert gate.check(Command(base=(1.0, 0.0)), STATE).sent.base == pytest.approx((0.05, 0.0))


def test_a_blocked_joint_does_not_wind_up():
    gate = SafetyGate(SPEC)
    for _ in range(100):
        sent = gate.check(Command(arm=(2.0, 0.0)), STATE).sent  # the joint is measured at 0 all the time
    assert sent.arm is not None and sent.arm[0] == pytest.approx(3 * 1.0 * 0.1)


def test_continuous_joints_take_the_short_way_round():
    state = replace(STATE, arm=np.array([0.0, 3.0]))
    sent = SafetyGate(SPEC).check(Command(arm=(0.0, -3.0)), state).sent
    assert sent.arm is not None and 3.0 < sent.arm[1] <= 3.2 + 1e-9


def changes(command, *, gate=None, state=STATE):
    return (gate or SafetyGate(SPEC)).check(command, state)


def test_every_part_has_its_own_limits_and_says_which_was_left():
    for command, worst in (
        (Command(base=(-1.5, 0.0)), "base[0] -1.5 is outside -1..1: clamped"),
        (Command(base=(0.0, 2.5)), "base[1] 2.5 is outside -2..2: clamped"),
        (Command(arm=(-1.25, 0.0)), "arm[0] -1.25 is outside -1..2: clamped"),
        (Command(torso=0.55), "torso[0] 0.55 is outside 0..0.4: clamped"),
        (Command(torso=-0.1), "torso[0] -0.1 is outside 0..0.4: clamped"),
        (Command(head=(0.0, -0.9)), "head[1] -0.9 is outside -0.7..1.4: clamped"),
        (Command(head=(1.75, 3.0)), "head[1] 3 is outside -0.7..1.4: clamped"),
        (Command(gripper=0.125), "gripper[0] 0.125 is outside 0..0.1: clamped"),
    ):
        assert changes(command).changes[0] == worst
        with pytest.raises(CommandRefused) as refusal:
            SafetyGate(SPEC, "refuse").check(command, STATE)
        assert str(refusal.value) == f"Command refused: {worst.removesuffix(': clamped')}."
        assert SafetyGate(SPEC).over_limit == "clamp"


def test_at_a_limit_and_a_hair_over_it_nothing_is_said():
    beside = replace(STATE, arm=np.array([2.0, 0.0]), torso=0.4, head=np.array([1.5, 1.4]))
    at = Command(arm=(2.0, 0.0), torso=0.4, head=(1.5, 1.4), gripper=0.1)
    over = Command(arm=(2.0 + 1e-7, 0.0), torso=0.4 + 1e-7, head=(1.5, 1.4 + 1e-7), gripper=0.1 + 1e-7)
    for command in (at, over):
        sent = changes(command, state=beside, gate=SafetyGate(SPEC, "refuse"))
        assert sent.changes == ()
        assert sent.sent.arm == (2.0, 0.0) and sent.sent.torso == 0.4 and sent.sent.gripper == 0.1
    with pytest.raises(CommandRefused):
        SafetyGate(SPEC, "refuse").check(Command(gripper=0.1 + 1e-5), STATE)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_every_limb_moves_as_fast_as_it_may_and_no_faster(way):
    gate = SafetyGate(SPEC)
    far = Command(
        arm=(0.5 + way * 0.5, way * 1.0), torso=0.2 + way * 0.1, head=(way * 0.6, 0.35 + way * 0.6), gripper=0.1
    )
    state = replace(STATE, arm=np.array([0.5, 0.0]), head=np.array([0.0, 0.35]))
    sent = changes(far, gate=gate, state=state)
    assert sent.sent.arm == pytest.approx((0.5 + way * 0.1, way * 0.2))
    assert sent.sent.torso == pytest.approx(0.2 + way * 0.01)
    assert sent.sent.head == pytest.approx((way * 0.15, 0.35 + way * 0.15))
    assert sent.sent.gripper == 0.1, "a gripper closes as fast as it can"
    assert sent.changes == ("arm: speed limited", "torso: speed limited", "head: speed limited")
    for steps in (2, 3, 3):  # from the last target on, but not more than three periods ahead of the joint
        sent = changes(far, gate=gate, state=state)
        assert sent.sent.arm == pytest.approx((0.5 + way * 0.1 * steps, way * 0.2 * steps))
        assert sent.sent.torso == pytest.approx(0.2 + way * 0.01 * steps)
        assert sent.sent.head == pytest.approx((way * 0.15 * steps, 0.35 + way * 0.15 * steps))
    ahead = SafetyGate(SPEC, lead=1.0)
    for _ in range(3):
        sent = changes(far, gate=ahead, state=state)
    assert sent.sent.torso == pytest.approx(0.2 + way * 0.01)


def test_a_limb_that_is_left_out_keeps_its_last_target():
    gate = SafetyGate(SPEC)
    first = changes(Command(arm=(1.0, 0.0), torso=0.4, head=(1.0, 0.0)), gate=gate).sent
    changes(Command(base=(0.01, 0.0)), gate=gate)
    second = changes(Command(arm=(1.0, 0.0), torso=0.4, head=(1.0, 0.0)), gate=gate).sent
    assert second.arm[0] == pytest.approx(2 * first.arm[0]) and second.torso == pytest.approx(0.22)
    assert second.head[0] == pytest.approx(0.3)
    gate.stop()
    again = changes(Command(arm=(1.0, 0.0), torso=0.4, head=(1.0, 0.0)), gate=gate).sent
    assert again == first


def test_the_base_ramps_in_both_its_numbers_and_says_so():
    gate = SafetyGate(SPEC)
    first = changes(Command(base=(-1.0, 2.0)), gate=gate)
    assert first.sent.base == pytest.approx((-0.05, 0.4)) and first.changes == ("base: acceleration limited",)
    second = changes(Command(base=(-1.0, -2.0)), gate=gate)
    assert second.sent.base == pytest.approx((-0.1, 0.0))
    assert changes(Command(base=(0.05, 0.4))).changes == ()


def test_a_continuous_joint_may_be_told_any_number_of_turns():
    for turns in (-2, 0, 3):
        sent = changes(Command(arm=(0.0, 0.1 + turns * 2 * math.pi)))
        assert sent.sent.arm == pytest.approx((0.0, 0.1)) and sent.changes == ()
    assert changes(Command(arm=(0.1, 0.0))).sent.arm[0] == pytest.approx(0.1), "a joint with limits is as told"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (Command(base=(0.1,)), "base takes 2 number(s), got 1."),
        (Command(arm=(0.0, 0.0, 0.0)), "arm takes 2 number(s), got 3."),
        (Command(torso=(0.1, 0.2)), "torso takes 1 number(s), got 2."),
        (Command(head=(0.0, 0.0, 0.0)), "head takes 2 number(s), got 3."),
        (Command(gripper=()), "gripper takes 1 number(s), got 0."),
        (Command(torso="up"), "torso must be 1 number(s), got 'up'."),
        (Command(arm=([1.0], 0.0)), "arm must be 2 number(s), got ([1.0], 0.0)."),
        (Command(gripper=math.nan), "gripper holds a value that is not finite (nan)."),
    ],
)
def test_a_refusal_names_part_and_reason(command, said):
    with pytest.raises(CommandRefused) as refusal:
        SafetyGate(SPEC).check(command, STATE)
    assert str(refusal.value) == f"Command refused: {said}"
