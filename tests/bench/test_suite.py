"""Suite files and the files of EMMOE-100: what they mean, and every refusal with file, task and field."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from homie.bench.suite.emmoe_files import expert_lines, parse_info, read_emmoe
from homie.bench.suite.protocol import Protocol
from homie.bench.suite.suite import Suite, find_suite, read_subtask, read_suite
from homie.kernel.errors import BadInput
from homie.kernel.types import Limits, Subtask, Visibility
from homie.kernel.world.conditions import PREDICATES

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "suites").glob("*.yaml"))
SUITE = """
format: 1
name: small
protocol: {rounds: 12}
tasks:
  - id: apple
    text: " put the apple on the table "
    attributes: [short-horizon, logical]
    split: train
    scene: {seed: 7, rooms: 3}
    keypaths: [["[Go to, apple]", [Pick, red apple]], [["Put", apple, table], "[End]"]]
    goal: {on: [apple, table]}
    expert: ["[Pick, apple]", "[Put, apple, table]"]
  - id: lamp-off
    text: turn the lamp off
    goal: {turned_off: lamp}
"""


@pytest.fixture
def write(tmp_path):
    def make(text: str, name: str = "suite.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


def test_a_suite_is_read(write):
    suite = read_suite(write(SUITE))
    apple, lamp = suite.tasks
    assert suite.protocol.rounds == 12 and suite.protocol.trials == 3
    assert apple.text == "put the apple on the table" and apple.scene.seed == 7
    assert apple.keypaths == (("[Go to, apple]", "[Pick, red apple]"), ("[Put, apple, table]", "[End]"))
    assert apple.expert_length == 3, "End counts, written or not"
    assert lamp.split == "test" and lamp.attributes == () and lamp.expert is None and lamp.expert_length == 0


@pytest.mark.parametrize("spec", ["loop.json", r"a\0b.json", "."])
def test_a_scene_spec_that_leads_nowhere(write, tmp_path, spec):
    (tmp_path / "loop.json").symlink_to("loop.json")
    task = f'{{id: a, text: go, goal: {{in: [apple, bowl]}}, scene: {{spec: "{spec}"}}}}'
    path = write(f"format: 1\nname: a\ntasks: [{task}]")
    with pytest.raises(BadInput, match=r"suite\.yaml: task 'a': scene\.spec: there is no file "):
        read_suite(path)


def test_a_varied_house_what_spoils_a_task_and_a_version(write):
    changed = SUITE.replace("{seed: 7, rooms: 3}", "{seed: 7, start: kitchen, opened: [fridge], added: [apple@sofa]}")
    changed = changed.replace("name: small", "name: small\nversion: 3").replace(
        "goal: {on", "never: [[[Put, apple, sofa]]]\n    goal: {on"
    )
    suite = read_suite(write(changed))
    scene = suite.tasks[0].scene
    assert scene.settings == {"start": "kitchen", "opened": ["fridge"], "added": ["apple@sofa"]}
    assert suite.tasks[0].never == (("[Put, apple, sofa]",),)
    assert suite.version == 3 and read_suite(write(SUITE)).version == 1
    with pytest.raises(BadInput, match=r"task 'apple': scene: the spec says .*: leave out start, opened, added\."):
        read_suite(write(changed.replace("seed: 7", "spec: a.json")))


def test_on_and_off_are_words_not_booleans(write):
    goal = read_suite(write(SUITE)).tasks[0].goal
    assert goal is not None and goal.model_dump(by_alias=True) == {"on": ("apple", "table")}
    named = read_suite(write(SUITE.replace("turned_off: lamp", "turned_off: off")))
    assert named.tasks[1].goal is not None and list(named.tasks[1].goal.words()) == ["off"]


def test_json_is_as_good_as_yaml(write):
    suite = read_suite(write(SUITE))
    text = suite.model_dump_json(by_alias=True, exclude_none=True)
    assert read_suite(write(text, "suite.json")) == suite == Suite.model_validate_json(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format: 1", "format: 2", "suite.yaml: format must be 1"),
        ("name: small", "names: small", "suite.yaml: name is missing"),
        (
            "id: apple",
            "id: Apple 1",
            "task 'Apple 1': id must be words of lower case letters and digits with - between them, such as",
        ),
        (
            "name: small",
            "name: My suite",
            "suite.yaml: name must be words of lower case letters and digits with - betw",
        ),
        ("keypaths:", "keypath:", r"task 'apple': keypath is not known here \(did you mean 'keypaths'\?\)\."),
        (
            "{on: [apple, table]}",
            "{inn: [apple, bowl]}",
            r"task 'apple': goal has no predicate 'inn': did you mean 'in'\?$",
        ),
        ("{on: [apple, table]}", "{on: [5, table]}", r"task 'apple': goal\.on\.0 must be text \(got 5\)\."),
        ("{on: [apple, table]}", "{near: []}", r"task 'apple': goal\.near needs at least 1 of them"),
        ("{on: [apple, table]}", "{done: no}", r"task 'apple': goal\.done must be true \(got 'no'\)\."),
        ("id: lamp-off", "id: apple", "two tasks have the id 'apple'"),
        ("id: lamp-off\n", "identity: lamp-off\n", "task number 2: identity is not known here"),
        ("logical", "short-horizon", "task 'apple': an attribute is given twice"),
        ("{seed: 7, rooms: 3}", "{sha256: ab}", "task 'apple': scene: sha256 is that of a spec, and there is none"),
        ("logical", "logcal", "task 'apple': attributes.1 must be 'short-horizon'"),
        ("split: train", "split: dev", "task 'apple': split must be 'train', 'validation' or 'test'"),
        ("rooms: 3", "spec: a.json", "task 'apple': scene: the spec says which scene it is: leave out seed"),
        ("{seed: 7, rooms: 3}", "{spec: none.json}", "task 'apple': scene.spec: there is no file"),
        ('"[Go to, apple]"', "Go to apple", r"task 'apple': keypaths.0.0: a subtask is written"),
        ("[Pick, red apple]", "[]", r"task 'apple': keypaths.0.1: a subtask is written"),
        ("{on: [apple, table]}", "{beside: [apple, table]}", "task 'apple': goal: a goal is one predicate of"),
        (
            "{on: [apple, table]}",
            "{onto: [apple, table]}",
            r"task 'apple': goal has no predicate 'onto': did you mean 'on'",
        ),
        ("{turned_off: lamp}", "null", "task 'lamp-off': give a goal, keypaths, or both"),
        ("text: turn the lamp off", "text: '  '", "task 'lamp-off': text must not be empty"),
        ("text: turn", "texts: turn", "task 'lamp-off': text"),
        ("tasks:", "tasks: []\nmore:", r"suite\.yaml: more is not known here"),
        ("format: 1", "format: 1\n  x: [", "it is not valid YAML: "),
    ],
)
def test_refusals_name_file_task_and_field(write, old, new, message):
    assert old in SUITE
    with pytest.raises(BadInput, match=message) as excinfo:
        read_suite(write(SUITE.replace(old, new)))
    assert "suite.yaml" in str(excinfo.value) and "\n" not in str(excinfo.value)


def test_a_suite_without_tasks_is_refused(write):
    with pytest.raises(BadInput, match=r"suite\.yaml: tasks needs at least 1 of them"):
        read_suite(write("{format: 1, name: small, tasks: []}"))


@pytest.mark.parametrize("text", ["[1, 2]", "42", ""])
def test_what_is_no_mapping_is_refused(write, text):
    with pytest.raises(BadInput, match="must hold a mapping"):
        read_suite(write(text))


def test_a_scene_spec_is_found_next_to_the_suite_and_known_by_its_content(write, tmp_path):
    spec = tmp_path / "home.json"
    spec.write_text("{}")
    text = SUITE.replace("{seed: 7, rooms: 3}", "{spec: home.json}")
    scene = read_suite(write(text)).tasks[0].scene
    assert scene.spec == spec and len(scene.sha256) == 64
    pinned = text.replace("home.json", f"home.json, sha256: {scene.sha256}")
    assert read_suite(write(pinned)).tasks[0].scene == scene
    spec.write_text("{ }")
    assert read_suite(write(text)).tasks[0].scene.sha256 != scene.sha256
    with pytest.raises(BadInput, match="is another file"):
        read_suite(write(pinned))


def test_tasks_are_chosen_by_pattern_and_split(write):
    suite = read_suite(write(SUITE))
    assert [task.id for task in suite.select("lamp-*, apple")] == ["apple", "lamp-off"]
    assert [task.id for task in suite.select(split="test")] == ["lamp-off"]
    with pytest.raises(BadInput, match="has no task 'aple': did you mean 'apple'"):
        suite.select("aple")
    with pytest.raises(BadInput, match="no task of the split 'test'"):
        suite.select("apple", "test")


def test_a_suite_that_is_not_there(tmp_path):
    with pytest.raises(BadInput, match=r"Cannot read the suite .*No such file"):
        find_suite(str(tmp_path / "none.yaml"))
    with pytest.raises(BadInput, match="There is no suite 'none': give a file"):
        find_suite("none")


@pytest.mark.parametrize("text", ["Pick, apple", "[Pick apple", "[]", "[Pick, ]", "[a, b, c, d]"])
def test_what_is_no_subtask(text):
    with pytest.raises(ValueError, match="a subtask is written"):
        read_subtask(text)


def test_subtasks():
    assert read_subtask(" [Put, red apple ,table] ") == Subtask("Put", "red apple", "table")
    assert read_subtask("[End]") == Subtask("End")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_suites(path):
    suite = find_suite(str(path))
    # Tasks of arms are judged by their worlds; on the table, in steps of numbers, `table-expert` shows the way.
    houses = not suite.robot
    assert all(task.goal and bool(task.keypaths) == houses for task in suite.tasks)
    assert all(bool(task.expert) == (suite.robot != "franka") for task in suite.tasks)
    for task in suite.tasks:
        for keypath in task.keypaths:
            assert keypath[-1] == "[End]"


# ------------------------------------------------------------------ EMMOE-100

INFO = """Task: put the
cup away

