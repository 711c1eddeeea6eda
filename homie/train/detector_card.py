"""Card of a trained detector: README.md beside its weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from homie.data.card_parts import front_matter, table
from homie.kernel.support.text import format_count
from homie.train.planner_card import ends

_LISTED_OPTIONS = ("steps", "batch", "enlarge", "rate", "seed")
"""Options listed in the card."""


def detector_card(training: Mapping[str, Any]) -> str:
    """Return the text of the card.

    Args:
        training: Fields of a `homie.train.detector.DetectorTrainingFile`.
    """
    options, scores = training["options"], training["scores"]
    first, last = ends(training["losses"])
    held_out_loss = ends(training["held_out"])[1]
    classes = format_count(len(training["classes"]), "class", "classes")
    facts = [
        ("network", f"{training['parameters']:,} numbers, {classes}, in `{training['file']}`"),
        ("data set", f"SHA-256 `{training['data_sha256']}`"),
        ("begun with", f"`{options['model']}`" if options["model"] else "random weights"),
        ("loss", f"{first} at first, {last} at the end, {held_out_loss} on validation pictures"),
        ("mAP50 of boxes from 16 x 16 pixels", f"{scores['large']:.3f}"),
        ("mAP50 of all boxes", f"{scores['every']:.3f}"),
        ("hours", f"{training['seconds'] / 3600:.2f}"),
        *((name.replace("_", " "), str(options[name])) for name in _LISTED_OPTIONS),
    ]
    by_class = sorted(scores["by_class"].items(), key=lambda item: -item[1])
    return "\n".join(
        [
            front_matter({"tags": ["robotics", "homie", "object-detection"]}),
            "# A detector of the home\n",
            table(("what", ""), facts),
            "Measured on the split `test`; boxes count from an overlap of 0.5 on.\n",
            "![Loss by step](loss.svg)\n",
            "## By class\n",
            table(("class", "average precision"), [(name, f"{value:.3f}") for name, value in by_class]),
            "## What it takes for what\n",
            table(
                ("it is", "taken for", "times"),
                [(true or "nothing", predicted, str(count)) for true, predicted, count in scores["confusions"]],
            ),
            "## What a score means\n",
            table(
                ("score", "of such boxes are right", "boxes"),
                [(f"{mean:.2f}", f"{right:.2f}", str(count)) for mean, right, count in scores["calibration"]],
            ),
            f"Versions: {', '.join(f'{name} {number}' for name, number in training['versions'].items())}.\n",
            "## Use\n",
            "    homie run TASK --targets sensors --detector learned:THIS_FOLDER\n",
        ]
    )
