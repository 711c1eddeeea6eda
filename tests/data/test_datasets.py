"""Data sets on disk: streamed, interrupted and gone on with, damaged, checked, loaded, asked in the planner's words."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from episodes import DONE, FAR, PICK, REPLANNED, TEXT, files_of, write_run

from homie.data.data_set_checks import validate
from homie.data.episode import SkippedEpisode
from homie.data.examples.data_json import read_data_file
from homie.data.examples.forms import ChatForm
from homie.data.examples.journal import UNFINISHED
from homie.data.options import TrainingOptions
from homie.data.pictures import read_picture
from homie.data.read_data_set import format_line, read_lines
from homie.data.sources.source_kinds import open_sources
from homie.data.training_examples import Words, check_outcome, make_dataset
from homie.kernel.errors import BadInput
from homie.kernel.types import SUCCESS, VIEWS, Subtask
from homie.runtime.assembly import load_prompts
from homie.runtime.planner_inputs import INPUTS
from homie.runtime.runstore import frame
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings

SHORT = {"examples": 0}


def options(run: Path, out: Path, **more: object) -> TrainingOptions:
    return TrainingOptions.build(sources=[run], out=out, **{"prompt_settings": SHORT, **more})


def problems(folder: Path) -> list[str]:
    return [f"{problem.where}: {problem.what}" for problem in validate(folder)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", ["episode-0", "episode-1", "episode-2"], REPLANNED)


@pytest.mark.parametrize("purpose", ["sft", "dpo"])
def test_what_is_streamed_is_what_is_in_memory(run, tmp_path, purpose):
    make_dataset(options(run, tmp_path / "out", seed=4), purpose)
    words = Words(ChatForm(load_prompts({"template": "emmoe-json", **SHORT}), 4))
    (source,) = open_sources([run])
    expected = [line for entry in source.entries() for line in words.lines(purpose, source.read(entry))]
    lines = list(read_lines(tmp_path / "out", "train"))
    assert [{name: line[name] for name in sample.fields} for line, sample in zip(lines, expected, strict=True)] == [
        json.loads(json.dumps(sample.fields)) for sample in expected
    ]
    for line, sample in zip(lines, expected, strict=True):
        names = [hashlib.sha256(path.read_bytes()).hexdigest()[:24] for path in sample.pictures]
        assert line["images_file_names"] == [f"images/{name}.png" for name in names] and len(names) == 4
    assert problems(tmp_path / "out") == []


def test_a_model_is_asked_in_the_words_of_the_planner(run, tmp_path):
    make_dataset(options(run, tmp_path / "out", template="emmoe-text"), "sft")
    (source,) = open_sources([run])
    step = source.read(source.entries()[0]).steps[2]
    blank = {view: read_picture(frame(run / "episodes/episode-0", 3, view)) for view in VIEWS}
    prompt = Prompt(PromptSettings(template="emmoe-text", examples=0))
    messages = prompt.request(step.input.planner_input(step.history, blank))[0].messages
    line = next(line for line in read_lines(tmp_path / "out", "train") if line["step"] == 3)
    assert [[part["text"] for part in message["content"]] for message in line["prompt"]] == [
        [part if isinstance(part, str) else None for part in message.parts] for message in messages
    ]
    assert (
        line["completion"][0]["content"][0]["text"] == "Analysis: so [Pick, apple]\nSubtask: [Pick, apple]\nModel: rt1x"
    )


def test_pictures_that_are_drawn_in_are_kept_as_they_are_shown(run, tmp_path):
    make_dataset(options(run, tmp_path / "plain"), "sft")
    make_dataset(options(run, tmp_path / "small", prompt_settings={**SHORT, "image_size": 32, "past_images": 1}), "sft")
    plain, small = (next(read_lines(tmp_path / name, "train")) for name in ("plain", "small"))
    assert plain["images_file_names"] == small["images_file_names"][-4:], "32 pixels are enough for these: unchanged"
    assert len(small["images_file_names"]) == 8 and problems(tmp_path / "small") == []
    with pytest.raises(BadInput, match="image_size"):
        make_dataset(options(run, tmp_path / "tiny", prompt_settings={"image_size": 1}), "sft")


def test_earlier_rounds_are_repeated_as_a_conversation(run, tmp_path):
    make_dataset(options(run, tmp_path / "out", prompt_settings={**SHORT, "chat_turns": 2}), "sft")
    line = list(read_lines(tmp_path / "out", "train"))[2]
    roles = [message["role"] for message in line["prompt"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [json.loads(line["prompt"][place]["content"][0]["text"])["subtask"]["action"] for place in (2, 4)] == [
        "Go to",
        "Pick",
    ]
    assert problems(tmp_path / "out") == []


@pytest.mark.parametrize("form", ["chat", "emmoe"])
def test_an_interrupted_data_set_goes_on_and_becomes_the_same(run, tmp_path, form):
    make_dataset(options(run, tmp_path / "whole", form=form, prompt_settings={}), "sft")
    out = tmp_path / "out"

    def stop(entry, reason):
        if entry.name.endswith("episode-1"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(options(run, out, form=form, prompt_settings={}), "sft", stop)
    with (out / UNFINISHED / "train.jsonl").open("ab") as file:
        file.write(b'{"torn": ')  # a kill in the middle of a line
    with (out / UNFINISHED / "journal.jsonl").open("ab") as file:
        file.write(b'{"episode": "run/epi')
    with pytest.raises(BadInput, match=r"unfinished data set of another kind \(different: seed\)"):
        make_dataset(options(run, out, form=form, prompt_settings={}, seed=1), "sft")
    names: list[str] = []
    make_dataset(
        options(run, out, form=form, prompt_settings={}), "sft", lambda entry, reason: names.append(entry.name)
    )
    assert len(names) == 3 and files_of(out) == files_of(tmp_path / "whole")
    with pytest.raises(BadInput, match="holds a finished data set"):
        make_dataset(options(run, out), "sft")


def test_a_damaged_journal_is_refused(run, tmp_path):
    out = tmp_path / "out"

    def stop(entry, reason):
        if entry.name.endswith("episode-2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(options(run, out), "sft", stop)
    journal = out / UNFINISHED / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"{", b"[", 1))
    before = files_of(out)
    with pytest.raises(BadInput, match=r"journal\.jsonl is damaged in line 1, with 2 sound lines behind it: .*anew\.$"):
        make_dataset(options(run, out), "sft")
    assert files_of(out) == before


def test_an_episode_that_was_reported_is_with_the_system(run, tmp_path):
    """A kill after that loses nothing of it: its lines and its entry do not wait in the process."""
    out = tmp_path / "out"
    counts: list[tuple[int, int]] = []

    def progress(entry, reason):
        folder = out / UNFINISHED
        lines = (folder / "train.jsonl").read_bytes()
        entries = [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()]
        assert entries[-1]["episode"] == entry.name and entries[-1]["sizes"]["train"] == len(lines)
        counts.append((len(entries), len(lines.splitlines())))

    make_dataset(options(run, out), "sft", progress)
    assert counts == [(1, 5), (2, 10), (3, 15)]


def test_lines_that_a_power_loss_has_taken_are_made_again(run, tmp_path):
    make_dataset(options(run, tmp_path / "whole"), "sft")
    out = tmp_path / "out"

    def stop(entry, reason):
        if entry.name.endswith("episode-1"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(options(run, out), "sft", stop)
    lines = out / UNFINISHED / "train.jsonl"
    lines.write_bytes(lines.read_bytes()[:-10])
    make_dataset(options(run, out), "sft")
    assert files_of(out) == files_of(tmp_path / "whole")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("steps.jsonl", r"damaged: steps.jsonl \(it has \d+ bytes"),
        (INPUTS, r"damaged: inputs.jsonl \(it has \d+ bytes"),
        ("frames/round-03-back.png", "damaged: round-03-back.png is cut off"),
        ("episode.json", "damaged: episode.json"),
    ],
)
def test_a_damaged_episode_is_named_and_left_out(run, tmp_path, file, reason):
    _cut(run / "episodes/episode-1" / file)
    data = make_dataset(options(run, tmp_path / "out"), "sft")
    assert list(data.left_out) == ["run/episode-1"] and problems(tmp_path / "out") == []
    with pytest.raises(AssertionError):
        assert data.left_out["run/episode-1"] == ""

    assert re.match(reason, data.left_out["run/episode-1"])
    assert data.splits["train"].episodes == 2 and "run/episode-1" in (tmp_path / "out/README.md").read_text()


def test_a_picture_that_is_gone_is_damage(run, tmp_path):
    frame(run / "episodes/episode-1", 2, "left").unlink()
    data = make_dataset(options(run, tmp_path / "out"), "sft")
    assert data.left_out == {"run/episode-1": "damaged: round-02-left.png is missing"}


def test_unfinished_and_old_episodes_are_named_and_left_out(run, tmp_path):
    (run / "episodes/episode-0/episode.json").unlink()
    ending = run / "episodes/episode-1/episode.json"
    old = json.loads(ending.read_text())
    (ending.parent / INPUTS).unlink()
    ending.write_text(
        json.dumps({**{name: old[name] for name in old if name not in ("files", "checksum")}, "format": 1})
    )
    data = make_dataset(options(run, tmp_path / "out"), "dpo")
    assert data.left_out["run/episode-0"] == "it is not finished"
    assert "it has no inputs.jsonl: an older Homie made it" in data.left_out["run/episode-1"]


def test_without_pictures_the_names_are_listed(run, tmp_path):
    for picture in (run / "episodes").rglob("*.png"):
        picture.unlink()
    with pytest.raises(BadInput, match=r"No episode gives a line.*it has no pictures: play it with --frames"):
        make_dataset(options(run, tmp_path / "out"), "sft")
    make_dataset(options(run, tmp_path / "blind", prompt_settings={**SHORT, "images": False}), "sft")
    line = next(read_lines(tmp_path / "blind", "train"))
    assert "images_file_names" not in line and problems(tmp_path / "blind") == []


@pytest.mark.parametrize(
    ("acts", "keep", "reason"),
    [(DONE[:-1], "done", "did not say End"), (DONE[:-1], "ended", "did not say End"), (DONE[:-1], "all", "")],
)
def test_what_is_kept(tmp_path, acts, keep, reason):
    (source,) = open_sources([write_run(tmp_path / "run", ["episode-0"], acts)])
    sample = source.read(source.entries()[0])
    if not reason:
        assert check_outcome(sample, keep) is sample
        return
    with pytest.raises(SkippedEpisode, match=reason):
        check_outcome(sample, keep)


def test_a_changed_data_set_is_found_out(run, tmp_path):
    out = tmp_path / "out"
    make_dataset(options(run, out), "dpo")
    lines = out / "train/metadata.jsonl"
    parsed = [json.loads(line) for line in lines.read_text().splitlines()]
    parsed[0]["rejected"] = parsed[0]["chosen"]
    parsed[1]["chosen"][0]["content"][0]["text"] = '{"subtask": {"action": "End"}}'
    parsed[2]["chosen"][0]["content"][0]["text"] = "I do not know."
    parsed[3]["images_file_names"].pop()
    del parsed[4]["chosen"]
    lines.unlink()  # it may be linked to
    lines.write_text("".join(json.dumps(line) + "\n" for line in parsed))
    picture = out / "train" / parsed[5]["images_file_names"][0]
    data = picture.read_bytes()
    picture.unlink()
    picture.write_bytes(data[:-1])
    messages = "\n".join(problems(out))
    picture.unlink()
    assert f"the picture images/{picture.name} cannot be read: No such file" in "\n".join(problems(out))
    for message in (
        "train/metadata.jsonl: it has",
        "line 1: chosen and rejected are the same",
        "line 2: End is chosen",
        "line 3: a planner would not read the answer",
        "line 4: it has 3 pictures for 4 places",
        "line 5: it is not a line of this form: KeyError: 'chosen'",
        "is not what was written",
    ):
        assert message in messages


def test_a_line_for_people(run, tmp_path):
    make_dataset(options(run, tmp_path / "out"), "dpo")
    text = format_line(next(read_lines(tmp_path / "out", "train")))
    assert "[system]\n" in text and "Front:\n<images/" in text and "[rejected]\n{" in text
    with pytest.raises(BadInput, match="has no split 'test'"):
        next(read_lines(tmp_path / "out", "test"))
    with pytest.raises(BadInput, match="There is no finished data set"):
        read_data_file(run)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("versions", (1, 20), (0, 21)), ("rename", (0, 1000), (-1, 1001)), ("seed", (0,), (-1,)), ("form", (), ("json",))],
)
def test_options_have_bounds(tmp_path, name, right, wrong):
    for value in right:
        assert getattr(TrainingOptions.build(sources=[tmp_path], out=tmp_path, **{name: value}), name) == value
    for value in wrong:
        with pytest.raises(BadInput, match=name):
            TrainingOptions.build(sources=[tmp_path], out=tmp_path, **{name: value})


def test_other_folders_are_not_written_into(run, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/thesis.tex").write_text("")
    with pytest.raises(BadInput, match="is not empty and has no data set"):
        make_dataset(options(run, tmp_path / "thesis"), "sft")
    with pytest.raises(BadInput, match="There are no episodes in"):
        make_dataset(options(tmp_path / "thesis", tmp_path / "out"), "sft")


def test_where_no_model_was_chosen_it_is_the_one_that_ran_or_would_have(tmp_path):
    run = write_run(tmp_path / "run", ["episode-0"], REPLANNED, choosing=False)
    (source,) = open_sources([run])
    models = [step.model for step in source.read(source.entries()[0]).steps]
    assert models == ["rt1x", "nomad", "rt1x", "nomad", "rt1x", ""], "the first was refused before any skill ran"


def test_what_a_decision_did_besides_is_history_and_no_example(tmp_path):
    run = write_run(tmp_path / "run", ["episode-0"], ((PICK, FAR), (PICK, SUCCESS), (Subtask("End"), SUCCESS)))
    (source,) = open_sources([run])
    sample = source.read(source.entries()[0])
    assert sample.text == TEXT and sample.done is None and sample.ended and sample.house
    assert [len(step.history) for step in sample.steps] == [0, 1, 2]
    make_dataset(options(run, tmp_path / "out"), "dpo")
    assert read_data_file(tmp_path / "out").splits["train"].counts == {"action": 1, "model": 1, "order": 1}
