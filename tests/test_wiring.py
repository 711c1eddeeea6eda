"""From options to parts: who gets what, what is closed when, and what is refused in which words."""

from __future__ import annotations

from typing import Any

import pytest
from homie_tiny import LostSkills, TinyDetector, TinyLocator, TinyRobot, TinySkills
from pydantic import BaseModel, ConfigDict

from error_detection import code_order, execution, paper_order
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.options import OpenOptions
from homie.kernel.registry import DETECTOR, construct, make_part, named_part, path_of, resolve, split
from homie.kernel.types import Check, Decision
from homie.runtime.assembly import (
    assemble,
    choose,
    load_checks,
    load_planner,
    load_skills,
    named_planner,
    skill_names,
)
from planners.rule import RulePlanner

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}


class Body(TinyRobot):
    """Says what becomes of it."""

    hand = ""

    def __init__(self) -> None:
        super().__init__()
        self.seeds: list[int] = []

    def _restart(self, *, seed):
        self.seeds.append(seed)
        super()._restart(seed=seed)

    def describe(self):
        return {"firmware": 3}


class Closing(TinySkills):
    """Counts how often it was release."""

    closed = 0

    def close(self):
        self.closed += 1


class InformedPlanner(Planner):
    """A planner that knows the robot, and may want to see its hand."""

    name = "told"

    def __init__(self, hand: bool = False) -> None:
        self.entered, self.uses_wrist_camera = [], hand

    def reset(self, task, *, seed):
        pass

    def decide(self, planner_input):
        return Decision(())

    def bind(self, robot):
        self.entered.append(robot)

    def describe(self):
        return {"told": "much"}


def objects(**parts: Any) -> dict[tuple[str, str], Any]:
    return {(option, "tiny" if option in TINY else option): part for option, part in parts.items()}


def options(**more: Any) -> OpenOptions:
    return OpenOptions.build(**{**TINY, **more})


def test_every_part_is_where_it_belongs():
    body, planner, detector = Body(), InformedPlanner(), TinyDetector()
    external = objects(robot=body, detector=detector, planner=planner)
    chosen = options(planner="planner", attempts=2, check_order="code")
    with assemble(chosen, external) as parts:
        executor = parts.executor
        assert (parts.robot, parts.planner, executor.senses.detector) == (body, planner, detector)
        assert planner.entered == [body] and isinstance(executor.locator, TinyLocator)
        assert (executor.attempts, tuple(executor.checks), executor.execution) == (2, tuple(code_order), execution)
        assert executor.actions == ("Go to", "Pick", "Put", "End")
        before = executor.skills.choose("tiny", "Pick")
        executor.locator.reset(seed=0)
        executor.locator.seen.append(1.0)
        parts.reset(7)
        assert body.seeds == [7] and executor.locator.seen == []
        assert executor.skills.choose("tiny", "Pick") not in (before, None), "skills that know nothing of before"
        description = parts.describe()
        assert description["robot"].items() >= {"name": "tiny", "picture_size": None, "firmware": 3}.items()
        assert description["robot"]["class"] == f"{__name__}:Body" and description["planner"]["told"] == "much"
        assert (
            description["planner"]["class"] == f"{__name__}:InformedPlanner"
            and description["detector"]["class"] == "homie_tiny:TinyDetector"
        )
        assert list(description["skills"]) == ["tiny"]
    assert body.calls == ["close"]


def three(robot):
    return 3


def test_what_cannot_be_wired_is_let_go_of(monkeypatch):
    shelves = []
    monkeypatch.setattr(TinySkills, "close", lambda self: shelves.append(self.name))
    for more, external, message in (
        (
            {"picture_size": 64},
            {},
            "The pictures of the robot 'tiny' have their own size: leave out --picture-size.",
        ),
        (
            {"planner": "planner"},
            {"planner": InformedPlanner(hand=True)},
            "The robot 'tiny' has no camera at its hand: leave out --set hand=true.",
        ),
        (
            {},
            {"targets": three},
            f"The locator 'tiny' is the function {__name__}:three, which returned 3: name a homie.Locator.",
        ),
    ):
        body = Body()
        with pytest.raises(BadInput) as refusal:
            assemble(options(**more), objects(robot=body, **external))
        assert str(refusal.value) == message and body.closed
    assert shelves == ["tiny"] * 3
    handy = Body()
    handy.hand = "wrist"
    with assemble(options(planner="planner"), objects(robot=handy, planner=InformedPlanner(hand=True))) as parts:
        assert parts.robot is handy
    sized = Body()
    sized.picture_size = (64, 64)
    with assemble(options(picture_size=64), objects(robot=sized)) as parts:
        assert parts.describe()["robot"]["picture_size"] == (64, 64)


def test_skills_are_let_go_of_even_if_the_robot_breaks(monkeypatch):
    shelves = []
    monkeypatch.setattr(TinySkills, "close", lambda self: shelves.append(self.name))
    body = Body()
    monkeypatch.setattr(body, "close", lambda: 1 / 0)
    parts = assemble(options(), objects(robot=body))
    with pytest.raises(ZeroDivisionError):
        parts.close()
    assert shelves == ["tiny"]


