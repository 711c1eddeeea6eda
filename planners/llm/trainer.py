"""One training, by TRL: a model of any family that `--planner transformers:` runs, with LoRA or whole.

Checkpoints are in OUT/checkpoints; what is trained is put into OUT at the end, as a planner loads it.
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
from planners.llm.answers_trainer import AnswersTrainer, computes_where_asked
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
"""Folders in OUT: of the training, of a small model before it, of an adapter that is yet to be joined to another."""
SMALL = 10_000_000
"""Numbers below which threads wait for each other longer than they work: a step of a small model took 30 s with two
threads and 3 s with one, on two cores that others used too."""
_FILES = ("*.json", "*.jinja", "*.txt", "*.model")
"""What a model folder has beside weights."""


def train(order: TrainingOrder, over: StepOver) -> TrainingReport:
    """Train as ordered, or go on with it.

    Raises:
        BadInput: The model, the adapter or the data cannot be used, or do not fit each other.
        MissingPart: A package is not there.
        PlannerError: There is no way to the hub.
    """
    start = time.monotonic()
    examples = read_examples(order.lines, order.purpose)
    folder = _begin(order, examples)
    engine, merged = _loaded(order, folder)
    fitting, excluded = _fitting(engine, examples, order)
    held_out = _fitting(engine, read_examples(order.held_out, order.purpose), order)[0] if order.held_out else []
    watcher = _Watcher(over)
    trainer = _trainer(order, engine, fitting, held_out, watcher)
    if order.threads:
        torch.set_num_threads(order.threads)
    elif engine.model.device.type == "cpu" and engine.model.num_parameters() < SMALL:
        torch.set_num_threads(1)
    trainable = sum(weight.numel() for weight in trainer.model.parameters() if weight.requires_grad)
    trainer.train(resume_from_checkpoint=last_checkpoint(order.out / CHECKPOINTS))
    _keep(order, trainer, folder, merged)
    rows = trainer.state.log_history
    ending = {name: float(row[name]) for row in rows for name in row if name.startswith("rewards/")}
    return TrainingReport(
        losses={row["step"]: float(row["loss"]) for row in rows if "loss" in row},
        held_out={row["step"]: float(row["eval_loss"]) for row in rows if "eval_loss" in row},
        steps=trainer.state.global_step,
        lines=len(fitting),
        too_long=excluded,
        trained=trainable,
        parameters=sum(weight.numel() for weight in trainer.model.parameters()),
        seconds=round(time.monotonic() - start, 1),
        more=ending,
    )


def _begin(order: TrainingOrder, examples: list[dict[str, Any]]) -> Path:
    """The folder of the model to begin with."""
    if order.model:
        return find_folder(order.model, WEIGHTS)
    start, making = order.out / START, order.out / f".{START}"
    if not (start / WEIGHTS).exists():
        for folder in (start, making):  # which a kill has left
            shutil.rmtree(folder, ignore_errors=True)
        make_tiny(making, texts_of(examples), order.seed)
        making.rename(start)
    return start


def _loaded(order: TrainingOrder, folder: Path) -> tuple[Engine, Path | None]:
    """The model, with an adapter that it begins with merged into it, and where that is.

    Fine-tuning goes on with an adapter of its own rank and alpha instead, and None is where that is.
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
    """As ordered. `auto` below an adapter on a CPU is bfloat16 where the CPU multiplies in it: three times as fast."""
    if order.dtype != "auto" or not order.rank:
        return order.dtype
    return "bfloat16" if multiplies_in_bfloat16(order.device) else "auto"


def _fitting(engine: Engine, examples: list[dict[str, Any]], order: TrainingOrder) -> tuple[list[dict[str, Any]], int]:
    """The lines that are short enough, as the template of the model takes them, and how many are not."""
    if examples and not _takes_system(engine, examples[0]["prompt"]):
        examples = [{**example, "prompt": _merged(example["prompt"])} for example in examples]
    fitting = []
    for example in examples:
        texts = [texts_of([{name: example[name] for name in ("prompt", answer)}]) for answer in _answers(order)]
        if max(len(engine.tokenizer("".join(text))["input_ids"]) for text in texts) <= order.longest:
            fitting.append(example)
    if examples and not fitting:
        raise BadInput(f"All lines have more than {order.longest} tokens: raise --longest, or make them shorter.")
    return fitting, len(examples) - len(fitting)


