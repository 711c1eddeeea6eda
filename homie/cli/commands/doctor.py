"""`homie doctor`: what works on this machine, and how to install what is missing."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from homie.cli.output import print_json, say
from homie.cli.parameters import VARIABLES, variable
from homie.cli.part_availability import part_states
from homie.kernel.errors import MissingPart
from homie.kernel.support import packages
from homie.kernel.support.files import reason_of
from homie.runtime.runstore import runs_folder

BACKENDS = ("egl", "osmesa", "raycast")
_RENDER = """
import mujoco, sys, time
from homie.envs.mujoco.render.camera_geometry import FreeCamera
from homie.envs.mujoco.render.backend_choice import make_renderer
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
"""Run in a process of its own: a process can use only one GL library, and a broken one may crash it."""
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
"""The start of every run: generate and build a house with the robot, and take a picture."""
FOLDED = ("optional ", "planner ")
"""Prefixes of the names of findings that share one line each without `--all`."""
TITLES = {"optional ": "optional parts installed", "planner ": "planners usable"}
MOST_NAMES = 5
"""Most missing packages named for an optional part."""
PATIENCE = 60.0
"""Timeout in seconds of a check in a process of its own; it usually takes one or two seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one check. needed: whether Homie cannot run without it. fix: what to do if it is not ok."""

    name: str
    ok: bool
    detail: str
    needed: bool = True
    fix: str = ""


