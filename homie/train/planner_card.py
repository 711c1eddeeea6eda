"""Card of a trained planner: README.md with the front matter that the Hugging Face Hub reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from homie.data.card import prompt_options
from homie.data.examples.data_json import DataFile
from homie.kernel.support.text import format_count

_TITLES = {"sft": "A planner of household tasks, fine-tuned", "dpo": "A planner of household tasks, aligned by DPO"}
_LISTED_OPTIONS = (
    "epochs",
    "batch",
    "rate",
    "rank",
    "alpha",
    "warmup",
    "beta",
    "seed",
    "dtype",
    "load_in_4bit",
    "patience",
)
"""Options listed in the card."""


def card(training: Mapping[str, Any], data: DataFile) -> str:
    """Return the text of the card.

    Args:
        training: Fields of a `homie.train.planner.TrainingFile`.
    """
    options, purpose = training["options"], training["purpose"]
    first, last = ends(training["losses"])
    held_out_loss = ends(training["held_out"])[1]
    rows = [(name.replace("_", " "), str(options[name])) for name in _LISTED_OPTIONS if name in options]
    steps = format_count(training["steps"], "step")
    facts = [
        ("data set", f"SHA-256 `{training['data_sha256']}`"),
        ("lines", f"{training['lines']} ({training['too_long']} too long)"),
        ("model to begin with", f"`{options['model']}`" if options["model"] else "a small one with random weights"),
        *([("adapter to begin with", f"`{options['adapter']}`")] if options["adapter"] else []),
        ("trained", f"{training['trained']:,} of {training['parameters']:,} numbers, {steps}"),
        (
            "loss",
            f"{first} at first, {last} at the end"
            + (f", {held_out_loss} on held-out lines" if held_out_loss != "-" else ""),
        ),
        *((name, f"{value:.3g}") for name, value in sorted(training["more"].items())),
    ]
    front = {"tags": ["robotics", "homie", purpose], **({"base_model": options["model"]} if options["model"] else {})}
    return "\n".join(
        [
            f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n",
            f"# {_TITLES[purpose]}\n",
            table(("what", ""), facts),
            "![Loss by step](loss.svg)\n",
            "## Settings\n",
            table(("setting", "value"), rows),
            f"Versions: {', '.join(f'{name} {number}' for name, number in training['versions'].items())}.\n",
            "## Use\n",
            "It is to be asked with the prompt that it was trained with:\n",
            f"    {_usage(options)} {prompt_options(data.recipe.prompt['settings'])}\n",
        ]
    )


def _usage(options: Mapping[str, Any]) -> str:
    if options["rank"]:
        return f"homie run TASK --planner transformers:{options['model'] or 'start'} --adapter THIS_FOLDER"
    return "homie run TASK --planner transformers:THIS_FOLDER"


def ends(losses: Mapping[int, float]) -> tuple[str, str]:
    """Return the mean of the first and the last tenth of the losses as text; single steps are too noisy."""
    values = [losses[step] for step in sorted(losses)]
    if not values:
        return "-", "-"
    count = max(1, len(values) // 10)
    return f"{sum(values[:count]) / count:.3f}", f"{sum(values[-count:]) / count:.3f}"


def table(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    """Format a Markdown table with two columns."""
    lines = [head, ("---", "---"), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"
