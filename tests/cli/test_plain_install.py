"""A plain install, without any extra: help everywhere, and what needs a package says how to install it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from homie.cli.app import helps
from homie.kernel.support import packages

BLOCK = """
import json, sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

MISSING = frozenset(json.loads(sys.argv[1]))
sys.meta_path.insert(0, Missing())
"""
HELP = """
from homie.cli.app import build

answers = {}
for name in json.loads(sys.argv[2]):
    app = build(name)
    groups = [group.typer_instance for group in app.registered_groups if group.name == name]
    for words in ([name], *([name, part.name] for group in groups for part in group.registered_commands)):
        answers[" ".join(words)] = app(args=[*words, "--help"], prog_name="homie", standalone_mode=False)
print(json.dumps(answers), file=sys.stderr)
"""
RUNS = """
from homie.cli.main import main

for line in json.loads(sys.argv[2]):
    try:
        main(line)
    except SystemExit as ended:
        assert ended.code == 0, line
"""
RUN = "from homie.cli.main import main; main(sys.argv[2:])"


def optional() -> list[str]:
    """The modules of all packages that only an extra brings."""
    core = {requirement.name for requirement in packages.requirements()}
    extras = set(packages.extras()) - {"dev", "docs"}
    names = {requirement.name for extra in extras for requirement in packages.requirements(extra)} - core
    return [module for module, owners in packages_distributions().items() if names & set(owners)]


def python(code: str, missing: list[str], *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BLOCK + code, json.dumps(missing), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, stdin=subprocess.DEVNULL)


def test_every_command_has_its_help() -> None:
    missing = optional()
    assert {"mcap", "pyarrow", "starlette", "torch", "openai"} <= set(missing)
    ran = python(HELP, missing, json.dumps(list(helps())))
    assert ran.returncode == 0, ran.stderr
    answers = json.loads(ran.stderr.splitlines()[-1])
    assert set(answers.values()) <= {0, None} and len(answers) > len(helps()) + 20
    assert ran.stdout.count("Usage: homie") == len(answers)


@pytest.mark.parametrize(
    ("arguments", "package"),
    [
        ("teleop --record takes", "mcap"),
        ("studio --port 0", "starlette"),
        ("data lerobot set --out other", "pyarrow"),
        ("robot episodes bag --out other", "mcap"),
    ],
)
def test_what_lacks_a_package_says_how_to_install_it(tmp_path: Path, arguments: str, package: str) -> None:
    (tmp_path / "set/meta").mkdir(parents=True)
    (tmp_path / "set/meta/info.json").write_text("{}")
    ran = python(RUN, optional(), *arguments.split(), cwd=tmp_path)
    (sentence,) = ran.stderr.splitlines()
    assert ran.returncode == 3, sentence
    assert f"needs the package '{package}': install it with `pip install " in sentence
    assert {path.name for path in tmp_path.iterdir()} == {"set"}, "nothing is left behind"


def test_a_run_and_its_training_data_need_no_extra(tmp_path: Path) -> None:
    lines = (
        ("run", "go to the kitchen", "--seed", "7", "--skills", "ideal", "--frames", "--no-video", "--out", "run"),
        ("data", "stats", "run"),
        ("data", "sft", "run", "--out", "sft"),
        ("data", "dpo", "run", "--out", "dpo"),
        ("data", "emmoe", "run", "--out", "emmoe"),
        ("data", "validate", "sft"),
        ("data", "show", "sft"),
        ("data", "split", "run", "emmoe", "--out", "split.json"),
    )
    ran = python(RUNS, optional(), json.dumps(lines), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"run", "sft", "dpo", "emmoe", "split.json"}
