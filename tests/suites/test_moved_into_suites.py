"""Modules that have moved into the package are found by their old names for one release."""

from __future__ import annotations

import importlib
import sys

import pytest
from test_moved import GONE, MODULES, check_old_names, in_suites, is_there

from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.support.deprecated_imports import new_name
from homie.kernel.support.moved_modules import MOVED


def test_every_module_of_the_release_before_is_there() -> None:
    moved = [new for old in MODULES if old not in GONE and in_suites(new := new_name(old))]
    assert len(moved) > 50 and [new for new in moved if not is_there(new)] == []


def test_an_old_name_is_the_module_with_the_new_one() -> None:
    check_old_names([old for old in MOVED if in_suites(new_name(old))])


def test_a_module_inside_is_not_imported_twice() -> None:
    sys.modules.pop("homie.vigil.actions", None)
    with pytest.warns(DeprecationWarning, match=r"homie\.vigil\.actions has moved: import suites\.vigil\.actions"):
        old = importlib.import_module("homie.vigil.actions")
    assert old is importlib.import_module("suites.vigil.actions")
    assert old.__spec__ is not None and old.__spec__.name == "suites.vigil.actions"


def test_a_part_by_its_old_name() -> None:
    sys.modules.pop("homie.vigil.agents", None)
    with pytest.warns(DeprecationWarning, match=r"import suites\.vigil\.agents"):
        part, argument = registry.find("planners", "homie.vigil.agents:RandomAgent:x")
    assert (part.__module__, argument) == ("suites.vigil.agents", "x")


def test_a_suite_by_its_old_place() -> None:
    with pytest.warns(DeprecationWarning, match=r"homie\.bench\.suites\.homie_menu has moved: import it from suites"):
        suite, _ = registry.find("suites", "homie.bench.suites:homie_menu")
    assert suite().name == "homie-menu"
    with pytest.raises(BadInput, match="has no 'homie_nothing'"):
        registry.find("suites", "homie.bench.suites:homie_nothing")


def test_other_names_are_nobody_elses() -> None:
    assert new_name("homie.vigilant") is None and new_name("homie") is None
    with pytest.raises(ModuleNotFoundError, match=r"suites\.vigil\.nothing"):
        importlib.import_module("homie.vigil.nothing")
