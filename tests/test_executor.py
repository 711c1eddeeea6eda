"""The executor by itself, in the tiny world: what it tells a watcher, what it looks at, when an attempt is over."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from homie_tiny import SPEC, TinyDetector, TinyLocator, TinyRobot, TinySkill, TinySkills

from error_detection import execution, paper_order
from homie.kernel.actions import ACTION_TABLE, ACTIONS, Ability, Action
from homie.kernel.errors import BadInput, CommandRefused, TargetLost
from homie.kernel.executor import Executor
from homie.kernel.interfaces import EpisodeListener, ErrorCheck, Skill
from homie.kernel.look_and_detect import Senses
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import (
    SUCCESS,
    AttemptEnded,
    AttemptStarted,
    Check,
    Command,
    CommandSent,
    Decision,
    ErrorCode,
    Execution,
    Failure,
    FailureReason,
    Feedback,
    Goal,
    Outcome,
    PeriodPassed,
    Subtask,
    SubtaskChecked,
)

GO, PICK, OPEN = Subtask("Go to", "ball"), Subtask("Pick", "ball"), Subtask("Open", "box")
TOO_DIFFICULT = "Unable to pick, the subtask is too difficult to perform"


class Watch(EpisodeListener):
    """Keeps the events, in order."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def on(self, event):
        match event:
            case SubtaskChecked(check):
                self.events.append(("checked", check))
            case AttemptStarted(goal):
                self.events.append(("started", goal))
            case AttemptEnded(attempt):
                self.events.append(("attempted", attempt))
            case CommandSent(observation, sent):
                self.events.append(("commanded", observation.stamp, sent.sent.get("base")))
            case PeriodPassed(observation):
                self.events.append(("ticked", observation.stamp))

    def of(self, name: str) -> list[Any]:
        return [rest[0] for kind, *rest in self.events if kind == name]


class Steps(Skill):
    """Goes on for some control periods, then ends as the test says."""

    def __init__(self, action: str = "Pick", periods: int = 3, ends: Outcome = Outcome.SUCCEEDED, **more: Any) -> None:
        self.name, self.actions, self.max_seconds = f"steps {action}", (action,), 1.0
        self.periods, self.ends, self.more = periods, ends, more
        self.acted, self.goals, self.revised = 0, [], []
        self.cameras = more.get("cameras", ())
        self.deliberates = more.get("deliberates", False)

    def start(self, subtask, goal, observation):
        self.acted = 0
        self.goals.append((goal, sorted(observation.frames)))

    def revise(self, goal: Goal) -> None:
        self.revised.append((self.acted, goal))

    def act(self, observation):
        self.acted += 1
        return self.more.get("command", Command())

    @property
    def outcome(self):
        return self.ends if self.acted >= self.periods else Outcome.RUNNING

    @property
    def reason(self):
        return self.more.get("reason", "")

    @property
    def feedback_message(self):
        return self.more.get("feedback_message", "")


class Looking(TinyLocator):
    """Looks through a camera, and again while a skill runs; says what was asked of it."""

    cameras = ("front",)
    sees: bool | None = None

    def __init__(self, robot: TinyRobot) -> None:
        super().__init__(robot)
        del self.seen  # what the tiny locator keeps for other tests
        self.updates: list[tuple[float, list[str], list[str]]] = []
        self.again: dict[float, tuple[str, ...]] = {}

    def update(self, observation, detections):
        names = [detection.name for detection in detections]
        self.updates.append((observation.stamp, sorted(observation.frames), names))

    def due(self, observation):
        return self.again.get(observation.stamp)

    def seen(self, entity, detections):
        return tuple(detection for detection in detections if detection.name == entity)

    def arrived(self, entity, observation):
        return self.sees

    def holds(self, entity, observation):
        return self.sees

    def placed(self, thing, entity, observation):
        return self.sees

    def state(self, entity, state, observation):
        return self.sees


