"""Separate Python environments for simulators whose packages are incompatible with Homie's.

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
"""File that records the packages of a finished environment; it is missing in an unfinished one."""
LOG = "install.log"
SECONDS = 3600.0
"""Timeout (s) for each installation step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Specification of an environment.

    Attributes:
        about: Its purpose, in one line.
        python: Version specifier of Python that its packages support.
        packages: Requirements as for pip.
        check: Python code that must run in the finished environment.
    """

    name: str
    about: str
    python: str
    packages: tuple[str, ...]
    check: str

    @property
    def folder(self) -> Path:
        """Its folder, whether or not it exists."""
        return user_cache("environments") / self.name

    @property
    def interpreter(self) -> Path:
        """Path of its Python interpreter."""
        return self.folder / "bin" / "python"

    @property
    def ready(self) -> bool:
        """Whether it is installed with these packages."""
        try:
            mark = json.loads((self.folder / MARK).read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return self.interpreter.exists() and mark.get("packages") == list(self.packages)


ENVIRONMENTS: Mapping[str, Environment] = {
    name: Environment(name=name, **{**entry, "packages": tuple(entry["packages"])})
    for name, entry in tomllib.loads(Path(__file__).with_name("environments.toml").read_text("utf-8")).items()
}
"""The predefined environments, by name."""


def find(name: str) -> Environment:
    """Return an environment by name. Raises BadInput."""
    if name not in ENVIRONMENTS:
        hint = suggestion(name, ENVIRONMENTS, f"choose one of: {', '.join(ENVIRONMENTS)}.")
        raise BadInput(f"There is no environment '{name}': {hint}")
    return ENVIRONMENTS[name]


def python_of(name: str) -> str:
    """Return the Python of an installed environment. Raises BadInput, MissingPart."""
    environment = find(name)
    if not environment.ready:
        raise MissingPart(
            f"The robot '{name}' runs in an environment of its own, which is not there yet: make it with"
            f" `homie env make {name}`."
        )
    return str(environment.interpreter)


def python_for(target: str) -> str:
    """Return the Python that serves a target: that of the environment of this name, if any, else the current one.

    Raises MissingPart for an environment that is not installed.
    """
    name = target.partition(":")[0]
    return python_of(name) if name in ENVIRONMENTS else sys.executable


def make(environment: Environment, python: str, *, anew: bool, tell: Callable[[str], None]) -> None:
    """Install an environment unless it is installed already.

    Args:
        environment: One of `ENVIRONMENTS`.
        python: The Python interpreter to use, "" to search for one.
        anew: Whether to remove and reinstall an existing environment.
        tell: Receives progress messages.

    Raises:
        BadInput: No suitable Python was found, or the folder cannot be written.
        InfrastructureError: Its packages cannot be installed.
    """
    folder = environment.folder
    with writing(folder, "the environment"):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with _lock_environment(folder.with_suffix(".lock")):
        if environment.ready and not anew:
            return
        chosen = _select_python(environment, python)
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
    """Remove an environment; return whether it existed."""
    exists = environment.folder.exists()
    shutil.rmtree(environment.folder, ignore_errors=True)
    return exists


def _select_python(environment: Environment, python: str) -> str:
    """Return the Python interpreter for an environment; "" leaves the choice to uv. Raises BadInput."""
    specifier = SpecifierSet(environment.python)
    if python:
        version = version_of(python)
        if not version:
            raise BadInput(f"There is no Python '{python}' that can be started.")
        if version not in specifier:
            raise BadInput(f"'{python}' is Python {version}, and {environment.name} needs {specifier}: give another.")
        return python
    if shutil.which("uv"):
        return ""
    for candidate in (sys.executable, *(f"python3.{minor}" for minor in range(14, 8, -1))):
        if (version := version_of(candidate)) and version in specifier:
            return candidate
    raise BadInput(f"There is no Python {specifier} for {environment.name}: install one, and give it as --python.")


def version_of(python: str) -> str:
    """Return the version of a Python interpreter, "" if it cannot be started."""
    code = "import platform; print(platform.python_version())"
    try:
        completed = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30.0, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.strip() if completed.returncode == 0 else ""


def _run(environment: Environment, command: Sequence[str]) -> None:
    """Run an installation step with its output appended to the log. Raises InfrastructureError."""
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
    """Hold the lock of an environment, waiting while another process installs it."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
