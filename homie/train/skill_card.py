"""Card of a trained skill: README.md beside its weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from homie.kernel.support.text import format_count
from homie.train.planner_card import ends, table

_LISTED_OPTIONS = ("steps", "batch", "rate", "held_out", "seed")
"""Options listed in the card."""


def skill_card(training: Mapping[str, Any]) -> str:
    """Return the text of the card.

    Args:
        training: Fields of a `homie.train.skill.SkillTrainingFile`.
    """
    options = training["options"]
    skill_set = options["network"].partition("/")[0]
    first, last = ends(training["losses"])
    held_out_loss = ends(training["held_out"])[1]
    times, episodes = format_count(training["lessons"], "time"), format_count(training["episodes"], "episode")
    omissions = sorted(training["left_out"].items())
    facts = [
        ("network", f"`{options['network']}`, {training['parameters']:,} numbers, in `{training['file']}`"),
        ("learnt from", f"{times} {training['action']} of {episodes}"),
        ("recordings", f"SHA-256 `{training['data_sha256']}`"),
        *(("left out", f"{format_count(count, 'episode')}: {reason}") for reason, count in omissions),
        ("begun with", f"`{options['model']}`" if options["model"] else "random weights"),
        (
            "loss",
            f"{first} at first, {last} at the end"
            + (f", {held_out_loss} on held-out episodes" if held_out_loss != "-" else ""),
        ),
        *((name, f"{value:.3g}") for name, value in sorted(training["more"].items())),
    ]
    front = {"tags": ["robotics", "homie", "behaviour-cloning"]}
    return "\n".join(
        [
            f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n",
            f"# {options['network']}, learnt from recordings\n",
            table(("what", ""), facts),
            "![Loss by step](loss.svg)\n",
            "## Settings\n",
            table(("setting", "value"), [(name.replace("_", " "), str(options[name])) for name in _LISTED_OPTIONS]),
            f"Versions: {', '.join(f'{name} {number}' for name, number in training['versions'].items())}.\n",
            "## Use\n",
            f"    homie run TASK --skills {skill_set}:THIS_FOLDER,classical\n",
        ]
    )
