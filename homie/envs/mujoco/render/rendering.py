"""Off-screen rendering of a MuJoCo scene: colour, depth, instance segmentation.

`make_renderer` takes the first backend that works: EGL, OSMesa, or ray casting, which needs no GL library.
MUJOCO_GL=egl|osmesa|glfw|raycast selects one. All backends follow the contract in `Renderer`.

Geom groups: 0 solids, 1 upper walls and ceilings (left out of third-person views), 2 robot visuals. Groups 3 and up
(collision shapes) are never drawn, as in MuJoCo's own viewer; neither is a geom with alpha 0.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Set
from dataclasses import dataclass
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.render.cameras import Camera, FreeCamera, camera_intrinsics, camera_pose
from homie.envs.mujoco.render.gl import GL_CONTEXTS, GlContext, GlUnavailable
from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.types import Depth, Image

__all__ = ["BACKENDS", "Camera", "FreeCamera", "Renderer", "camera_intrinsics", "camera_pose", "make_renderer"]

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Segmentation: TypeAlias = NDArray[np.int32]

RAYCAST = "raycast"
BACKENDS = (*GL_CONTEXTS, RAYCAST)
_TRIED_BY_ITSELF = ("egl", "osmesa")
_NUMBER_OF_GROUPS = 6
_DRAWN_GROUPS = frozenset({0, 1, 2})

_MUJOCO_WORDS = dict.fromkeys(("", "on", "enable", "enabled", "true", "1"), "")
_MUJOCO_WORDS |= dict.fromkeys(("off", "disable", "disabled", "false", "0"), RAYCAST)
_MUJOCO_WORDS |= {"glx": "glfw"}
"""Other values of MUJOCO_GL that MuJoCo accepts, and the backend that each stands for; "" means any."""


@dataclass(frozen=True, slots=True)
class RgbdImage:
    """One view: colour (H, W, 3) uint8, depth (H, W) float32 metres, geom ids (H, W) int32 if requested."""

    rgb: Image
    depth: Depth
    geoms: Segmentation | None = None


class Renderer(ABC):
    """Draws one MjModel; it is independent of homes and robots.

    Every call takes the state to draw (with its kinematics computed, as after `mj_forward` or `mj_step`), a camera, the
    size in pixels (None for the renderer's own) and the geom groups to leave out.

    Depth is metres along the optical axis, not along the ray; 0.0 where nothing is hit before the far plane.
    Segmentation holds geom ids, -1 where there is nothing.
    """

    name: str
    width: int
    height: int

    @abstractmethod
    def rgbd(
        self,
        data: mujoco.MjData,
        camera: Camera,
        *,
        size: Size | None = None,
        hidden_groups: Set[int] = frozenset(),
        segmentation: bool = False,
    ) -> RgbdImage:
        """Colour and depth in one pass, with segmentation if requested."""

    @abstractmethod
    def segmentation(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Segmentation:
        """Geom ids (H, W) int32, -1 for nothing; exact at edges (no anti-aliasing)."""

    def rgb(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Image:
        """Colour, (H, W, 3) uint8."""
        return self.rgbd(data, camera, size=size, hidden_groups=hidden_groups).rgb

    def depth(
        self, data: mujoco.MjData, camera: Camera, *, size: Size | None = None, hidden_groups: Set[int] = frozenset()
    ) -> Depth:
        """Metres along the optical axis, (H, W) float32, 0.0 for no return."""
        return self.rgbd(data, camera, size=size, hidden_groups=hidden_groups).depth

    @abstractmethod
    def close(self) -> None:
        """Free the renderer's resources. Idempotent."""

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def make_renderer(
    model: mujoco.MjModel, width: int = 256, height: int = 256, *, backend: str | None = None, samples: int = 0
) -> Renderer:
    """A renderer for one model.

    Args:
        model: the model to draw.
        width: default picture width in pixels.
        height: default picture height in pixels.
        backend: one of `BACKENDS`; None takes the one in MUJOCO_GL, or the first that works if that is not set.
        samples: 4 smooths edges on GL backends and doubles the time of a frame. For videos only, because it blurs
            depth at edges too.

    Raises:
        BadInput: the backend does not exist.
        MissingPart: the backend does not work on this machine.

    Example:
        >>> model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>")
        >>> data = mujoco.MjData(model)
        >>> mujoco.mj_forward(model, data)
        >>> camera = FreeCamera(lookat=(0.0, 0.0, 0.0), distance=1.0, azimuth=0.0, elevation=0.0)
        >>> with make_renderer(model, 64, 48, backend="raycast") as renderer:
        ...     round(renderer.depth(data, camera)[24, 32].item(), 2)
        0.9
    """
    # Imported here because both modules need `Renderer` from this one.
    from homie.envs.mujoco.render.opengl import GlRenderer
    from homie.envs.mujoco.render.raycast import RaycastRenderer

    chosen = backend or _backend_of_environment()
    if chosen == RAYCAST:
        return RaycastRenderer(model, width, height)
    if chosen and chosen not in GL_CONTEXTS:
        raise BadInput(f"There is no rendering backend {chosen!r}; choose one of {', '.join(BACKENDS)}.")
    for name in (chosen,) if chosen else _TRIED_BY_ITSELF:
        context = _context(name)
        if isinstance(context, GlContext):
            return GlRenderer(model, width, height, name=name, context=context, samples=samples)
        if chosen:
            raise MissingPart(
                f"Rendering with {name} does not work here: {context}. Install it (`apt-get install libegl1` or"
                " `libosmesa6`), or leave MUJOCO_GL unset: Homie then takes a backend that works, in the last resort"
                " ray casting."
            )
    return RaycastRenderer(model, width, height)


_contexts: dict[str, GlContext | str] = {}
"""Result of every backend tried in this process: the context that all renderers share, or why it does not work."""
_choosing = threading.Lock()


def _choose_anew() -> None:
    """Replace the lock in a forked child: another thread of the parent may have held it."""
    global _choosing
    _choosing = threading.Lock()


os.register_at_fork(after_in_child=_choose_anew)


def _context(name: str) -> GlContext | str:
    with _choosing:
        if name not in _contexts:
            _contexts[name] = _open(name)
        return _contexts[name]


def _open(name: str) -> GlContext | str:
    running = [other for other, context in _contexts.items() if isinstance(context, GlContext)]
    if running:
        return f"this process already draws with {running[0]} and cannot change"
    try:
        context = GL_CONTEXTS[name]()
        context.publish()
        _probe(context)
    except (GlUnavailable, mujoco.FatalError) as error:
        return str(error)
    return context


def _probe(context: GlContext) -> None:
    """Let MuJoCo load its OpenGL functions once. Raises FatalError if the library lacks one that MuJoCo needs."""
    with context.use():
        mujoco.MjrContext(mujoco.MjModel.from_xml_string("<mujoco/>"), mujoco.mjtFontScale.mjFONTSCALE_50).free()


def _backend_of_environment() -> str:
    word = os.environ.get("MUJOCO_GL", "").strip().lower()
    backend = _MUJOCO_WORDS.get(word, word)
    if backend and backend not in BACKENDS:
        raise BadInput(
            f"MUJOCO_GL={word} names no rendering backend; choose one of {', '.join(BACKENDS)}, or unset it."
        )
    return backend


def group_mask(hidden: Set[int]) -> NDArray[np.uint8]:
    """1 for the geom groups to draw, (6,)."""
    drawn = _DRAWN_GROUPS - hidden
    return np.array([group in drawn for group in range(_NUMBER_OF_GROUPS)], dtype=np.uint8)
