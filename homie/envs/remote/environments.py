"""Python environments of their own for simulators whose packages do not fit into Homie's.

environments.toml --make(name)--> uv or venv, pip --> CACHE/homie/environments/NAME --python_of(name)--> ServerProcess
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from homie.kernel.errors import BadInput, InfrastructureError, MissingPart, suggestion
from homie.kernel.support.files import user_cache, write_atomically, writing

MARK = "homie.json"
"""The file that says what an environment was made of; one without it was not finished."""
LOG = "install.log"
SECONDS = 3600.0
"""Time limit of the packages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What an environment is made of.

    Attributes:
        about: What for, in a line.
        python: Versions of Python that its packages take.
        packages: As pip takes them.
        check: What has to run in it in the end.
    """

    name: str
    about: str
    python: str
    packages: tuple[str, ...]
    check: str

    @property
    def folder(self) -> Path:
        """Where it is, once it is made."""
        return user_cache("environments") / self.name

    @property
    def interpreter(self) -> Path:
        """Its Python."""
        return self.folder / "bin" / "python"

    @property
    def ready(self) -> bool:
        """Whether it is there, of these packages."""
        try:
            mark = json.loads((self.folder / MARK).read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return self.interpreter.exists() and mark.get("packages") == list(self.packages)


ENVIRONMENTS: Mapping[str, Environment] = {
    name: Environment(name=name, **{**entry, "packages": tuple(entry["packages"])})
    for name, entry in tomllib.loads(Path(__file__).with_name("environments.toml").read_text("utf-8")).items()
}
"""Those that Homie knows, by name."""


def find(name: str) -> Environment:
    """An environment by its name. Raises BadInput."""
    if name not in ENVIRONMENTS:
        hint = suggestion(name, ENVIRONMENTS, f"choose one of: {', '.join(ENVIRONMENTS)}.")
        raise BadInput(f"There is no environment '{name}': {hint}")
    return ENVIRONMENTS[name]


def python_of(name: str) -> str:
    """The Python of an environment that is made. Raises BadInput, MissingPart."""
    environment = find(name)
    if not environment.ready:
        raise MissingPart(
            f"The robot '{name}' runs in an environment of its own, which is not there yet: make it with"
            f" `homie env make {name}`."
        )
    return str(environment.interpreter)


def python_for(target: str) -> str:
    """The Python that serves a target: that of its environment, if it is the name of one, else this one.

    Raises MissingPart for an environment that is not made.
    """
    name = target.partition(":")[0]
    return python_of(name) if name in ENVIRONMENTS else sys.executable


def make(environment: Environment, python: str, *, anew: bool, tell: Callable[[str], None]) -> None:
    """Make an environment, if it is not there.

    Args:
        environment: One of `ENVIRONMENTS`.
        python: The Python that it is made of, "" for one that is found.
        anew: Remove one that is there.
        tell: Receives what happens.

    Raises:
        BadInput: There is no Python for it, or the folder cannot be written.
        InfrastructureError: Its packages cannot be installed.
    """
    folder = environment.folder
    with writing(folder, "the environment"):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with _lock_environment(folder.with_suffix(".lock")):
        if environment.ready and not anew:
            return
        chosen = _chosen(environment, python)
        shutil.rmtree(folder, ignore_errors=True)
        uv = shutil.which("uv")
        tell(f"Making {folder} with {'uv' if uv else 'venv'} and {chosen or f'Python {environment.python}'} ...")
        folder.mkdir()
        if uv:
            _run(environment, [uv, "venv", "--allow-existing", "--python", chosen or environment.python, str(folder)])
            install = [uv, "pip", "install", "--python", str(environment.interpreter)]
        else:
            _run(environment, [chosen, "-m", "venv", str(folder)])
            install = [str(environment.interpreter), "-m", "pip", "install", "--disable-pip-version-check"]
        tell(f"Installing {' '.join(environment.packages)} ...")
        _run(environment, [*install, *environment.packages])
        _run(environment, [str(environment.interpreter), "-c", environment.check])
        mark = {"name": environment.name, "packages": environment.packages, "python": version_of(chosen) or "uv"}
        write_atomically(folder / MARK, json.dumps(mark, indent=1).encode())


def remove(environment: Environment) -> bool:
    """Remove an environment; whether it was there."""
    exists = environment.folder.exists()
    shutil.rmtree(environment.folder, ignore_errors=True)
    return exists


def _chosen(environment: Environment, python: str) -> str:
    """The Python that an environment is made of; "" leaves it to uv. Raises BadInput."""
    fits = SpecifierSet(environment.python)
    if python:
        version = version_of(python)
        if not version:
            raise BadInput(f"There is no Python '{python}' that can be started.")
        if version not in fits:
            raise BadInput(f"'{python}' is Python {version}, and {environment.name} needs {fits}: give another.")
        return python
    if shutil.which("uv"):
        return ""
    for candidate in (sys.executable, *(f"python3.{minor}" for minor in range(14, 8, -1))):
        if (version := version_of(candidate)) and version in fits:
            return candidate
    raise BadInput(f"There is no Python {fits} for {environment.name}: install one, and give it as --python.")


def version_of(python: str) -> str:
    """The version of a Python, "" where it cannot be started."""
    code = "import platform; print(platform.python_version())"
    try:
        completed = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30.0, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.strip() if completed.returncode == 0 else ""


def _run(environment: Environment, command: Sequence[str]) -> None:
    """A step, whose output goes into the log. Raises InfrastructureError."""
    log = environment.folder / LOG
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    with log.open("ab") as file:
        try:
            completed = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=variables, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InfrastructureError(f"The environment '{environment.name}' could not be made: {error}.") from error
    if completed.returncode:
        lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
        last = next((line for line in reversed(lines) if line.lower().startswith("error")), (lines or ["nothing"])[-1])
        raise InfrastructureError(
            f"The environment '{environment.name}' could not be made: {last.strip()} (all of it: {log})."
        )


@contextmanager
def _lock_environment(path: Path) -> Iterator[None]:
    """Wait until no other process makes the same environment."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
