"""What motions are made of: angles, rotations, straight lines of the gripper; and arms that are blocked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from homes import one_room
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch import READY, SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import (
    Array,
    Command,
    Goal,
    Observation,
    Outcome,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
    rotation_z,
)
from skills.motion.motions import (
    RAMP,
    Motion,
    NotRetryable,
    RoutineSkill,
    Stuck,
    gripper_rotation,
    slerp,
    wrap,
)

angles = st.floats(-50.0, 50.0)


class Routine(RoutineSkill):
    """A skill whose routine the test chooses."""

    behaviour: Callable[[RoutineSkill], Motion]

    def routine(self) -> Motion:
        return self.behaviour()


def _skill(behaviour: Callable[[RoutineSkill], Motion]) -> Routine:
    skill = Routine(SPEC, ArmKinematics())
    skill.behaviour = lambda: behaviour(skill)  # type: ignore[method-assign, assignment]
    return skill


def _random_rotation(seed: int) -> Array:
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q @ np.diag([1.0, 1.0, -1.0])


def _angle(a: Array, b: Array) -> float:
    return float(np.arccos(np.clip((np.trace(a.T @ b) - 1.0) / 2.0, -1.0, 1.0)))


class TestAngles:
    @given(angles)
    def test_wrap_stays_in_one_turn_and_means_the_same(self, angle: float) -> None:
        wrapped = wrap(angle)
        assert -math.pi < wrapped <= math.pi
        assert math.cos(wrapped) == pytest.approx(math.cos(angle), abs=1e-9)
        assert math.sin(wrapped) == pytest.approx(math.sin(angle), abs=1e-9)

    def test_half_a_turn_is_positive(self) -> None:
        assert wrap(math.pi) == pytest.approx(math.pi)
        assert wrap(-math.pi) == pytest.approx(math.pi)

    @given(st.floats(-math.pi, math.pi), st.floats(-1.5, 1.5), st.floats(-math.pi, math.pi))
    def test_the_gripper_points_where_yaw_and_pitch_say(self, yaw: float, pitch: float, roll: float) -> None:
        rotation = gripper_rotation(yaw, pitch, roll)
        fingers = [math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), -math.sin(pitch)]
        np.testing.assert_allclose(rotation[:, 0], fingers, atol=1e-12)
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)
        assert abs(gripper_rotation(yaw, pitch)[2, 1]) < 1e-12, "without roll the fingers close horizontally"


class TestSlerp:
    @given(st.integers(0, 10_000), st.integers(0, 10_000), st.floats(0.0, 1.0))
    def test_turns_evenly_the_short_way(self, first: int, other: int, t: float) -> None:
        a, b = _random_rotation(first), _random_rotation(other)
        angle = _angle(a, b)
        if angle > math.pi - 0.01:
            return
        between = slerp(a, b, t)
        np.testing.assert_allclose(between @ between.T, np.eye(3), atol=1e-6)
        assert _angle(a, between) == pytest.approx(t * angle, abs=1e-5)
        assert _angle(between, b) == pytest.approx((1.0 - t) * angle, abs=1e-5)

    @given(st.integers(0, 10_000))
    def test_begins_and_ends_where_it_should(self, seed: int) -> None:
        a, b = _random_rotation(seed), _random_rotation(seed + 1)
        if _angle(a, b) < math.pi - 0.01:
            np.testing.assert_allclose(slerp(a, b, 0.0), a, atol=1e-6)
            np.testing.assert_allclose(slerp(a, b, 1.0), b, atol=1e-6)
        np.testing.assert_allclose(slerp(a, a, 0.3), a, atol=1e-6)


class TestLineJoints:
    kinematics = ArmKinematics()

    def path(self, base: Pose2, begin: Pose, end: Pose) -> tuple[list[Array], Array] | None:
        """Joint values along the line between two poses in the base frame, and those at its beginning."""
        solution = self.kinematics.solve(begin.position, begin.rotation, READY)
        assert solution.ok
        target = Pose(base.transform(end.position), rotation_z(base.yaw) @ end.rotation)
        skill = _skill(lambda skill: iter(()))  # type: ignore[arg-type, return-value]
        joints = skill.line_joints(solution.q, target, base=base)
        return None if joints is None else (joints, solution.q)

    @settings(max_examples=20, deadline=None)
    @given(st.floats(-0.15, 0.15), st.floats(0.75, 1.0), st.floats(-0.2, 0.2), st.floats(-3.0, 3.0))
    def test_is_straight_continuous_and_arrives(self, y: float, z: float, yaw: float, heading: float) -> None:
        begin = Pose(np.array([0.60, 0.0, 0.90]), gripper_rotation(0.0, 0.3))
        end = Pose(np.array([0.75, y, z]), gripper_rotation(yaw, 0.3))
        result = self.path(Pose2(1.0, -2.0, heading), begin, end)
        assert result is not None
        path, q = result
        along, length = end.position - begin.position, float(np.linalg.norm(end.position - begin.position))
        for step, target in enumerate(path, 1):
            assert np.max(np.abs(target - q)) < 0.9, "no joint jumps"
            reached = self.kinematics.forward(target).position - begin.position
            t = float(reached @ along) / length**2
            assert t == pytest.approx(step / len(path), abs=0.03)
            assert np.linalg.norm(reached - t * along) < 0.005
            q = target
        arrived = self.kinematics.forward(path[-1])
        np.testing.assert_allclose(arrived.position, end.position, atol=0.003)
        assert _angle(arrived.rotation, end.rotation) < 0.02
        assert len(path) >= length / 0.03

    def test_no_line_to_where_the_arm_does_not_reach(self) -> None:
        begin = Pose(np.array([0.60, 0.0, 0.90]), gripper_rotation(0.0, 0.3))
        far = Pose(np.array([1.8, 0.0, 0.90]), gripper_rotation(0.0, 0.3))
        assert self.path(Pose2(0.0, 0.0, 0.0), begin, far) is None


class TestOnTheRobot:
    """Motions as the real servos do them."""

    @pytest.fixture
    def home(self) -> Iterator[MujocoHome]:
        table = {"name": "table", "kind": "table", "colour": "wood", "x": 2.45, "y": 2.0, "yaw": math.pi}
        with MujocoHome(one_room([table], [], (1.6, 2.0, 0.0))) as home:
            yield home

    def run(self, home: MujocoHome, behaviour: Callable[[RoutineSkill], Motion], periods: int = 400) -> Routine:
        skill = _skill(behaviour)
        skill.start(Subtask("Pick", "nothing"), Goal("nothing", "", np.zeros(3)), home.observe())
        for _ in range(periods):
            home.act(skill.act(home.observe()))
            if skill.outcome is not Outcome.RUNNING:
                break
        return skill

    def test_what_fails_in_one_way_time_after_time_is_given_up(self, home: MujocoHome) -> None:
        def behaviour(skill: RoutineSkill) -> Motion:
            yield Command()
            raise Stuck(skill.subtask.target)  # what is asked for stands for why it fails

        skill, ends = _skill(behaviour), []
        for reason in ["it slips"] * 5 + ["it is gone"] + ["it slips"] * 6:
            skill.start(Subtask("Pick", reason), Goal("can", "", np.zeros(3)), home.observe())
            while skill.outcome is Outcome.RUNNING:
                skill.act(home.observe())
            ends.append((skill.reason, not skill.retryable))
        assert ends[:-1] == [("it slips", False)] * 5 + [("it is gone", False)] + [("it slips", False)] * 5
        assert ends[-1] == ("it slips, 6 times in a row", True)

    def test_a_posture_is_reached_within_the_speeds_and_without_jerks(self, home: MujocoHome) -> None:
        targets: list[Array] = []
        steps = SPEC.chain.speeds * SPEC.period

        def watched(skill: RoutineSkill) -> Motion:
            for command in skill.posture(READY):
                targets.append(np.concatenate([command.get("torso"), command.get("arm")]))  # type: ignore[list-item]
                yield command

        skill = self.run(home, watched)
        assert skill.outcome is Outcome.SUCCEEDED, skill.reason
        moves = np.abs(np.diff(targets, axis=0))
        assert (moves <= steps + 1e-9).all()
        assert (moves.max(axis=0) > 0.8 * steps).any(), "as fast as the slowest joint allows"
        assert (np.abs(np.diff(targets, 2, axis=0)) <= steps * SPEC.period / RAMP + 1e-9).all()
        reached = SPEC.chain.measured(home.measured())
        assert np.abs(np.remainder(reached - READY + math.pi, math.tau) - math.pi).max() < 0.04

    def test_a_blocked_arm_gives_up_with_a_reason(self, home: MujocoHome) -> None:
        """Stretched out over the table, then commanded to go down through its top."""
        kinematics = ArmKinematics()
        over = kinematics.solve(np.array([0.8, 0.0, 0.95]), np.eye(3), READY)
        below = kinematics.solve(np.array([0.8, 0.0, 0.35]), np.eye(3), over.q)
        assert over.ok and below.ok

        def press(skill: RoutineSkill) -> Motion:
            yield from skill.posture(READY)
            yield from skill.posture(over.q)
            yield from skill.posture(below.q)

        skill = self.run(home, press, 900)
        assert skill.outcome is Outcome.FAILED
        assert skill.reason.startswith("the arm is blocked: ")

    def test_the_gripper_goes_to_a_width_and_waits_no_longer_than_needed(self, home: MujocoHome) -> None:
        skill = self.run(home, lambda skill: skill.gripper(0.08), 100)
        assert skill.outcome is Outcome.SUCCEEDED
        assert home.observe().body.gripper == pytest.approx(0.08, abs=0.004)

    def test_after_the_end_the_skill_only_stands(self, home: MujocoHome) -> None:
        skill = self.run(home, lambda skill: skill.wait(0.1))
        assert skill.outcome is Outcome.SUCCEEDED
        assert skill.act(home.observe()) == Command()


class Troubled(Routine):
    """Keeps a second for freeing itself, and notes that it did."""

    max_seconds = 3.0
    freeing = 1.0

    def recovery(self) -> Motion:
        yield Command(gripper=0.05)
        yield Command(gripper=0.1)


class TestGettingStuck:
    """What becomes of a routine that cannot go on: it frees itself first, then it tells."""

    def start(self, behaviour: Callable[[], Motion]) -> Troubled:
        skill = Troubled(SPEC, ArmKinematics())
        skill.behaviour = behaviour  # type: ignore[method-assign, assignment]
        skill.start(Subtask("Pick", "mug"), Goal("mug", "", np.zeros(3)), self.at(0.0))
        return skill

    def at(self, seconds: float) -> Observation:
        return Observation(seconds, Proprioception(Pose2(0, 0, 0), joints=dict.fromkeys(SPEC.chain.names, 0.0)))

    def test_it_frees_itself_before_the_failure_is_reported(self) -> None:
        def blocked() -> Motion:
            yield Command(torso=0.1)
            raise Stuck("the arm is blocked")

        skill = self.start(blocked)
        commands = []
        for k in range(8):
            commands.append(skill.act(self.at(0.04 * k)))
            if skill.outcome is not Outcome.RUNNING:
                break
        assert [command.get("gripper") for command in commands] == [None, (0.05,), (0.1,), None]
        assert (skill.outcome, skill.reason) == (Outcome.FAILED, "the arm is blocked")
        assert skill.retryable

    def test_what_cannot_be_helped_is_not_tried_again(self) -> None:
        def nowhere() -> Motion:
            raise NotRetryable("no free spot: 3 things are on it")
            yield

        skill = self.start(nowhere)
        while skill.outcome is Outcome.RUNNING:
            skill.act(self.at(0.0))
        assert not skill.retryable and skill.reason == "no free spot: 3 things are on it"
        skill.start(Subtask("Pick", "mug"), Goal("mug", "", np.zeros(3)), self.at(0.0))
        assert skill.retryable and skill.reason == "", "a new attempt begins without it"

    def test_when_the_time_is_up_it_frees_itself_within_the_time(self) -> None:
        def endless() -> Motion:
            while True:
                yield Command(torso=0.1)

        skill = self.start(endless)
        stamp = 0.0
        while skill.outcome is Outcome.RUNNING and stamp < 10.0:
            command = skill.act(self.at(stamp))
            assert command.get("gripper") is None or stamp >= 2.0
            stamp += 0.04
        assert skill.outcome is Outcome.TIMED_OUT and 2.0 < stamp <= 3.0
        assert skill.reason == "not done after 2 s"

    def test_limbs_move_together_until_the_last_is_done(self) -> None:
        def times(command: Command, count: int) -> Motion:
            for _ in range(count):
                yield command

        def both() -> Motion:
            yield from skill.together(times(Command(torso=0.1), 1), times(Command(gripper=0.1), 2))

        skill = self.start(both)
        assert skill.act(self.at(0.0)) == Command(torso=0.1, gripper=0.1)
        assert skill.act(self.at(0.04)) == Command(gripper=0.1)
        assert skill.act(self.at(0.08)) == Command() and skill.outcome is Outcome.SUCCEEDED