def _answers(order: TrainingOrder) -> tuple[str, ...]:
    return COLUMNS[order.purpose][1:]


def _takes_system(engine: Engine, prompt: list[dict[str, Any]]) -> bool:
    """Whether the chat template of a model takes a system message; some refuse it."""
    try:
        if engine.sees:
            engine.processor.apply_chat_template(prompt, tokenize=False)
        else:
            engine.tokenizer.apply_chat_template(plain(prompt), tokenize=False)
    except jinja2.TemplateError:
        return False
    return True


def _merged(prompt: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the system says, said by the user: as `planners.llm.local.engine` does it."""
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
    # TRL makes the reference of DPO by loading the model again; with an adapter it is the model without it.
    adapter = None
    if order.rank and not isinstance(engine.model, peft.PeftModel):  # else it goes on with the adapter that it has
        adapter = new_adapter(engine.model, order.rank, order.alpha)
    settings = {
        "output_dir": str(order.out / CHECKPOINTS),
        "num_train_epochs": order.epochs,
        "per_device_train_batch_size": order.at_once,
        "per_device_eval_batch_size": order.at_once,
        "gradient_accumulation_steps": max(1, order.batch // order.at_once),
        "learning_rate": order.rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": order.warmup,  # below 1 it is a share of all steps
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
        "gradient_checkpointing": cuda,  # on a CPU time is what is scarce, not memory
        "max_length": None,  # cutting a line would cut its pictures; those that are too long were left out
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
    if not is_multimodal and not cuda:  # the fused attention of a CPU takes twice as long backwards in bfloat16
        engine.model.set_attn_implementation("eager")
    if order.patience and held_out:
        data["callbacks"].append(transformers.EarlyStoppingCallback(order.patience))
    if order.purpose == "sft":
        if not is_multimodal:  # lines of like length are padded least
            settings["train_sampling_strategy"] = "group_by_length"
        configured = trl.SFTConfig(completion_only_loss=not order.whole, **settings)
        frugal = not is_multimodal and computes_where_asked(engine.model)
        trainer = (AnswersTrainer if frugal else trl.SFTTrainer)(model=engine.model, args=configured, **data)
    else:
        reference = None
        if adapter is None:
            reference = load_engine(Load(_begin(order, []), None, order.device, order.dtype)).model
        preferring = trl.DPOConfig(beta=order.beta, **settings)
        trainer = trl.DPOTrainer(model=engine.model, ref_model=reference, args=preferring, **data)
    if order.rank and not cuda:
        in_low_precision(trainer.model)
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def _keep(order: TrainingOrder, trainer: Any, folder: Path, merged: Path | None) -> None:
    """What was trained, as a planner loads it: an adapter, or a whole model with all that belongs to it."""
    if order.rank:
        learnt = order.out / LEARNT if merged is not None else order.out
        trainer.model.save_pretrained(learnt)
        if merged is not None:
            joined(merged, learnt, order.out)
        (order.out / "README.md").unlink(missing_ok=True)  # PEFT's own card, which says nothing
        return
    for file in [file for pattern in _FILES for file in folder.glob(pattern)]:
        if not file.name.endswith(".index.json"):
            shutil.copyfile(file, order.out / file.name)
    trainer.model.save_pretrained(order.out)


class _Watcher(transformers.TrainerCallback):  # type: ignore[misc]
    """Tells of every step."""

    def __init__(self, over: StepOver) -> None:
        self._over = over
        self._began = (0.0, 0.0)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        if not logs or "loss" not in logs:
            return
        tokens, time_now = float(logs.get("num_tokens", 0)), time.monotonic()
        if not self._began[1]:
            self._began = (tokens, time_now)  # the first step warms up, and a resumed training has tokens of before
        seconds = time_now - self._began[1]
        speed = (tokens - self._began[0]) / seconds if seconds else 0.0
        self._over(state.global_step, state.max_steps, float(logs["loss"]), speed=speed)


datasets.disable_progress_bars()  # `StepOver` reports the steps
transformers.utils.logging.disable_progress_bar()
transformers.utils.logging.set_verbosity_error()
