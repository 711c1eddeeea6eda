"""Off-screen OpenGL contexts: EGL (a GPU or Mesa's software driver), OSMesa and GLFW.

The libraries are loaded with ctypes and not through `mujoco.egl` and `mujoco.osmesa`: those use PyOpenGL, which fixes
its platform for the whole process at its first import, so that OSMesa cannot be tried after EGL has failed. Here a
library that fails leaves no trace and the next one can be tried. The first that works is the only one of the process:
MuJoCo looks up its OpenGL functions among the symbols of the process, and can do so for one library only.
Constants are from the Khronos EGL registry and Mesa's GL/osmesa.h.

This module does not import mujoco at load time, because `import_mujoco` has to guard that import.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_char_p, c_int, c_uint, c_void_p

from homie.kernel.errors import InfrastructureError

_EGL_TRUE = 1
_EGL_NONE = 0x3038
_EGL_PLATFORM_DEVICE_EXT = 0x313F
_EGL_OPENGL_API = 0x30A2
_EGL_CONFIG = (
    *(0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8),  # red, green, blue, alpha bits
    *(0x3025, 24, 0x3026, 8),  # depth and stencil bits
    *(0x3033, 0x0001),  # surface type: pbuffer
    *(0x3040, 0x0008),  # renderable type: OpenGL
    _EGL_NONE,
)
_MAX_DEVICES = 32

_OSMESA_RGBA = 0x1908
_GL_UNSIGNED_BYTE = 0x1401
_OSMESA_SIDE = 16


AFTER_A_FORK = (
    "This process was forked from one that had already rendered, and OpenGL does not survive a fork: start it with "
    "'spawn' (multiprocessing.get_context('spawn'), or context='spawn' of gymnasium's AsyncVectorEnv)."
)


class GlUnavailable(Exception):
    """This kind of context cannot be created on this machine; the message says why."""


class GlContext(ABC):
    """An OpenGL context. It is current only inside `use`, so that any thread may use it while others wait.

    The constructor loads the library privately and raises GlUnavailable if that fails; `publish` then makes it visible
    to MuJoCo. There is one context per process, shared by all renderers, and it lives as long as the process. In a
    forked child it is lost: the driver's threads do not exist there, and a call into the driver would never return.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._users = 0
        self._process = os.getpid()

    @property
    def lost(self) -> bool:
        """Whether this process was forked from the one that created the context."""
        return os.getpid() != self._process

    @abstractmethod
    def publish(self) -> None:
        """Make the symbols of the library visible to the whole process, where MuJoCo looks them up."""

    @contextlib.contextmanager
    def use(self) -> Iterator[None]:
        """Make the context current for the duration of a `with` block.

        Blocks may nest: the garbage collector may free a renderer while another one draws.

        Raises:
            GlUnavailable: the context cannot be made current.
            InfrastructureError: the context was lost in a fork.
        """
        if self.lost:
            raise InfrastructureError(AFTER_A_FORK)
        with self._lock:
            if not self._users:
                self._make_current()
            self._users += 1
            try:
                yield
            finally:
                self._users -= 1
                if not self._users:
                    self._release()

    @abstractmethod
    def _make_current(self) -> None: ...

    @abstractmethod
    def _release(self) -> None: ...


