"""The scripted planner and the text of subtasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_world import stage

from homie.kernel.errors import BadInput
from homie.kernel.types import Decision, Subtask
from homie.runtime.runstore import read_episode, read_steps
from homie.runtime.session import run
from planners.parse_subtask import parse_subtask
from planners.scripted import ScriptedPlanner, read_script

FULL = """
- "[Go to, apple]"
- Pick, apple
- [Go to, blue table]
- analysis: I hold the apple.
  subtask: [Put, apple, blue table]
  model: text
- analysis: Two at once.
  subtasks: ["[Go to, fridge]", [Open, fridge]]
"""


def write_script(folder: Path, text: str, name: str = "plan.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_way_of_writing(tmp_path: Path) -> None:
    assert read_script(write_script(tmp_path, FULL)) == (
        Decision((Subtask("Go to", "apple"),)),
        Decision((Subtask("Pick", "apple"),)),
        Decision((Subtask("Go to", "blue table"),)),
        Decision((Subtask("Put", "apple", "blue table"),), "I hold the apple.", "text"),
        Decision((Subtask("Go to", "fridge"), Subtask("Open", "fridge")), "Two at once."),
    )


def test_json_too(tmp_path: Path) -> None:
    path = write_script(tmp_path, '["[Pick, apple]", {"subtask": ["End"], "model": "M3"}]', "plan.json")
    assert read_script(path) == (Decision((Subtask("Pick", "apple"),)), Decision((Subtask("End"),), "", "M3"))


def test_it_plays_the_script_then_ends_and_starts_again(tmp_path: Path) -> None:
    planner = ScriptedPlanner(str(write_script(tmp_path, FULL)))
    for _ in range(2):
        scene = stage()
        result = scene.play("whatever", planner)
        assert (result.ended_by, result.rounds) == ("ended", 6)
        assert scene.world.things["apple_1"].place == "kitchen_counter_1"  # the nearer apple was taken
        assert scene.world.things["apple_2"].place == "table_2"
        assert scene.world.furniture["fridge_1"].closed is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be a list of decisions"),
        ("[]", "must be a list of decisions"),
        ("subtask: [Pick, apple]", "must be a list of decisions"),
        ("- [Pick", "it is not valid YAML: "),
        (
            "- Pick, apple\n- {subtask: '[End]', when: 1}",
            r"Entry 2 of .*: unknown key 'when': its keys are analysis, subtask,",
        ),
        ("- {subtsk: '[End]'}", r"Entry 1 of .*: unknown key 'subtsk': did you mean 'subtask'\?"),
        ("- {analysis: x}", "Entry 1 of .*: it needs either 'subtask' or 'subtasks'"),
        ("- {subtask: a, subtasks: [b]}", "Entry 1 of .*: it needs either"),
        ("- {subtasks: []}", "Entry 1 of .*: 'subtasks' is not understood"),
        ("- 5", "Entry 1 of .*: 'subtask' is not understood"),
        ("- null", "Entry 1 of .*: it needs either"),
        ("- [Put, apple, table, now]", "Entry 1 of .*: 'Put, apple, table, now' is no subtask"),  # codespell:ignore
        ("- '[Pick, apple'", "only one of its two brackets"),
        ("- {subtask: [Put, 3]}", "Entry 1 of"),
        ("- Pick, ", "is no subtask"),  # codespell:ignore
        ("- {subtask: '[Pick, apple]', answer: 'no'}", "Entry 1 of .*: 'report' and 'answer' belong to End"),
        ("- {subtask: '[End]', report: done}", "Entry 1 of .*: 'report' is not understood"),
    ],
)
def test_bad_scripts_name_the_entry(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        read_script(write_script(tmp_path, text))
    assert "\n" not in str(raised.value)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="needs a file"):
        ScriptedPlanner()
    with pytest.raises(BadInput, match=r"Cannot read the script .*nowhere\.yaml: No such file"):
        ScriptedPlanner(str(tmp_path / "nowhere.yaml"))
    with pytest.raises(BadInput, match="is not an episode of a run: it has no steps"):
        ScriptedPlanner(str(tmp_path))
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(BadInput, match="it is not text in UTF-8"):
        ScriptedPlanner(str(binary))
    with pytest.raises(BadInput, match=r"^Cannot read the script /dev/zero: it is too large \(more than 16 MiB\)"):
        read_script(Path("/dev/zero"))


WORDS = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="[],"), min_size=1)


@given(st.lists(WORDS, min_size=1, max_size=3), st.booleans())
def test_subtasks_survive_being_written(parts: list[str], brackets: bool) -> None:
    subtask = Subtask(*parts)
    text = str(subtask)
    assert parse_subtask(text if brackets else text[1:-1]) == subtask


@given(st.text())
def test_text_is_a_subtask_or_bad_input(text: str) -> None:
    try:
        subtask = parse_subtask(text)
    except BadInput:
        return
    assert subtask.action


@given(st.text())
def test_any_file_is_a_script_or_bad_input(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = write_script(tmp_path_factory.getbasetemp(), text)
    message, decisions = "", ()
    try:
        decisions = read_script(path)
    except BadInput as error:
        message = str(error)
    assert bool(message) != bool(decisions)
    assert len(message.splitlines()) <= 1


def test_an_episode_is_a_script_again(tmp_path, tiny_options):
    steps = ["[Go to, ball]", "[Pick, ball]", "[Go to, box]", "[Put, ball, box]"]
    ending = "{subtask: '[End]', report: success, answer: two}"
    plan = write_script(
        tmp_path, "\n".join(f"- {entry}" for entry in [*(f"'{step}'" for step in steps), ending]), "first.yaml"
    )
    first = run(tiny_options(planner=f"scripted:{plan}"))
    again = run(tiny_options(planner=f"scripted:{first.episode_folder}", out=tmp_path / "again"))
    assert first.result == again.result
    ending = read_episode(first.episode_folder)
    assert ending is not None and (ending.report, ending.answer) == ("success", "two")
    assert read_steps(first.episode_folder)[-1].decision.answer == "two"
    assert (first.result.report, first.result.answer) == ("success", "two")
    (tmp_path / "other").mkdir()
    with pytest.raises(BadInput, match=r"other is not an episode of a run: it has no steps\.jsonl\."):
        ScriptedPlanner(str(tmp_path / "other"))
    (tmp_path / "other" / "steps.jsonl").write_text('{"round": 1}')
    with pytest.raises(BadInput, match=r"Line 1 of .* is not a round record"):
        ScriptedPlanner(str(tmp_path / "other"))