def run(
    subtask: Subtask, *skills: Skill, robot: TinyRobot | None = None, locator: Any = TinyLocator, attempts: int = 1,
    checks: Sequence[ErrorCheck] = (), model: str = "", table: dict[str, Action] | None = None, task: str = "",
    actions: tuple[str, ...] = ACTIONS,
) -> tuple[Execution, Watch]:  # fmt: skip
    robot = robot or TinyRobot()
    every = [*TinySkills().skills(SPEC, robot.kinematics), *skills]
    table = SkillTable(
        {"tiny": {action: skill for skill in every for action in skill.actions}}, table=table or ACTION_TABLE
    )
    located = locator(robot) if isinstance(locator, type) else locator
    senses = Senses(robot, TinyDetector(), located)
    executor = Executor(senses, table, checks, execution, attempts=attempts, actions=actions)
    watch = Watch()
    return executor.execute(Decision((subtask,), model=model), subtask, (), robot.observe(), watch, task), watch


def test_a_listener_gets_every_check_command_and_attempt():
    execution, watch = run(GO, checks=paper_order)
    layers = [Check("format"), Check("logical"), Check("distance"), Check("execution")]
    assert watch.of("checked") == list(execution.checks) == layers
    assert watch.of("attempted") == list(execution.attempts)
    (attempt,), (goal,) = execution.attempts, watch.of("started")
    assert (goal.name, goal.text) == ("ball", str(GO)) and watch.events[3] == ("started", goal)
    stamps = [round(0.1 * number, 6) for number in range(attempt.commands + 1)]
    assert watch.of("commanded") == stamps and watch.of("ticked") == stamps[1:]
    assert attempt.robot_seconds == stamps[-1] and (attempt.number, attempt.clamped) == (1, attempt.clamped)
    assert (watch.events[-3][0] == "commanded" and watch.events[-3][2] == (0.0, 0.0)) or watch.events[-3][2] is None
    assert [name for name, *_ in watch.events[-2:]] == ["attempted", "checked"]
    assert (execution.feedback, execution.target) == (SUCCESS, "ball")


def test_a_skill_gets_the_instruction_with_its_goal():
    """That of the episode; else that of the scene, which the locator knows."""

    class Placed(TinyLocator):
        def goal(self, entity, action, observation):
            return replace(super().goal(entity, action, observation), task="tidy up")

    for locator, task, expected in ((TinyLocator, "", ""), (Placed, "", "tidy up"), (Placed, "play", "play")):
        skill = Steps("Go to")
        run(GO, skill, locator=locator, task=task)
        assert [goal.task for goal, _ in skill.goals] == [expected]


def test_what_is_refused_says_what_it_was_about():
    far, watch = run(PICK, checks=paper_order)
    assert (far.feedback.status, far.feedback.code, far.target, far.attempts) == ("fail", ErrorCode.D1, "ball", ())
    assert watch.of("checked") == list(far.checks) and far.checks[-1].message == far.feedback.message
    unknown, _ = run(Subtask("go_to", "moon"), checks=paper_order)
    assert (unknown.feedback.code, unknown.target) == (ErrorCode.F2, "")
    assert unknown.subtask == Subtask("Go to", "moon")


def test_a_check_of_ones_own_has_to_answer_with_one_of_the_codes():
    def strict(question):
        return Check("weather", "W1", "It rains.")  # type: ignore[arg-type]

    sentence = r"^The check 'weather' answered with the code 'W1': a check answers with one of F1, F2, .*, E2 \("
    with pytest.raises(BadInput, match=sentence):
        run(GO, checks=[strict])


@pytest.mark.parametrize("checks", [(), (lambda question: Check("mine"),)], ids=["no checks", "an order of one's own"])
@pytest.mark.parametrize(
    ("subtask", "model", "code", "sentence"),
    [
        (Subtask("Pick", "moon"), "", ErrorCode.F2, "moon does not exist! Please choose another object"),
        (Subtask("Pick"), "", ErrorCode.F2, "pick needs a target! Please choose an object"),
        (
            Subtask("Put", "ball"),
            "moon",
            ErrorCode.F1,
            "moon can not put! You should choose another model in the list.",
        ),
        (Subtask("Fly", "ball"), "", ErrorCode.F1, ErrorCode.F1.filled(action="fly")),
        (Subtask("", "ball"), "", ErrorCode.F1, ErrorCode.F1.filled(action="")),
    ],
)
def test_what_no_skill_can_run_is_feedback_whatever_the_order_of_checks(checks, subtask, model, code, sentence):
    execution, watch = run(subtask, checks=checks, model=model)
    assert execution.feedback == Feedback("fail", code, sentence) and execution.attempts == ()
    assert execution.checks[-1] == Check("format", code, sentence)
    assert watch.of("checked") == list(execution.checks) and len(execution.checks) == len(checks) + 1


