"""`homie doctor`: what works on this machine, and how to get what does not."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from homie.cli.output import print_json, say
from homie.cli.parameters import VARIABLES, variable
from homie.cli.parts import part_states
from homie.kernel import packages
from homie.kernel.errors import MissingPart
from homie.runtime.runstore import runs_folder

BACKENDS = ("egl", "osmesa", "raycast")
_RENDER = """
import mujoco, sys, time
from homie.envs.mujoco.render.rendering import FreeCamera, make_renderer
from homie.kernel.errors import HomieError
model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
try:
    renderer = make_renderer(model, 64, 64, backend=sys.argv[1])
except HomieError as error:
    sys.exit(str(error))
renderer.rgb(data, FreeCamera(lookat=(0.0, 0.0, 0.0), distance=2.0, azimuth=0.0, elevation=-1.0))
"""
"""Run in a process of its own: a process can draw with one GL only, and a broken GL library may take it down."""
_HOME = """
import sys
from homie.envs.mujoco.home.home import open_home
from homie.kernel.errors import HomieError
from homie.kernel.options import RunOptions
try:
    with open_home(RunOptions(task="look around", seed=7)) as home:
        picture = home.observe(["front"]).frames["front"].rgb
except HomieError as error:
    sys.exit(str(error))
sys.exit(0 if picture.std() > 1 else "the picture is empty")
"""
"""What every run begins with: a house is generated and built, the robot put into it, a picture taken."""
PATIENCE = 60.0
"""Seconds after which a part of the check-up is given up. It takes one or two."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `needed`: Homie does not run without it. `fix`: what to do where it is not ok."""

    name: str
    ok: bool
    detail: str
    needed: bool = True
    fix: str = ""


def doctor_command(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Check this machine."""
    findings = list(examine())
    well = all(finding.ok for finding in findings if finding.needed)
    if json:
        print_json({"ok": well, "findings": [asdict(finding) for finding in findings]})
    else:
        _show(findings)
        say("Everything that Homie needs is here." if well else "Something that Homie needs is missing.")
    if not well:
        raise typer.Exit(MissingPart.exit_code)


def _show(findings: Iterable[Finding]) -> None:
    for finding in findings:
        mark = "ok" if finding.ok else "MISSING" if finding.needed else "-"
        say(f"{mark:<8}{finding.name:<28}{finding.detail}")
        if finding.fix and not finding.ok:
            say(f"{'':<36}-> {finding.fix}")


def examine() -> Iterator[Finding]:
    """Look at everything, in the order in which a user meets it."""
    # The slow ones at the same time, each in a process of its own.
    drawing = {name: _start(_RENDER, name) for name in BACKENDS}
    home = _start(_HOME)
    yield Finding("python", sys.version_info >= (3, 11), platform.python_version(), fix="install Python 3.11 or newer")
    yield from _packages()
    yield _own_packages()
    for name, process in drawing.items():
        problem = _problem(process)
        yield Finding(f"rendering with {name}", not problem, problem or "draws", needed=name == "raycast")
    problem = _problem(home)
    yield Finding("home", not problem, problem or "built, with a picture", fix="mend what is missing above")
    yield _encoder()
    yield _write_access(runs_folder())
    yield _variables()
    yield from _extras()
    yield from _planners()


def _packages() -> Iterator[Finding]:
    lacking = packages.lacking()
    for requirement in packages.requirements():
        there = packages.installed_version(requirement.name) or "not installed"
        well = requirement not in lacking
        yield Finding(requirement.name, well, there, fix=f"pip install '{requirement}'")


def _own_packages() -> Finding:
    """Whether Python takes Homie's packages for what they are: other people's may have the same names."""
    if problem := packages.stranger():
        return Finding("own packages", False, problem, fix=f"pip uninstall {packages.STRANGER}")
    for name, place in packages.shadows().items():
        return Finding("own packages", False, f"{place} hides the package '{name}' of Homie", fix="rename or move it")
    return Finding("own packages", True, "none is hidden")


def _start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def _problem(process: subprocess.Popen[str]) -> str:
    """What a process died of, in its last words; "" if it went well."""
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"nothing came of it in {PATIENCE:g} s"
    if process.returncode == 0:
        return ""
    return (errors.strip().splitlines() or [f"ended with {process.returncode}"])[-1]


def _encoder() -> Finding:
    import av

    try:
        av.codec.Codec("libx264", "w")
    except ValueError:
        return Finding("H.264 encoder", False, "PyAV has no libx264", fix="pip install --force-reinstall av")
    return Finding("H.264 encoder", True, "libx264")


def _write_access(folder: Path) -> Finding:
    """Whether run folders can be made: in `folder`, or where it would be made."""
    place = folder if folder.exists() else folder.absolute().parent
    try:
        with tempfile.TemporaryFile(dir=place):
            return Finding("run folders", True, f"{place} can be written")
    except OSError as error:
        fix = "change to a folder that you can write, or use --out"
        return Finding("run folders", False, f"{place}: {error.strerror}", fix=fix)


def _variables() -> Finding:
    """The environment variables that change what commands do, and those that look so and do nothing."""
    known = {
        *(variable(name) for name in VARIABLES),
        "HOMIE_RUNS",
        "HOMIE_LOG_FILE",
        "HOMIE_POLICY_TOKEN",
        "HOMIE_PLAY_TOKEN",
    }
    there = sorted(name for name in os.environ if name.startswith("HOMIE_"))
    strange = [name for name in there if name not in known]
    if strange:
        fix = f"the variables are: {', '.join(sorted(known))}"
        return Finding("variables", False, f"mean nothing: {', '.join(strange)}", needed=False, fix=fix)
    return Finding("variables", True, f"set: {', '.join(there)}" if there else "none is set", needed=False)


def _extras() -> Iterator[Finding]:
    """The optional parts that this version of Homie declares."""
    for extra in packages.extras():
        names = [requirement.name for requirement in packages.lacking(extra)]
        detail = f"not installed: {', '.join(names)}" if names else "installed"
        command = packages.install_command(extra)
        yield Finding(f"optional [{extra}]", not names, detail, needed=False, fix=command)


def _planners() -> Iterator[Finding]:
    """Which planners can be used here, and which of the variables with their keys are set (names, never values)."""
    for state in part_states("planners"):
        detail = state.problem or "usable"
        if state.keys and not state.problem:
            there = [name for name in state.keys if os.environ.get(name)]
            detail += f"; keys set: {', '.join(there)}" if there else f"; no key set ({', '.join(state.keys)})"
        yield Finding(f"planner {state.name}", not state.problem, detail, needed=False, fix=state.fix)
