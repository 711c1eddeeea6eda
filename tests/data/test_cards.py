"""Every data set says on a card what it is, in the front matter that the Hugging Face hub reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from episodes import REPLANNED, write_run
from test_recording import drive

from homie.data.emmoe_export import export_emmoe
from homie.data.options import EmmoeOptions, LeRobotOptions, TrainingOptions
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput


def front(folder: Path) -> dict[str, Any]:
    lines = (folder / "README.md").read_text().split("---\n")
    assert lines[0] == ""
    return yaml.safe_load(lines[1])


def rows(folder: Path) -> dict[str, str]:
    """The two-column table of a card."""
    cells = [line.strip("| ").split(" | ") for line in (folder / "README.md").read_text().splitlines()]
    return {cell[0]: cell[1] for cell in cells if len(cell) == 2}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("takes")
    assert drive(folder, ("begin push | pull", "forward 1", "end success", "begin wait", "forward 2", "end")) == []
    return folder


def lerobot(sources: list[Path], out: Path, **options: Any) -> Path:
    pytest.importorskip("pyarrow")
    from homie.data.lerobot_export import export_lerobot

    export_lerobot(LeRobotOptions.build(sources=sources, out=out, **options))
    return out


def test_of_a_lerobot_data_set(recordings, tmp_path):
    out = lerobot([recordings], tmp_path / "set", license="cc-by-4.0")
    assert front(out) == {
        "license": "cc-by-4.0",
        "task_categories": ["robotics"],
        "tags": ["LeRobot", "robotics", "homie"],
        "configs": [{"config_name": "default", "data_files": "data/*/*.parquet"}],
    }
    facts = rows(out)
    assert (facts["robot"], facts["where"], facts["episodes"], facts["tasks"]) == ("tiny", "simulation", "2", "2")
    assert facts["collected"] == "recorded with Homie, decisions by a person"
    assert facts["frames"] == "30, 10 a second (0.1 minutes)"
    assert facts["outcome"] == "1 done; 1 not known"
    text = (out / "README.md").read_text()
    assert "| `action` | float32 | 4 | lift.pos, gripper.pos, base.linear.vel, base.angular.vel |" in text
    assert "| `observation.images.front` | video | 64 x 64 x 3 |  |" in text
    assert "- push | pull\n- wait\n" in text


def test_a_licence_stays_and_a_page_of_ones_own_too(recordings, tmp_path):
    first, second = sorted(recordings.iterdir())
    out = lerobot([first], tmp_path / "set")
    assert front(out)["license"] == "unknown"
    lerobot([first], out, license="mit")
    lerobot([second], out, license="apache-2.0")
    assert (front(out)["license"], rows(out)["episodes"]) == ("apache-2.0", "2")
    again = lerobot([out], tmp_path / "again")
    assert (front(again)["license"], rows(again)["collected"], rows(again)["where"]) == (
        "unknown",
        "recorded with Homie, decisions by a person",
        "simulation",
    )
    (again / "README.md").write_text("# Mine\n")
    lerobot([out], again, license="mit")
    assert (again / "README.md").read_text() == "# Mine\n"


def test_of_data_sets_of_others_nobody_knows_how_they_were_collected(tmp_path):
    pytest.importorskip("pyarrow")
    from foreign import Foreign

    out = lerobot([Foreign().write(tmp_path / "theirs")], tmp_path / "set")
    assert rows(out)["collected"] == "taken from the LeRobot data set theirs"
    assert rows(out)["where"] == "not known whether simulated"


@pytest.mark.parametrize("purpose", ["sft", "dpo"])
def test_of_conversations_and_pairs(tmp_path, purpose):
    run = write_run(tmp_path / "run", ["a-0"])
    settings = {"sources": [run], "prompt_settings": {"images": False}, "keep": "all"}
    make_dataset(TrainingOptions.build(out=tmp_path / "set", license="mit", **settings), purpose)
    make_dataset(TrainingOptions.build(out=tmp_path / "other", **settings), purpose)
    assert (front(tmp_path / "set")["license"], front(tmp_path / "set")["task_categories"]) == ("mit", ["robotics"])
    assert front(tmp_path / "other")["license"] == "unknown"


@pytest.mark.parametrize(
    ("purpose", "title", "head", "row", "columns"),
    [
        (
            "sft",
            "Decisions of a household robot",
            "| split | episodes | tasks | houses | lines | End | Go to | Pick | Put |",
            "| train | 2 | 1 | 1 | 10 | 2 | 4 | 2 | 2 |",
            "`prompt` and `completion` (messages with parts), `images` (the pictures, in order)",
        ),
        (
            "dpo",
            "Preferences between decisions of a household robot",
            "| split | episodes | tasks | houses | lines | action | model | order | replan |",
            "| train | 2 | 1 | 1 | 26 | 8 | 8 | 8 | 2 |",
            "`prompt`, `chosen` and `rejected` (messages with parts), `images` (the pictures, in order)",
        ),
    ],
)
def test_what_a_card_says_of_conversations_and_pairs(tmp_path, purpose, title, head, row, columns):
    run, out = write_run(tmp_path / "run", ["a-0", "a-1"], REPLANNED), tmp_path / "set"
    data = make_dataset(TrainingOptions.build(sources=[run], out=out, prompt_settings={"images": False}), purpose)
    files = [{"split": "train", "path": "train/**"}]
    assert front(out) == {
        "pretty_name": title,
        "license": "unknown",
        "task_categories": ["robotics"],
        "tags": ["robotics", "homie", purpose],
        "configs": [{"config_name": "default", "data_files": files}],
    }
    text = (out / "README.md").read_text()
    rule = "|" + " --- |" * 9
    counted = {"sft": "action", "dpo": "kind of pair"}[purpose]
    assert f"\n# {title}\n\n{head}\n{rule}\n{row}\n\nThe last columns count lines by {counted}. SHA-256" in text
    assert f"`{data.sha256}`" in text
    assert "| source | what | planner | versions |\n| --- | --- | --- | --- |\n| run | run | rule |  |\n" in text
    assert f"Columns: {columns}. `datasets.load_dataset" in text
    assert " --adapter ADAPTER --template emmoe-json --set example_images=false --set images=false --set " in text
    assert "--set reasks" not in text and "made-up names" not in text and "language model" not in text
    assert "seed 0, episodes kept: done, split: suite. Steps without an analysis have one" in text


def test_what_a_card_says_of_files_in_the_form_of_emmoe(tmp_path):
    run, out = write_run(tmp_path / "run", ["a-0"]), tmp_path / "set"
    make_dataset(TrainingOptions.build(sources=[run], out=out, form="emmoe", explain=False), "sft")
    assert front(out)["configs"][0]["data_files"] == [{"split": "train", "path": "train.json"}]
    text = (out / "README.md").read_text()
    assert "\n## Use\n\nThe form is that of EMMOE's own data (paper, appendix F).\n" in text
    assert "Columns" not in text and "Steps without an analysis" not in text


@pytest.mark.parametrize("wrong", [1, 20, 22])
def test_twenty_episodes_that_were_left_out_are_named(tmp_path, wrong):
    names = [f"a-{number}" for number in range(wrong + 1)]
    run = write_run(tmp_path / "run", names)
    for name in names[1:]:
        (run / "episodes" / name / "steps.jsonl").unlink()
    make_dataset(TrainingOptions.build(sources=[run], out=tmp_path / "set", prompt_settings={"images": False}), "sft")
    _, _, part = (tmp_path / "set/README.md").read_text().partition("## Left out\n\n")
    lines = [line for line in part.split("\n\n")[0].splitlines() if line]
    assert [line.startswith("- run/a-") for line in lines[:20]] == [True] * min(wrong, 20)
    assert lines[20:] == ([f"- and {wrong - 20} more, in data.json"] if wrong > 20 else [])


def test_of_files_of_emmoe(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])
    out = tmp_path / "emmoe"
    for license in ("mit", None):
        export_emmoe(EmmoeOptions.build(sources=[run], out=out, keep="all", license=license))
        assert (front(out)["license"], front(out)["task_categories"]) == ("mit", ["robotics"])
        assert front(out)["tags"] == ["robotics", "homie", "emmoe"]
    from homie.data.sources.source_kinds import open_sources

    assert len(open_sources([out])[0].entries()) == 1


@pytest.mark.parametrize("license", ["", "MIT License", "a: b", "x" * 101])
def test_what_is_no_name_of_a_licence_is_bad_input(tmp_path, license):
    with pytest.raises(BadInput, match="license"):
        LeRobotOptions.build(sources=[tmp_path], out=tmp_path / "out", license=license)