def test_an_external_set_is_left_to_its_owner():
    external = Closing()
    loaded = load_skills("tiny", objects=objects(skills=external))
    assert loaded.sets == {"tiny": external} and loaded.external == {"tiny"} and loaded.fallback is None
    loaded.close()
    own = load_skills("tiny", objects=objects(skills=Closing))
    own.close()
    assert external.closed == 0 and own.sets["tiny"].closed == 1 and own.external == frozenset()


def test_the_classical_set_of_the_list_is_the_fallback_itself():
    with pytest.warns(UserWarning, match=r"^Lost-1 needs its checkpoint: .* Falling back to `classical` for Lost-1.$"):
        loaded = load_skills("lost,classical")
    assert loaded.fallback is loaded.sets["classical"] and list(loaded.missing) == ["Lost-1"]
    assert loaded.sets["Lost-1"] is LostSkills
    assert load_skills("classical").fallback is not None and load_skills("tiny").fallback is None
    with pytest.warns(UserWarning, match="Falling back"):
        alone = load_skills("lost")
    assert alone.fallback is not None and alone.fallback.name == "classical" and "classical" not in alone.sets


def test_a_set_of_skills_gets_its_own_settings_only():
    loaded = load_skills("tiny,lost:w.pth", {"lost.speed": 3}, fallback=False)
    assert loaded.sets["Lost-1"].description == {"checkpoint": "w.pth", "speed": 3} and not loaded.missing


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"speed": 3}, "such as tiny.NAME (got 'speed'): the skill sets are tiny, lost."),
        ({"lots.speed": 3}, "such as tiny.NAME (got 'lots.speed'): did you mean 'lost'?"),
        ({"lost.": 3}, "such as tiny.NAME (got 'lost.'): `homie list skills lost` lists its settings."),
        ({"lost.size": 3}, "The skill set 'lost' has no setting 'size': it knows: speed."),
        ({"lost.sped": 3}, "The skill set 'lost' has no setting 'sped': did you mean 'speed'?"),
        ({"tiny.a": 3, "tiny.b": 3}, "The skill set 'tiny' has no settings (got a, b)."),
        ({"lost.speed": "fast"}, "Setting of the skill set 'lost': speed must be a whole number (got 'fast')."),
    ],
)
def test_a_setting_that_no_set_has(settings, message):
    with pytest.raises(BadInput) as refusal:
        load_skills("tiny,lost:w.pth", settings)
    assert message in str(refusal.value)


def test_names_of_skill_sets_are_different():
    assert skill_names(" tiny , lost : a:b ,") == [("tiny", ""), ("lost", "a:b")]
    for text in ("", " , ", "tiny,tiny", "lost:a,lost:a"):
        with pytest.raises(BadInput) as refusal:
            skill_names(text)
        assert str(refusal.value) == f"skills: expected different skill sets separated by commas (got {text!r})."
    with pytest.raises(BadInput, match=r"^skills: two of the sets in 'lost:a,lost:b' are the same model\.$"):
        load_skills("lost:a,lost:b")


def test_planners_and_detectors_before_they_are_made():
    rule = named_planner("rule")
    assert (rule.make, rule.argument, rule.settings) == (RulePlanner, "", None)
    chat = named_planner("chat:gpt", {"examples": 2})
    assert (chat.make.name, chat.argument, chat.settings.examples) == ("chat", "gpt", 2)
    simulated = named_part(DETECTOR, "simulated", {"min_pixels": 3})
    assert (simulated.make.name, simulated.argument, simulated.settings.min_pixels) == ("simulated", "", 3)
    assert make_part(DETECTOR, "simulated", {"min_pixels": 3}).describe()["min_pixels"] == 3
    for load in (load_planner, named_planner):
        with pytest.raises(
            BadInput, match=r"^The planner 'expert' plays the steps that a suite gives: only `homie bench`"
        ):
            load("expert")
        with pytest.raises(BadInput, match=r"^The planner 'chat' has no setting 'exampels': did you mean 'examples'"):
            load("chat:gpt", {"exampels": 2})
    for look in (named_part, make_part):
        with pytest.raises(BadInput, match=r"^The detector 'simulated' has no setting 'pixels': "):
            look(DETECTOR, "simulated", {"pixels": 2})
    with pytest.raises(
        BadInput, match=r"^The planner 'planner' is an object that was made in Python: give its settings"
    ):
        load_planner("planner", {"examples": 2}, objects(planner=InformedPlanner()))
    planner = InformedPlanner()
    assert load_planner("planner", {}, objects(planner=planner)) is planner


