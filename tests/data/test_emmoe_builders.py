"""SFT and DPO as EMMOE builds them: its demonstration, its printed samples and its counts (section 5.1, appendix F)."""

from __future__ import annotations

import json
from pathlib import Path

from episodes import DONE, PICK, TEXT, episode

from homie.data.examples.data_json import read_data_file
from homie.data.examples.forms import OfficialForm
from homie.data.options import TrainingOptions
from homie.data.training_examples import Words, make_dataset
from homie.kernel.types import SUCCESS, ErrorCode, Feedback, Subtask

KEYPATH = [["[Open, kitchen_drawer]", "[Put, short_can, kitchen_drawer]", "[End]"]]
DEMONSTRATION = (
    ("Go to, blue_sofa", "PixNav", "None"),
    ("Go to, living_room", "NoMaD", "None"),
    ("Go to, kitchen_drawer", "NoMaD", "None"),
    ("Open, kitchen_drawer", "octo", "None"),
    ("Go to, kitchen_counter", "NoMaD", "None"),
    ("Pick, short_can", "RT-1-X", "short_can"),
    ("Go to, kitchen_drawer", "NoMaD", "short_can"),
    ("Put, short_can, kitchen_drawer", "RT-1-X", "None"),
    ("Close, kitchen_drawer", "octo", "None"),
    ("End", "", "None"),
)
"""The demonstration of appendix B.3: subtask, model, inventory after it. All ten succeed."""
SOFA = "(1)[Go to, blue_sofa] (PixNav) (success)\n(2)[Pick, cracker_box] (RT-1-X) (success)\n"
NOW = "Now, please output Analysis, Subtask and Model, according to the instruction above."


def write_task(folder: Path, task: str, steps: tuple[tuple[str, str, str], ...], feedback: dict[int, str]) -> None:
    """A task folder as EMMOE publishes it."""
    folder.mkdir(parents=True)
    blocks = [
        f"Subtask{number}: [{subtask}]{f' ({model})' if model else ''}\nAnalysis: because of {number}\n"
        f"Feedback: {feedback.get(number, 'None')}\nInventory: {inventory}"
        for number, (subtask, model, inventory) in enumerate(steps, 1)
    ]
    (folder / "info.txt").write_text("\n\n".join([f"Task: {task}", *blocks]))
    (folder / "keypath.json").write_text(json.dumps(KEYPATH))


def convert_dataset(tmp_path: Path, purpose: str) -> list[dict[str, object]]:
    out = tmp_path / purpose
    make_dataset(TrainingOptions.build(sources=[tmp_path / "emmoe"], out=out, form="emmoe"), purpose)
    lines: list[dict[str, object]] = json.loads((out / "train.json").read_text())
    return lines


def test_the_demonstration_gives_ten_conversations_and_twenty_seven_pairs(tmp_path):
    task = "check if there are anything in the kitchen drawer, if it's empty put a short can into it"
    write_task(tmp_path / "emmoe/data/train/84", task, DEMONSTRATION, {})
    lines = convert_dataset(tmp_path, "sft")
    assert [line["id"] for line in lines] == [f"emmoe_data_train_84_subtask{n}" for n in range(1, 11)]
    first, last = lines[0]["conversations"], lines[-1]["conversations"]
    assert first == [
        {
            "from": "human",
            "value": f"Task: {task}\nInventory: None\nHistorical Execution: None\nFeedback: None\n{NOW}",
        },
        {"from": "gpt", "value": "Analysis: because of 1\nSubtask: [Go to, blue_sofa]\nModel: PixNav"},
    ]
    assert last[1]["value"] == "Analysis: because of 10\nSubtask: [End]\nModel: None"
    assert last[0]["value"].count("(success)\n") == 9
    assert "\nInventory: short_can\nHistorical Execution:(1)[Go to" in lines[6]["conversations"][0]["value"]
    pairs = convert_dataset(tmp_path, "dpo")
    counts = read_data_file(tmp_path / "dpo").splits["train"].counts
    assert counts == {"action": 9, "model": 9, "order": 9} and len(pairs) == 27
    assert pairs[0] == {
        "prompt": first[0]["value"],
        "chosen": "Subtask: [Go to, blue_sofa]\nModel: PixNav",
        "rejected": "Subtask: [Go to, living_room]\nModel: NoMaD",
    }
    assert [pair["rejected"] for pair in pairs[1:3]] == [
        "Subtask: [Move, blue_sofa]\nModel: PixNav",
        "Subtask: [Go to, blue_sofa]\nModel: NoMaD",
    ]
    assert pairs[-3]["rejected"] == "Subtask: [End]\nModel: None"
    assert pairs[-2]["rejected"] == "Subtask: [Push, kitchen_drawer]\nModel: octo"
    assert pairs[-1]["rejected"] == "Subtask: [Close, kitchen_drawer]\nModel: RT-1-X"


