"""What episodes are made with: kept once, distinguished, never mixed without a word."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from homie.kernel.options import RunOptions
from homie.runtime.provenance import (
    OtherParts,
    PartsFile,
    complete_description,
    description_names,
    differences,
    forget,
    format_value,
    keep,
    keep_text,
    read_parts,
    read_text,
    versions,
)
from planners.rule import RulePlanner


def parts(**planner: object) -> PartsFile:
    return PartsFile(planner=planner, detector={}, skills={}, robot={}, settings={}, versions={})


def test_parts_are_kept_once_with_their_texts(tmp_path: Path) -> None:
    text = "You are a robot. \ud800"
    digest = keep_text(tmp_path, text)
    assert read_text(tmp_path, digest) == "You are a robot. ?" and read_text(tmp_path, "none") is None
    name = keep(tmp_path, parts(model="a"), {"given": "by its name"}, mixed=False)
    assert name == keep(tmp_path, parts(model="a"), {}, mixed=False) == parts(model="a").digest
    assert description_names(tmp_path) == (name,) and read_parts(tmp_path, name) == parts(model="a")
    assert (tmp_path / "texts" / "given.txt").read_text() == "by its name"
    assert read_text(tmp_path, "given") is None, "a text that is not what its name says is not shown"
    path = tmp_path / "parts" / f"{name}.json"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == name
    path.write_bytes(path.read_bytes() + b" ")
    assert read_parts(tmp_path, name) is None and read_parts(tmp_path, "none") is None
    forget(tmp_path, name)
    forget(tmp_path, name)
    assert description_names(tmp_path) == ()


def test_a_text_that_several_workers_keep_at_one_moment_is_kept(tmp_path: Path) -> None:
    """Their planners, answered together by one model, tell the same system message together."""
    together = threading.Barrier(4)

    def worker(number: int) -> list[str]:
        digests = []
        for text in map(str, range(25)):
            together.wait(60)
            digests.append(keep_text(tmp_path, text))
        return digests

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(worker, range(4))
    assert others == [first] * 3
    assert [read_text(tmp_path, digest) for digest in first] == list(map(str, range(25)))


def test_other_parts_are_refused_unless_they_may_be_mixed(tmp_path: Path) -> None:
    keep(tmp_path, parts(model="a", seed=1), {}, mixed=False)
    with pytest.raises(
        OtherParts, match=r"\(different: planner\.model \(a, now b\); planner\.seed \(1, now -\)\): choose"
    ):
        keep(tmp_path, parts(model="b"), {}, mixed=False)
    keep(tmp_path, parts(model="b"), {}, mixed=True)
    assert len(description_names(tmp_path)) == 2


def test_what_differs_is_said_in_words() -> None:
    assert differences(parts(model="a"), parts(model="a")) == ()
    assert differences(None, parts()) == differences(parts(), None) == ("what they were is not known",)
    nested = {"price": {"in": 1, "out": {}}}
    assert differences(parts(), parts(**nested)) == (
        "planner ({}, now -)",
        "planner.price.in (-, now 1)",
        "planner.price.out (-, now {})",
    )


def test_a_checksum_is_shown_by_its_first_digits() -> None:
    assert (
        format_value("0a" * 32) == "0a" * 6
        and format_value("g" * 64) == "g" * 64
        and format_value("0a" * 31) == "0a" * 31
    )
    assert format_value(None) == "-" and format_value("") == ""


def test_settings_are_those_that_decide_an_episode() -> None:
    options = RunOptions(task="go", attempts=2, rounds=7)
    parts_file = PartsFile.of({"planner": {}, "detector": {}, "skills": {}, "robot": {}}, options)
    assert parts_file.settings == {
        "targets": "background", "grasp": "weld", "check_order": "paper", "attempts": 2, "rounds": 7,
        "on_missing_model": "fallback",
    }  # fmt: skip
    assert parts_file.versions == versions()
    names = {"python", "homie-robot", "mujoco", "numpy", "pydantic", "opencv-python-headless", "pillow", "av", "source"}
    assert names <= set(parts_file.versions) and len(parts_file.versions["source"]) == 12
    assert parts_file.facts["settings.attempts"] == "2" and "format" not in parts_file.facts


class Mine:
    """A part of a user's own."""


def test_code_of_others_is_named_by_its_checksum() -> None:
    about = complete_description(Mine(), {"kind": "mine"})
    source = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    assert about == {"class": f"{__name__}:Mine", "source": source, "kind": "mine"}


def test_code_of_a_script_that_is_run_is_named_by_the_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from homie.runtime.provenance import complete_description\n\n"
        "class Own:\n    pass\n\n"
        "print(complete_description(Own(), {})['source'])\n"
    )
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == hashlib.sha256(script.read_bytes()).hexdigest()
    assert complete_description(RulePlanner(""), {}) == {"class": "planners.rule.planner:RulePlanner"}
    assert complete_description(1, {}) == {"class": "builtins:int"}, "no file"
