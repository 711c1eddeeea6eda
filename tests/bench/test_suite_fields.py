"""What the fields of a suite may be, what they are where nothing is said, and what a suite refuses."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from homie.bench.suite.emmoe_files import ExpertStep, is_emmoe, parse_info, read_emmoe
from homie.bench.suite.suite import ATTRIBUTES, Attribute, Suite, Task, find_suite, read_suite
from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask


def content(**task: object) -> dict[str, Any]:
    fields = {"id": "a", "text": "take the apple", "keypaths": [["[Pick, apple]"]], **task}
    return {"format": 1, "name": "small", "tasks": [fields]}


def test_what_is_usual() -> None:
    suite = Suite.model_validate(content())
    (task,) = suite.tasks
    assert (suite.version, suite.description, suite.robot, suite.names) == (1, "", "", {})
    assert (suite.protocol.rounds, suite.protocol.trials) == (20, 3)
    assert (task.attributes, task.split, task.never, task.goal, task.expert) == ((), "test", (), None, None)
    scene = task.scene
    assert (scene.spec, scene.sha256, scene.seed, scene.settings) == (None, "", 0, {})
    with pytest.raises(ValidationError, match="frozen"):
        task.id = "b"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        (("protocol", "rounds"), (1, 1000), (0, 1001)),
        (("protocol", "trials"), (1, 1000), (0, 1001)),
        (("version",), (1, 2, 10**6), (0,)),
        (("format",), (1,), (0, 2)),
        (("name",), ("a", "a-1", "x" * 48), ("x" * 49, "A", "a-", "-a", "")),
        (("tasks", 0, "id"), ("a", "0-b", "x" * 48), ("x" * 49, "a b")),
        (("tasks", 0, "text"), ("x",), ("", "  ")),
        (("tasks", 0, "scene", "seed"), (0, 2**31 - 1), (-1, 2**31)),
        (("tasks", 0, "scene", "whatever"), (2, "word", ["a"], None), ()),
        (("tasks", 0, "split"), ("train", "test"), ("dev",)),
        (("tasks", 0, "expert"), (["[End]"], None), ([],)),
        (("tasks", 0, "keypaths"), ([["[End]"]],), ([], [[]])),
        (("tasks", 0, "never"), ([], [["[End]"]]), ([[]],)),
        (("tasks", 0, "attributes"), ([], list(ATTRIBUTES)), (["logical", "logical"], ["hard"])),
        (("more",), (), (1,)),
        (("tasks", 0, "more"), (), (1,)),
    ],
)
def test_bounds(field: tuple[str | int, ...], good: tuple[object, ...], bad: tuple[object, ...]) -> None:
    for value in good:
        read: Any = Suite.model_validate(_with(field, value)).model_dump(mode="json")
        for part in field:
            read = read[part]
        assert read == value
    for value in bad:
        with pytest.raises(ValidationError):
            Suite.model_validate(_with(field, value))


def _with(field: tuple[str | int, ...], value: object) -> dict[str, Any]:
    document = content(scene={})
    place: Any = {**document, "protocol": {}}
    document = place
    for part in field[:-1]:
        place = place[part]
    place[field[-1]] = value
    return document


def test_the_first_attributes_are_those_of_emmoe() -> None:
    assert get_args(Attribute) == ATTRIBUTES
    assert ATTRIBUTES[:5] == ("short-horizon", "long-horizon", "open-ended", "logical", "human-style")


def test_a_hash_is_of_a_file() -> None:
    with pytest.raises(ValidationError, match="sha256 is that of a spec, and there is none"):
        Suite.model_validate(content(scene={"sha256": "x"}))


def test_ways_to_choose_a_scene() -> None:
    for scene in ({"family": "stack", "seed": 3}, {"spec": "a.json", "sha256": "x"}, {"spec": "a.json"}):
        assert (
            Suite.model_validate(content(scene=scene)).tasks[0].scene.model_dump(mode="json").items() >= scene.items()
        )


@pytest.mark.parametrize(
    ("expert", "length"), [(None, 0), (["[End]"], 1), (["[Pick, apple]"], 2), (["[Pick, apple]", "[End]"], 2)]
)
def test_the_length_of_an_expert_has_its_end(expert: list[str] | None, length: int) -> None:
    assert Suite.model_validate(content(expert=expert)).tasks[0].expert_length == length


@pytest.mark.parametrize("value", [1, ["Pick", 2], None, {}])
def test_what_is_no_text_is_no_subtask(value: object) -> None:
    with pytest.raises(ValidationError, match="valid string"):
        Suite.model_validate(content(keypaths=[[value]]))


def test_tasks_are_chosen() -> None:
    fields = content()
    fields["tasks"] = [{**fields["tasks"][0], "id": name, "split": split} for name, split in
                     (("apple-1", "train"), ("apple-2", "test"), ("pear", "test"))]  # fmt: skip
    suite = Suite.model_validate(fields)
    assert list(suite.by_id) == ["apple-1", "apple-2", "pear"] and suite.by_id["pear"].id == "pear"

    def chosen(*selection: str | None) -> list[str]:
        return [task.id for task in suite.select(*selection)]

    assert chosen() == chosen("") == chosen("*") == ["apple-1", "apple-2", "pear"]
    assert chosen("pear, apple-*,") == ["apple-1", "apple-2", "pear"]
    assert chosen("apple-?", "test") == ["apple-2"] and chosen(None, "train") == ["apple-1"]
    with pytest.raises(
        BadInput, match=r"^The suite 'small' has no task 'plum\*': `homie list tasks SUITE` lists its ids\.$"
    ):
        suite.select("apple-1,plum*")
    with pytest.raises(BadInput, match=r"^The suite 'small' has no task of the split 'train' among those\.$"):
        suite.select("pear", "train")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks: [{text: x, goal: {held: x}}]", "task number 1: id is missing"),
        ("tasks: [{id: a, text: x, goal: {held: x}}, 7]", "task number 2: "),
        ("tasks: {id: a}", "tasks must be a list"),
        ("names: {0: x}\ntasks: [{id: a, text: x, goal: {held: x}}]", "suite.yaml: names.0"),
        ("tasks: [{id: a, text: x, goal: {held: x}, keypaths: [['[Pick, x]'], ['[End]']]}]", "of [End] alone"),
    ],
)
def test_a_task_is_named_by_its_id_or_its_number(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(f"format: 1\nname: small\n{text}\n")
    with pytest.raises(BadInput) as excinfo:
        read_suite(path)
    assert str(excinfo.value).startswith(f"{path}: ") and message in str(excinfo.value)


def test_a_task_may_end_at_once_where_it_has_other_ways(tmp_path: Path) -> None:
    path = tmp_path / "suite.yml"
    path.write_text("format: 1\nname: small\ntasks: [{id: a, text: x, keypaths: [['[Pick, x]', '[End]']]}]\n")
    assert find_suite(str(path)).tasks[0].keypaths == (("[Pick, x]", "[End]"),)


def test_a_spec_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "home.json").write_text("{}")
    path = tmp_path / "suite.yaml"
    path.write_text("format: 1\nname: small\ntasks: [{id: a, text: x, goal: {held: x}, scene: {spec: home.json}}]\n")
    (task,) = read_suite(path).tasks
    assert task.scene.sha256 == hashlib.sha256(b"{}").hexdigest() and task.scene.spec == tmp_path / "home.json"


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json"])
def test_a_name_with_the_ending_of_a_file_is_a_file(suffix: str) -> None:
    with pytest.raises(BadInput, match=f"^Cannot read the suite nowhere{suffix}: No such file"):
        find_suite(f"nowhere{suffix}")


def test_no_such_suite() -> None:
    with pytest.raises(BadInput, match=r"^There is no suite 'homie-99': did you mean 'homie-100'\?$"):
        find_suite("homie-99")
    with pytest.raises(BadInput, match=r"^There is no suite 'zzz': give a file, or one of: .*homie-100.*\.$"):
        find_suite("zzz")
    assert len(find_suite("homie-100").tasks) == 100


def test_words_of_yaml(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text("format: 1\nname: small\nnames: {on: off, yes: no}\ntasks: [{id: a, text: x, goal: {held: x}}]\n")
    assert read_suite(path).names == {"on": "off", "yes": "no"}
    path.write_text(path.read_text().replace("off", "true"))
    with pytest.raises(BadInput, match=r"names\.on must be text"):
        read_suite(path)


# ---------------------------------------------------------------- the files of EMMOE


def test_what_an_info_file_says() -> None:
    text, (first, second) = parse_info(
        "Task : a\n b\n\nSubtask 12 : [Pick, x] \nhello\nSubtask2: [Go to, y] (m)\nFeedback: f\n  g"
    )
    assert text == "a b"
    assert first == ExpertStep(12, Subtask("Pick", "x"), "", "", "None", "None")
    assert second == ExpertStep(2, Subtask("Go to", "y"), "m", "", "f g", "None")
    assert ExpertStep(1, Subtask("End")) == ExpertStep(1, Subtask("End"), "", "", "None", "None")
    with pytest.raises(BadInput, match=r"^info\.txt: subtask 3 has 4 parts, not one to three\.$"):
        parse_info("Task: x\nSubtask3: [a, b, c, d]")
    with pytest.raises(BadInput, match=r"^info\.txt has no line `Task: \.\.\.`\.$"):
        parse_info("Subtask1: [End]")


def test_folders_of_emmoe(tmp_path: Path) -> None:
    assert not is_emmoe(tmp_path) and not is_emmoe(tmp_path / "nowhere")
    for place in ("train/10", "train/9", "b", "a", "test/x/7"):
        folder = tmp_path / "EMMOE 100" / place
        folder.mkdir(parents=True)
        (folder / "info.txt").write_text("Task: x\n")
        (folder / "keypath.json").write_text('[["[Pick, x]"]]')
    root = tmp_path / "EMMOE 100"
    assert is_emmoe(root) and not is_emmoe(root / "a" / "keypath.json")
    assert [(task.name, task.split) for task in read_emmoe(root)] == [
        *(("7", "test"), ("9", "train"), ("10", "train"), ("a", ""), ("b", "")),
    ]
    suite = read_suite(root)
    assert (suite.name, suite.description, suite.format) == ("emmoe-100", "Read from the files of EMMOE-100.", 1)
    assert [(task.id, task.split, task.expert) for task in suite.tasks][1:4] == [
        *(("emmoe-9", "train", None), ("emmoe-10", "train", None), ("emmoe-a", "test", None)),
    ]
    assert isinstance(suite.tasks[0], Task) and suite.tasks[0].text == "x"
    (root / "a" / "keypath.json").write_text('[["[Pick, x]", 1]]')
    with pytest.raises(
        BadInput, match=r"a.keypath\.json is not a list of key paths, each a list of texts such as \[Pick"
    ):
        read_emmoe(root)
    (root / "a" / "info.txt").write_text("nothing")
    with pytest.raises(BadInput, match=r"^/.*EMMOE 100/a/info\.txt has no line `Task"):
        read_emmoe(root)
    (root / "a" / "info.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BadInput, match=r"^Cannot read .*info\.txt: it is not text in UTF-8\.$"):
        read_emmoe(root)
