"""Lines of a data set in the form of TRL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset, Image, List

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json

COLUMNS = {"sft": ("prompt", "completion"), "dpo": ("prompt", "chosen", "rejected")}
PICTURES = "images_file_names"


def read_examples(file: Path, purpose: str) -> list[dict[str, Any]]:
    """Read the lines of a file: messages, and the paths of pictures under `images`. Raises BadInput."""
    columns = COLUMNS[purpose]
    examples = []
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                read = parse_json(line)
                example = {name: read[name] for name in columns}
            except (ValueError, KeyError, TypeError) as error:
                raise BadInput(f"{file}, line {number}, is none to train on with {purpose}: {error}.") from error
            pictures = [str(file.parent / name) for name in read.get(PICTURES, ())]
            examples.append({**example, "images": pictures} if pictures else example)
    return examples


def texts_of(examples: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield every text in the messages of some examples."""
    for example in examples:
        for messages in example.values():
            for message in messages:
                if isinstance(message, dict):
                    yield from (part["text"] for part in message["content"] if part["type"] == "text")


def dataset_of(examples: Sequence[dict[str, Any]], *, sees: bool) -> Dataset:
    """Return the data set for a trainer.

    Raises BadInput if the lines have pictures and the model accepts none, or the other way round.

    Args:
        examples: From `read_examples`.
        sees: Whether the model accepts pictures; they are opened lazily.
    """
    has_images = any("images" in example for example in examples)
    if has_images and not sees:
        raise BadInput("The data show pictures and the model only reads: make them with `--prompt images=false`.")
    if not sees:
        read_only = [{name: plain(value) for name, value in example.items()} for example in examples]
        return Dataset.from_list(read_only)
    if not all("images" in example for example in examples):
        raise BadInput("The model sees and the data show no pictures: play with --frames, and make them anew.")
    return Dataset.from_list(list(examples)).cast_column("images", List(Image()))


def plain(messages: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """Convert the parts of messages to plain text, for the chat templates of text-only models."""
    return [
        {"role": message["role"], "content": "\n".join(part["text"] for part in message["content"])}
        for message in messages
    ]
