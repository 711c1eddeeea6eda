"""The one reader of JSON and YAML: what is made to hurt, or is not what it should be, ends in one sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from homie.bench.score.trajectory import read_conversation
from homie.bench.suite.emmoe_files import read_keypaths
from homie.bench.suite.suite import read_suite
from homie.data.split import read_split
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.table.table_scene import TableScene
from homie.kernel.errors import BadInput
from homie.kernel.robot.camera import CameraModel
from homie.kernel.support.config import read_config
from homie.kernel.support.documents import _Slow, load_json, load_yaml, parse_json, parse_yaml
from planners.llm.prompting.examples import parse_examples
from planners.scripted import read_script
from planners.scripted_respondents import ScriptedRespondent
from ros_bridge.profiles.model import read_profile
from skills.ideal_reliability import read_reliability
from skills.m3.files import find_files

ROOT = Path(__file__).parent.parent
ALIASES = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + step)}: &{chr(98 + step)} [{','.join(['*' + chr(97 + step)] * 9)}]\n" for step in range(9)
)
READERS: dict[str, Callable[[Path], object]] = {
    "suite.yaml": read_suite,
    "config.yaml": read_config,
    "scene.json": SceneSpec.load,
    "table.json": TableScene.load,
    "script.yaml": read_script,
    "answers.json": lambda path: ScriptedRespondent(str(path)),
    "profile.yaml": lambda path: read_profile(str(path)),
    "reliability.yaml": lambda path: read_reliability(str(path)),
    "split.json": lambda path: read_split(str(path)),
    "m3.yaml": lambda path: find_files(str(path)),
    "examples.yaml": lambda path: parse_examples(path.read_bytes(), path.name),
    "conversation.json": read_conversation,
    "keypath.json": read_keypaths,
    "calibration.yaml": CameraModel.load,
}
WRONG = {
    "empty": b"",
    "byte order mark alone": b"\xef\xbb\xbf",
    "utf-16": "a: 1".encode("utf-16"),
    "latin-1": b"a: \xe9",
    "a number": b"7",
    "a text": b'"x"',
    "null": b"null",
    "flow": b"[" * 60_000,
    "objects": b'{"a":' * 60_000,
    "block": b"- " * 60_000,
    "keys": b"? " * 60_000,
    "twice": b'{"name": "a", "name": "b"}',
    "nul": b"\0\0\0",
    "cut": b'{"name": "x',
    "digits": b'{"a": ' + b"1" * 5000 + b"}",
    "aliases": ALIASES.encode(),
    "alias of itself": b"a: &a [*a]",
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_with_a_file_is_one_sentence(tmp_path: Path, name: str, wrong: str) -> None:
    check_sentence(READERS[name], tmp_path / name, WRONG[wrong])


def check_sentence(read: Callable[[Path], object], path: Path, content: bytes) -> None:
    """Fail unless a reader refuses a file of the content in one sentence that names it."""
    path.write_bytes(content)
    with pytest.raises(BadInput) as excinfo:
        read(path)
    sentence = str(excinfo.value).replace(str(path.parent), "")
    assert path.name in sentence and "\n" not in sentence and len(sentence) < 400
    assert not re.search("Error|Traceback|sys\\.|input_value", sentence)


@pytest.mark.parametrize("text", ["[" * 60_000, "- " * 60_000, "{a: " * 60_000, ALIASES])
def test_a_suite_that_is_made_to_hurt_does_not_end_the_process(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.yaml").write_text(text)
    command = [sys.executable, "-m", "homie", "bench", "deep.yaml", "--planner", "rule", "--out", "x"]
    completed = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert completed.returncode == 2, completed.stderr
    assert "Cannot read the suite deep.yaml" in completed.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 65 + "]" * 65, "nested too deeply"),
        ('{"a":' * 60_000, "nested too deeply"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' stands twice"),
        ("[NaN]", "NaN is not a number of JSON"),
        ("[-Infinity]", "-Infinity is not a number of JSON"),
        ("[1e999]", "1e999 is too large"),
        ("[1" + "0" * 400 + ".5]", "is too large"),
        ("", "it is empty"),
        ("\ufeff", "it is empty"),
        ("9" * 5000, "thousands of digits"),
    ],
)
def test_json_is_read_within_bounds(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_json(text)


def test_json_of_other_programs_may_repeat_names_and_have_numbers_that_are_not_finite() -> None:
    assert parse_json('{"a": 1, "a": Infinity}', lax=True) == {"a": float("inf")}
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json("[" * 60_000, lax=True)


def test_brackets_in_strings_are_not_depth() -> None:
    text = '{"a": "' + "[" * 1000 + '\\"' + "{" * 1000 + '"}'
    assert len(parse_json(text)["a"]) == 2001
    assert parse_json("[" * 64 + "]" * 64) is not None


@pytest.mark.parametrize("load", [parse_yaml, lambda text: yaml.load(text, Loader=_Slow)])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 60_000, "nested too deeply"),
        ("\n".join(" " * level + "a:" for level in range(65)), "nested too deeply"),
        (ALIASES, "aliases counted"),
        ("&a [*a]", "inside what it stands for"),
        ("a: 1\na: 2", "'a' stands twice"),
        ("a: .inf", ".inf is not a finite number"),
        ("a: .nan", ".nan is not a finite number"),
        ("a: 1.0e+999", "is not a finite number"),
        ("a: !!set {x, y}", "values of the tag !!set are not known here"),
        ("a: !!binary aGk=", "values of the tag !!binary are not known here"),
        ("a: !!python/name:os.system", "values of the tag !!python/name:os.system are not known here"),
        ("a: !!int x", "'x' is not of the type int"),
        ("a: !!float ''", "'' is not of the type float"),
        ("a: !!bool x", "'x' is not of the type bool"),
        ("a: !!map [1]", "expected a mapping node"),
        ('a: "\\ud83d"', "an escape stands for half a character"),
    ],
)
def test_yaml_is_read_within_bounds(load: Callable[[str], object], text: str, problem: str) -> None:
    with pytest.raises((ValueError, yaml.YAMLError), match=re.escape(problem)):
        load(text)


def test_aliases_and_merges_are_read() -> None:
    assert parse_yaml("a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}") == {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1, "y": 2}}


@pytest.mark.parametrize("words", [False, True])
def test_what_json_has_not_is_text(words: bool) -> None:
    assert parse_yaml("[2026-02-01, 2026-13-01, =]", words=words) == ["2026-02-01", "2026-13-01", "="]
    assert parse_yaml("[1.5, 2, true, null, x]", words=words) == [1.5, 2, True, None, "x"]
    assert parse_yaml("[1:30, 190:20:30.15, 0x10, 1_000]", words=words) == ["1:30", "190:20:30.15", 16, 1000]


def test_leading_zeros_are_no_octal_numbers() -> None:
    assert parse_yaml("[017, -0010, 0_7, 0, 08]") == [17, -10, 7, 0, "08"]


def test_characters_that_json_writes_as_two_escapes_are_whole() -> None:
    assert parse_yaml(json.dumps({"text": "find \U0001f600"})) == {"text": "find \U0001f600"}


def test_on_and_off_are_words_where_yaml_1_2_is_meant() -> None:
    assert parse_yaml("on: [yes, true]", words=True) == {"on": ["yes", True]}
    assert parse_yaml("on: [yes, true]") == {True: [True, True]}


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert load_json(tmp_path / "a.json") == load_yaml(tmp_path / "a.json") == {"a": 1}


def test_a_file_that_never_ends_is_too_large() -> None:
    with pytest.raises(ValueError, match="too large"):
        load_yaml(Path("/dev/zero"))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(READERS.keys() - {"examples.yaml"}))
def test_of_a_file_that_never_ends_no_more_is_read_than_may_be(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    code = f"""
import resource
from pathlib import Path
from test_documents import READERS
from homie.kernel.errors import BadInput
resource.setrlimit(resource.RLIMIT_DATA, (4 * 2**30, 4 * 2**30))
try:
    READERS[{name!r}](Path({str(tmp_path / name)!r}))
except BadInput as error:
    print(error)
"""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    assert completed.returncode == 0 and name in completed.stdout, completed.stderr[-500:]


def test_nobody_else_parses_yaml_or_files_of_json() -> None:
    """Python's reader has no bound that holds on all versions, PyYAML's none at all."""
    parse = re.compile(r"yaml\.(safe_)?load\(|CSafeLoader|json\.loads\([\w.]*path|validate_json\([\w.]*read_")
    allowed = {"homie/kernel/support/documents.py"}
    # Files that Homie wrote itself, and told from damaged ones by a checksum or by their own program.
    allowed |= {"suites/vigil/frozen.py", "homie/runtime/provenance.py", "planners/llm/calls/cache.py"}
    folders = ("homie", "planners", "skills", "perception", "error_detection", "ros_bridge", "examples")
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            assert name in allowed or not parse.search(path.read_text(encoding="utf-8")), name
