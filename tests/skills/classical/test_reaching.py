"""Places to stand: what is offered can be driven to, faces the target, and is within the arm's reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.robots.bodies.fetch import READY
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.robot.reach import Reach
from homie.kernel.types import OccupancyGrid, Pose, Pose2, rotation_z
from skills.motion.base_path_planning import CostMap, plan_path
from skills.motion.motions import gripper_rotation, wrap
from skills.motion.standing_places import (
    BEARINGS,
    Option,
    Reachable,
    StandingPlace,
    base_candidates,
    cheapest,
    first_standing,
    same_place,
    solve_sequence,
)

RADIUS = 0.3
REACH = Reach()
HERE = Pose2(1.0, 2.0, 0.0)


def _rooms(*, door: bool) -> CostMap:
    """Two rooms of 4 m by 4 m side by side, with a table in the right one at x 5.5..6.5, y 1.5..2.5."""
    picture = np.zeros((80, 160), dtype=bool)
    picture[[0, -1], :] = picture[:, [0, -1]] = True
    picture[:, 80] = True
    if door:
        picture[10:30, 80] = False
    picture[30:50, 110:130] = True
    return CostMap.of(OccupancyGrid(picture, np.zeros_like(picture), np.zeros(2), 0.05), RADIUS)


class TestReachable:
    def test_the_other_room_only_through_a_door(self) -> None:
        there = np.array([7.3, 2.0])
        assert Reachable.of(_rooms(door=True), HERE)(there)
        assert not Reachable.of(_rooms(door=False), HERE)(there)

    def test_not_where_the_footprint_would_touch(self) -> None:
        reachable = Reachable.of(_rooms(door=True), HERE)
        assert not reachable(np.array([6.0, 2.0])), "in the table"
        assert not reachable(np.array([5.3, 2.0])), "at the table"
        assert reachable(np.array([5.1, 2.0]))

    def test_from_a_place_too_close_to_something_one_may_leave(self) -> None:
        reachable = Reachable.of(_rooms(door=True), Pose2(0.25, 2.0, 0.0))
        assert not reachable(np.array([0.25, 2.0]))
        assert reachable(np.array([1.0, 2.0]))

    @settings(max_examples=40, deadline=None)
    @given(st.integers(0, 2**32 - 1))
    def test_what_can_be_reached_is_what_a_path_leads_to(self, seed: int) -> None:
        """Free floor close by that obstacles cut off is not within reach."""
        rng = np.random.default_rng(seed)
        picture = np.zeros((60, 60), dtype=bool)
        picture[[0, -1], :] = picture[:, [0, -1]] = True
        for row, column in rng.integers(0, 60, (8, 2)):
            picture[row : row + rng.integers(1, 12), column : column + rng.integers(1, 12)] = True
        costs = CostMap.of(OccupancyGrid(picture, np.zeros_like(picture), np.zeros(2), 0.05), RADIUS)
        start, *others = rng.uniform(0.1, 2.9, (13, 2))
        reachable = Reachable.of(costs, Pose2(*start, 0.0))
        for other in others:
            if costs.clear_at(other) >= RADIUS:
                assert reachable(other) == (plan_path(costs, start, other) is not None)

    def test_gap_is_the_way_to_the_nearest_free_floor(self) -> None:
        reachable = Reachable.of(_rooms(door=True), HERE)
        assert reachable.gap(np.array([1.0, 2.0])) == 0.0
        assert reachable.gap(np.array([5.6, 2.0])) == pytest.approx(0.1 + RADIUS, abs=0.1)
        assert reachable.gap(np.array([6.0, 2.0])) == pytest.approx(0.5 + RADIUS, abs=0.1)


class TestBaseCandidates:
    @settings(max_examples=30, deadline=None)
    @given(
        st.floats(5.55, 6.45),
        st.floats(1.55, 2.45),
        st.one_of(st.none(), st.floats(-math.pi, math.pi)),
        st.sampled_from([0.0, -math.pi / 2]),
    )
    def test_each_can_be_driven_to_and_has_the_target_before_the_arm(
        self, x: float, y: float, approach: float | None, aside: float
    ) -> None:
        target = np.array([x, y, 0.8])
        reachable = Reachable.of(_rooms(door=True), HERE)
        candidates = base_candidates(target, approach, HERE, reachable, distances=REACH.distances, aside=aside)
        assert approach is not None or candidates, "a table in the middle of a room can be come to from some side"
        assert [cost for cost, _ in candidates] == sorted(cost for cost, _ in candidates)
        for _, base in candidates:
            assert reachable(base.xy)
            local = base.inverse(target)
            assert math.atan2(local[1], local[0]) == pytest.approx(aside, abs=1e-6)
            assert min(abs(float(np.hypot(local[0], local[1])) - d) for d in REACH.distances) < 1e-6
            if approach is not None:
                assert abs(wrap(approach - aside - base.yaw)) < math.pi / 2, "the hand comes from before the robot"
                assert min(abs(wrap(approach - aside - base.yaw) - bearing) for bearing in BEARINGS) < 1e-6

    def test_near_ones_come_first(self) -> None:
        reachable = Reachable.of(_rooms(door=True), Pose2(4.9, 2.0, 0.0))
        here, target = Pose2(4.9, 2.0, 0.0), np.array([5.6, 2.0, 0.8])
        _, best = base_candidates(target, None, here, reachable, distances=REACH.distances)[0]
        assert np.linalg.norm(best.xy - [4.9, 2.0]) < 0.3

    def test_none_where_nothing_can_be_driven_to(self) -> None:
        reachable = Reachable.of(_rooms(door=False), HERE)
        assert base_candidates(np.array([6.0, 2.0, 0.8]), None, HERE, reachable, distances=REACH.distances) == []


class TestSolveSequence:
    kinematics = ArmKinematics()

    @settings(max_examples=25, deadline=None)
    @given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-math.pi, math.pi))
    def test_joints_bring_the_gripper_there_from_any_base_pose(self, x: float, y: float, yaw: float) -> None:
        base = Pose2(x, y, yaw)
        poses = [
            Pose(base.transform(np.array([0.7, 0.05, z])), rotation_z(yaw) @ gripper_rotation(0.1, 0.6))
            for z in (1.0, 0.9, 0.8)
        ]
        joints = solve_sequence(self.kinematics, base, poses, READY)
        assert joints is not None
        for q, pose in zip(joints, poses, strict=True):
            reached = self.kinematics.forward(q)
            np.testing.assert_allclose(base.transform(reached.position), pose.position, atol=0.005)
            np.testing.assert_allclose(rotation_z(yaw) @ reached.rotation, pose.rotation, atol=0.03)

    def test_one_pose_out_of_reach_spoils_the_sequence(self) -> None:
        near = Pose(np.array([0.7, 0.0, 0.9]), gripper_rotation(0.0, 0.0))
        far = Pose(np.array([1.9, 0.0, 0.9]), gripper_rotation(0.0, 0.0))
        assert solve_sequence(self.kinematics, Pose2(0.0, 0.0, 0.0), [near], READY) is not None
        assert solve_sequence(self.kinematics, Pose2(0.0, 0.0, 0.0), [near, far], READY) is None

    def test_no_flip_between_neighbours(self) -> None:
        here = Pose(np.array([0.7, 0.0, 0.9]), gripper_rotation(0.0, 0.0))
        there = Pose(np.array([0.65, 0.0, 0.95]), gripper_rotation(0.0, 0.6))
        base = Pose2(0.0, 0.0, 0.0)
        assert solve_sequence(self.kinematics, base, [here, there], READY, max_jump=3.2) is not None
        assert solve_sequence(self.kinematics, base, [here, there], READY, max_jump=0.05) is None


class TestChoosing:
    """Of some options the cheapest that the arm can do with room to spare, else with a brush of things."""

    kinematics = ArmKinematics()

    def option(self, cost: float, x: float, *, ahead: float = 0.7) -> Option:
        """Gripper poses before a base that stands at x."""
        base = Pose2(x, 0.0, 0.0)
        points = (np.array([x + ahead, 0.0, z]) for z in (1.0, 0.9, 1.0))
        return cost, base, tuple(Pose(point, gripper_rotation(0.0, 0.6)) for point in points)

    def chosen(
        self, rooms: dict[float, float], refused: tuple[float, ...] = (), tries: int = 600
    ) -> tuple[float, float, float] | None:
        """Where the base of the choice stands, with the margins that it was accepted with. rooms: clearances of the
        arm by where a base stands, the cheapest first."""
        options = [self.option(cost, x, ahead=0.7 if x < 50.0 else 1.9) for cost, x in enumerate(rooms)]
        calls: list[tuple[float, float, float]] = []

        def accept(standing: StandingPlace, way: float, at: float) -> bool:
            assert len(standing.joints) == 3
            calls.append((standing.base.x, way, at))
            return standing.base.x not in refused

        result = first_standing(
            self.kinematics,
            options,
            [READY],
            ((0.025, -0.005), (0.025, -0.02), (-0.005, -0.005)),
            clearance=lambda base, q: rooms[base.x],
            accept=accept,
            tries=tries,
        )
        assert len(calls) == len(set(calls)), "nothing is asked twice"
        if result is None:
            return None
        standing, poses = result
        assert poses[0].position[0] == pytest.approx(standing.base.x + 0.7)
        assert calls[-1][0] == standing.base.x
        return calls[-1]

    def test_the_cheapest_with_room_before_a_cheaper_one_without(self) -> None:
        assert self.chosen({1.0: 0.1, 2.0: 0.1}) == (1.0, 0.025, -0.005)
        assert self.chosen({1.0: -0.01, 2.0: -0.005}) == (2.0, 0.025, -0.005)
        assert self.chosen({1.0: -0.01, 2.0: -0.03}) == (1.0, 0.025, -0.02)
        assert self.chosen({1.0: -0.021, 2.0: -0.03}) is None

    def test_what_is_not_accepted_waits_for_the_next_margins(self) -> None:
        assert self.chosen({1.0: 0.1, 2.0: 0.1}, refused=(1.0,)) == (2.0, 0.025, -0.005)
        assert self.chosen({1.0: 0.1}, refused=(1.0,)) is None

    def test_what_the_arm_does_not_reach_and_what_comes_late_is_left_out(self) -> None:
        assert self.chosen({60.0: 0.1, 2.0: 0.1}) == (2.0, 0.025, -0.005)
        assert self.chosen({60.0: 0.1, 2.0: 0.1}, tries=1) is None

    def test_not_more_than_twelve_of_one_place(self) -> None:
        options = [self.option(100.0 - n, 1.0 + 0.0001 * n) for n in range(20)] + [self.option(50.0, 3.0)]
        chosen = cheapest(options)
        assert [cost for cost, _, _ in chosen] == [50.0, *(81.0 + n for n in range(12))]

    @pytest.mark.parametrize(
        ("other", "same"),
        [
            (Pose2(0.11, 0.0, 0.0), True),
            (Pose2(0.13, 0.0, 0.0), False),
            (Pose2(0.09, -0.09, 0.0), False),
            (Pose2(0.0, 0.0, 0.29), True),
            (Pose2(0.0, 0.0, -0.31), False),
            (Pose2(0.0, 0.0, 2 * math.pi - 0.2), True),
        ],
    )
    def test_what_is_about_one_place(self, other: Pose2, same: bool) -> None:
        assert same_place(Pose2(0.0, 0.0, 0.0), other) is same is same_place(other, Pose2(0.0, 0.0, 0.0))
