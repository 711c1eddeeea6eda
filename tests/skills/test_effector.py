"""Skills by hand motions, with a policy that is a script and an arm that reaches its targets at once."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.errors import BadInput
from homie.kernel.types import (
    CameraFrame,
    Command,
    Goal,
    GripperState,
    Intrinsics,
    Observation,
    Outcome,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
)
from skills.policies.effector import LONGEST, EffectorSkill
from skills.policies.instructions import Templates, instruction
from skills.policies.motions import CONVENTIONS, Motion, from_euler, rotation_matrix, rotation_vector
from skills.policies.pacing import ThinkAhead
from skills.policies.policy import PolicyFailed

PICK = Subtask("Pick", "red apple")
GOAL = Goal("apple_1", "[Pick, red apple]", np.array([0.8, 0.0, 0.8]))
STILL = Motion(np.zeros(3), np.zeros(3), 1.0, np.zeros(3))
FACTS = {
    "rate": 5.0, "steps": 6, "camera": "", "wrist": "", "drives": True, **CONVENTIONS.facts(),
    **Templates().facts(),
}  # fmt: skip


class Script:
    """A policy that gives motions from a list, then stays still."""

    def __init__(self, *motions: Motion, **facts: Any) -> None:
        self.facts = {**FACTS, **facts}
        self.motions = list(motions)
        self.goals: list[Any] = []
        self.inputs: list[Any] = []

    def reset(self, goal: Any) -> None:
        self.goals.append(goal)
        self.left = list(self.motions)

    def step(self, inputs: Any) -> Any:
        self.inputs.append(inputs)
        return (self.left.pop(0) if self.left else STILL).to_dict()


class Reaching(EffectorSkill):
    model = "script"


@dataclass
class Body:
    """A robot that is at once where a command wants it."""

    kinematics: ArmKinematics = field(default_factory=ArmKinematics)
    q: Any = field(default_factory=lambda: SPEC.chain.posture(SPEC.ready[0]))
    holding: bool = False
    gripper: float = SPEC.gripper_max
    stamp: float = 0.0
    commands: list[Command] = field(default_factory=list)
    looked: list[tuple[str, ...]] = field(default_factory=list)
    passed: Callable[[], None] = lambda: None

    def observe(self, cameras: tuple[str, ...] = ()) -> Observation:
        joints = dict(zip(SPEC.chain.names, map(float, self.q), strict=True))
        gripper = GripperState(self.gripper, (self.holding, self.holding), self.holding)
        body = Proprioception(Pose2(0.0, 0.0, 0.0), joints=joints, grippers={"gripper": gripper})
        view = CameraFrame(
            "head",
            np.full((8, 8, 3), len(self.looked) % 256, np.uint8),
            None,
            Intrinsics(8, 8, 4, 4, 8, 8),
            Pose(np.zeros(3), np.eye(3)),
        )
        return Observation(self.stamp, body, {name: replace(view, name=name) for name in cameras})

    def play(self, skill: EffectorSkill, subtask: Subtask = PICK, periods: int = 400) -> Outcome:
        skill.start(subtask, GOAL, self.observe())
        observation = self.observe()
        while skill.outcome is Outcome.RUNNING and len(self.commands) < periods:
            self.obey(skill.act(observation))
            self.looked.append(skill.required_cameras())
            observation = self.observe(skill.required_cameras())
        return skill.outcome

    def obey(self, command: Command) -> None:
        self.commands.append(command)
        self.stamp += SPEC.period
        if command.effector is not None:
            solution = self.kinematics.solve(command.effector.position, command.effector.rotation, self.q)
            assert solution.ok
            self.q = solution.q
        torso, arm, opening = (command.get(group) for group in ("torso", "arm", "gripper"))
        if arm is not None and torso is not None:
            self.q = np.array([*torso, *arm])
        self.gripper = self.gripper if opening is None else opening[0]
        self.passed()

    @property
    def poses(self) -> list[Pose]:
        return [command.effector for command in self.commands if command.effector is not None]


def reaching(body: Body, policy: Script, action: str = "Pick", **spec: Any) -> Reaching:
    return Reaching(policy, replace(SPEC, **spec), body.kinematics, action)


def test_motions_are_added_up_in_the_base_frame_and_reached_evenly():
    turn = np.array([0.0, 0.0, 0.2])
    policy = Script(replace(STILL, translation=np.array([0.05, 0.0, -0.05]), rotation=turn), steps=2)
    body = Body()
    begin = body.kinematics.forward(body.q)
    assert body.play(reaching(body, policy)) is Outcome.TIMED_OUT
    first, last = body.poses[1], body.poses[-1]  # in the period before it waits for pictures
    np.testing.assert_allclose(last.position - begin.position, [0.05, 0.0, -0.05], atol=1e-9)
    np.testing.assert_allclose(last.rotation, rotation_matrix(turn) @ begin.rotation, atol=1e-9)
    np.testing.assert_allclose(first.position - begin.position, [0.01, 0.0, -0.01], atol=1e-9)
    assert len(body.poses) == 1 + 10  # two motions at 5 Hz, 25 control periods a second


@pytest.mark.parametrize("rate", [3.0, 5.0, 7.0, 25.0])
def test_the_rate_is_kept_in_the_long_run(rate):
    body = Body()
    body.play(reaching(body, Script(rate=rate, steps=20)), periods=10_000)
    assert len(body.poses) == 1 + round(20 / rate / SPEC.period)


def test_pictures_are_asked_for_only_when_a_decision_is_due():
    body, policy = Body(), Script(steps=3)
    body.play(reaching(body, policy))
    due = [number for number, cameras in enumerate(body.looked) if cameras == ("head",)]
    assert len(policy.inputs) == 3
    first = due[0]
    assert [number - first for number in due] == [0, 5, 10]
    assert all(inputs["primary"].shape == (8, 8, 3) for inputs in policy.inputs)


def test_a_decision_waits_for_its_pictures():
    """The locator may have taken the observation for itself."""
    body, policy = Body(), Script(steps=1)
    skill = reaching(body, policy)
    skill.start(PICK, GOAL, body.observe())
    for _ in range(60):
        body.obey(skill.act(body.observe()))
    assert skill.required_cameras() == ("head",) and not policy.inputs
    skill.act(body.observe(("head",)))
    assert len(policy.inputs) == 1


def test_the_goal_is_the_text_and_the_gripper_as_it_is():
    body, policy = Body(gripper=SPEC.gripper_max / 2), Script(steps=1)
    body.play(reaching(body, policy))
    assert policy.goals == [{"text": "pick red apple", "listed": "pick apple", "gripper": 0.5}]


def test_a_folded_arm_is_raised_first_and_a_raised_one_is_left_alone():
    body = Body(q=SPEC.chain.posture(SPEC.rest))
    body.play(reaching(body, Script(steps=1)))
    raised = [arm for command in body.commands if (arm := command.get("arm")) is not None]
    steps = np.diff(raised, axis=0)
    assert (np.abs(steps) <= SPEC.chain.speeds[1:] * SPEC.period).all()
    np.testing.assert_allclose(raised[-1], SPEC.ready[0]["arm"], atol=0.02)
    other = Body()
    other.play(reaching(other, Script(steps=1)))
    assert not [command for command in other.commands if command.get("arm") is not None]


def test_large_motions_are_shortened():
    body = Body()
    begin = body.kinematics.forward(body.q)
    body.play(reaching(body, Script(replace(STILL, translation=np.array([0.0, 0.0, -2.0])), steps=1)))
    assert np.linalg.norm(body.poses[-1].position - begin.position) == pytest.approx(LONGEST)


@pytest.mark.parametrize(
    ("part", "numbers"),
    [
        ("translation", [0.0, np.nan, 0.0]),
        ("rotation", [np.inf, 0.0, 0.0]),
        ("rotation", [0.0, 0.0]),
        ("base", [0.0, 1e200, 0.0]),
        ("opening", np.nan),
    ],
)
@pytest.mark.parametrize("chunks", [False, True])
def test_a_motion_that_is_none_ends_the_attempt(part, numbers, chunks):
    policy = Script(**({"execute": 1} if chunks else {}))
    motion = {**STILL.to_dict(), part: np.array(numbers)}
    policy.step = lambda inputs: {  # type: ignore[method-assign]
        name: np.asarray(value)[None] if chunks else value for name, value in motion.items()
    }
    body = Body()
    skill = reaching(body, policy)
    assert body.play(skill) is Outcome.FAILED and body.commands[-1] == Command()
    assert re.match(rf"the {part} of its motion is .*, and [13] finite numbers are taken$", skill.reason)


def test_what_is_out_of_reach_is_left_out_and_reported():
    body = Body()
    away = [replace(STILL, translation=np.array([0.1, 0.0, 0.0]))] * 20
    skill = reaching(body, Script(*away, steps=20))
    assert body.play(skill, periods=1000) is Outcome.TIMED_OUT
    assert skill.reason.startswith("not done after 20 motions, ") and skill.reason.endswith("of them out of reach")


def test_an_arm_that_travels_as_it_works_stays_where_it_is():
    """Of LIBERO's Panda, all postures are that in which its tasks begin."""
    body = Body()
    body.play(reaching(body, Script(steps=1), rest=SPEC.ready[0], carry=SPEC.ready[0]))
    assert not [command for command in body.commands if command.get("arm") is not None]


