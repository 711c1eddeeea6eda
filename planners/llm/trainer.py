"""Training with TRL: a model of any family that `--planner transformers:` supports, with LoRA or full fine-tuning.

Checkpoints are in OUT/checkpoints; the result is saved in OUT at the end, in the form that a planner loads.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import datasets
import jinja2
import peft
import torch
import transformers
import trl

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.training import TrainingOrder, TrainingReport
from homie.kernel.support.progress import StepOver
from planners.llm.answers_trainer import AnswersTrainer, takes_logits_to_keep
from planners.llm.kept_checkpoints import last_checkpoint
from planners.llm.local.adapters import ADAPTER_WEIGHTS
from planners.llm.local.engine import Engine
from planners.llm.local.find_model import find_folder
from planners.llm.local.loading import WEIGHTS, Load, load_engine, multiplies_in_bfloat16
from planners.llm.lora_layers import in_low_precision, new_adapter
from planners.llm.lora_merging import joined
from planners.llm.tiny_model import make_tiny
from planners.llm.training_examples import COLUMNS, dataset_of, plain, read_examples, texts_of

CHECKPOINTS, START, LEARNT = "checkpoints", "start", "learnt"
"""Folders in OUT: checkpoints, an untrained small model, a trained adapter before it is merged with another."""
SMALL = 10_000_000
"""Number of parameters below which one thread is faster: a step of a small model took 30 s with two threads and 3 s
with one, on two cores with other load."""
_FILES = ("*.json", "*.jinja", "*.txt", "*.model")
"""Files of a model folder besides weights."""


def train(order: TrainingOrder, over: StepOver) -> TrainingReport:
    """Train as ordered, resuming from the last checkpoint if there is one.

    Raises:
        BadInput: The model, the adapter or the data cannot be used, or do not fit each other.
        MissingPart: A package is missing.
        PlannerError: The hub cannot be reached.
    """
    start = time.monotonic()
    examples = read_examples(order.lines, order.purpose)
    folder = _begin(order, examples)
    engine, merged = _load(order, folder)
    selected, excluded = _select_lines(engine, examples, order)
    held_out = _select_lines(engine, read_examples(order.held_out, order.purpose), order)[0] if order.held_out else []
    watcher = _Watcher(over)
    trainer = _trainer(order, engine, selected, held_out, watcher)
    if order.threads:
        torch.set_num_threads(order.threads)
    elif engine.model.device.type == "cpu" and engine.model.num_parameters() < SMALL:
        torch.set_num_threads(1)
    trainable = sum(weight.numel() for weight in trainer.model.parameters() if weight.requires_grad)
    trainer.train(resume_from_checkpoint=last_checkpoint(order.out / CHECKPOINTS))
    _save(order, trainer, folder, merged)
    rows = trainer.state.log_history
    ending = {name: float(row[name]) for row in rows for name in row if name.startswith("rewards/")}
    return TrainingReport(
        losses={row["step"]: float(row["loss"]) for row in rows if "loss" in row},
        held_out={row["step"]: float(row["eval_loss"]) for row in rows if "eval_loss" in row},
        steps=trainer.state.global_step,
        lines=len(selected),
        too_long=excluded,
        trained=trainable,
        parameters=sum(weight.numel() for weight in trainer.model.parameters()),
        seconds=round(time.monotonic() - start, 1),
        more=ending,
    )


def _begin(order: TrainingOrder, examples: list[dict[str, Any]]) -> Path:
    """Return the folder of the initial model, creating a tiny model if the order names none."""
    if order.model:
        return find_folder(order.model, WEIGHTS)
    start, temporary = order.out / START, order.out / f".{START}"
    if not (start / WEIGHTS).exists():
        for folder in (start, temporary):  # left over from a killed run
            shutil.rmtree(folder, ignore_errors=True)
        make_tiny(temporary, texts_of(examples), order.seed)
        temporary.rename(start)
    return start


def _load(order: TrainingOrder, folder: Path) -> tuple[Engine, Path | None]:
    """Load the model, merge its initial adapter, if any, into it, and return both, with the adapter's folder.

    SFT continues to train an initial adapter of the ordered rank and alpha instead of merging it, and returns None.
    """
    adapter = find_folder(order.adapter, ADAPTER_WEIGHTS) if order.adapter else None
    if adapter is not None and order.load_in_4bit:
        raise BadInput("Weights in four bits cannot take in the adapter that you begin with: leave --load-in-4bit out.")
    load = Load(folder, adapter, order.device, _dtype(order), order.load_in_4bit)
    engine = load_engine(load)
    if adapter is None:
        return engine, None
    config = engine.model.peft_config["default"]
    if order.purpose == "sft" and (config.r, config.lora_alpha) == (order.rank, order.alpha):
        for name, weight in engine.model.named_parameters():
            weight.requires_grad = "lora_" in name
            if weight.requires_grad:
                weight.data = weight.data.float()
        return engine, None
    engine.model = engine.model.merge_and_unload()
    return engine, adapter


def _dtype(order: TrainingOrder) -> str:
    """Return the ordered dtype. For `auto` with an adapter it is bfloat16 on a CPU with bfloat16 multiplication, which
    is three times as fast."""
    if order.dtype != "auto" or not order.rank:
        return order.dtype
    return "bfloat16" if multiplies_in_bfloat16(order.device) else "auto"


def _select_lines(
    engine: Engine, examples: list[dict[str, Any]], order: TrainingOrder
) -> tuple[list[dict[str, Any]], int]:
    """Return the lines that are short enough, in the form of the model's template, and the number of others."""
    if examples and not _accepts_system(engine, examples[0]["prompt"]):
        examples = [{**example, "prompt": _merge_system(example["prompt"])} for example in examples]
    selected = []
    for example in examples:
        texts = [texts_of([{name: example[name] for name in ("prompt", answer)}]) for answer in _answers(order)]
        if max(len(engine.tokenizer("".join(text))["input_ids"]) for text in texts) <= order.longest:
            selected.append(example)
    if examples and not selected:
        raise BadInput(f"All lines have more than {order.longest} tokens: raise --longest, or make them shorter.")
    return selected, len(examples) - len(selected)