class EglContext(GlContext):
    """A context on the first EGL device that works, or on the device with the number in MUJOCO_EGL_DEVICE_ID."""

    def __init__(self) -> None:
        super().__init__()
        self._egl = _open_library("EGL", "libEGL.so.1")
        _declare(self._egl, "eglGetProcAddress", c_void_p, c_char_p)
        _declare(self._egl, "eglInitialize", c_uint, c_void_p, c_void_p, c_void_p)
        _declare(self._egl, "eglBindAPI", c_uint, c_uint)
        _declare(self._egl, "eglChooseConfig", c_uint, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
        _declare(self._egl, "eglCreateContext", c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
        _declare(self._egl, "eglMakeCurrent", c_uint, c_void_p, c_void_p, c_void_p, c_void_p)
        self._display = self._open_display()
        config, count = c_void_p(), c_int()
        attributes = (c_int * len(_EGL_CONFIG))(*_EGL_CONFIG)
        self._egl.eglChooseConfig(self._display, attributes, byref(config), 1, byref(count))
        if count.value < 1:
            raise GlUnavailable("EGL offers no configuration for off-screen OpenGL")
        self._egl.eglBindAPI(_EGL_OPENGL_API)
        self._context = self._egl.eglCreateContext(self._display, config, None, None)
        if not self._context:
            raise GlUnavailable("EGL could not create an OpenGL context")
        with self.use():  # first use of the driver, here because context creation has a timeout
            self._extension("glFinish", None)()

    def publish(self) -> None:
        _publish(self._egl)

    def _open_display(self) -> int:
        query = self._extension("eglQueryDevicesEXT", c_uint, c_int, POINTER(c_void_p), POINTER(c_int))
        get_display = self._extension("eglGetPlatformDisplayEXT", c_void_p, c_uint, c_void_p, c_void_p)
        devices, count = (c_void_p * _MAX_DEVICES)(), c_int()
        query(_MAX_DEVICES, devices, byref(count))
        chosen = list(devices[: count.value])
        number = os.environ.get("MUJOCO_EGL_DEVICE_ID")
        if number is not None:
            if not number.isdecimal() or int(number) >= len(chosen):
                raise GlUnavailable(f"MUJOCO_EGL_DEVICE_ID={number} names none of the {len(chosen)} EGL devices")
            chosen = [chosen[int(number)]]
        for device in chosen:
            display = get_display(_EGL_PLATFORM_DEVICE_EXT, device, None)
            if display and self._egl.eglInitialize(display, None, None) == _EGL_TRUE:
                return int(display)
        raise GlUnavailable(f"none of the {len(chosen)} EGL devices could be initialised")

    def _extension(self, name: str, result: type | None, *arguments: type) -> Callable[..., int]:
        address = self._egl.eglGetProcAddress(name.encode())
        if not address:
            raise GlUnavailable(f"the EGL library has no {name}")
        function: Callable[..., int] = ctypes.CFUNCTYPE(result, *arguments)(address)
        return function

    def _make_current(self) -> None:
        if self._egl.eglMakeCurrent(self._display, None, None, self._context) != _EGL_TRUE:
            raise GlUnavailable("the EGL context cannot be made current")

    def _release(self) -> None:
        self._egl.eglMakeCurrent(self._display, None, None, None)


class OsmesaContext(GlContext):
    """A context of Mesa's off-screen software renderer. MuJoCo draws into its own buffer, so the context's is tiny."""

    def __init__(self) -> None:
        super().__init__()
        self._osmesa = _open_library("OSMesa", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")
        _declare(self._osmesa, "OSMesaCreateContextExt", c_void_p, c_uint, c_int, c_int, c_int, c_void_p)
        _declare(self._osmesa, "OSMesaMakeCurrent", c_uint, c_void_p, c_void_p, c_uint, c_int, c_int)
        self._buffer = (ctypes.c_ubyte * (4 * _OSMESA_SIDE * _OSMESA_SIDE))()
        self._context = self._osmesa.OSMesaCreateContextExt(_OSMESA_RGBA, 24, 8, 0, None)
        if not self._context:
            raise GlUnavailable("OSMesa could not create a context")

    def publish(self) -> None:
        _publish(self._osmesa)

    def _make_current(self) -> None:
        side = _OSMESA_SIDE
        if not self._osmesa.OSMesaMakeCurrent(self._context, self._buffer, _GL_UNSIGNED_BYTE, side, side):
            raise GlUnavailable("the OSMesa context cannot be made current")

    def _release(self) -> None:
        self._osmesa.OSMesaMakeCurrent(None, None, _GL_UNSIGNED_BYTE, 0, 0)


class GlfwContext(GlContext):
    """A hidden window on a running display. Used only with MUJOCO_GL=glfw."""

    def __init__(self) -> None:
        super().__init__()
        try:
            self._glfw = importlib.import_module("glfw")
        except ImportError as error:
            raise GlUnavailable(f"glfw cannot be imported ({error})") from error
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exception reports the failure
            if not self._glfw.init():
                raise GlUnavailable("GLFW finds no display")
        self._glfw.window_hint(self._glfw.VISIBLE, 0)
        self._window = self._glfw.create_window(_OSMESA_SIDE, _OSMESA_SIDE, "homie", None, None)
        if not self._window:
            raise GlUnavailable("GLFW could not create a window")

    def publish(self) -> None:
        with contextlib.suppress(GlUnavailable):  # the library exists, and MuJoCo needs it, on Linux only
            _publish(_open_library("GL", "libGL.so.1"))

    def _make_current(self) -> None:
        self._glfw.make_context_current(self._window)

    def _release(self) -> None:
        self._glfw.make_context_current(None)


GL_CONTEXTS: dict[str, type[GlContext]] = {"egl": EglContext, "osmesa": OsmesaContext, "glfw": GlfwContext}


def import_mujoco() -> None:
    """Import mujoco for any value of MUJOCO_GL.

    mujoco chooses a GL library at import and fails on a MUJOCO_GL that it does not know (`raycast`) or that does not
    work on this machine. Homie chooses a backend later and reports failures in one sentence, so then mujoco is imported
    with its own choice disabled.
    """
    try:
        importlib.import_module("mujoco")
    except Exception:
        setting = os.environ.get("MUJOCO_GL")
        if setting is None:
            raise
        os.environ["MUJOCO_GL"] = "disabled"
        try:
            importlib.import_module("mujoco")
        finally:
            os.environ["MUJOCO_GL"] = setting


def _open_library(name: str, *files: str) -> ctypes.CDLL:
    _load_triton()
    for file in files:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(file, mode=ctypes.RTLD_LOCAL)
    raise GlUnavailable(f"lib{name} cannot be loaded")


def _load_triton() -> None:
    """Load the library of triton, a dependency of torch for GPUs, before one of OpenGL.

    Mesa and triton each contain an LLVM, and `publish` makes the symbols of Mesa's visible. Loaded after it, triton
    calls Mesa's LLVM, and the process ends with a segmentation fault: at the first optimizer after an image. (After
    TensorFlow the same happens: tensorflow/tensorflow#124205.) It takes 0.03 s.
    """
    with contextlib.suppress(ImportError, ValueError, OSError):
        package = importlib.util.find_spec("triton")
        for folder in (package and package.submodule_search_locations) or ():
            ctypes.CDLL(os.path.join(folder, "_C", "libtriton.so"), mode=ctypes.RTLD_LOCAL)


def _publish(library: ctypes.CDLL) -> None:
    ctypes.CDLL(library._name, mode=ctypes.RTLD_GLOBAL)


def _declare(library: ctypes.CDLL, name: str, result: type | None, *arguments: type) -> None:
    try:
        function = getattr(library, name)
    except AttributeError as error:
        raise GlUnavailable(f"{library._name} has no {name}") from error
    function.restype, function.argtypes = result, arguments