@pytest.mark.parametrize(("compliant", "farthest"), [(False, 0.06 + 0.1), (True, 0.06)])
def test_a_blocked_hand_does_not_wind_up(compliant, farthest):
    """A hand that is only pulled to its targets gets each from where it is."""
    body = Body()
    motions = [replace(STILL, translation=np.array([0.0, 0.0, -0.06]))] * 6
    skill = reaching(body, Script(*motions, steps=6), compliant=compliant)
    here = body.kinematics.forward(body.q).position
    stuck = body.q.copy()
    skill.start(PICK, GOAL, body.observe())
    while skill.outcome is Outcome.RUNNING:
        body.commands.append(skill.act(body.observe(("head",))))
        body.stamp += SPEC.period
        body.q = stuck
    far = max(np.linalg.norm(pose.position - here) for pose in body.poses)
    assert far <= farthest + 1e-6 and (far > 0.06 + 1e-6) is not compliant


def test_the_policy_may_say_that_it_is_done():
    body = Body()
    skill = reaching(body, Script(STILL, replace(STILL, terminate=True)))
    assert body.play(skill) is Outcome.SUCCEEDED
    assert "says the policy" in skill.reason


@pytest.mark.parametrize(("action", "before", "after"), [("Pick", False, True), ("Put", True, False)])
def test_the_hand_may_show_that_it_is_done(action, before, after):
    body = Body(holding=before)
    skill = reaching(body, Script(steps=100), action)
    skill.start(Subtask(action, "apple", "bowl"), GOAL, body.observe())
    for _ in range(100):
        body.obey(skill.act(body.observe(("head",))))
    assert skill.outcome is Outcome.RUNNING
    body.holding = after
    for _ in range(30):
        body.obey(skill.act(body.observe(("head",))))
    assert skill.outcome is Outcome.SUCCEEDED