Subtask1: [Go to, blue_shelf] (NoMaD)
Analysis: There is a
shelf. Subtask done soon
Feedback: None
Inventory: None

Subtask2: [Put, cup, blue_shelf] (octo)
Analysis: now
Feedback: Unable to put, the hand is empty
Inventory: None
Subtask3: [End]
"""


@pytest.fixture
def emmoe(tmp_path) -> Path:
    for split, number in (("train", "2"), ("train", "11"), ("test", "91")):
        folder = tmp_path / "EMMOE-100" / "data" / split / number
        folder.mkdir(parents=True)
        (folder / "info.txt").write_text(INFO)
        (folder / "keypath.json").write_text(
            json.dumps([["[Pick, cup]", "[Put, cup, blue_shelf]", "[End]"], ["[End]"]])
        )
    return tmp_path / "EMMOE-100"


def test_the_files_of_emmoe_are_read(emmoe):
    tasks = read_emmoe(emmoe)
    assert [(task.name, task.split) for task in tasks] == [("2", "train"), ("11", "train"), ("91", "test")]
    task = tasks[0]
    assert task.text == "put the cup away" and task.keypaths[1] == ("[End]",)
    first, second, last = task.expert
    assert (first.subtask, first.model) == (Subtask("Go to", "blue_shelf"), "NoMaD")
    assert first.analysis == "There is a shelf. Subtask done soon"
    assert second.subtask == Subtask("Put", "cup", "blue_shelf") and second.feedback.startswith("Unable to put")
    assert last.subtask == Subtask("End") and last.model == "" and last.inventory == "None"


def test_the_official_length_counts_lines_with_the_word(emmoe):
    assert expert_lines(INFO) == 4, "the analysis says Subtask too, and the notebooks count it"
    assert read_emmoe(emmoe)[0].expert_lines == 4


def test_a_folder_of_emmoe_is_a_suite(emmoe):
    suite = find_suite(str(emmoe))
    assert suite.name == "emmoe-100" and [task.id for task in suite.tasks] == ["emmoe-2", "emmoe-11", "emmoe-91"]
    assert [task.split for task in suite.tasks] == ["train", "train", "test"]
    assert suite.tasks[0].expert == ("[Go to, blue_shelf]", "[Put, cup, blue_shelf]", "[End]")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("keypath.json", "{", "keypath.json is not a list of key paths"),
        ("keypath.json", '["[End]"]', "keypath.json is not a list of key paths"),
        ("info.txt", "Subtask1: [End]", "has no line `Task"),
        ("info.txt", "Task: x\nSubtask1: [a, b, c, d]", "subtask 1 has 4 parts"),
    ],
)
def test_broken_files_of_emmoe_are_named(emmoe, name, text, message):
    (emmoe / "data" / "train" / "2" / name).write_text(text)
    with pytest.raises(BadInput, match=message):
        find_suite(str(emmoe))


def test_a_task_without_info_is_named(emmoe):
    (emmoe / "data" / "train" / "2" / "info.txt").unlink()
    with pytest.raises(BadInput, match=r"Cannot read .*info.txt"):
        read_emmoe(emmoe)


DEMONSTRATION = """Task: see whether the kitchen drawer is empty, and if it is
leave a spoon there