def doctor_command(
    everything: Annotated[bool, typer.Option("--all", help="List optional parts and planners one by one.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Check this machine."""
    findings = list(examine())
    is_ok = all(finding.ok for finding in findings if finding.needed)
    if json:
        print_json({"ok": is_ok, "findings": [asdict(finding) for finding in findings]})
    else:
        _show(finding for finding in findings if everything or not finding.name.startswith(FOLDED))
        if not everything:
            _show_folded(findings)
        say("Everything that Homie needs is here." if is_ok else "Something that Homie needs is missing.")
    if not is_ok:
        raise typer.Exit(MissingPart.exit_code)


def _show(findings: Iterable[Finding]) -> None:
    for finding in findings:
        mark = "ok" if finding.ok else "MISSING" if finding.needed else "-"
        say(f"{mark:<8}{finding.name:<28}{finding.detail}")
        if finding.fix and not finding.ok:
            say(f"{'':<36}-> {finding.fix}")


def _show_folded(findings: Sequence[Finding]) -> None:
    """Print a line for the optional parts and one for the planners: which are usable, and which are not."""
    for prefix in FOLDED:
        group = [finding for finding in findings if finding.name.startswith(prefix)]
        available = [_short_name(finding.name, prefix) for finding in group if finding.ok]
        missing = [_short_name(finding.name, prefix) for finding in group if not finding.ok]
        detail = f"{len(available)} of {len(group)}: {', '.join(available) or 'none'}"
        remark = f"; not: {', '.join(missing)}" if missing else ""
        say(f"{'ok' if not missing else '-':<8}{TITLES[prefix]:<28}{detail}{remark}")
    say(f"{'':<36}-> `homie doctor --all` says what each of them needs")


def _short_name(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).strip(" []")


def examine() -> Iterator[Finding]:
    """Run all checks, in the order in which a user needs the parts."""
    # The slow checks run in parallel, each in a process of its own.
    drawing = {name: _start(_RENDER, name) for name in BACKENDS}
    home = _start(_HOME)
    yield Finding(
        name="python",
        ok=sys.version_info >= (3, 11),
        detail=platform.python_version(),
        fix="install Python 3.11 or newer",
    )
    yield from _packages()
    yield _own_packages()
    for name, process in drawing.items():
        problem = _problem(process)
        yield Finding(
            name=f"rendering with {name}", ok=not problem, detail=problem or "draws", needed=name == "raycast"
        )
    problem = _problem(home)
    yield Finding(
        name="home", ok=not problem, detail=problem or "built, with a picture", fix="fix what is missing above"
    )
    yield _encoder()
    yield _write_access(runs_folder())
    yield _variables()
    yield from _extras()
    yield from _planners()


def _packages() -> Iterator[Finding]:
    missing = packages.lacking()
    for requirement in packages.requirements():
        version = packages.installed_version(requirement.name) or "not installed"
        is_ok = requirement not in missing
        yield Finding(name=requirement.name, ok=is_ok, detail=version, fix=packages.install_command())


def _own_packages() -> Finding:
    """Check that Homie's packages are imported, and not other packages with the same names."""
    if problem := packages.stranger():
        return Finding(name="own packages", ok=False, detail=problem, fix=f"pip uninstall {packages.STRANGER}")
    for name, place in packages.shadows().items():
        return Finding(
            name="own packages",
            ok=False,
            detail=f"{place} hides the package '{name}' of Homie",
            fix="rename or move it",
        )
    return Finding(name="own packages", ok=True, detail="none is hidden")


def _start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def _problem(process: subprocess.Popen[str]) -> str:
    """Return the first line of the error of a failed process; "" if it succeeded."""
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"no result after {PATIENCE:g} s"
    if process.returncode == 0:
        return ""
    return _sentence(errors.strip().splitlines()) or f"ended with {process.returncode}"


def _sentence(errors: list[str]) -> str:
    """Return the first line of the error that a traceback ends with; without a traceback the last line."""
    places = [index for index, line in enumerate(errors) if line.startswith("  File ")]
    tail = errors[places[-1] :] if places else errors[-1:]
    return next((line for line in tail if line.strip() and not line.startswith(" ")), "")


def _encoder() -> Finding:
    import av

    try:
        av.codec.Codec("libx264", "w")
    except ValueError:
        return Finding(
            name="H.264 encoder", ok=False, detail="PyAV has no libx264", fix="pip install --force-reinstall av"
        )
    return Finding(name="H.264 encoder", ok=True, detail="libx264")


def _write_access(folder: Path) -> Finding:
    """Check whether run folders can be written in `folder`, or in its parent if it does not exist yet."""
    place = folder if folder.exists() else folder.absolute().parent
    try:
        with tempfile.TemporaryFile(dir=place):
            return Finding(name="run folders", ok=True, detail=f"{place} can be written")
    except OSError as error:
        fix = "change to a folder that you can write, or use --out"
        return Finding(name="run folders", ok=False, detail=f"{place}: {reason_of(error)}", fix=fix)


def _variables() -> Finding:
    """Report the environment variables of Homie that are set, and unknown ones that begin with `HOMIE_`."""
    known = {
        *(variable(name) for name in VARIABLES),
        "HOMIE_RUNS",
        "HOMIE_LOG_FILE",
        "HOMIE_POLICY_TOKEN",
        "HOMIE_PLAY_TOKEN",
    }
    present = sorted(name for name in os.environ if name.startswith("HOMIE_"))
    unknown = [name for name in present if name not in known]
    if unknown:
        fix = f"the variables are: {', '.join(sorted(known))}"
        return Finding(name="variables", ok=False, detail=f"mean nothing: {', '.join(unknown)}", needed=False, fix=fix)
    return Finding(
        name="variables", ok=True, detail=f"set: {', '.join(present)}" if present else "none is set", needed=False
    )


def _extras() -> Iterator[Finding]:
    """The extras that this version of Homie declares."""
    for extra in packages.extras():
        names = [requirement.name for requirement in packages.lacking(extra)]
        remark = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        detail = f"not installed: {', '.join(names[:MOST_NAMES])}{remark}" if names else "installed"
        command = packages.install_command(extra)
        yield Finding(name=f"optional [{extra}]", ok=not names, detail=detail, needed=False, fix=command)


def _planners() -> Iterator[Finding]:
    """Which planners are usable, and which of the variables for their API keys are set (names, never values)."""
    for state in part_states("planners"):
        detail = state.problem or "usable"
        if state.keys and not state.problem:
            present = [name for name in state.keys if os.environ.get(name)]
            detail += f"; keys set: {', '.join(present)}" if present else f"; no key set ({', '.join(state.keys)})"
        yield Finding(name=f"planner {state.name}", ok=not state.problem, detail=detail, needed=False, fix=state.fix)
