"""A file of another kind than an option wants: one sentence says what is wrong, the next what the file should be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from homie.bench.suite.suite import read_suite
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.meshes.library import library
from homie.envs.mujoco.mjcf_house.file import read_file
from homie.envs.mujoco.robots.body_file import read_amendments
from homie.envs.mujoco.table.table_scene import TableScene
from homie.kernel.errors import BadInput
from homie.kernel.support.config import read_config
from planners.llm.prompting.templates import load_template
from planners.scripted import read_script
from ros_bridge.profiles.model import read_profile
from skills.ideal_reliability import read_reliability

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
OTHER = b'{"title": "something else"}'
WRONG = {"list": b"[1, 2]", "other": OTHER, "empty": b"", "png": PNG, "folder": None, "missing": None}
READERS: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "scene": (SceneSpec.load, "A scene spec is a JSON file of a house", "docs/scene-spec.md"),
    "table": (TableScene.load, "A table scene is JSON", "docs/robots.md"),
    "suite": (read_suite, "A suite is a YAML file", "docs/suites.md"),
    "profile": (lambda path: read_profile(str(path)), "A robot profile is a YAML file", "docs/ros.md"),
    "body": (read_amendments, "A body is a YAML file of amendments", "docs/robots.md"),
    "config": (read_config, "It has options in YAML", "docs/command-line.md"),
    "script": (read_script, "A script is a YAML list of decisions", "docs/planners.md"),
    "template": (lambda path: load_template(str(path)), "A template is a text file", "docs/prompts.md"),
    "reliabilities": (lambda path: read_reliability(str(path)), "Give a file of probabilities", "docs/skills.md"),
    "house": (read_file, "an MJCF file|the MJCF file", "docs/houses.md"),
    "meshes": (library, r"such as mug\.obj|as mug\.obj or mug\.glb", "docs/"),
}
OF_ANOTHER_KIND = {
    ("script", "list"): r"Entry 1 of .*write text such as \[Pick, apple\]\.$",
    ("reliabilities", "other"): "title is not known here",
}
"""What is looked at more closely: it is of the right kind, or nearly so."""


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("kind", READERS)
def test_the_error_says_what_the_file_should_be(tmp_path: Path, kind: str, wrong: str) -> None:
    read, advice, page = READERS[kind]
    path = tmp_path / "file.yaml"
    if wrong == "folder":
        path.mkdir()
    elif wrong != "missing":
        path.write_bytes(WRONG[wrong] or b"")
    if (kind, wrong) == ("config", "other"):
        assert read(path) == {"title": "something else"}, "the option is refused later, by its name"
        return
    with pytest.raises(BadInput, match=OF_ANOTHER_KIND.get((kind, wrong), advice)) as excinfo:
        read(path)
    sentence = str(excinfo.value)
    assert "file.yaml" in sentence and "\n" not in sentence and len(sentence) < 400 + len(str(path))
    if (kind, wrong) not in OF_ANOTHER_KIND:
        assert page in sentence
    if page.endswith(".md"):
        assert (ROOT / page).is_file()


def test_a_wrong_field_of_a_file_of_the_right_kind_needs_no_advice(tmp_path: Path) -> None:
    path = tmp_path / "house.json"
    room = '{"name": "hall", "kind": "cave", "x0": 0, "y0": 0, "x1": 4, "y1": 4}'
    path.write_text(f'{{"rooms": [{room}], "robot": {{"x": 2, "y": 2}}}}')
    with pytest.raises(BadInput, match=r"rooms\.0\.kind must be .*\(got 'cave'\)\.$"):
        SceneSpec.load(path)