@pytest.mark.parametrize("checks", [(), paper_order], ids=["no checks", "paper_order"])
def test_an_action_that_nobody_has_declared_takes_a_target_and_says_why(checks):
    execution, _ = run(Subtask("Wave"), Steps("Wave"), checks=checks, actions=("Wave", "End"))
    assert execution.feedback.code is ErrorCode.F2 and execution.feedback.message == (
        "wave needs a target! Please choose an object; one that takes none is declared so in `own_actions` of its "
        "skill set"
    )
    without = {**ACTION_TABLE, "Wave": Action(name="Wave", arguments=())}
    assert run(Subtask("Wave"), Steps("Wave"), checks=checks, actions=("Wave", "End"), table=without)[0].attempts


def test_a_check_of_ones_own_has_to_return_a_check():
    def forgetful(question):
        pass

    with pytest.raises(
        BadInput, match=r"^The check 'forgetful' returned None: a check returns a homie\.kernel\.types\."
    ):
        run(GO, checks=[forgetful])


@pytest.mark.parametrize(
    ("answer", "member"),
    [
        (Check(""), "'' as `layer`: write a text of one line."),
        (Check("two\nlines"), "as `layer`: write a text of one line."),
        (Check(3), "3 as `layer`: write a text of one line."),
        (Check("mine", None, 3), "3 as `message`: write a text."),
        (Check("mine", None, "", (3,)), "(3,) as `about`: write a tuple of texts."),
        (Check("mine", None, "", None), "None as `about`: write a tuple of texts."),
        (Check("mine", ErrorCode.F2, "x", "sofa"), "'sofa' as `about`: write a tuple of texts."),
        (Check("mine", ErrorCode.F2, "x", (), "yes"), "'yes' as `lasting`: write True or False."),
    ],
)
def test_a_check_of_ones_own_has_to_answer_in_texts(answer, member):
    with pytest.raises(BadInput) as refusal:
        run(GO, checks=[lambda question: answer])
    assert str(refusal.value).startswith("The check '<lambda>' answered with ") and member in str(refusal.value)


def test_an_attempt_is_over_when_its_second_has_passed():
    robot = TinyRobot()
    robot.stamp = 5.0
    execution, _ = run(PICK, Steps(periods=99), robot=robot)
    attempts = [
        (attempt.number, attempt.outcome, attempt.reason, attempt.robot_seconds, attempt.commands)
        for attempt in execution.attempts
    ]
    assert attempts == [(1, Outcome.TIMED_OUT, "not done after 1 s", 1.1, 11)]
    message = f"{TOO_DIFFICULT}: it took too long. Please go to it again and try once more"
    assert execution.feedback == Feedback("fail", ErrorCode.E1, message)
    assert execution.checks == (Check("execution", ErrorCode.E1, message),)
    assert run(PICK, Steps(ends=Outcome.FAILED))[0].feedback.message == TOO_DIFFICULT


def test_commands_that_are_changed_are_counted_and_refused_ones_end_it():
    fast = Steps(periods=4, command=Command(base=(50.0, 0.0)), ends=Outcome.FAILED)
    (attempt,) = run(PICK, fast)[0].attempts
    assert (attempt.commands, attempt.clamped) == (4, 4)
    (attempt,) = run(PICK, Steps(periods=4, ends=Outcome.FAILED, reason="it slipped"))[0].attempts
    assert (attempt.commands, attempt.clamped, attempt.reason) == (4, 0, "it slipped")

    class Refusing(TinyRobot):
        def _send(self, command):
            if command.get("gripper") is not None:
                raise CommandRefused("The gripper is hot.")
            super()._send(command)

    execution, watch = run(PICK, robot=Refusing())
    assert (execution.attempts[0].outcome, execution.attempts[0].reason) == (Outcome.FAILED, "The gripper is hot.")
    assert watch.of("commanded") == [0.0], "it stands, all the same"


