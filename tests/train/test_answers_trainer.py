"""The quick paths of training on a CPU give the losses and gradients of the plain ones."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
peft = pytest.importorskip("peft")
pytest.importorskip("trl")
transformers = pytest.importorskip("transformers")

from planners.llm.answers_trainer import AnswersTrainer, takes_logits_to_keep  # noqa: E402
from planners.llm.lora_layers import in_low_precision, targets_of  # noqa: E402
from planners.llm.tiny_model import make_tiny  # noqa: E402

TEXTS = ("put the apple in the bowl", "close the fridge and go to the kitchen")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("tiny")
    make_tiny(path, TEXTS, seed=1)
    return path


def model_of(folder: Path, dtype: Any) -> Any:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules=targets_of(model), init_lora_weights=False)
    torch.manual_seed(3)
    return peft.get_peft_model(model, config)


def gradients(model: Any, tokens: Any) -> dict[str, Any]:
    model.zero_grad()
    model(tokens, labels=tokens).loss.backward()
    return {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}


def test_an_adapter_in_bfloat16_has_the_gradients_of_peft(folder: Path) -> None:
    model = model_of(folder, torch.bfloat16)
    tokens = torch.randint(10, 200, (3, 17), generator=torch.Generator().manual_seed(5))
    plain = gradients(model, tokens)
    exact = gradients(copy.deepcopy(model).float(), tokens)
    before = model(tokens).logits.float()
    quick = copy.deepcopy(model)
    in_low_precision(quick)
    after = quick(tokens).logits.float()
    assert not torch.equal(before, after), "another rounding, so that path was taken"
    assert float((after - before).norm() / before.norm()) < 0.05
    rounded = gradients(quick, tokens)
    assert rounded.keys() == plain.keys() and all("lora" in name for name in plain)
    for name, gradient in plain.items():
        errors = [float((other - exact[name]).norm() / exact[name].norm()) for other in (rounded[name], gradient)]
        assert errors[0] < 0.02 + 1.5 * errors[1] < 0.2, (name, errors)
        assert rounded[name].dtype == torch.float32


def test_without_its_adapter_such_a_model_is_the_reference(folder: Path) -> None:
    model = model_of(folder, torch.bfloat16)
    tokens = torch.arange(10, 30)[None]
    with model.disable_adapter():
        reference = model(tokens).logits
    in_low_precision(model)
    assert not torch.equal(model(tokens).logits, reference)
    with model.disable_adapter():
        assert torch.equal(model(tokens).logits, reference)


def test_other_precisions_stay_as_peft_has_them(folder: Path) -> None:
    model = model_of(folder, torch.float32)
    tokens = torch.arange(10, 30)[None]
    before = model(tokens).logits
    in_low_precision(model)
    assert torch.equal(before, model(tokens).logits)


def test_the_loss_is_that_of_all_scores_at_the_learnt_tokens(folder: Path, tmp_path: Path) -> None:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert takes_logits_to_keep(model) and takes_logits_to_keep(model_of(folder, torch.float32))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    import datasets
    import trl

    rows = datasets.Dataset.from_list(
        [
            {"prompt": [{"role": "user", "content": text}], "completion": [{"role": "assistant", "content": text[:9]}]}
            for text in TEXTS
        ]
    )
    config = trl.SFTConfig(
        output_dir=str(tmp_path), report_to=[], use_cpu=True, bf16=False, completion_only_loss=True, max_length=None
    )
    trainer = AnswersTrainer(model=model, args=config, train_dataset=rows, processing_class=tokenizer)
    batch = next(iter(trainer.get_train_dataloader()))
    labels = batch["labels"][:, 1:]
    learnt = labels != -100
    assert 0 < int(learnt.sum()) < learnt.numel() / 2
    scores = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits[:, :-1]
    expected = torch.nn.functional.cross_entropy(scores[learnt], labels[learnt])
    assert torch.allclose(trainer.compute_loss(model, dict(batch)), expected, atol=1e-5)
    halved = trainer.compute_loss(model, dict(batch), num_items_in_batch=2 * int(learnt.sum()))
    assert torch.allclose(halved, expected / 2, atol=1e-5)