def test_the_base_moves_if_it_may():
    motion = replace(STILL, base=np.array([-0.02, 0.3, 9.0]))
    body = Body()
    body.play(reaching(body, Script(motion, steps=1)))
    assert body.commands[-2].get("base") == pytest.approx((-0.02 / 0.2, 0.15 / 0.2))
    still = Body()
    still.play(reaching(still, Script(motion, steps=1, drives=False)))
    assert all(command.get("base") is None for command in still.commands)


def test_the_gripper_opens_as_wide_as_wanted():
    body = Body()
    body.play(reaching(body, Script(replace(STILL, opening=0.25), steps=1)))
    assert body.gripper == SPEC.gripper_max / 4


def test_a_robot_without_head_is_seen_from_the_front():
    spec = replace(SPEC, groups=tuple(group for group in SPEC.groups if group.kind not in ("base", "head")))
    skill = Reaching(Script(), spec, ArmKinematics(), "Pick")
    assert skill.eyes == {"primary": "front"} and not skill.drives
    assert Reaching(Script(wrist="wrist", camera="left"), spec, ArmKinematics(), "Pick").eyes == {
        "primary": "left",
        "wrist": "wrist",
    }


# ---------------------------------------------------------------- words and rotations


def test_instructions():
    facts = Templates(put="place {target} into {destination}").facts()
    assert instruction(facts, Subtask("Put", "red apple", "bowl")) == "place red apple into bowl"
    with pytest.raises(PolicyFailed, match="no text for the action Go to"):
        instruction(facts, Subtask("Go to", "table"))
    facts_of_task = Templates(pick="{task}").facts()
    assert instruction(facts_of_task, PICK, task="put the apple in the bowl") == "put the apple in the bowl"
    with pytest.raises(PolicyFailed, match="it wants the whole task, and nobody has said one"):
        instruction(facts_of_task, PICK)


