"""Loading local models: what fits, what does not, and the sentence that says so. No network anywhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import peft
import pytest
import safetensors.torch
import torch
import transformers

from homie.kernel.errors import BadInput, MissingPart, PlannerError
from homie.kernel.interfaces.prompts import Message
from homie.kernel.support.packages import install_command
from homie.kernel.types import VIEWS, PlannerInput
from homie.runtime.assembly import load_planner
from planners.llm.local.find_model import find_folder
from planners.llm.local.loading import WEIGHTS, Load, explain_no_pictures, load_engine
from planners.llm.local.planner import LocalSettings, TransformersPlanner
from planners.llm.local.question import Question

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture
def folder(tiny, tmp_path) -> Path:
    """A copy of a tiny LLaVA that a test may spoil."""
    model = tmp_path / "model"
    model.mkdir()
    for path in tiny("llava").iterdir():
        (model / path.name).write_bytes(path.read_bytes())
    return model


def edit(path: Path, **values: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def situation(task: str = "find the can") -> PlannerInput:
    views = {view: np.full((48, 64, 3), 40 * i, np.uint8) for i, view in enumerate(VIEWS)}
    actions = ("Go to", "Pick", "Put", "Open", "Close", "End")
    return PlannerInput(task, 1, views, (), (), (), None, actions, ("classical",))


def answer(planner: TransformersPlanner) -> str:
    planner.reset("find the can", seed=0)
    decision = planner.decide(situation())
    assert decision.problem == ""
    return decision.raw


# ------------------------------------------------------------ as a user calls it


def test_a_planner_is_made_from_a_path_and_says_what_it_is(tiny):
    planner = load_planner(f"transformers:{tiny('llava')}", {"max_new_tokens": 300, "examples": 1})
    decision = planner.decide(situation())
    assert decision.subtasks and decision.answers[0].input_tokens > 100 and decision.answers[0].output_tokens > 10
    description = planner.describe()
    json.dumps(description)
    assert description["model"]["model_type"] == "llava" and description["model"]["dtype"] == "float32"
    assert description["settings"]["examples"] == 1 and description["model"]["max_new_tokens"] == 300
    options = {"targets": "open", "repeats": True, "end_probability": 0.25}
    chosen = load_planner(f"transformers:{tiny('llava')}", options)
    effective = [
        (about["settings"]["targets"], about["model"]["repeats"], about["model"]["end_probability"])
        for about in (description, chosen.describe())
    ]
    assert effective == [("known", False, 0.0), ("open", True, 0.25)], "also what the size of a model decides"


def test_a_text_only_model_needs_a_text_only_prompt(tiny):
    with pytest.raises(BadInput, match="only reads text: add --set images=false"):
        load_planner(f"transformers:{tiny('qwen2')}")
    planner = load_planner(f"transformers:{tiny('qwen2')}", {"images": False, "max_new_tokens": 300})
    assert planner.decide(situation()).subtasks


def test_a_model_that_sees_but_not_through_homie_is_not_called_blind(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "aria"}))
    assert "Models of type 'aria' see" in explain_no_pictures(tmp_path) and "images=false" in explain_no_pictures(
        tmp_path
    )


def test_too_few_tokens_for_an_answer_end_the_episode_as_infrastructure(tiny):
    planner = load_planner(f"transformers:{tiny('llava')}", {"max_new_tokens": 20})
    with pytest.raises(PlannerError, match="20 tokens may be too few"):
        planner.decide(situation())


def test_unconstrained_answers_are_read_like_those_of_any_model(tiny):
    """Random words are not a decision: they are asked for again and end as a problem, never as an action."""
    settings = {"constrained": False, "max_new_tokens": 30, "reasks": 1, "examples": 0}
    decision = load_planner(f"transformers:{tiny('llava')}", settings).decide(situation())
    assert decision.subtasks == () and len(decision.answers) == 2 and "cut off" in decision.problem


def test_the_planner_needs_a_model():
    with pytest.raises(BadInput, match="needs a model"):
        load_planner("transformers")


def test_packages_that_are_missing_are_named_with_the_command(tiny):
    code = (
        "import sys; sys.modules['llguidance'] = None\n"
        "import importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'llguidance' else real(name, *a)\n"
        "from homie.cli.main import main\n"
        f"main(['run', 'find the can', '--planner', 'transformers:{tiny('llava')}'])"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert completed.returncode == 3
    assert "'llguidance'" in completed.stderr and install_command("torch") in completed.stderr
    assert "Traceback" not in completed.stderr


def test_a_torchvision_that_breaks_transformers_is_named(tiny, tmp_path):
    broken = tmp_path / "torchvision"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise RuntimeError('operator torchvision::nms does not exist')")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from homie.cli.main import main\n"
        f"main(['run', 'find the can', '--planner', 'transformers:{tiny('llava')}'])"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert completed.returncode == 4
    assert "pip uninstall torchvision" in completed.stderr and "Traceback" not in completed.stderr


# ------------------------------------------------------------ folders and the hub


def test_no_folder_and_no_hub_id():
    for name in ("/no/such/folder", "./nowhere/at/all", "a b"):
        with pytest.raises(BadInput, match="There is no model"):
            find_folder(name, WEIGHTS)
    with pytest.raises(BadInput, match=r"^There is no file models/small\.gguf: "):
        find_folder("models/small.gguf", WEIGHTS)


def test_a_hub_id_without_cache_and_network_is_one_sentence_and_quick(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    start = time.monotonic()
    with pytest.raises(PlannerError, match="the hub cannot be reached") as error:
        load_planner("transformers:nobody/no-such-model")
    assert time.monotonic() - start < 30
    assert str(error.value).count(". ") == 0


def test_a_hub_id_in_the_cache_needs_no_network(tiny, tmp_path, monkeypatch):
    """The cache as the hub's client lays it out."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--someone--tiny" / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    for path in tiny("llava").iterdir():
        (snapshot / path.name).write_bytes(path.read_bytes())
    refs = tmp_path / "models--someone--tiny" / "refs"
    refs.mkdir()
    (refs / "main").write_text("0" * 40)
    assert find_folder("someone/tiny", WEIGHTS) == snapshot
    (snapshot / WEIGHTS).unlink()
    with pytest.raises(BadInput, match="not downloaded whole needs the network"):
        find_folder("someone/tiny", WEIGHTS)


