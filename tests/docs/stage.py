"""Prepare the folder in which the commands of a page are run: examples of the repository, and fakes of user files."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from blocks import blocks
from model_server import URL
from stand_ins import NEEDS, ROOT, STAND_INS

from tests.own_network import own_network

LINKED = ("examples", "benchmarks", "suites", "constraints.txt", "tests/plugin")


class Stage:
    """Folders for pages. store: folder in which each fake is made once; pages get copies."""

    def __init__(self, store: Path) -> None:
        self._store = store

    def prepare(self, folder: Path, page: Path) -> None:
        """Fill an empty folder with the files that a page needs."""
        for name in LINKED:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).symlink_to(ROOT / name)
        for name in stand_ins_of(page):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            stand_in = self._make(name)
            if stand_in.is_dir():
                shutil.copytree(stand_in, target)
            else:
                shutil.copy(stand_in, target)

    def _make(self, name: str) -> Path:
        stand_in = self._store / name
        if not stand_in.exists():
            stand_in.parent.mkdir(parents=True, exist_ok=True)
            STAND_INS[name](stand_in)
        return stand_in


def stand_ins_of(page: Path) -> list[str]:
    """Return the fakes that the blocks of a page name, except files that a command of the page makes itself."""
    code = "\n".join(block.text for block in blocks(page) if block.language in ("console", "python"))
    written = {*re.findall(r"--out (\S+)", code), *re.findall(r"homie skill generate \w+ (\S+)", code)}
    needed = {name for command, names in NEEDS.items() if command in code for name in names}
    return [name for name in STAND_INS if (names(code, name) and name not in written) or name in needed]


def names(code: str, path: str) -> bool:
    """Whether code contains a path, or the path of a file in it."""
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w.-])", code) is not None


def environment() -> dict[str, str]:
    """Return the environment variables of the shell: the tested Homie first on the path, no API keys, no network."""
    scripts = str(Path(sys.executable).parent)
    return {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": URL,
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": URL.removesuffix("/v1"),
        "HF_HUB_OFFLINE": "1",
        "ROS_LOCALHOST_ONLY": "1",
        **own_network(),
        "PIP_NO_INDEX": "1",
    }
