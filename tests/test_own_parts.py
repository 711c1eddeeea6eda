"""Parts of a user's own: what they return or lack is one sentence, and a function may be a planner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from homie_tiny import TinyDetector, TinyLocator, TinyRobot, TinySkill, TinySkills

import homie
from homie import END, BadInput, Decision, Planner, PlannerInput, Subtask
from homie.testing import NotConforming, check_detector, check_planner, check_robot, check_skills

TINY: dict[str, Any] = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}
GO = Subtask("Go to", "ball")


class Own(Planner):
    """Returns what it is made with."""

    name = "own"

    def __init__(self, answer: Any = END) -> None:
        self.answer = answer

    def reset(self, task: str, *, seed: int) -> None:
        """Nothing is kept."""

    def decide(self, planner_input: PlannerInput) -> Any:
        return self.answer


def play(planner: Any, **parts: Any) -> list[str]:
    """The subtasks of two rounds."""
    with homie.open(**{**TINY, **parts}, planner=planner, rounds=2) as session:
        return [str(subtask) for round in session.rounds("go") for subtask in round.decision.subtasks]


# ---------------------------------------------------------------- what a planner returns


@pytest.mark.parametrize("answer", [GO, Decision((GO,)), Decision(GO), Decision([GO])])  # type: ignore[arg-type]
def test_what_can_mean_one_thing_only_is_a_decision(answer: Any) -> None:
    assert play(Own(answer)) == play(lambda planner_input: answer) == ["[Go to, ball]"] * 2
    check_planner(Own(answer))
    check_planner(lambda planner_input: answer)


async def later() -> None: ...


WRONG: list[tuple[Any, str]] = [
    (None, "returned None: return a homie.Decision or a homie.Subtask"),
    ("[Go to, ball]", "returned '[Go to, ball]': return a homie.Decision or a homie.Subtask"),
    ([GO], "return a homie.Decision or a homie.Subtask"),
    (Decision(()), "returned a homie.Decision without a subtask: give one"),
    (Decision((GO,), problem="what?"), "with subtasks and a `problem`"),
    (Decision(("[End]",)), "whose `subtasks` are ('[End]',): give a tuple of homie.Subtask"),  # type: ignore[arg-type]
    (Decision((Subtask("Pick", 3),)), "give action, target and destination as text"),  # type: ignore[arg-type]
    (Decision((Subtask(""),)), "give an action"),
    (Decision((GO,), analysis=None), "whose `analysis` is None: give a text"),  # type: ignore[arg-type]
    (Decision((END,), report="done"), "whose `report` is 'done': give one of"),  # type: ignore[arg-type]
    (Decision((GO,), answers=("x",)), "whose `answers` are ('x',)"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("answer", "message"), WRONG)
def test_what_is_not_a_decision_names_the_planner_and_what_to_return(answer: Any, message: str) -> None:
    def decide(planner_input: PlannerInput) -> Any:
        return answer

    for planner, beginning in (
        (Own(answer), "The method decide of the planner Own"),
        (decide, "The planner's function decide"),
    ):
        with pytest.raises(BadInput) as refusal:
            play(planner)
        assert str(refusal.value).startswith(beginning) and message in str(refusal.value)
        with pytest.raises(NotConforming) as listed:
            check_planner(planner)
        (violation,) = listed.value.violations
        assert message in violation and "The same in 44 other rounds." in violation


def test_an_async_method_is_refused() -> None:
    class Late(Own):
        async def decide(self, planner_input: PlannerInput) -> Any:
            return END

    with pytest.raises(BadInput, match=r"of the planner Late is async: write it with `def`, or make a homie\.Function"):
        play(Late())


# ---------------------------------------------------------------- what other parts return


class Odd:
    """Parts that return what they are made with."""

    class Detector(TinyDetector):
        def detect(self, observation: Any) -> Any:
            return "ball"

    class Robot(TinyRobot):
        def observe(self, cameras: Any = ()) -> Any:
            observation = super().observe(cameras)
            return homie.Observation(observation.stamp, observation.body, {})

    class Blind(TinyRobot):
        def observe(self, cameras: Any = ()) -> Any:
            return None if cameras else super().observe()

    class Locator(TinyLocator):
        def goal(self, entity: str, action: Any, observation: Any) -> Any:
            return (1.0, 2.0)

    class Still(TinySkill):
        def act(self, observation: Any) -> Any:
            return None

    class Sure(TinySkill):
        outcome = True  # type: ignore[assignment]


def skills_of(make: Callable[[], Any]) -> TinySkills:
    class OddSkills(TinySkills):
        def skills(self, spec: Any, kinematics: Any) -> Any:
            return make()

    return OddSkills()


def detecting(**odd: Any) -> TinyDetector:
    class Oddly(TinyDetector):
        def detect(self, observation: Any) -> Any:
            return [homie.Detection(**{"name": "ball", "view": "front", "box": (0, 0, 9, 9), **odd})]

    return Oddly()


def spell_skills() -> Any:
    skill = TinySkill("Go to")
    skill.actions = "Go to"  # type: ignore[assignment]
    return [skill]


def skill_with(**members: Any) -> TinySkills:
    """A set of one skill with other members."""

    def make() -> Any:
        skill = TinySkill("Go to")
        for name, value in members.items():
            setattr(skill, name, value)
        return [skill]

    return skills_of(make)


def set_with(**members: Any) -> TinySkills:
    """A set with other members."""
    skills = skills_of(lambda: [TinySkill("Go to")])
    for name, value in members.items():
        setattr(type(skills), name, value)
    return skills


ODD_MEMBERS: list[tuple[Any, str]] = [
    *((skill_with(max_seconds=value), "as `max_seconds`: write a number above 0") for value in ("60", None, -1, True)),
    (skill_with(max_seconds=float("nan")), "The skill TinySkill has nan as `max_seconds`"),
    *((skill_with(name=value), "as `name`: write a text of one line") for value in (3, None, "two\nlines", " ")),
    *((skill_with(actions=value), "as `actions`: write a tuple of texts") for value in ((3,), ("",), None)),
    (skill_with(cameras=(None,)), "as `cameras`: write a tuple of texts"),
    *((set_with(name=value), "The skill set OddSkills has") for value in ("", 3, "two\nlines")),
    (set_with(actions="Go to"), "The skill set OddSkills has the text 'Go to' as `actions`: write a tuple"),
]


@pytest.mark.parametrize(("skills", "message"), ODD_MEMBERS)
def test_a_member_of_a_skill_that_is_something_else_is_named(skills: Any, message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        play(Own(GO), skills=skills)
    assert message in str(refusal.value) and "\n" not in str(refusal.value)


def crowding() -> TinyDetector:
    class Crowded(TinyDetector):
        def detect(self, observation: Any) -> Any:
            return [homie.Detection("ball", "front", (0, 0, 9, 9))] * 5001

    return Crowded()


ODD_PARTS: list[tuple[dict[str, Any], str]] = [
    ({"detector": crowding()}, "of the detector Crowded returned 5001 detections of "),
    (
        {"detector": Odd.Detector()},
        "The method detect of the detector Detector returned 'ball': return a tuple",
    ),
    *(
        ({"detector": detecting(**odd)}, f"of the detector Oddly returned a homie.Detection whose {next(iter(odd))} is")
        for odd in (
            {"name": 5},
            {"name": ""},
            {"name": "two\nlines"},
            {"part": None},
            {"view": "nowhere"},
            {"score": float("nan")},
            {"score": 1.5},
            {"score": "high"},
            {"box": (9, 0, 0, 9)},
            {"view": ["front"]},
            {"box": (0.0, 0.0, 9.5, 9.0)},
            {"box": (float("nan"), 0, 9, 9)},
            {"box": (0, 0, 9)},
            {"box": None},
            {"mask": [[1]]},
        )
    ),
    ({"robot": Odd.Robot()}, "of the robot Robot was asked for the camera 'front' and returned no frame of it"),
    ({"robot": Odd.Blind()}, "The method observe of the robot Blind returned None: return a homie.Observation."),
    ({"targets": Odd.Locator}, "of the locator Locator returned (1.0, 2.0): return a homie.Goal."),
    ({"skills": skills_of(lambda: [Odd.Still("Go to")])}, "of the skill Still returned None: return a homie.Command."),
    ({"skills": skills_of(lambda: [Odd.Sure("Go to")])}, "of the skill Sure returned True: return a homie.Outcome."),
    ({"skills": skills_of(lambda: Odd.Still("Go to"))}, "The method skills of the skill set OddSkills returned"),
    ({"skills": skills_of(spell_skills)}, "The skill TinySkill has the text 'Go to' as `actions`: write a tuple"),
]


@pytest.mark.parametrize(("parts", "message"), ODD_PARTS)
def test_what_another_part_returns_wrongly_names_it_and_what_to_return(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        play(Own(GO), **parts)
    assert message in str(refusal.value)


# ---------------------------------------------------------------- what a class lacks


class NoReset(Planner):
    name = "no reset"

    def decide(self, planner_input: PlannerInput) -> Decision:
        return Decision((END,))


class Seedless(Own):
    def reset(self, task: str) -> None:  # type: ignore[override]
        """Takes no seed."""


class Looks:
    def decide(self, planner_input: PlannerInput) -> Subtask:
        return END


def nothing() -> Subtask:
    return END


NO_PLANNERS: list[tuple[Any, str]] = [
    (NoReset, "NoReset' has no reset: write it."),
    (Seedless, "has reset(self, task), which is called as reset(self, task, *, seed): write it with these parameters."),
    (Seedless(), "has reset(self, task), which is called as reset(self, task, *, seed)"),
    (Looks, "is not a homie.Planner: derive it, as in `class Looks(homie.Planner)`."),
    (Looks(), "Looks: give a homie.Planner or a class of it."),
    (TinyRobot, "which is a homie.Robot: name a homie.Planner."),
    (nothing, "write it with one parameter, the homie.PlannerInput, or name a homie.Planner."),
]


@pytest.mark.parametrize(("planner", "message"), NO_PLANNERS)
def test_what_is_not_a_planner_is_refused_before_anything_is_opened(planner: Any, message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        play(planner)
    assert message in str(refusal.value)
    with pytest.raises(NotConforming) as listed:
        check_planner(planner)
    assert message in str(listed.value)


def looks(observation: Any) -> Any:
    return observation.frames


OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"detector": looks}, "looks, which is called with the text '' to make one, and takes it for something else"),
    ({"detector": lambda argument: ()}, "which returned (): name a homie.Detector."),
    ({"skills": TinySkill}, "is a homie.Skill: return it from the method skills of a homie.SkillSet, and name that."),
    ({"skills": lambda spec, kinematics: []}, "is given 1 argument(s): name a class of homie.SkillSet."),
    ({"robot": lambda options: 3}, "which returned 3: name a homie.Robot."),
    ({"check_order": 3}, "give functions that take a homie.CheckQuestion and return a homie.Check, in a list"),
    ({"check_order": [nothing]}, "nothing has to take one argument, a homie.CheckQuestion."),
]


@pytest.mark.parametrize(("parts", "message"), OTHERS)
def test_functions_and_classes_in_the_place_of_others_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        play(Own(), **parts)
    assert message in str(refusal.value)


def test_a_function_planner_of_a_function_without_a_parameter_is_refused() -> None:
    with pytest.raises(BadInput, match="function nothing has to take one argument"):
        homie.FunctionPlanner(nothing)  # type: ignore[arg-type]


def test_kits_take_classes() -> None:
    class Ends(Own):
        def __init__(self) -> None:
            super().__init__(END)

    check_planner(Ends)
    check_detector(TinyDetector)  # type: ignore[arg-type]
    with homie.open(**TINY) as session:
        check_skills(TinySkills, session.robot)  # type: ignore[arg-type]
    check_robot(TinyRobot)  # type: ignore[arg-type]


# ---------------------------------------------------------------- functions that decide, functions that make


def make(argument: str) -> Planner:
    return Own(GO)


def makes_quietly(argument=""):
    return Own(GO)


def makes_own() -> Own:
    return Own(GO)


@pytest.mark.parametrize("function", [make, makes_quietly, makes_own, lambda: Own(GO)])
def test_a_function_that_makes_planners_is_not_one(function: Any) -> None:
    assert play(function) == ["[Go to, ball]"] * 2


class Deciding:
    def __call__(self, planner_input: PlannerInput) -> Subtask:
        return GO


async def asynchronous(planner_input: PlannerInput) -> Subtask:
    return GO


@pytest.mark.parametrize("function", [lambda planner_input: GO, Deciding(), asynchronous])
def test_a_function_that_decides_is_a_planner(function: Any) -> None:
    assert play(function) == ["[Go to, ball]"] * 2