def test_the_effect_is_what_counts():
    robot = TinyRobot()
    locator = Looking(robot)
    cases = [
        (PICK, Outcome.SUCCEEDED, None, Outcome.SUCCEEDED, "home"),
        (PICK, Outcome.SUCCEEDED, True, Outcome.SUCCEEDED, "home"),
        (PICK, Outcome.SUCCEEDED, False, Outcome.FAILED, "done by its own account, without effect"),
        (PICK, Outcome.FAILED, False, Outcome.FAILED, "home"),
        (PICK, Outcome.FAILED, None, Outcome.FAILED, "home"),
        (PICK, Outcome.FAILED, True, Outcome.SUCCEEDED, "done, then: home"),
        (GO, Outcome.FAILED, True, Outcome.FAILED, "home"),
    ]
    for subtask, ends, sees, outcome, reason in cases:
        locator.sees = sees
        skill = Steps(subtask.action, ends=ends, reason="home")
        (attempt,) = run(subtask, skill, robot=robot, locator=locator)[0].attempts
        assert (attempt.outcome, attempt.reason) == (outcome, reason)


@pytest.mark.parametrize(("reason", "remark"), [("", ""), ("the door is stuck", "; the door is stuck")])
@pytest.mark.parametrize("action", ["Open", "Close"])
def test_a_handle_that_the_hand_keeps_is_no_success(action, reason, remark):
    robot = TinyRobot()
    robot.holding = True
    (attempt,) = run(Subtask(action, "box"), Steps(action, reason=reason), robot=robot)[0].attempts
    assert (attempt.outcome, attempt.reason) == (Outcome.FAILED, f"the hand has not let go{remark}")
    robot.holding = False
    assert run(Subtask(action, "box"), Steps(action), robot=robot)[0].feedback.ok


def test_the_feedback_message_of_a_skill_takes_the_place_of_the_sentence_for_e1_only():
    sentence = "Unable to pick, the ball is under the box"
    lost = Steps(ends=Outcome.FAILED, feedback_message=sentence)
    execution, _ = run(PICK, lost, attempts=3)
    assert execution.feedback == Feedback("fail", ErrorCode.E1, sentence, lasting=True)
    assert execution.checks[-1] == Check("execution", ErrorCode.E1, sentence, lasting=True)
    assert len(execution.attempts) == 3
    fine = Steps("Open", ends=Outcome.SUCCEEDED, feedback_message=sentence)
    assert run(OPEN, fine)[0].feedback == SUCCESS
    refused, _ = run(
        Subtask("Put", "ball", "box"), Steps("Put", ends=Outcome.FAILED, feedback_message=sentence), attempts=3
    )
    assert refused.feedback == Feedback("fail", ErrorCode.E2, "Unable to put, and the object is missing")
    assert len(refused.attempts) == 1


def test_the_locator_looks_before_and_after_and_a_skill_gets_what_it_sees():
    robot = TinyRobot()
    locator = Looking(robot)
    skill = Steps(cameras=("left", "front"))
    run(PICK, skill, robot=robot, locator=locator, attempts=1)
    cameras = ["front", "left"]
    assert locator.updates == [(0.0, cameras, ["ball", "box"]), (0.4, ["front"], ["ball", "box"])]
    ((goal, frames),) = skill.goals
    assert frames == cameras and goal.name == "ball" and [detection.name for detection in goal.seen] == ["ball"]
    blind = Looking(robot)
    blind.cameras = ()
    skill = Steps(cameras=("left",))
    run(PICK, skill, robot=robot, locator=blind)
    assert blind.updates == [(0.4, ["left"], [])] and skill.goals[0][1] == ["left"]
    plain = Steps()
    run(PICK, plain, robot=robot, locator=Looking(robot))
    assert plain.goals[0][0].seen == () and plain.goals[0][1] == ["front"]


def test_a_goal_is_made_anew_when_the_locator_asks_for_it():
    robot = TinyRobot()
    locator = Looking(robot)
    locator.again = {0.1: ("right",), 0.2: ()}
    skill = Steps(periods=4)
    run(PICK, skill, robot=robot, locator=locator)
    assert [(acted, goal.name) for acted, goal in skill.revised] == [(1, "ball"), (2, "ball")]
    assert [frames for _, frames, _ in locator.updates] == [["front"], ["right"], ["front"]]


