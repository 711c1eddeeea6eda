"""Parts by name, by MODULE:CLASS and as objects; what is wrong with them is one sentence."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from homie_tiny import TinyRobot, TinySkills

import homie
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.options import PlanOptions
from homie.kernel.registry import split
from homie.kernel.types import Check, ErrorCode
from homie.runtime.assembly import load_checks, load_planner

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}
MODULE = """
    from homie.kernel.interfaces import Planner, SkillSet, Skill
    from homie.kernel.types import Check, Command, Decision, ErrorCode, Outcome, Subtask
    import homie_tiny

    class Says(Planner):
        name = "says"
        def __init__(self, argument):
            self.argument = argument
        def reset(self, task, *, seed): ...
        def decide(self, given):
            words = [part.split("+") for part in self.argument.split(",")]
            return Decision((Subtask(*words[min(given.round - 1, len(words) - 1)]),))

    class Needy(Says):
        def __init__(self, one, two): ...

    def careful(question):
        slow = question.subtask.action == "Go to" and question.subtask.target == "box" and not question.inventory
        return Check("careful", ErrorCode.L2, "take something along") if slow else Check("careful")

    def own_code(question):
        return Check("careful", "X9", "no")

    from error_detection import paper_order
    order = (*paper_order, careful)
    bad_order = (own_code,)

    class Whistle(homie_tiny.TinySkill):
        def __init__(self):
            super().__init__("Whistle at")

    class Whistling(SkillSet):
        name = "whistling"
        actions = ("Whistle at",)
        def skills(self, spec, kinematics):
            return [Whistle()]