def test_weights_in_shards_have_to_be_complete(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(BadInput, match=re.escape("no model-00002-of-00002.safetensors")):
        find_folder(str(folder), WEIGHTS)


def test_pickled_weights_are_not_touched(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(BadInput, match="safetensors"):
        load_planner(f"transformers:{folder}")


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_broken_config_is_named(folder, text):
    (folder / "config.json").write_text(text)
    with pytest.raises(BadInput, match=r"config\.json"):
        load_planner(f"transformers:{folder}")


# ------------------------------------------------------------ weights


def test_an_unknown_type_names_the_known_ones(folder):
    edit(folder / "config.json", model_type="detr")
    with pytest.raises(BadInput, match=r"'detr' are not supported .* idefics3, internvl, llava, .*images=false"):
        load_planner(f"transformers:{folder}")


def test_weights_that_lack_something_are_refused(folder):
    """transformers would fill it with random numbers and go on."""
    weights = safetensors.torch.load_file(folder / WEIGHTS)
    lost = next(name for name in weights if "multi_modal_projector" in name)
    del weights[lost]
    safetensors.torch.save_file(weights, folder / WEIGHTS, {"format": "pt"})
    with pytest.raises(BadInput, match=r"1 missing keys, the first is .*multi_modal_projector"):
        load_planner(f"transformers:{folder}")


def test_weights_of_another_size_are_refused(folder):
    config = json.loads((folder / "config.json").read_text())
    edit(folder / "config.json", text_config={**config["text_config"], "intermediate_size": 96})
    with pytest.raises(BadInput, match=r"cannot be loaded|mismatched keys"):
        load_planner(f"transformers:{folder}")


def test_a_file_that_is_no_safetensors_is_refused(folder):
    (folder / WEIGHTS).write_bytes(b"not weights at all")
    with pytest.raises(BadInput, match="cannot be loaded"):
        load_planner(f"transformers:{folder}")


def test_a_model_without_tokenizer_is_refused(folder):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    with pytest.raises(BadInput, match="cannot be loaded"):
        load_planner(f"transformers:{folder}")


def test_a_model_without_chat_template_is_refused(tiny, tmp_path):
    for path in tiny("qwen2_vl").iterdir():
        if path.name != "chat_template.jinja":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(BadInput, match="no chat template"):
        load_engine(Load(tmp_path))


def test_a_model_that_does_not_say_how_many_tokens_a_picture_takes_is_refused(folder):
    (folder / "processor_config.json").unlink()
    with pytest.raises(BadInput, match="does not say its patch_size"):
        load_engine(Load(folder))


@pytest.mark.parametrize("kind", ["qwen2_vl", "smolvlm", "llava"])
def test_a_model_is_loaded_as_training_saves_it(tiny, tmp_path, kind):
    """One file for the whole processor; older ones keep the template in a file of its own."""
    first = load_engine(Load(tiny(kind)))
    first.model.save_pretrained(tmp_path)
    first.processor.save_pretrained(tmp_path)
    assert not (tmp_path / "preprocessor_config.json").exists()
    template = tmp_path / "chat_template.jinja"
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": template.read_text()}))
    template.unlink()
    picture = np.full((48, 64, 3), 90, np.uint8)
    questions = [Question((Message("user", (picture, "find the can")),), limit=30)]
    assert load_engine(Load(tmp_path)).answer(questions) == first.answer(questions)


def test_code_in_a_model_folder_is_never_run(folder):
    edit(folder / "config.json", auto_map={"AutoConfig": "evil.Config", "AutoModelForImageTextToText": "evil.Model"})
    (folder / "evil.py").write_text(f"open({str(folder / 'ran')!r}, 'w')")
    load_engine(Load(folder))
    assert not (folder / "ran").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_four_bits_and_cuda_need_a_gpu(tiny):
    with pytest.raises(BadInput, match="load_in_4bit needs an NVIDIA GPU"):
        load_planner(f"transformers:{tiny('llava')}", {"load_in_4bit": True})
    with pytest.raises(BadInput, match="The device 'cuda' is not there"):
        load_planner(f"transformers:{tiny('llava')}", {"device": "cuda"})


def test_half_precision_works_too(tiny):
    planner = load_planner(f"transformers:{tiny('llava')}", {"dtype": "bfloat16", "max_new_tokens": 300})
    assert planner.decide(situation()).subtasks
    assert planner.describe()["model"]["dtype"] == "bfloat16"


# ------------------------------------------------------------ adapters


@pytest.fixture
def adapter(tiny, tmp_path) -> Path:
    """A LoRA adapter of the tiny LLaVA, large enough to change what it says."""
    torch.manual_seed(5)
    model = transformers.AutoModelForImageTextToText.from_pretrained(tiny("llava"))
    config = peft.LoraConfig(r=4, lora_alpha=64, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    peft.get_peft_model(model, config).save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


def test_an_adapter_changes_the_model_and_only_for_those_who_asked_for_it(tiny, adapter):
    settings = {"max_new_tokens": 300, "examples": 0}
    plain = load_planner(f"transformers:{tiny('llava')}", settings)
    before = answer(plain)
    adapted = load_planner(f"transformers:{tiny('llava')}", {**settings, "adapter": str(adapter)})
    assert answer(adapted) != before
    assert answer(plain) == before
    assert adapted.describe()["weights"]["adapter"] == str(adapter)


def test_an_adapter_of_another_model_is_refused(tiny, adapter):
    with pytest.raises(BadInput, match="does not fit the model"):
        load_engine(Load(tiny("smolvlm"), adapter))


def test_an_adapter_that_lacks_weights_is_refused(tiny, adapter):
    path = adapter / "adapter_model.safetensors"
    weights = safetensors.torch.load_file(path)
    del weights[next(iter(weights))]
    safetensors.torch.save_file(weights, path, {"format": "pt"})
    with pytest.raises(BadInput, match="does not fit the model"):
        load_engine(Load(tiny("llava"), adapter))


def test_an_adapter_without_peft_names_the_command(tiny, adapter, monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(MissingPart, match=re.escape(install_command("peft"))):
        load_engine(Load(tiny("llava"), adapter))


def test_what_the_checkpoint_says_about_sampling_is_forgotten(tiny, folder):
    edit(folder / "generation_config.json", do_sample=True, temperature=5.0, repetition_penalty=9.0, top_k=1)
    spoilt, plain = load_engine(Load(folder)), load_engine(Load(tiny("llava")))
    message = (Message("user", ("find the can",)),)
    assert spoilt.answer([Question(message, limit=40)]) == plain.answer([Question(message, limit=40)])


def test_settings_are_those_of_the_prompt_and_more():
    assert set(LocalSettings.model_fields) > {"template", "adapter", "load_in_4bit", "temperature", "constrained"}
