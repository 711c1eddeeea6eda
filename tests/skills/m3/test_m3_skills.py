"""The robot half of M3: frames, beat, stop rules, with a policy that can be checked in place of the networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from puppet import KINEMATICS, Puppet, Solver, perform

from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.kernel.errors import BadInput
from homie.kernel.robot.body import Group
from homie.kernel.types import (
    Articulation,
    Box,
    CameraFrame,
    Command,
    Goal,
    Intrinsics,
    OccupancyGrid,
    Outcome,
    Pose,
    Pose2,
    Surface,
)
from skills.m3.frames import depth_picture, in_gripper, to_m3
from skills.m3.guard import SPARE
from skills.m3.layout import STOP
from skills.m3.manipulate import Close, Open, Pick, Place
from skills.m3.navigate import BACK, RECOVERIES, Navigate
from skills.m3.skill import AT_POSTURE, REST
from skills.m3.skill_set import M3
from skills.policies.blocked_base import SECONDS
from skills.policies.policy import PolicyFailed

APPLE = np.array([0.75, 0.05, 0.8])
GOAL = Goal("apple", "[Pick, apple]", APPLE)


class Always(Solver):
    """Says the same all the time."""

    def __init__(self, action: object) -> None:
        super().__init__()
        self.action = action

    def step(self, inputs):
        self.inputs.append(inputs)
        return {"action": self.action}


def hands(gripper: float = 0.0, **parts: float) -> np.ndarray:
    action = np.zeros(10, np.float32)
    action[9] = gripper
    for name, value in parts.items():
        action[int(name.removeprefix("n"))] = value
    return action


# ------------------------------------------------------------ frames


def test_frames():
    np.testing.assert_array_equal(to_m3(np.array([1.0, 2.0, 3.0])), [1.0, 3.0, -2.0])
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # the fingers point to +y
    np.testing.assert_allclose(in_gripper(np.array([1.0, 3.0, 1.0]), Pose(np.ones(3), turned)), [2.0, 0.0, 0.0])


def frame(depth: np.ndarray | None, field: float) -> CameraFrame:
    size = 256 if depth is None else len(depth)
    focal = size / 2 / np.tan(field / 2)
    camera = Intrinsics(focal, focal, (size - 1) / 2, (size - 1) / 2, size, size)
    return CameraFrame("front", np.zeros((size, size, 3), np.uint8), depth, camera, Pose(np.zeros(3), np.eye(3)))


def test_a_picture_of_the_same_width_is_thinned_and_nothing_is_mixed():
    depth = np.arange(256 * 256, dtype=np.float32).reshape(256, 256)
    picture = depth_picture(frame(depth, np.pi / 2))
    assert picture.shape == (128, 128) and picture.dtype == np.float32
    rows = (picture // 256).astype(int)
    assert set(np.unique(rows[1:, 0] - rows[:-1, 0])) == {2} and np.isin(picture, depth).all()
    np.testing.assert_array_equal(depth_picture(frame(depth[:128, :128], np.pi / 2)), depth[:128, :128])


def test_a_narrower_camera_leaves_the_rim_empty_and_a_wider_one_fills_it():
    narrow = depth_picture(frame(np.ones((256, 256), np.float32), np.pi / 3))
    width = np.count_nonzero(narrow[64])
    assert width == pytest.approx(128 * np.tan(np.pi / 6), abs=2) and narrow[0, 64] == 0 and narrow[64, 64] == 1
    assert depth_picture(frame(np.ones((256, 256), np.float32), 2.0)).all()


def test_a_camera_without_depth():
    with pytest.raises(PolicyFailed, match="front has no depth"):
        depth_picture(frame(None, 1.0))


# ------------------------------------------------------------ Go to


@pytest.mark.parametrize("place", [(3.0, 1.0), (-2.0, -1.5), (0.5, -3.0)])
def test_it_drives_to_where_the_goal_is_and_stops(place):
    robot, skill = Puppet(APPLE, Pose2(0.3, 0.2, 1.0)), Navigate(Solver(), SPEC, KINEMATICS)
    outcome = perform(skill, robot, Goal("table", "[Go to, table]", np.array([*place, 0.7])))
    assert (outcome, skill.name) == (Outcome.SUCCEEDED, "m3/navigate")
    assert np.hypot(*(robot.base.xy - place)) < 0.75


def test_a_decision_moves_the_base_as_far_as_in_training_and_within_limits():
    robot, skill = Puppet(APPLE), Navigate(Always(5 * 3 + 4), SPEC, KINEMATICS)
    skill.decisions = 10
    assert perform(skill, robot, Goal("table", "", np.array([5.0, 0.0, 0.0]))) is Outcome.TIMED_OUT
    assert skill.reason == "not done after 10 decisions" and len(skill.policy.inputs) == 10
    moving = [velocity for command in robot.commands if (velocity := command.get("base")) is not None]
    assert len(moving) == 10 * skill.periods
    assert sum(w for _, w in moving) * SPEC.period == pytest.approx(10 * 3.0 / 30)
    assert sum(v for v, _ in moving) * SPEC.period == pytest.approx(10 * 3.0 / 30)
    assert max(v for v, _ in moving) <= SPEC.max_linear and max(w for _, w in moving) <= SPEC.max_angular


def test_it_looks_only_when_a_decision_is_due():
    robot, skill = Puppet(APPLE), Navigate(Always(12), SPEC, KINEMATICS)
    observation = robot.observe(skill.cameras)
    skill.start(None, Goal("table", "", np.array([5.0, 0.0, 0.0])), observation)
    looks = []
    while len(skill.policy.inputs) < 4:
        robot.act(skill.act(observation))
        looks.append(bool(skill.required_cameras()))
        observation = robot.observe(skill.required_cameras())
    first = looks.index(True)
    assert looks[first:] == [True, False, False] * 3 + [True, False][: len(looks) - first - 9]


def test_it_waits_for_its_picture_where_the_locator_has_looked_elsewhere():
    robot, skill = Puppet(APPLE), Navigate(Always(12), SPEC, KINEMATICS)
    observation = robot.observe(skill.cameras)
    skill.start(None, Goal("table", "", np.array([5.0, 0.0, 0.0])), observation)
    while not skill.policy.inputs:
        robot.act(skill.act(observation))
        observation = robot.observe(skill.required_cameras())
    while not skill.required_cameras():
        robot.act(skill.act(robot.observe()))
    assert skill.act(robot.observe(["head"])).get("base") is None and len(skill.policy.inputs) == 1
    skill.act(robot.observe(skill.required_cameras()))
    assert len(skill.policy.inputs) == 2 and skill.outcome is Outcome.RUNNING


@pytest.mark.parametrize(
    ("goal", "outcome"),
    [
        (Goal("table", "", np.array([1.9, 0.0, 0.0])), Outcome.SUCCEEDED),
        (Goal("table", "", np.array([2.2, 0.0, 0.0])), Outcome.FAILED),
        (Goal("kitchen", "", np.array([0.0, 0.0, 0.0]), room=(-1.0, -1.0, 1.0, 1.0)), Outcome.SUCCEEDED),
        (Goal("study", "", np.array([1.0, 0.0, 0.0]), room=(0.5, -1.0, 1.5, 1.0)), Outcome.FAILED),
    ],
)
def test_a_stop_is_believed_only_near_the_target(goal, outcome):
    skill = Navigate(Always(7), SPEC, KINEMATICS)
    assert perform(skill, Puppet(APPLE), goal) is outcome
    assert skill.reason.startswith("the policy stopped")


AHEAD, LEFT = 5 * 3 + 2, 5 * 1 + 4


class Heedful(Always):
    """Takes the first of some actions that is allowed."""

    def __init__(self, *actions: int) -> None:
        super().__init__(actions)
        self.resets = 0

    def reset(self, goal):
        super().reset(goal)
        self.resets += 1

    def step(self, inputs):
        return {"action": next(action for action in super().step(inputs)["action"] if inputs["allowed"][action])}


def wall_at(x: float, *, tall: bool = True) -> OccupancyGrid:
    """A map of -5..5 m with a wall, or something as low as a table, from x to x + 0.2 m, all along y."""
    columns = np.arange(-5.0, 5.0, 0.05)
    full = np.broadcast_to((columns > x) & (columns < x + 0.2), (200, 200))
    nothing = np.zeros_like(full)
    return OccupancyGrid(full, nothing, np.array([-5.0, -5.0]), 0.05, walls=full if tall else nothing)


@pytest.mark.parametrize(("tall", "room"), [(False, SPEC.footprint_radius), (True, REST[0] + SPARE)])
def test_it_turns_before_what_the_map_has_where_the_policy_would_drive_on(tall: bool, room: float) -> None:
    robot, skill = Puppet(APPLE), Navigate(Heedful(AHEAD, LEFT), SPEC, KINEMATICS)
    skill.decisions = 40
    goal = Goal("table", "", np.array([4.0, 0.0, 0.0]), grid=wall_at(1.5, tall=tall))
    assert perform(skill, robot, goal) is Outcome.TIMED_OUT
    turned = [command.get("base")[1] > 0.0 for command in robot.commands if command.get("base")]
    ahead = turned.index(True) * SPEC.period * 3.0 * skill.slowness
    assert 1.5 - room - 0.45 < ahead < 1.5 - room + 0.05
    assert 1.5 - room - 0.45 < robot.base.x < 1.5 - SPEC.footprint_radius + 0.1
    assert robot.base.yaw > 0.3


def test_a_stop_is_offered_only_where_the_target_is_within_reach_on_this_side_of_all_walls() -> None:
    def offered(x: float, height: float = 0.5, **changes: object) -> bool:
        skill = Navigate(Always(AHEAD), SPEC, KINEMATICS)
        skill.decisions = 1
        box = Box(np.array([x, 0.0, height]), np.array([0.2, 0.2, min(height, 0.5)]))
        perform(skill, Puppet(APPLE), Goal("table", "", box.center, box=box, **changes))
        return bool(skill.policy.inputs[0]["allowed"][STOP])

    assert offered(2.1) and not offered(2.3)
    assert offered(1.9, height=1.3) and not offered(2.1, height=1.3)
    assert offered(2.1, grid=wall_at(0.8, tall=False)) and not offered(2.1, grid=wall_at(0.8))


class AgainstAWall(Puppet):
    """Cannot drive beyond some x, and there turns only for a while."""

    def __init__(self, turns: int, x: float = -np.inf) -> None:
        super().__init__(APPLE)
        self.turns, self.x = turns, x

    def act(self, command: Command) -> None:
        before = self.base
        super().act(command)
        if self.base.x <= self.x:
            return
        turned = command.get("base") is not None and self.turns > 0
        self.turns -= turned
        self.base = Pose2(before.x, before.y, self.base.yaw if turned else before.yaw)


@pytest.mark.parametrize("turns", [0, 90])
def test_a_base_that_does_not_move_any_more_is_stopped(turns: int) -> None:
    skill = Navigate(Always(5 * 3 + 4), SPEC, KINEMATICS)
    assert perform(skill, AgainstAWall(turns), Goal("table", "", np.array([5.0, 0.0, 0.0]))) is Outcome.FAILED
    assert skill.reason == "the way stays blocked"
    pressed = (skill.decided * skill.periods - turns) * SPEC.period
    assert pressed == pytest.approx((RECOVERIES + 1) * SECONDS, abs=3.0)


def test_a_blocked_base_backs_off_along_its_way_and_the_policy_begins_anew() -> None:
    robot, skill = AgainstAWall(0, x=1.0), Navigate(Heedful(AHEAD), SPEC, KINEMATICS)
    assert perform(skill, robot, Goal("table", "", np.array([5.0, 0.0, 0.0]))) is Outcome.FAILED
    assert skill.reason == "the way stays blocked" and skill.policy.resets == 1 + RECOVERIES
    back = [velocity for command in robot.commands if (velocity := command.get("base")) and velocity[0] < 0]
    assert -sum(v for v, _ in back) * SPEC.period == pytest.approx(RECOVERIES * BACK, abs=0.1 * RECOVERIES)


@pytest.mark.parametrize("moved", [False, True])
def test_a_base_that_is_blocked_from_the_start_backs_off_along_the_way_of_the_attempt_before(moved: bool) -> None:
    """Unless something else has moved it since."""
    robot, skill = AgainstAWall(0, x=1.0), Navigate(Heedful(AHEAD), SPEC, KINEMATICS)
    goal = Goal("table", "", np.array([5.0, 0.0, 0.0]))
    assert perform(skill, robot, goal) is Outcome.FAILED
    robot.commands.clear()
    if moved:
        robot.base, robot.x = Pose2(0.0, 3.0, 0.0), -np.inf
    assert perform(skill, robot, goal) is Outcome.FAILED
    driven = [velocity[0] for command in robot.commands if (velocity := command.get("base"))]
    assert any(velocity < 0 for velocity in driven) is not moved


class CaughtByTheArm(Puppet):
    """Cannot drive beyond 1 m, nor back, until it has folded its arm there."""

    folded = False

    def act(self, command: Command) -> None:
        before = self.base
        super().act(command)
        if self.base.x > 1.0 and not self.folded:
            self.base = before if before.x > 1.0 else self.base
            self.folded = bool(np.allclose(self.q, SPEC.chain.posture(SPEC.rest), atol=AT_POSTURE))


def test_a_base_that_cannot_back_off_folds_its_arm_which_something_may_hold() -> None:
    skill = Navigate(Heedful(STOP, AHEAD), SPEC, KINEMATICS)
    assert perform(skill, CaughtByTheArm(APPLE), Goal("table", "", np.array([5.0, 0.0, 0.0]))) is Outcome.SUCCEEDED
    assert skill.policy.resets == 2


def test_a_base_that_is_blocked_within_reach_of_the_target_has_arrived() -> None:
    skill = Navigate(Heedful(AHEAD), SPEC, KINEMATICS)
    assert perform(skill, AgainstAWall(0, x=1.0), Goal("table", "", np.array([2.5, 0.0, 0.0]))) is Outcome.SUCCEEDED
    assert skill.reason == "the policy came as near as it could"


# ------------------------------------------------------------ Pick and Put


def test_it_picks_what_is_there_and_brings_it_to_the_rest():
    robot, skill = Puppet(APPLE), Pick(Solver(), SPEC, KINEMATICS)
    assert perform(skill, robot, GOAL) is Outcome.SUCCEEDED
    assert skill.name == "m3/pick" and robot.holding
    assert np.linalg.norm(robot.gripper() - REST) < 0.05
    steps = np.diff(
        [arm for command in robot.commands if (arm := command.get("arm")) and command.get("torso") is None], axis=0
    )
    assert np.abs(steps).max() <= 0.025 + 1e-9


def test_it_puts_where_the_surface_is_and_comes_back():
    robot = Puppet(np.array(REST))
    robot.holding = True
    place = np.array([0.7, 0.1, 0.75])
    goal = Goal("table", "", np.zeros(3), surfaces=(Surface(place, 0.2, 0.2, 0.0),))
    skill = Place(Solver(), SPEC, KINEMATICS)
    assert perform(skill, robot, goal) is Outcome.SUCCEEDED
    assert not robot.holding and np.linalg.norm(robot.thing - place) < 0.03


def test_the_wish_to_hold_counts_only_near_the_target_and_an_empty_hand_opens_again():
    far = Puppet(APPLE)
    skill = Pick(Always(hands(1.0)), SPEC, KINEMATICS)
    skill.decisions = 5
    assert perform(skill, far, GOAL) is Outcome.TIMED_OUT
    assert all(command.get("gripper") in (None, (SPEC.gripper_max,)) for command in far.commands)
    near = Puppet(REST + np.array([0.0, 0.1, 0.0]))  # within reach of the wish, not between the fingers
    assert perform(skill, near, replace(GOAL, position=near.thing)) is Outcome.TIMED_OUT
    assert not near.holding and near.width == pytest.approx(SPEC.gripper_max, abs=0.006)
    closing = [command for command in near.commands if command.get("gripper") == (0.0,)]
    assert closing and all(command.get("base") is None and command.get("arm") is None for command in closing)


def test_pick_keeps_what_it_holds_and_put_lets_go_when_time_is_out():
    robot = Puppet(np.array(REST))
    robot.holding = True
    pick = Pick(Always(hands(-1.0, n2=1.0)), SPEC, KINEMATICS)
    pick.decisions = 5
    perform(pick, robot, GOAL)
    assert robot.holding
    place = Place(Always(hands(1.0, n2=1.0)), SPEC, KINEMATICS)
    place.decisions = 5
    assert perform(place, robot, GOAL) is Outcome.TIMED_OUT
    assert not robot.holding


def test_put_with_an_empty_hand_fails_in_words():
    skill = Place(Solver(), SPEC, KINEMATICS)
    assert perform(skill, Puppet(APPLE), GOAL) is Outcome.FAILED
    assert skill.reason == "there is nothing in the hand"


def test_joint_targets_add_up_and_stay_within_limits():
    robot, skill = Puppet(APPLE), Pick(Always(hands(n3=1.0, n0=1.0, n1=-1.0)), SPEC, KINEMATICS)
    skill.decisions = 150
    perform(skill, robot, GOAL)
    commands = [command for command in robot.commands if command.get("base") is not None]
    lift = np.array([command.get("arm")[1] for command in commands])
    assert lift[-1] == pytest.approx(SPEC.chain.limits[2, 1])
    assert lift[skill.periods] - lift[0] == pytest.approx(0.025)
    v, w = commands[0].get("base")
    assert v * skill.periods * SPEC.period == pytest.approx(1.5 / 30) and v == -w


# ------------------------------------------------------------ Open and Close


def door(kind: str, opening: float, handle: np.ndarray = APPLE) -> Articulation:
    x, z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    return Articulation(kind, handle, z, handle, z, -x, opening, 1.0)


@pytest.mark.parametrize(("skill_type", "network"), [(Open, "open"), (Close, "close")])
@pytest.mark.parametrize(("kind", "thing"), [("hinge", "fridge"), ("slide", "drawer")])
def test_doors_and_drawers_have_networks_of_their_own(skill_type, network, kind, thing):
    skill = skill_type(Solver(), SPEC, KINEMATICS)
    assert perform(skill, Puppet(APPLE), replace(GOAL, articulations=(door(kind, 0.5),))) is Outcome.SUCCEEDED
    assert skill.name == f"m3/{network}_{thing}"


@pytest.mark.parametrize(("skill_type", "handle"), [(Open, 1), (Close, 2)])
def test_which_door_is_meant_is_settled_at_the_start(skill_type, handle):
    places = [APPLE + np.array([0.0, 0.1 * number, 0.0]) for number in range(3)]
    doors = tuple(door("hinge", opening, at) for opening, at in zip((0.4, 0.1, 0.9), places, strict=True))
    skill = skill_type(Solver(), SPEC, KINEMATICS)
    skill.start(None, replace(GOAL, articulations=doors), Puppet(APPLE).observe())
    np.testing.assert_array_equal(skill.target(), places[handle])
    skill.revise(replace(GOAL, articulations=tuple(replace(articulation, opening=0.5) for articulation in doors)))
    np.testing.assert_array_equal(skill.target(), places[handle])
    skill.revise(GOAL)
    with pytest.raises(PolicyFailed, match="lost sight"):
        skill.target()


def test_what_has_no_door_can_not_be_opened():
    skill = Open(Solver(), SPEC, KINEMATICS)
    assert perform(skill, Puppet(APPLE), GOAL) is Outcome.FAILED
    assert skill.reason == "apple has no door and no drawer that the robot knows"


# ------------------------------------------------------------ the set


def test_only_what_has_a_checkpoint_is_offered():
    def actions(skills: str) -> list[str]:
        return [skill.actions[0] for skill in M3.around(Solver(skills), SPEC, KINEMATICS)]

    assert actions("navigate") == ["Go to"]
    assert actions("pick place open_drawer") == ["Pick", "Put", "Open"]
    skill = Open(Solver("open_drawer"), SPEC, KINEMATICS)
    assert perform(skill, Puppet(APPLE), replace(GOAL, articulations=(door("hinge", 0.1),))) is Outcome.FAILED
    assert skill.reason == "M3 has no checkpoint for open_fridge"


@pytest.mark.parametrize(("skills", "used"), [("pick pick_fridge", "pick_fridge"), ("pick", "pick")])
def test_behind_a_door_the_network_for_fridges_is_used_if_there_is_one(skills, used):
    inside = Surface(APPLE, 0.2, 0.2, 0.0, clearance=0.3, access=np.array([-1.0, 0.0]))
    skill = Pick(Solver(skills), SPEC, KINEMATICS)
    assert perform(skill, Puppet(APPLE), replace(GOAL, surfaces=(inside,))) is Outcome.SUCCEEDED
    assert skill.name == f"m3/{used}"


def other_body(*groups):
    """The Fetch with other groups."""
    posture = {group.name: [0.0] * len(group.joints) for group in groups}
    return replace(SPEC, groups=groups, rest=posture, carry=posture, ready=(posture,))


def test_a_body_of_another_kind_is_refused():
    six = Group("arm", "arm", SPEC.groups[2].joints[:6])
    with pytest.raises(BadInput, match="seven joints"):
        Navigate(Solver(), other_body(*SPEC.groups[:2], six, SPEC.groups[4]), KINEMATICS)
    with pytest.raises(BadInput, match="the fetch has no base"):
        Pick(Solver(), other_body(*SPEC.groups[1:]), KINEMATICS)


def test_the_arm_ends_up_at_its_rest_from_everywhere():
    for posture in map(SPEC.chain.posture, (SPEC.rest, SPEC.carry, *SPEC.ready)):
        robot = Puppet(APPLE)
        robot.q = posture.copy()
        skill = Navigate(Always(7), SPEC, KINEMATICS)
        perform(skill, robot, Goal("table", "", np.ones(3)))
        assert np.linalg.norm(KINEMATICS.forward(robot.q).position - REST) < 0.06
        assert robot.q[0] == pytest.approx(0.1, abs=0.05)
        assert all(isinstance(command, Command) for command in robot.commands)
