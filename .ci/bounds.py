"""Install the wheel into empty environments, at the lowest bounds and with the newest versions, and use it.

    python3 .ci/bounds.py [PYTHON ...]      or `make bounds`

In each: `homie doctor`, then `homie run` from an empty folder. Final states have to be the same byte for byte wherever
MuJoCo is the same. A Python that is not there is left out with a sentence. Needs nothing but Python and pip's index.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUN = ("run", "put the apple in the bowl", "--seed", "7", "--no-video", "--json", "--out", "run")
DOCTOR_MISSES = 3
"""The exit code of `homie doctor` where something that is needed is missing."""
NOT_SOURCE = (".*", "build", "dist", "runs", "shared", "site", "tests", "docs", "*.egg-info", "__pycache__")


def main(pythons: Sequence[str]) -> int:
    states: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        wheel = build(scratch)
        for python in pythons:
            interpreter = usable(python)
            if interpreter is None:
                print(f"{python} is not on this machine: left out.")
                continue
            for name, mujoco, state in tried(interpreter, wheel, scratch):
                print(f"{name}: MuJoCo {mujoco}: the doctor is content, the run has finished.", flush=True)
                states[mujoco][name] = state
    if not states:
        sys.exit("No Python was tried: name one that is here, `make bounds PYTHONS=python3.11`.")
    for mujoco, ends in states.items():
        if len(set(ends.values())) > 1:
            sys.exit(f"With MuJoCo {mujoco} the final states differ between {', '.join(ends)}.")
        if len(ends) > 1:
            print(f"MuJoCo {mujoco}: {len(ends)} final states, all the same.")
    return 0


def build(scratch: Path) -> Path:
    """The wheel, made from a copy: a build leaves folders behind."""
    copy = scratch / "source"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_SOURCE))
    pip_wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(scratch)]
    call([*pip_wheel, str(copy)], scratch)
    return next(scratch.glob("homie_robot-*.whl"))


def usable(python: str) -> str | None:
    """The interpreter of that name that starts: on the path, or one that pyenv has."""
    version = python.removeprefix("python")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(python), *sorted(map(str, pyenv.glob(f"{version}.*/bin/{python}")))]
    for place in filter(None, places):
        if subprocess.run([place, "--version"], capture_output=True, check=False).returncode == 0:
            return place
    return None


def tried(python: str, wheel: Path, scratch: Path) -> Iterator[tuple[str, str, bytes]]:
    """Environments of one Python, each as its name, its MuJoCo and the final state of its run."""
    version = call([python, "-c", "import platform; print(platform.python_version())"], scratch).strip()
    newest = scratch / f"{version}-newest"
    install(python, newest, wheel, [])
    mujoco, state = used(newest)
    yield f"Python {version}, newest versions", mujoco, state
    lowest = scratch / f"{version}-lowest"
    install(python, lowest, wheel, lowest_bounds())
    yield f"Python {version}, lowest bounds", *used(lowest)
    pip(lowest, "uninstall", "--yes", "mujoco")  # from 4.0 on its files are another distribution's
    pip(lowest, "install", "--no-compile", "--only-binary", ":all:", f"mujoco=={mujoco}")
    yield f"Python {version}, lowest bounds but MuJoCo", *used(lowest)
    shutil.rmtree(newest)
    shutil.rmtree(lowest)


def lowest_bounds() -> list[str]:
    """What Homie itself needs, at the versions that its bounds begin with."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    return [requirement.partition(",")[0].replace(">=", "==") for requirement in needed]


def install(python: str, place: Path, wheel: Path, constraints: list[str]) -> None:
    """An empty environment with the wheel in it."""
    call([python, "-m", "venv", str(place)], place.parent)
    file = place / "constraints.txt"
    file.write_text("\n".join(constraints))
    pip(place, "install", "--no-compile", "--only-binary", ":all:", "--constraint", str(file), str(wheel))


def pip(place: Path, *arguments: str) -> None:
    environment = [str(place / "bin/python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    call([*environment, *arguments], place)


def used(place: Path) -> tuple[str, bytes]:
    """MuJoCo's version and the final state, after the doctor and a run in an empty folder."""
    homie = str(place / "bin/homie")
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder)
        report = json.loads(call([homie, "doctor", "--json"], empty, allowed=(0, DOCTOR_MISSES)))
        if wrong := [item for item in report["findings"] if item["needed"] and not item["ok"]]:
            misses = "; ".join(f"{item['name']}: {item['detail']}" for item in wrong)
            sys.exit(f"{place.name}: homie doctor misses {misses}")
        call([homie, *RUN], empty)
        versions = json.loads((empty / "run/run.json").read_text())["versions"]
        (state,) = (empty / "run/episodes").glob("*/final_state.json")
        return versions["mujoco"], state.read_bytes()


def call(command: list[str], folder: Path, allowed: tuple[int, ...] = (0,)) -> str:
    """What a command prints on stdout; a sentence and the end where it ends with another exit code than those allowed.
    It sees nothing of this checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        sys.exit(f"{done.stdout[-2000:]}{done.stderr[-2000:]}\n`{' '.join(command)}` ended with {done.returncode}.")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["python3"]))
