"""A driver that never answers: a sentence, and the next way of drawing. The process that waits is a real one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HANGING = """
import ctypes, logging, sys
logging.basicConfig(format="%(message)s")
import mujoco
from homie.envs.mujoco.render import backend_choice
from homie.envs.mujoco.render.opengl_contexts import GL_CONTEXTS, GlContext, GlUnavailable
from homie.kernel.errors import MissingPart

class Stuck(GlContext):
    def __init__(self):
        super().__init__()
        ctypes.CDLL(None).pause()  # until a signal comes: for ever

    def publish(self): ...
    def _make_current(self): ...
    def _release(self): ...

class Absent(Stuck):
    def __init__(self):
        raise GlUnavailable("it is not there")

backend_choice.DEADLINE = 0.3
GL_CONTEXTS["egl"], GL_CONTEXTS["osmesa"] = Stuck, Absent
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>")
try:
    print(backend_choice.make_renderer(model, 8, 8).name, backend_choice.make_renderer(model, 8, 8).name)
except MissingPart as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("backend", "printed"),
    [("", "raycast raycast"), ("egl", "Rendering with egl does not work here: egl did not answer within 0.3 s")],
)
def test_a_driver_that_never_answers_is_left_alone(backend, printed):
    environment = {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}
    if backend:
        environment["MUJOCO_GL"] = backend
    command = [sys.executable, "-c", HANGING]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.startswith(printed)
    assert completed.stderr.count("egl did not answer within 0.3 s (other processes may hold the GPU)") == 1
