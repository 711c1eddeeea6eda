"""The registry: every name leads somewhere, and a name that does not is an error."""

from __future__ import annotations

import ast
import importlib.util
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from homie.kernel import registry
from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.registry import BUILT_IN, find, load, names, targets, unknown, word
from homie.kernel.support.packages import installed_version

NAMES = {
    "planners": "rule scripted erring random table-expert human transformers chat anthropic responses gemini",
    "skills": (
        "classical nomad pixnav rt1x octo m3 remote arm own nav2 moveit ideal chores ideal-chores people ideal-people"
        " steps graph ideal-graph"
    ),
    "robots": "mujoco franka ros thor",
    "bodies": "fetch panda-base stretch-like",
    "detectors": "simulated yolo yolo-onnx owl grounding-dino rtdetr",
    "locators": "background sensors",
    "checks": "paper code",
    "suites": ("homie-100 table-pick table-stack table-sort table-wipe"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_the_names_that_users_type(kind: str) -> None:
    assert names(kind)[: len(BUILT_IN[kind])] == list(BUILT_IN[kind])
    published = NAMES[kind].split()
    assert [name for name in BUILT_IN[kind] if name in published] == published, "of a release: they stay, in this order"


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, parts in BUILT_IN.items() for name in parts])
def test_every_name_leads_to_something(kind: str, name: str) -> None:
    """Without importing it: some of them take long."""
    module, _, attribute = BUILT_IN[kind][name].partition(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    assigned = [
        target for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) for target in _targets(node)
    ]
    imported = [
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    defined = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    assert attribute in (*assigned, *imported, *defined)


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets_ = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets_ if isinstance(target, ast.Name)]


def test_parts_are_loaded_by_name() -> None:
    from error_detection import execution, paper_order
    from planners.rule import RulePlanner

    assert load("planners", "rule") is RulePlanner
    assert load("checks", "paper") is paper_order and load("execution", "emmoe") is execution


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("planners", "planner"),
        ("skills", "skill set"),
        ("robots", "robot"),
        ("detectors", "detector"),
        ("locators", "locator (--targets)"),
        ("checks", "order of checks (--check-order)"),
        ("metrics", "metric"),
        ("suites", "suite"),
        ("actions", "action"),
    ],
)
def test_what_users_call_a_kind(kind: str, words: str) -> None:
    assert word(kind) == words
    assert f"Unknown {words} 'zzzzz'" in str(unknown(kind, "zzzzz"))


def test_an_unknown_name_gets_a_suggestion_or_the_list() -> None:
    with pytest.raises(BadInput, match=r"^Unknown planner 'rules': did you mean 'rule'\?$"):
        load("planners", "rules")
    with pytest.raises(
        BadInput, match=r"^Unknown order of checks \(--check-order\) 'xyz': choose one of: paper, code\.$"
    ):
        find("checks", "xyz")
    with pytest.raises(
        BadInput, match=r"^Unknown planner 'nowhere_at_all' \(there is no module 'nowhere_at_all' either\)"
    ):
        find("planners", "nowhere_at_all:Planner")
    with pytest.raises(BadInput, match="Unknown planner '1a'"):
        find("planners", "1a:Planner")
    with pytest.raises(BadInput, match="Unknown planner 'a'"):
        find("planners", "a:not-a-name")
    for name, part in (("mine.py:decide", "mine:decide"), ("./mine.py", "mine:Planner"), ("a/mine.py:X:1", "mine:X")):
        with pytest.raises(BadInput, match=rf"' is a file: name the module and its planner, as in {part}\.$"):
            find("planners", name)
    with pytest.raises(BadInput, match=r"^'mine\.py' is a file: .*, as in mine:NAME\.$"):
        find("checks", "mine.py")


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    return tmp_path


