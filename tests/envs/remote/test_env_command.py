"""`homie env`: an environment of its own is made once, of real packages, or the reason is said."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("msgpack")

from remote_servers import Homie

from homie import BadInput, InfrastructureError, MissingPart
from homie.envs.remote import environments
from homie.envs.remote.environments import Environment, make, python_of
from homie.envs.remote.factory import RemoteSettings, open_robot

SMALL = Environment(
    name="small", about="nothing", python=">=3.11", packages=("msgpack>=1.0.5",), check="import msgpack"
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "homie" / "environments"


def test_one_that_is_not_made_says_how(homie: Homie) -> None:
    with pytest.raises(MissingPart, match="make it with `homie env make robosuite`"):
        open_robot("robosuite:Stack", RemoteSettings())
    completed = homie("run", "put the cube away", "--robot", "remote:robosuite:Stack", "--no-video")
    assert completed.returncode == 3 and "homie env make robosuite" in completed.stderr


def test_the_commands(homie: Homie, cache: Path) -> None:
    listed = json.loads(homie("env", "list", "--json").stdout)
    assert listed["robosuite"]["made"] is False and listed["robosuite"]["folder"] == str(cache / "robosuite")
    assert "not made" in homie("env", "list").stdout
    assert "was not there" in homie("env", "remove", "robosuite").stderr
    completed = homie("env", "make", "robosuit")
    assert completed.returncode == 2 and "did you mean 'robosuite'?" in completed.stderr
    completed = homie("env", "make", "robosuite", "--python", "/nowhere/python")
    assert completed.returncode == 2 and "There is no Python '/nowhere/python'" in completed.stderr


def test_a_python_that_does_not_fit_is_refused() -> None:
    with pytest.raises(BadInput, match=r"is Python 3\.\d+\.\d+, and small needs <3: give another"):
        make(replace(SMALL, python="<3"), sys.executable, anew=False, tell=print)


@pytest.mark.slow
def test_an_environment_is_made_once(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(environments, "ENVIRONMENTS", {"small": SMALL})
    lines: list[str] = []
    try:
        make(SMALL, "", anew=False, tell=lines.append)
    except InfrastructureError as error:
        pytest.skip(str(error))
    assert python_of("small") == str(cache / "small" / "bin" / "python")
    assert any("Installing msgpack" in line for line in lines)
    lines.clear()
    make(SMALL, "", anew=False, tell=lines.append)
    assert lines == []
    other = replace(SMALL, packages=("msgpack>=1.0.5", "no-such-package-of-homie==1"))
    assert not other.ready, "other packages were asked for since"
    with pytest.raises(
        InfrastructureError, match=r"could not be made: .*(No matching|not found).*install.log"
    ) as failed:
        make(other, "", anew=False, tell=lines.append)
    assert "\n" not in str(failed.value) and not other.ready
