"""Parts shared by the cards of all data sets: front matter, tables, licence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field

from homie.kernel.support.documents import parse_yaml
from homie.kernel.support.text_pattern import pattern_validator

UNKNOWN = "unknown"
"""Licence value of the Hugging Face Hub for data whose licence was not given."""
License = Annotated[
    Annotated[
        str,
        Field(max_length=100),
        pattern_validator("[a-z0-9][a-z0-9.+-]*", "be lower case letters, digits, '.', '+' and '-', such as cc-by-4.0"),
    ]
    | None,
    Field(
        description="Licence of the data for its card, as the Hugging Face hub names it, such as `cc-by-4.0`.",
    ),
]


OURS = "<!-- Homie writes this page with every export. Delete this line to keep a page of your own. -->"


def read_card(path: Path) -> str | None:
    """Return the existing card that an export may overwrite, "" if there is none; None if a person maintains the
    card."""
    existing = path.read_text(errors="replace") if path.exists() else ""
    return None if existing and OURS not in existing else existing


def license_of(card: str) -> str:
    """Return the licence given in the front matter of a card."""
    try:
        front = parse_yaml(card.partition("---\n")[2].partition("---\n")[0])
    except (ValueError, yaml.YAMLError):
        front = None
    licence = front.get("license") if isinstance(front, dict) else None
    return licence if isinstance(licence, str) and licence else UNKNOWN


def front_matter(values: Mapping[str, object]) -> str:
    """Format the YAML front matter of a card."""
    return f"---\n{yaml.safe_dump(dict(values), sort_keys=False)}---\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |" for cells in lines) + "\n"