def test_name_and_argument(beside: Path) -> None:
    from planners.scripted import ScriptedPlanner

    assert find("planners", "scripted:plan.yaml") == (ScriptedPlanner, "plan.yaml")
    assert find("planners", "scripted:C:plan.yaml") == (ScriptedPlanner, "C:plan.yaml")
    (beside / "mine_beside.py").write_text("class Mine:\n    pass\n")
    planner, argument = find("planners", "mine_beside:Mine:a:b")
    assert (planner.__name__, argument) == ("Mine", "a:b") and find("planners", "mine_beside:Mine")[1] == ""
    with pytest.raises(BadInput, match=r"^The planner was given as mine_beside:Other, and that module has no 'Other'"):
        find("planners", "mine_beside:Other")
    (beside / "needy_beside.py").write_text("import no_such_package_here\n")
    with pytest.raises(MissingPart, match=r"^needy_beside\.py, line 1: ModuleNotFoundError: .*'no_such_package_here'"):
        find("planners", "needy_beside:Mine")


def test_an_object_made_in_python_has_no_name() -> None:
    with pytest.raises(BadInput, match=r"The planner was an object of mine\.Mine that was made in Python"):
        find("planners", "object:mine.Mine")


def entries(monkeypatch: pytest.MonkeyPatch, *parts: tuple[str, str]) -> None:
    """Entry points of other packages, of every kind."""
    points = [EntryPoint(name, value, "homie.planners") for name, value in parts]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "homie.planners" else [])


def test_other_packages_add_names_after_the_built_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    entries(monkeypatch, ("mine", "json:JSONDecoder"))
    assert names("planners")[-1] == "mine" and names("skills") == list(BUILT_IN["skills"])
    import json

    assert load("planners", "mine") is json.JSONDecoder


def test_a_name_that_is_taken_is_reported_and_stays_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    entries(monkeypatch, ("rule", "json:JSONDecoder"))
    with pytest.warns(
        UserWarning, match=r"The planner 'rule' of another package \(json:JSONDecoder\) is hidden by that"
    ):
        assert targets("planners")["rule"] == BUILT_IN["planners"]["rule"]
    entries(monkeypatch, ("mine", "json:JSONDecoder"), ("mine", "json:JSONEncoder"))
    with pytest.warns(
        UserWarning, match=r"of another package \(json:JSONEncoder\) is hidden by that of another package"
    ):
        targets("planners")


def test_what_is_registered_and_not_there(monkeypatch: pytest.MonkeyPatch, beside: Path) -> None:
    (beside / "broken_plugin.py").write_text("import no_such_package_here\n")
    monkeypatch.syspath_prepend(str(beside))
    entries(
        monkeypatch,
        ("gone", "json:Nothing"),
        ("absent", "no_such_package_here:Planner"),
        ("needy", "broken_plugin:Planner"),
    )
    with pytest.raises(
        BadInput, match=r"^The planner 'gone' is registered as json:Nothing, and that module has no 'Nothing'"
    ):
        load("planners", "gone")
    for name, package in (("absent", "no_such_package_here"), ("needy", "no_such_package_here")):
        with pytest.raises(MissingPart, match=rf"^The planner '{name}' needs the package '{package}': install it"):
            load("planners", name)


@pytest.mark.parametrize("absent", ["half_here.gone", "half_here.gone.deeper"])
def test_a_package_that_is_there_and_broken_is_none_to_install(
    absent: str, monkeypatch: pytest.MonkeyPatch, beside: Path
) -> None:
    (beside / "half_here").mkdir()
    (beside / "half_here" / "__init__.py").touch()
    (beside / "half_here" / "part.py").write_text(f"import {absent}\n")
    monkeypatch.syspath_prepend(str(beside))
    entries(monkeypatch, ("half", "half_here.part:Planner"), ("nowhere", "half_here.nothing:Planner"))
    with pytest.raises(ModuleNotFoundError, match=r"No module named .half_here\.gone"):
        load("planners", "half")
    with pytest.raises(MissingPart, match=r"^The planner 'nowhere' needs the package 'half_here\.nothing'"):
        load("planners", "nowhere")


def test_versions() -> None:
    assert (installed_version("numpy") or "").split(".")[0].isdigit()
    assert installed_version("no-such-package-here") is None