"""


@pytest.fixture
def own_module(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(textwrap.dedent(MODULE))
    (tmp_path / "broken.py").write_text("class Says(:\n")
    return tmp_path


def test_a_module_next_to_the_user_is_found(own_module, homie, tiny_arguments):
    arguments = [*tiny_arguments[:-1], "mine:Says:Go to+ball,Whistle at+ball,End", "--no-video", "--out", "run"]
    arguments[arguments.index("--skills") + 1] = "tiny,mine:Whistling"
    completed = homie("run", "go to the ball", *arguments, "--check-order", "mine:order")
    assert completed.returncode == 0, completed.stderr
    (steps,) = (own_module / "run" / "episodes").glob("*/steps.jsonl")
    records = [json.loads(line) for line in steps.read_text().splitlines()]
    assert [record["execution"]["subtask"]["action"] for record in records] == ["Go to", "Whistle at", "End"]
    assert all(record["execution"]["feedback"]["status"] == "success" for record in records)
    assert records[1]["execution"]["attempts"][0]["skill"] == "tiny whistle at"
    assert [check["layer"] for check in records[0]["execution"]["checks"]] == [
        *("format", "logical", "distance", "careful", "execution")
    ]
    (made_with,) = (own_module / "run" / "parts").glob("*.json")
    content = json.loads(made_with.read_text())
    assert content["planner"]["class"] == "mine:Says" and content["skills"]["whistling"]["class"] == "mine:Whistling"
    assert content["settings"]["check_order"] == "mine:order"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--planner", "mine:Nope", "The planner was given as mine:Nope, and that module has no 'Nope'."),
        ("--planner", "mine:Needy", "cannot be made: mine:Needy takes (one, two)"),
        (
            "--planner",
            "nomine:Says",
            "Unknown planner 'nomine' (there is no module 'nomine' either): did you mean 'mine'?",
        ),
        (
            "--planner",
            "mine:Say",
            "The planner was given as mine:Say, and that module has no 'Say': did you mean 'Says'?",
        ),
        ("--planner", "broken:Says", "broken.py, line 1: invalid syntax: correct the module 'broken'."),
        ("--planner", "mine:Whistling", "which is a homie.SkillSet: name a homie.Planner."),
        ("--targets", "psychic", "Unknown locator (--targets) 'psychic'"),
        ("--skills", "clasical", "Unknown skill set 'clasical': did you mean 'classical'?"),
        ("--check-order", "careful", "Unknown order of checks (--check-order) 'careful': choose one of: paper, code."),
        ("--check-order", "mine:MODULE", "has no 'MODULE'"),
        ("--check-order", "mine:bad_order", "answered with the code 'X9': a check answers with one of F1, F2"),
    ],
)
def test_what_is_wrong_is_one_sentence(own_module, homie, tiny_arguments, option, value, message):
    completed = homie("run", "go", *tiny_arguments, "--no-video", option, value)
    assert completed.returncode == 2, completed.stderr
    assert message in completed.stderr and "Traceback" not in completed.stderr


def test_a_check_stops_a_subtask_with_its_own_sentence(own_module, monkeypatch):
    monkeypatch.syspath_prepend(own_module)
    import mine as module

    for order in (module.order, [*load_checks("paper"), module.careful], ["paper", module.careful]):
        with homie.open(check_order=order, **TINY) as session:
            feedback = session.call("Go to", "box").feedback
            assert (feedback.code, feedback.message) == (ErrorCode.L2, "take something along")
    assert isinstance(module.careful, object) and Check("mine").code is None
    assert split({"check_order": ["paper", module.careful]})[0] == {"check_order": "object:paper+mine.careful"}


def test_actions_of_skill_sets_are_known_without_a_robot_of_their_own(own_module, monkeypatch):
    from homie.cli.commands.plan import first_round

    monkeypatch.syspath_prepend(own_module)
    planner_input = first_round(PlanOptions.build(task="whistle", skills="classical,mine:Whistling"))
    assert planner_input.actions == ("Go to", "Pick", "Put", "Open", "Close", "Whistle at", "End")
    assert planner_input.models == ("classical", "whistling")
    with homie.open(**{**TINY, "skills": "tiny,mine:Whistling"}) as session:
        assert session.actions == ("Go to", "Pick", "Put", "Whistle at", "End")
        assert session.call("whistle at", "ball").feedback.ok
        assert session.call("Go to", "ball").feedback.ok and session.call("Pick", "ball").feedback.ok
        assert session.inventory == ("ball",), "an inventory by feedback, as without the new action"


def test_objects_have_honest_names():
    robot, skills = TinyRobot(), TinySkills()
    options, objects = split(
        {"robot": robot, "skills": [skills, "classical", TinySkills], "planner": "rule", "seed": 3}
    )
    assert options == {
        "robot": "object:homie_tiny.TinyRobot",
        "skills": "object:homie_tiny.TinySkills,classical,homie_tiny:TinySkills",
        "planner": "rule",
        "seed": 3,
    }
    assert objects == {
        ("robot", "object:homie_tiny.TinyRobot"): robot,
        ("skills", "object:homie_tiny.TinySkills"): skills,
    }


def test_settings_of_an_object_are_refused():
    options, objects = split({"planner": load_planner("rule")})
    with pytest.raises(BadInput, match="give its settings to its constructor"):
        load_planner(options["planner"], {"budget": 3}, objects)


def _package(folder: Path, name: str, *lines: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(lines))


def test_entry_points_that_hide_each_other_are_reported(tmp_path, monkeypatch):
    _package(tmp_path, "first", "[homie.planners]", "rule = elsewhere:Rule", "odd = homie_tiny:Odd")
    _package(tmp_path, "second", "[homie.planners]", "odd = homie_tiny:LinesPlanner")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UserWarning, match="hidden") as warned:
        targets = registry.targets("planners")
    sentences = sorted(str(warning.message) for warning in warned)
    assert len(sentences) == 2
    assert "'rule' of the package 'first' (elsewhere:Rule) is hidden by that of Homie" in sentences[1]
    assert "'odd'" in sentences[0] and "'first'" in sentences[0] and "'second'" in sentences[0]
    assert targets["rule"] == "planners.rule:RulePlanner"


def test_an_entry_point_to_nothing_is_one_sentence(tmp_path, monkeypatch):
    _package(tmp_path, "third", "[homie.planners]", "lost = homie_tiny:Nope")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match="'lost' is registered as homie_tiny:Nope, and that module has no 'Nope'"):
        load_planner("lost")


class Bare(TinyRobot):
    """Without postures."""

    def __init__(self):
        super().__init__()
        self.spec = replace(self.spec, rest={}, carry={}, ready=())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"robot": "franka:pick", "targets": "sensors"},
            "franka has no view left, back, right: use --targets background",
        ),
        (
            {**TINY, "robot": Bare(), "skills": "classical"},
            "needs the postures rest, carry and ready; the tiny declares none",
        ),
        (
            {"robot": "franka:pick", "skills": "steps"},
            "'steps' needs a base that drives and a head that turns; the franka has no base and no head: choose others",
        ),
    ],
)
def test_parts_that_do_not_fit_a_robot_are_refused_before_anything_is_written(tmp_path, options, message):
    with pytest.raises(BadInput, match=message):
        homie.run("go", out=tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()
