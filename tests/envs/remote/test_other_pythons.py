"""The robot server in the other Pythons of this machine, with numpy and msgpack of the package index."""

from __future__ import annotations

import glob
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("msgpack")

from other_packages import caches
from remote_servers import LINE

from homie.envs.remote.environments import version_of
from homie.envs.remote.factory import RemoteSettings, open_robot
from homie.testing import check_robot

VERSIONS = {"3.9": "numpy<2", "3.10": "numpy<2", "3.11": "numpy<2", "3.12": "numpy", "3.13": "numpy"}
"""The numpy that each Python is tried with."""


def python_of(version: str) -> str:
    """A Python of a version on this machine; skips the test where there is none."""
    versions = Path.home() / ".pyenv" / "versions"
    candidates = [sys.executable, shutil.which(f"python{version}"), *glob.glob(f"{versions}/{version}.*/bin/python")]
    for candidate in filter(None, candidates):
        if version_of(candidate).startswith(f"{version}."):
            return candidate
    pytest.skip(f"there is no Python {version} on this machine")


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_the_server_runs_there(version: str) -> None:
    python, numpy = python_of(version), VERSIONS[version]
    folder = caches() / f"robot-server-{version}"
    if not (folder / "installed").exists():
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", numpy, "msgpack"]
        completed = subprocess.run(install, capture_output=True, text=True)
        if completed.returncode:
            pytest.skip(f"{numpy} and msgpack cannot be installed here: {completed.stderr.strip().splitlines()[-1:]}")
        (folder / "installed").touch()
    settings = RemoteSettings(python=str(folder / "bin" / "python"))
    with open_robot(LINE, settings) as robot:
        check_robot(robot)
        about = robot.describe()["server"]
    assert about["python"].startswith(f"{version}.")  # type: ignore[index]
    assert about["numpy"].startswith("1.26" if "<" in numpy else "2.")  # type: ignore[index]