def test_a_target_that_is_forgotten_ends_the_subtask_not_the_episode():
    """At the second attempt the thing is gone: nothing is grasped at, and the planner hears why."""

    class Forgetful(Looking):
        goals = 0

        def goal(self, entity, action, observation):
            self.goals += 1
            if self.goals > 1:
                raise TargetLost(Failure(FailureReason.TARGET_LOST))
            return super().goal(entity, action, observation)

    skill = Steps(ends=Outcome.FAILED)
    execution, _ = run(PICK, skill, locator=Forgetful, attempts=3)
    assert [attempt.commands for attempt in execution.attempts] == [3, 0, 0]
    sentence = f"{TOO_DIFFICULT}: it is no longer where it was seen. Please look for it"
    assert execution.feedback == Feedback("fail", ErrorCode.E1, sentence, lasting=True)
    robot = TinyRobot()
    moving = Forgetful(robot)
    moving.again = {0.1: ()}
    execution, _ = run(PICK, Steps(periods=4), robot=robot, locator=moving)
    assert execution.attempts[0].outcome is Outcome.FAILED and execution.feedback.message == sentence


def test_an_action_without_a_target_is_done_where_the_robot_stands():
    robot = TinyRobot()
    robot.x = 1.5
    skill = Steps("Wait", cameras=("left",))
    wait = Action(name="Wait", arguments=())
    execution, _ = run(Subtask("Wait"), skill, robot=robot, locator=Looking(robot), table={"Wait": wait})
    ((goal, _),) = skill.goals
    assert (goal.name, goal.text, goal.seen) == ("", "[Wait]", ()) and list(goal.position) == [1.5, 0.0, 0.0]
    assert execution.feedback.ok and execution.target == ""


@pytest.mark.parametrize(
    ("deliberates", "cameras", "waits", "stops"),
    [(True, ("front",), False, 3), (True, ("front",), True, 0), (False, ("front",), False, 0), (True, (), False, 0)],
)
def test_hardware_stops_while_a_policy_thinks(deliberates, cameras, waits, stops):
    robot = TinyRobot()
    robot.waits = waits
    run(PICK, Steps(deliberates=deliberates, cameras=cameras), robot=robot, locator=Looking)
    assert robot.calls == ["stop"] * stops


def test_only_the_time_of_the_skill_is_its_own(monkeypatch):
    clock = [0.0]

    class Thinking(Steps):
        def act(self, observation):
            clock[0] += 0.25
            return super().act(observation)

    class Heavy(TinyRobot):
        def _send(self, command):
            clock[0] += 5.0
            super()._send(command)

    with monkeypatch.context() as patched:
        patched.setattr(time, "perf_counter", lambda: clock[0])
        execution, _ = run(OPEN, Thinking("Open", ends=Outcome.FAILED), robot=Heavy(), attempts=2)
    assert execution.skill_seconds == 2 * 3 * 0.25


class Both(TinySkills):
    name, actions, meant_for, about = "both", ("Go to", "Wave"), ("Wave", "Fly"), "waves at people"


def test_what_a_book_of_skills_can_do():
    go, wave, pick = TinySkill("Go to"), Steps("Wave"), TinySkill("Pick")
    sets = {"both": {"Go to": go, "Wave": wave}, "Lost-1": {"Go to": pick}, "tiny": {"Go to": go, "Pick": pick}}
    table = SkillTable(sets, frozenset({"Lost-1"}), sets={"both": Both})
    assert table.models == ("both", "Lost-1", "tiny")
    assert table.abilities == {
        "both": Ability(("Go to", "Wave"), ("Wave",), "waves at people"),
        "Lost-1": Ability(("Go to",)),
        "tiny": Ability(("Go to", "Pick")),
    }
    assert table.choose("", "Pick") is pick and table.choose("", "Fly") is None and table.choose("octo", "Pick") is None
    assert table.choose("lost 1", "Go to") is pick and table.fallback_for("lost 1", "Go to") == "Lost-1"
    assert table.choose("BOTH", "Wave") is wave and table.fallback_for("BOTH", "Wave") == ""
    first = SkillTable({name: sets[name] for name in ("Lost-1", "tiny")}, frozenset({"Lost-1"}))
    assert first.choose("", "Go to") is go and first.fallback_for("", "Go to") == ""
    assert SkillTable({"Lost-1": sets["Lost-1"]}, frozenset({"Lost-1"})).fallback_for("", "Go to") == "Lost-1"
    robot = TinyRobot()
    assert table.actions(robot) == ("Go to", "Pick", "Wave", "End")
    robot.actions = ("Pick", "Fly", "End")
    assert table.actions(robot) == ("Pick", "Wave", "End"), "of EMMOE's actions no others than its own"