def _answers(order: TrainingOrder) -> tuple[str, ...]:
    return COLUMNS[order.purpose][1:]


def _accepts_system(engine: Engine, prompt: list[dict[str, Any]]) -> bool:
    """Return whether the chat template of a model accepts a system message."""
    try:
        if engine.sees:
            engine.processor.apply_chat_template(prompt, tokenize=False)
        else:
            engine.tokenizer.apply_chat_template(plain(prompt), tokenize=False)
    except jinja2.TemplateError:
        return False
    return True


def _merge_system(prompt: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge the system message into the first user message, as `planners.llm.local.engine` does."""
    system, first, *others = prompt
    if system["role"] != "system":
        return prompt
    parts = [*system["content"], {"type": "text", "text": "\n\n"}, *first["content"]]
    return [{"role": "user", "content": parts}, *others]


def _trainer(
    order: TrainingOrder, engine: Engine, lines: list[dict[str, Any]], held_out: list[dict[str, Any]], watcher: Any
) -> Any:
    is_multimodal = engine.processor is not None
    cuda = engine.model.device.type == "cuda"
    # TRL loads the model again as DPO's reference model; with an adapter that is the model without the adapter.
    adapter = None
    if order.rank and not isinstance(engine.model, peft.PeftModel):  # otherwise training continues with its adapter
        adapter = new_adapter(engine.model, order.rank, order.alpha)
    settings = {
        "output_dir": str(order.out / CHECKPOINTS),
        "num_train_epochs": order.epochs,
        "per_device_train_batch_size": order.at_once,
        "per_device_eval_batch_size": order.at_once,
        "gradient_accumulation_steps": max(1, order.batch // order.at_once),
        "learning_rate": order.rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": order.warmup,  # below 1 it is a fraction of all steps
        "seed": order.seed,
        "logging_steps": 1,
        "save_steps": order.keep_every,
        "save_total_limit": 2,
        "eval_strategy": ("steps" if order.patience else "epoch") if held_out else "no",
        "eval_steps": order.keep_every,
        "load_best_model_at_end": bool(order.patience and held_out),
        "metric_for_best_model": "eval_loss",
        "report_to": [],
        "disable_tqdm": True,
        "use_cpu": not cuda,
        "bf16": cuda and engine.model.dtype == torch.bfloat16,
        "fp16": False,
        "gradient_checkpointing": cuda,  # on a CPU time is scarcer than memory
        "max_length": None,  # truncation would cut pictures; lines that are too long were excluded before
        "dataloader_pin_memory": cuda,
    }
    data = {
        "train_dataset": dataset_of(lines, sees=is_multimodal),
        "eval_dataset": dataset_of(held_out, sees=is_multimodal) if held_out else None,
        "processing_class": engine.processor or engine.tokenizer,
        "peft_config": adapter,
        "callbacks": [watcher],
    }
    engine.model.train()
    if not is_multimodal and not cuda:  # fused attention takes twice as long backwards in bfloat16 on a CPU
        engine.model.set_attn_implementation("eager")
    if order.patience and held_out:
        data["callbacks"].append(transformers.EarlyStoppingCallback(order.patience))
    if order.purpose == "sft":
        if not is_multimodal:  # batches of similar length need least padding
            settings["train_sampling_strategy"] = "group_by_length"
        sft_config = trl.SFTConfig(completion_only_loss=not order.whole, **settings)
        uses_answers_trainer = not is_multimodal and takes_logits_to_keep(engine.model)
        trainer = (AnswersTrainer if uses_answers_trainer else trl.SFTTrainer)(
            model=engine.model, args=sft_config, **data
        )
    else:
        reference = None
        if adapter is None:
            reference = load_engine(Load(_begin(order, []), None, order.device, order.dtype)).model
        dpo_config = trl.DPOConfig(beta=order.beta, **settings)
        trainer = trl.DPOTrainer(model=engine.model, ref_model=reference, args=dpo_config, **data)
    if order.rank and not cuda:
        in_low_precision(trainer.model)
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def _save(order: TrainingOrder, trainer: Any, folder: Path, merged: Path | None) -> None:
    """Save the result in the form that a planner loads: an adapter, or a whole model with tokenizer and config."""
    if order.rank:
        learnt = order.out / LEARNT if merged is not None else order.out
        trainer.model.save_pretrained(learnt)
        if merged is not None:
            joined(merged, learnt, order.out)
        (order.out / "README.md").unlink(missing_ok=True)  # PEFT's empty model card
        return
    for file in [file for pattern in _FILES for file in folder.glob(pattern)]:
        if not file.name.endswith(".index.json"):
            shutil.copyfile(file, order.out / file.name)
    trainer.model.save_pretrained(order.out)


class _Watcher(transformers.TrainerCallback):  # type: ignore[misc]
    """Reports every step."""

    def __init__(self, over: StepOver) -> None:
        self._on_step = over
        self._speed_reference = (0.0, 0.0)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        if not logs or "loss" not in logs:
            return
        tokens, time_now = float(logs.get("num_tokens", 0)), time.monotonic()
        if not self._speed_reference[1]:
            self._speed_reference = (
                tokens,
                time_now,
            )  # excludes the first step as warm-up, and tokens of before a resume
        seconds = time_now - self._speed_reference[1]
        speed = (tokens - self._speed_reference[0]) / seconds if seconds else 0.0
        self._on_step(state.global_step, state.max_steps, float(logs["loss"]), speed=speed)


datasets.disable_progress_bars()  # `StepOver` reports the steps
transformers.utils.logging.disable_progress_bar()
transformers.utils.logging.set_verbosity_error()
