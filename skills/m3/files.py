"""Checkpoint files of the skills: from a folder with files of the skills' names, from a YAML file, or the one of Go to
that ships with the package."""

from __future__ import annotations

import re
from pathlib import Path

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.documents import load_yaml
from homie.kernel.support.files import reading
from skills.m3.layout import LAYOUTS

SHIPPED = {"navigate": Path(__file__).parent / "weights/navigate.safetensors"}
"""Trained by `homie train skill`; weights/README.md names the data."""

_NUMBERED = re.compile(r"ckpt\.(\d+)\.pth")


def find_files(argument: str) -> dict[str, Path]:
    """Return the checkpoints by skill, with the names of `LAYOUTS`.

    Args:
        argument: a folder with `NAME.pth`, `NAME.safetensors` or `NAME/ckpt.N.pth`, of which the highest N is taken; a
            YAML file with `NAME: FILE`, relative to itself; or "" for `SHIPPED`.

    Raises:
        BadInput: there is no checkpoint, there are two for a skill, or the YAML file is wrong.
    """
    names = ", ".join(LAYOUTS)
    if not argument:
        return dict(SHIPPED)
    path = Path(argument).expanduser()
    if path.is_dir():
        files = {name: file for name in LAYOUTS if (file := _in_folder(path, name)) is not None}
        if not files:
            raise BadInput(
                f"The folder {path} holds no checkpoint of M3: NAME.pth, NAME.safetensors or NAME/ckpt.N.pth, for"
                f" {names}."
            )
        return files
    if not path.exists():
        raise BadInput(f"There is no {path}: M3 takes a folder of checkpoints or a YAML file that lists them.")
    if path.suffix not in (".yaml", ".yml"):
        raise BadInput(
            f"{path} is one file, and M3 has one checkpoint per skill: give a folder with NAME.pth or a YAML file"
            f" with NAME: FILE, for {names}."
        )
    return _from_yaml(path)


def _in_folder(folder: Path, name: str) -> Path | None:
    candidates = [file for kind in ("pth", "safetensors") if (file := folder / f"{name}.{kind}").is_file()]
    if len(candidates) > 1:
        raise BadInput(
            f"The folder {folder} holds {candidates[0].name} and {candidates[1].name}: move one of them elsewhere."
        )
    if candidates:
        return candidates[0]
    by_number = {int(match[1]): file for file in (folder / name).glob("*") if (match := _NUMBERED.fullmatch(file.name))}
    return by_number[max(by_number)] if by_number else None


def _from_yaml(path: Path) -> dict[str, Path]:
    with reading(path):
        entries = load_yaml(path)
    if not isinstance(entries, dict) or not entries:
        raise BadInput(f"{path} must hold a mapping of skills to checkpoints, such as `navigate: nav_v1/ckpt.10.pth`.")
    for name, file in entries.items():
        if name not in LAYOUTS:
            hint = suggestion(str(name), LAYOUTS, f"it has {', '.join(LAYOUTS)}.")
            raise BadInput(f"{path}: M3 has no skill '{name}': {hint}")
        if not isinstance(file, str) or not (path.parent / file).is_file():
            raise BadInput(f"{path}: there is no checkpoint {file} for {name}.")
    return {name: path.parent / entries[name] for name in LAYOUTS if name in entries}