Subtask1: [Go to, kitchen_drawer] (NoMaD)
Analysis: the drawer
comes first
Feedback: None
Inventory: None

Subtask2: [Pick, tea_spoon] (RT-1-X)
Analysis: nothing is in it
Feedback: None
Inventory: tea_spoon

Subtask3: [Put, tea_spoon, kitchen_drawer] (octo)
Analysis: so the spoon goes there
Feedback: None
Inventory: None

Subtask4: [End]
Analysis: all is done
Feedback: None
Inventory: None
"""
"""In the form of the demonstration that the paper prints (task 84): lines wrapped anywhere, blank lines between."""


def test_a_demonstration_as_the_paper_prints_it():
    text, steps = parse_info(DEMONSTRATION)
    assert text == "see whether the kitchen drawer is empty, and if it is leave a spoon there"
    assert [step.number for step in steps] == [1, 2, 3, 4]
    assert [step.model for step in steps] == ["NoMaD", "RT-1-X", "octo", ""]
    assert [step.inventory for step in steps] == ["None", "tea_spoon", "None", "None"]
    assert steps[0].analysis == "the drawer comes first"
    assert [step.subtask for step in steps[1:]] == [
        Subtask("Pick", "tea_spoon"),
        Subtask("Put", "tea_spoon", "kitchen_drawer"),
        Subtask("End"),
    ]


# ------------------------------------------------------------------ the manual

MANUAL = (ROOT / "docs" / "suites.md").read_text(encoding="utf-8")


def test_the_suite_of_the_manual_is_one(write):
    (text,) = re.findall(r"```yaml\n(.*?)```", MANUAL, re.DOTALL)
    (task,) = read_suite(write(text)).tasks
    assert task.expert_length == 8


def test_the_predicates_of_the_manual_are_all_there_are():
    section = MANUAL.split("\n## Goals\n")[1].split("\n## ")[0]
    named = [
        name for line in re.findall(r"^- (.*?`): ", section, re.MULTILINE) for name in re.findall(r"`(\w+): ", line)
    ]
    assert set(named) == set(PREDICATES)


def test_the_python_of_the_manual_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", MANUAL, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == "['fruit-in-fridge-yes', 'fruit-in-fridge-no']\nTrue\n"


def test_a_protocol_without_a_policy_is_written_as_before_and_one_with_a_policy_is_read_again():
    assert Protocol().model_dump(mode="json") == {"rounds": 20, "trials": 3}
    protocol = Protocol(feedback="booleans", history="words", history_length=5, steps=30, failures=10)
    assert Protocol.model_validate(protocol.model_dump(mode="json")) == protocol
    assert protocol.rules().visibility == Visibility("booleans", "words", 5)
    assert protocol.rules().limits == Limits(steps=30, failures=10)
