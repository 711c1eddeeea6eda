"""Choice of the off-screen rendering backend for MuJoCo scenes.

`make_renderer` takes the first backend that works: EGL, OSMesa, or ray casting, which needs no GL library.
MUJOCO_GL=egl|osmesa|glfw|raycast selects one. All backends follow the contract in `Renderer`.
"""

from __future__ import annotations

import logging
import os
import threading

import mujoco

from homie.envs.mujoco.render.opengl_contexts import GL_CONTEXTS, GlContext, GlUnavailable
from homie.envs.mujoco.render.opengl_renderer import GlRenderer
from homie.envs.mujoco.render.raycast_renderer import RaycastRenderer
from homie.envs.mujoco.render.renderer import Renderer
from homie.kernel.errors import BadInput, MissingPart, suggestion

log = logging.getLogger(__name__)

RAYCAST = "raycast"
BACKENDS = (*GL_CONTEXTS, RAYCAST)
_DEFAULT_ORDER = ("egl", "osmesa")
DEADLINE = 30.0
"""Timeout (s) for a backend to be ready for its first image. Several EGL processes on one GPU can deadlock; on a busy
machine of two cores Mesa takes three seconds."""
_MUJOCO_WORDS = dict.fromkeys(("", "on", "enable", "enabled", "true", "1"), "")
_MUJOCO_WORDS |= dict.fromkeys(("off", "disable", "disabled", "false", "0"), RAYCAST)
_MUJOCO_WORDS |= {"glx": "glfw"}
"""Other values of MUJOCO_GL that MuJoCo accepts, and the backend that each stands for; "" means any."""


def make_renderer(
    model: mujoco.MjModel,
    width: int = 256,
    height: int = 256,
    *,
    backend: str | None = None,
    samples: int = 0,
    film: bool = False,
) -> Renderer:
    """Create a renderer for one model.

    Args:
        model: the model to draw.
        width: default picture width in pixels.
        height: default picture height in pixels.
        backend: one of `BACKENDS`; None takes the one in MUJOCO_GL, or the first that works if that is not set.
        samples: 4 smooths edges on GL backends and doubles the time of a frame. For videos only, because it blurs
            depth at edges too.
        film: for third-person videos. On GL backends lights cast shadows, which takes two and a half times as long,
            and there is no sky: pixels without geometry stay undrawn (depth 0).

    Raises:
        BadInput: the backend does not exist.
        MissingPart: the backend does not work on this machine.

    Example:
        >>> from homie.envs.mujoco.render.camera_geometry import FreeCamera
        >>> model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>")
        >>> data = mujoco.MjData(model)
        >>> mujoco.mj_forward(model, data)
        >>> camera = FreeCamera(lookat=(0.0, 0.0, 0.0), distance=1.0, azimuth=0.0, elevation=0.0)
        >>> with make_renderer(model, 64, 48, backend="raycast") as renderer:
        ...     round(renderer.depth(data, camera)[24, 32].item(), 2)
        0.9
    """
    requested = backend or _backend_of_environment()
    if requested == RAYCAST:
        return RaycastRenderer(model, width, height)
    if requested and requested not in GL_CONTEXTS:
        hint = suggestion(requested, BACKENDS, f"choose one of {', '.join(BACKENDS)}.")
        raise BadInput(f"There is no rendering backend '{requested}': {hint}")
    for name in (requested,) if requested else _DEFAULT_ORDER:
        context = _context(name)
        if isinstance(context, GlContext):
            return GlRenderer(model, width, height, name=name, context=context, samples=samples, film=film)
        if requested:
            raise MissingPart(
                f"Rendering with {name} does not work here: {context}. Install it (`apt-get install libegl1` or"
                " `libosmesa6`), or leave MUJOCO_GL unset: Homie then takes a backend that works, in the last resort"
                " ray casting."
            )
    return RaycastRenderer(model, width, height)


_contexts: dict[str, GlContext | str] = {}
"""Result per backend tried in this process: the context that all renderers share, or the reason of its failure."""
_context_lock = threading.Lock()


def _reset_lock() -> None:
    """Replace the lock in a forked child: another thread of the parent may have held it."""
    global _context_lock
    _context_lock = threading.Lock()


os.register_at_fork(after_in_child=_reset_lock)


def _context(name: str) -> GlContext | str:
    with _context_lock:
        if name not in _contexts:
            _contexts[name] = _open(name)
        return _contexts[name]


def _open(name: str) -> GlContext | str:
    running = [other for other, context in _contexts.items() if isinstance(context, GlContext)]
    if running:
        return f"this process already draws with {running[0]} and cannot change"
    try:
        context = GL_CONTEXTS[name]() if name == "glfw" else _create_in_time(name)  # windows need the main thread
        context.publish()
        _probe(context)
    except (GlUnavailable, mujoco.FatalError) as error:
        return str(error)
    return context


def _create_in_time(name: str) -> GlContext:
    """Create a context in a thread that can be abandoned if the driver hangs. Raises GlUnavailable.

    The next step, MuJoCo's own first use of the context, has no timeout: MuJoCo holds the GIL meanwhile.
    """
    results: list[GlContext | BaseException] = []

    def make() -> None:
        try:
            results.append(GL_CONTEXTS[name]())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=make, name=f"homie-{name}", daemon=True)
    thread.start()
    thread.join(DEADLINE)
    if not results:
        problem = f"{name} did not answer within {DEADLINE:g} s (other processes may hold the GPU)"
        log.warning("%s; pictures are drawn another way where none was asked for.", problem)
        raise GlUnavailable(problem)
    if isinstance(results[0], BaseException):
        raise results[0]
    return results[0]


def _probe(context: GlContext) -> None:
    """Let MuJoCo load its OpenGL functions once. Raises FatalError if the library lacks one that MuJoCo needs."""
    with context.use():
        mujoco.MjrContext(mujoco.MjModel.from_xml_string("<mujoco/>"), mujoco.mjtFontScale.mjFONTSCALE_50).free()


def _backend_of_environment() -> str:
    word = os.environ.get("MUJOCO_GL", "").strip().lower()
    backend = _MUJOCO_WORDS.get(word, word)
    if backend and backend not in BACKENDS:
        hint = suggestion(word, BACKENDS, f"choose one of {', '.join(BACKENDS)}, or unset it.")
        raise BadInput(f"MUJOCO_GL={word} names no rendering backend: {hint}")
    return backend