@pytest.mark.parametrize("text", ["{thing}", "{target!r}", "{target:>9}", "{}", "{target.x}"])
def test_templates_hold_nothing_else(text):
    with pytest.raises(ValidationError, match="a template may hold"):
        Templates(pick=text)


def test_rotations_there_and_back():
    rng = np.random.default_rng(0)
    for _ in range(50):
        vector = rng.normal(size=3)
        vector *= rng.uniform(0, 3.1) / np.linalg.norm(vector)
        np.testing.assert_allclose(rotation_vector(rotation_matrix(vector)), vector, atol=1e-6)
    np.testing.assert_allclose(rotation_matrix(from_euler(np.array([0.0, 0.0, np.pi / 2])))[:, 0], [0, 1, 0], atol=1e-9)
    tilted = rotation_matrix(from_euler(np.array([np.pi / 2, 0.0, np.pi / 2])))
    np.testing.assert_allclose(tilted @ [0, 1, 0], [0, 0, 1], atol=1e-9)  # first about x, then about the fixed z


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"position": "absolute"}, "declares 'absolute' for the convention 'position', and 'delta' is taken here"),
        ({"frame": "gripper"}, "declares 'gripper' for the convention 'frame', and 'base' is taken here"),
        ({"rotation": "euler-xyz"}, "'euler-xyz' for the convention 'rotation', and 'rotation-vector' is taken"),
        ({"gripper": None}, "declares nothing for the convention 'gripper', and 'open-is-1' is taken here"),
        ({"rate": 50.0}, r"gives a motion every 0\.02 s, and the robot takes one every 0\.04 s: lower its rate"),
    ],
)
def test_a_policy_that_means_other_numbers_is_refused_before_it_moves_anything(facts, message):
    with pytest.raises(BadInput, match=f"^The policy of script .*{message}"):
        Reaching(Script(**facts), SPEC, ArmKinematics(), "Pick")


class Slow(Script):
    """A policy that gives four motions at a time; each answer after the first comes so many periods of a body later."""

    def __init__(self, body: Body, periods: int, **facts: Any) -> None:
        super().__init__(ahead=2, overlap="newest", **facts)
        self.body, self.periods, self.due = body, periods, 0
        self.begun, self.may = threading.Event(), threading.Event()

    def step(self, inputs: Any) -> Any:
        self.may.clear()
        self.due = len(self.body.commands) + self.periods
        self.begun.set()
        assert not self.inputs or self.may.wait(60.0)
        self.inputs.append(inputs)
        return Motion.stack([replace(STILL, translation=np.array([0.0, 0.0, -0.01]))] * 4)


class Timed(ThinkAhead):
    """No period passes between a question and the beginning of its answer, nor while an answer that is due is given."""

    def ask(self, number: int, inputs: Any) -> None:
        super().ask(number, inputs)
        assert self._policy.begun.wait(60.0)
        self._policy.begun.clear()

    def passed(self) -> None:
        if self._asked is not None and len(self._policy.body.commands) >= self._policy.due:
            self._policy.may.set()
            self._asked[1].exception(60.0)


def thinking_ahead(body: Body, periods: int, patience: float) -> Reaching:
    policy = Slow(body, periods, steps=12)
    pace = Timed(policy, early=2, overlap="newest", patience=patience)
    body.passed = pace.passed
    return Reaching(policy, SPEC, body.kinematics, "Pick", pace)


def test_a_policy_that_thinks_ahead_does_not_stop_the_hand():
    """Five periods a motion, seven for an answer."""
    body = Body()
    skill = thinking_ahead(body, 7, patience=60.0)
    assert not skill.deliberates  # the executor stops a robot for those that do
    assert body.play(skill) is Outcome.TIMED_OUT
    moves = np.abs(np.diff([pose.position[2] for pose in body.poses])) > 1e-9
    assert moves[np.argmax(moves) :].all() and moves.sum() == 12 * 5
    assert re.fullmatch(r"not done after 12 motions, \d+ came too late", skill.reason)


def test_a_policy_that_is_too_slow_makes_the_hand_wait():
    body = Body()
    skill = thinking_ahead(body, 40, patience=0.001)
    assert body.play(skill) is Outcome.TIMED_OUT
    stood = (np.abs(np.diff([pose.position[2] for pose in body.poses])) < 1e-9).sum()
    assert stood > 60
    counted = float(re.search(r"([0-9.]+) s without one", skill.reason)[1])
    assert counted == pytest.approx(stood * SPEC.period, abs=3 * SPEC.period)