def test_checks_are_a_sequence_or_one_alone():
    def check(question):
        return Check("mine")

    assert load_checks("paper") == tuple(paper_order)
    for checks in (check, [check], (check,)):
        assert load_checks("mine", {("check_order", "mine"): checks}) == (check,)
    for checks in ([], [check, 3], 3):
        with pytest.raises(BadInput) as refusal:
            load_checks("mine", {("check_order", "mine"): checks})
        assert str(refusal.value).startswith("The order of checks 'mine' is ")
        assert "give functions that take a homie.CheckQuestion and return a homie.Check" in str(refusal.value)


def test_a_missing_model_fails_where_no_fallback_is_allowed():
    chosen = choose(options(skills="tiny,lost:w.pth", on_missing_model="fail"))
    assert list(chosen.loaded_skills.sets) == ["tiny", "Lost-1"]
    with pytest.raises(BadInput, match=r"^Lost-1 needs its checkpoint"):
        choose(options(skills="lost", on_missing_model="fail"))
    with pytest.warns(UserWarning, match="Falling back"):
        assert list(choose(options(skills="lost")).loaded_skills.missing) == ["Lost-1"]


def test_names_stay_and_objects_are_taken_apart():
    planner, body, external = InformedPlanner(), Body(), Closing()
    settings = {
        "planner": planner,
        "robot": None,
        "skills": [external, "tiny", TinySkills],
        "targets": TinyLocator,
        "seed": 3,
    }
    named, parts = split(settings)
    here = f"object:{__name__}"
    assert named == {
        "planner": f"{here}.InformedPlanner", "robot": None, "skills": f"{here}.Closing,tiny,homie_tiny:TinySkills",
        "targets": "homie_tiny:TinyLocator", "seed": 3,
    }  # fmt: skip
    assert parts == {("planner", f"{here}.InformedPlanner"): planner, ("skills", f"{here}.Closing"): external}
    assert split({"robot": body})[1] == {("robot", f"{here}.Body"): body}
    assert split({"check_order": [body, planner]})[0] == {"check_order": f"{here}.Body+{__name__}.InformedPlanner"}
    assert settings["planner"] is planner, "what was given is left as it is"
    assert resolve("planner", f"{here}.InformedPlanner", parts) == (planner, "")
    assert resolve("planner", "rule", parts) == (RulePlanner, "")


class Bare(InformedPlanner):
    def __init__(self) -> None:
        super().__init__()


class Argued(InformedPlanner):
    def __init__(self, argument: str, more: int) -> None:
        super().__init__()
        self.argued = (argument, more)


def test_a_part_is_made_with_what_it_takes():
    whose = "planner 'mine'"
    ready = InformedPlanner()
    assert construct(whose, ready, ["x"], Planner) is ready, "made already"
    assert isinstance(construct(whose, Bare, [""], Planner), Bare), "no argument was given and none is taken"
    assert construct(whose, Argued, ["a", 3], Planner).argued == ("a", 3)
    assert construct(whose, Argued, ["", 3], Planner).argued == ("", 3)
    assert construct(whose, lambda argument: ready, ["x"], Planner) is ready
    for make, arguments, message in (
        (Bare, ["x"], f"cannot be made: {__name__}:Bare takes () -> 'None' and is given 1 argument(s)."),
        (TinyRobot, [], "is the class homie_tiny:TinyRobot, which is a homie.Robot: name a homie.Planner."),
        (3, [], "is not a homie.Planner, but builtins:int: give a homie.Planner or a class of it."),
        (
            dict,
            [],
            "is the class builtins:dict, which is not a homie.Planner: derive it, as in `class dict(homie.Planner)`.",
        ),
    ):
        with pytest.raises(BadInput) as refusal:
            construct(whose, make, arguments, Planner)
        assert str(refusal.value) == f"The {whose} {message}"
    assert (
        path_of(InformedPlanner) == path_of(ready) == f"{__name__}:InformedPlanner" and path_of(len) == "builtins:len"
    )


class Wired(TinyRobot):
    """A robot with an argument and settings of its own."""

    class Settings(BaseModel):
        model_config = ConfigDict(extra="forbid")
        host: str = "localhost"

    def __init__(self, argument, settings):
        super().__init__()
        self.argument, self.host = argument, settings.host


def test_a_robot_class_is_made_from_its_argument_and_its_settings(monkeypatch):
    monkeypatch.setattr("homie_tiny.Wired", Wired, raising=False)
    named = {**TINY, "robot": "homie_tiny:Wired:/dev/arm", "planner": "rule"}
    with assemble(OpenOptions(**named, robot_settings={"host": "10.0.0.7"})) as parts:
        assert (parts.robot.argument, parts.robot.host) == ("/dev/arm", "10.0.0.7")
    with pytest.raises(BadInput, match="has no setting 'hots': did you mean 'host'"):
        assemble(OpenOptions(**named, robot_settings={"hots": "x"}))
    with pytest.raises(BadInput, match=r"^The robot 'tiny' has no settings \(got host\)"):
        assemble(OpenOptions(**{**named, "robot": "tiny"}, robot_settings={"host": "x"}))
    with pytest.raises(BadInput, match="is an object that was made in Python"):
        assemble(options(robot_settings={"host": "x"}), objects(robot=TinyRobot()))
