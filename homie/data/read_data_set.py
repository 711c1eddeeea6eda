"""Reader of a finished data set, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from homie.data.examples.data_json import DataFile, read_data_file
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading


def read_lines(folder: Path, split: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of a split. Raises BadInput with the location of an invalid line."""
    data = read_data_file(folder)
    path = lines_file(folder, data, split)
    with reading(path), path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            # The JSON list has one object per line too, enclosed in brackets and commas.
            text = raw[raw.find(b"{") : raw.rfind(b"}") + 1] if data.recipe.form == "emmoe" else raw
            yield _parse(text, f"{path}, line {number}")


def format_line(line: Mapping[str, Any]) -> str:
    """Format a line for people: all messages, with the names of the pictures in their places."""
    if "conversations" in line:
        pictures = ", ".join(line.get("image", ()))
        turns = [f"[{turn['from']}]\n{turn['value']}" for turn in line["conversations"]]
        return "\n\n".join([*turns, f"pictures: {pictures}"])
    if isinstance(line["prompt"], str):
        return "\n\n".join(f"[{name}]\n{line[name]}" for name in ("prompt", "chosen", "rejected"))
    names = iter(line.get("images_file_names", ()))
    blocks = [_block(message["role"], message["content"], names) for message in line["prompt"]]
    answers = [
        _block(name, line[name][0]["content"], names) for name in ("completion", "chosen", "rejected") if name in line
    ]
    return "\n\n".join([str(line["id"]), *blocks, *answers])


def _block(title: str, parts: list[dict[str, Any]], pictures: Iterator[str]) -> str:
    texts = [part["text"] if part["type"] == "text" else f"<{next(pictures, 'no picture')}>" for part in parts]
    return "\n".join([f"[{title}]", *texts])


def lines_file(folder: Path, data: DataFile, split: str) -> Path:
    """Return the file of a split. Raises BadInput for a split that the data set does not have."""
    if split not in data.splits:
        raise BadInput(f"The data set {folder} has no split '{split}': choose {' or '.join(data.splits)}.")
    return folder / (f"{split}/metadata.jsonl" if data.recipe.form == "chat" else f"{split}.json")


def _parse(text: bytes, where: str) -> dict[str, Any]:
    with reading(where):
        line = parse_json(text)
    if not isinstance(line, dict):
        raise BadInput(f"{where}, is not a line of a data set.")
    return line
