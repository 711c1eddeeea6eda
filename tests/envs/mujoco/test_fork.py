"""What a forked child can do after its parent has drawn: say that it cannot draw, and end."""

from __future__ import annotations

import os
import subprocess
import sys

import homie.envs.mujoco  # noqa: F401  (before mujoco itself, whatever MUJOCO_GL says)

# isort: split
import mujoco
import pytest

from homie.envs.mujoco.render.backend_choice import make_renderer

PROBE = """
import gc, multiprocessing, sys
import homie.envs.mujoco  # before mujoco itself
import mujoco
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.kernel.errors import InfrastructureError

XML = "<mujoco><worldbody><camera name='eye' pos='0 0 2'/><geom size='.5'/></worldbody></mujoco>"

def picture(renderer, data):
    mujoco.mj_forward(data.model, data)
    return renderer.rgb(data, "eye").mean()

def child(old, data, before, answers):
    said = []
    for renderer in (old, None):
        try:
            drawn = picture(renderer or make_renderer(data.model, 32, 32), data)
            said.append("equal" if drawn == before else f"drew {drawn > 0}")
        except InfrastructureError as error:
            said.append(str(error))
    del old, renderer
    gc.collect()
    answers.put(said)

model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
renderer = before = None
if sys.argv[1] == "drawn":
    renderer = make_renderer(model, 32, 32)
    before = picture(renderer, data)
fork = multiprocessing.get_context("fork")
answers = fork.Queue()
process = fork.Process(target=child, args=(renderer, data, before, answers))
process.start()
print(*answers.get(timeout=60), sep="\\n")
process.join(60)
print("ended", process.exitcode)
if renderer is not None:
    print("parent draws", picture(renderer, data) == before)
"""


def lines(parent: str, backend: str) -> list[str]:
    """What a parent that has `drawn` or is `fresh` and its forked child say."""
    completed = subprocess.run(
        [sys.executable, "-c", PROBE, parent],
        env={**os.environ, "MUJOCO_GL": backend},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.splitlines()


@pytest.fixture(scope="module")
def gl_backend() -> str:
    """The OpenGL backend that works here."""
    name = make_renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 8, 8).name
    return name if name != "raycast" else pytest.skip("no OpenGL here")


def test_a_child_of_a_parent_that_has_drawn_says_what_to_do(gl_backend):
    old, new, ended, parent = lines("drawn", gl_backend)
    assert "'spawn'" in old and old == new
    assert (ended, parent) == ("ended 0", "parent draws True")


def test_ray_casting_goes_on_in_a_child():
    assert lines("drawn", "raycast") == ["equal", "equal", "ended 0", "parent draws True"]


def test_a_child_draws_where_the_parent_has_not(gl_backend):
    assert lines("fresh", gl_backend) == ["drew True", "drew True", "ended 0"]
