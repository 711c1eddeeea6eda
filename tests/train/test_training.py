"""Training: what is refused before anything is loaded, what is written down, and one small training by TRL itself."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

sys.path.insert(0, str(Path(__file__).parent.parent / "data"))
from episodes import REPLANNED, TEXT, write_run

from homie.data.options import TrainingOptions
from homie.data.split import SplitFile
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput
from homie.train.folder import FILE
from homie.train.hyperparameters import DpoOptions, SftOptions
from homie.train.planner import TrainingFile, train
from homie.train.plot import loss_plot
from planners.llm.kept_checkpoints import last_checkpoint

TEMPLATE = Path(__file__).parents[2] / "examples/training/brief.md"


def quiet(step: int, steps: int, loss: float, *, speed: float = 0.0) -> None:
    pass


def data_set(folder: Path, purpose: str, **more: object) -> Path:
    run = write_run(folder / "run", ["a-0", "b-0"], REPLANNED)
    options = TrainingOptions.build(
        **{"sources": [run], **more},
        out=folder / purpose,
        template=str(TEMPLATE),
        prompt_settings={"images": False, "examples": 0},
        keep="all",
    )
    make_dataset(options, purpose)
    return folder / purpose


@pytest.fixture(scope="module")
def sft(tmp_path_factory) -> Path:
    return data_set(tmp_path_factory.mktemp("sft"), "sft")


def test_defaults_are_those_of_the_paper():
    first, second = (kind.build(data=Path("d"), out=Path("o"), model="m") for kind in (SftOptions, DpoOptions))
    assert (first.rank, first.alpha, first.rate, first.warmup) == (128, 256, 5e-4, 0.03)
    assert (second.rank, second.alpha, second.rate, second.beta) == (8, 8, 5e-6, 0.1)


def test_tiny_gives_way_to_what_is_asked_for():
    options = SftOptions.build(data=Path("d"), out=Path("o"), tiny=True, epochs=2)
    assert (options.rank, options.epochs, options.device) == (0, 2.0, "cpu")
    for batch, at_once in ((4, 4), (24, 8), (7, 1)):  # each part of a step as large as fits its batch
        assert SftOptions.build(data=Path("d"), out=Path("o"), tiny=True, batch=batch).at_once == at_once


def test_presets_are_for_one_kind_of_model():
    small = SftOptions.build(data=Path("d"), out=Path("o"), model="m", small=True, rate=3e-4)
    assert (small.rank, small.alpha, small.rate, small.device) == (16, 32, 3e-4, "cpu")
    with pytest.raises(BadInput, match="tiny and small are different presets"):
        SftOptions.build(data=Path("d"), out=Path("o"), tiny=True, small=True)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"batch": 5, "at_once": 2}, "multiple of at_once"),
        ({"load_in_4bit": True, "rank": 0}, "rank above 0"),
        ({"adapter": "a", "rank": 0}, "rank above 0"),
    ],
)
def test_settings_that_do_not_fit_are_refused(values, says):
    with pytest.raises(BadInput, match=says):
        SftOptions.build(data=Path("d"), out=Path("o"), model="m", **values)


def test_data_for_another_training_are_refused(sft, tmp_path):
    with pytest.raises(BadInput, match="homie train dpo"):
        train(DpoOptions.build(data=sft, out=tmp_path / "o", model="m"), quiet)
    with pytest.raises(BadInput, match="Say which model"):
        train(SftOptions.build(data=sft, out=tmp_path / "o"), quiet)
    with pytest.raises(BadInput, match="no finished data set"):
        train(SftOptions.build(data=tmp_path, out=tmp_path / "o", model="m"), quiet)
    assert not (tmp_path / "o").exists()


def test_a_folder_of_something_else_is_left_alone(sft, tmp_path):
    (tmp_path / "letter.txt").write_text("hello")
    with pytest.raises(BadInput, match="is not empty"):
        train(SftOptions.build(data=sft, out=tmp_path, tiny=True), quiet)


def checkpoint_of(folder: Path, step: int) -> Path:
    """A checkpoint as a training by TRL keeps it."""
    path = folder / f"checkpoint-{step}"
    path.mkdir(parents=True)
    save_file({"weight": np.zeros(100)}, path / "model.safetensors")
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth"):
        with zipfile.ZipFile(path / name, "w") as file:
            file.writestr("data", bytes(200))
    (path / "trainer_state.json").write_text('{"step": NaN}')
    return path


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.pt", "rng_state.pth"])
@pytest.mark.parametrize("size", [None, 0, 120])
def test_a_training_goes_on_from_the_last_whole_checkpoint(tmp_path, name, size):
    first, second = checkpoint_of(tmp_path, 100), checkpoint_of(tmp_path, 1000)
    assert last_checkpoint(tmp_path) == str(second)
    intact = (second / name).read_bytes()
    for path in (second, first):
        (path / name).unlink()
        if size is not None:
            (path / name).write_bytes(intact[:size])
        if path is second:
            with pytest.warns(UserWarning, match=r"1000 is damaged \(.*\): the training goes on from .*-100\."):
                assert last_checkpoint(tmp_path) == str(first)
            assert not second.exists()
    with pytest.raises(BadInput, match=r"cannot go on from .*-100: .* is damaged\. Restore it from a copy, or delete"):
        last_checkpoint(tmp_path)
    assert (first / "trainer_state.json").exists()


@pytest.mark.parametrize("state", [None, "", '{"step": 1'])
def test_what_a_kill_has_cut_off_of_a_checkpoint_is_made_again(tmp_path, state):
    path = checkpoint_of(tmp_path, 100)
    (path / "trainer_state.json").unlink()
    if state is not None:
        (path / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path) is None and not path.exists()


def test_a_damaged_order_says_what_to_do(sft, tmp_path):
    pytest.importorskip("trl")
    (tmp_path / "order.json").write_text('{"options": {')
    with pytest.raises(BadInput, match=r"order\.json is damaged: .*\. Choose another --out, or delete the folder"):
        train(SftOptions.build(data=sft, out=tmp_path, tiny=True), quiet)


def test_the_plot_has_both_curves():
    drawn = loss_plot({step: 1.0 / step for step in range(1, 9)}, {4: 0.5, 8: 0.3})
    assert drawn.count("<polyline") == 2 and "step 8" in drawn


def test_adapters_are_joined_exactly(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file, save_file

    from planners.llm.lora_merging import joined

    torch.manual_seed(0)
    parts = {}
    for name, rank, alpha in (("first", 4, 8), ("second", 2, 2)):
        down, up = torch.randn(rank, 6), torch.randn(5, rank)
        (tmp_path / name).mkdir()
        tensors = {"layer.lora_A.weight": down, "layer.lora_B.weight": up}
        save_file(tensors, tmp_path / name / "adapter_model.safetensors")
        config = {"peft_type": "LORA", "r": rank, "lora_alpha": alpha}
        (tmp_path / name / "adapter_config.json").write_text(json.dumps(config))
        parts[name] = up @ down * alpha / rank
    joined(tmp_path / "first", tmp_path / "second", tmp_path)
    both, config = (
        load_file(tmp_path / "adapter_model.safetensors"),
        json.loads((tmp_path / "adapter_config.json").read_text()),
    )
    together = both["layer.lora_B.weight"] @ both["layer.lora_A.weight"] * config["lora_alpha"] / config["r"]
    torch.testing.assert_close(together, parts["first"] + parts["second"])


@pytest.mark.slow
def test_a_small_model_learns_and_plans(sft, tmp_path):
    pytest.importorskip("trl")
    from homie.runtime.runstore import read_model

    out = tmp_path / "tiny"
    steps: list[int] = []
    options = SftOptions.build(data=sft, out=out, tiny=True, epochs=2, batch=4)
    file = train(options, lambda step, total, loss, speed=0.0: steps.append(step))
    assert steps == list(range(1, file.steps + 1)) and file.lines == 10
    assert file.losses[file.steps] < file.losses[1]
    assert read_model(out / FILE, TrainingFile) == file
    card = (out / "README.md").read_text()
    assert file.data_sha256 in card and "loss.svg" in card and "transformers:THIS_FOLDER" in card
    with pytest.raises(BadInput, match="finished training"):
        train(options, quiet)
    from planners.llm.local.loading import Load, load_engine

    assert load_engine(Load(out)).processor is None


@pytest.mark.slow
def test_a_model_whose_template_joins_text_learns_and_is_asked_as_it_was_trained(sft, tmp_path):
    pytest.importorskip("trl")
    from homie.runtime.assembly import load_planner
    from planners.llm.tiny_model import make_tiny
    from planners.llm.training_examples import read_examples, texts_of

    model, out = tmp_path / "model", tmp_path / "adapter"
    model.mkdir()
    make_tiny(model, texts_of(read_examples(sft / "train/metadata.jsonl", "sft")), 0)
    (model / "chat_template.jinja").write_text(
        "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
    )
    options = SftOptions.build(data=sft, out=out, model=str(model), small=True, rank=2, batch=4, epochs=1, threads=1)
    speeds = []
    assert train(options, lambda step, steps, loss, speed=0.0: speeds.append(speed)).steps == len(speeds)
    assert speeds[0] == 0.0 and min(speeds[1:]) > 0.0
    planner = load_planner(f"transformers:{model}", {"adapter": str(out)})
    used = planner.describe()["settings"]
    assert (used["template"], used["images"], used["examples"]) == (str(TEMPLATE), False, 0)
    assert used["targets"] == "known"  # it is small
    chosen = load_planner(f"transformers:{model}", {"adapter": str(out), "template": "compact", "targets": "open"})
    assert chosen.describe()["settings"]["template"] == "compact"
    assert chosen.describe()["settings"]["targets"] == "open"
    again = {"data": sft, "model": str(model), "adapter": str(out), "small": True, "batch": 4, "epochs": 1}
    for name, alpha, rank in (("on", 32, 2), ("joined", 2, 4)):  # the rank and alpha that it has, and another alpha
        more = train(SftOptions.build(**again, out=tmp_path / name, rank=2, alpha=alpha, threads=1), quiet)
        config = json.loads((tmp_path / name / "adapter_config.json").read_text())
        assert config["r"] == rank and more.losses[1] < 0.95 * json.loads((out / FILE).read_text())["losses"]["1"]
        load_planner(f"transformers:{model}", {"adapter": str(tmp_path / name)})
    training = json.loads((out / FILE).read_text())
    training["prompt"]["settings"]["template"] = "gone.md"
    (out / FILE).write_text(json.dumps(training))
    with pytest.raises(
        BadInput, match=r"trained with the template gone\.md, which is not there: give it with --template"
    ):
        load_planner(f"transformers:{model}", {"adapter": str(out)})


@pytest.mark.slow
def test_a_training_that_no_longer_helps_ends_with_the_best_weights(tmp_path):
    pytest.importorskip("trl")
    runs = [write_run(tmp_path / name, [name], REPLANNED, text=text) for name, text in (("a", TEXT), ("b", "b"))]
    split = SplitFile(by="task", share=0.5, seed=0, tasks={TEXT: "train", "b": "test"})
    (tmp_path / "split.json").write_text(split.model_dump_json())
    data = data_set(tmp_path, "sft", sources=runs, split=str(tmp_path / "split.json"))
    # A rate at which the weights are thrown about: no checkpoint is better than the first.
    rising = SftOptions.build(
        data=data, out=tmp_path / "o", tiny=True, rate=1.0, batch=1, epochs=40, keep_every=2, patience=2
    )
    file = train(rising, quiet)
    best = min(file.held_out, key=file.held_out.get)
    assert file.steps == best + 4 < 40 * file.lines
    with pytest.raises(BadInput, match="--patience needs held-out lines"):
        train(
            SftOptions.build(data=data_set(tmp_path / "all", "sft"), out=tmp_path / "p", tiny=True, patience=1), quiet
        )