def test_a_printed_sample_word_for_word(tmp_path):
    """Sample 21_info_subtask14 of appendix F.1, shortened to its first two subtasks."""
    steps = (("Go to, blue_sofa", "PixNav", "None"), ("Pick, cracker_box", "RT-1-X", "None"), ("End", "", "None"))
    write_task(tmp_path / "emmoe/data/train/21", "clean up the blue sofa", steps, {})
    prompt = convert_dataset(tmp_path, "sft")[-1]["conversations"][0]["value"]
    assert prompt == (
        f"Task: clean up the blue sofa\nInventory: None\nHistorical Execution:{SOFA}\nFeedback: None\n{NOW}"
    )


def test_failures_are_no_conversations_and_make_replan_pairs(tmp_path):
    steps = (
        ("Pick, red_can", "RT-1-X", "None"),
        ("Go to, red_can", "PixNav", "None"),
        ("Open, fridge", "octo", "None"),
        ("End", "", "None"),
    )
    far, hand = "Unable to pick, the target is far away", "Unable to open, the hand is full"
    write_task(tmp_path / "emmoe/data/train/1", "find the red can", steps, {1: far, 3: hand})
    lines = convert_dataset(tmp_path, "sft")
    assert [line["id"].rpartition("_")[2] for line in lines] == ["subtask2", "subtask4"]
    prompt = lines[0]["conversations"][0]["value"]
    assert f"Historical Execution:(1)[Pick, red_can] (RT-1-X) (fail)\n\nFeedback: {far}\n" in prompt
    pairs = convert_dataset(tmp_path, "dpo")
    assert pairs[0]["chosen"] == "Subtask: [Go to, red_can]\nModel: PixNav"
    assert pairs[0]["rejected"] == "Subtask: [Pick, red_can]\nModel: RT-1-X"
    assert pairs[0]["prompt"].endswith(f"Historical Execution: None\nFeedback: None\n{NOW}")
    assert not any("[End]" in pair["chosen"] for pair in pairs), "End after a failure is no better either"


def test_the_rules_give_the_counts_of_the_paper():
    """966 subtasks, 930 of them good: 3,720 conversations and 10,104 pairs, if each text has three further versions.

    The paper does not say how many subtasks each task has; the sums do not depend on it: 100 of the 930 are End, and
    each of the 36 failures is followed by a success.
    """
    failed = Feedback("fail", ErrorCode.D1, "Unable to pick, the target is far away")
    words = Words(OfficialForm(), explain=False, versions=3, rewrite=lambda text, names: [f"{text} {n}" for n in "abc"])
    conversations = pairs = subtasks = 0
    for number in range(100):
        steps = [(Subtask("Go to", f"place_{n}"), SUCCESS) for n in range(9 if number < 30 else 8)]
        bad = [(PICK, failed)] if number < 36 else []
        sample = episode([*bad, *steps, DONE[-1]], name=f"emmoe/{number}", text=TEXT)
        subtasks += len(sample.steps)
        conversations += sum(1 for _ in words.lines("sft", sample))
        pairs += sum(1 for _ in words.lines("dpo", sample))
    assert (subtasks, conversations, pairs) == (966, 3720, 10104)
