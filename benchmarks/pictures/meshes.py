"""Objects drawn by meshes: `python -m benchmarks.pictures.meshes [FOLDER]` makes some by code, and draws them.

FOLDER (runs/meshes) then has six things as OBJ and GLB, a cracker box with a texture among them; `--meshes` takes it.
They are not scans: none of YCB or Google Scanned Objects is here. docs/images/meshes.jpg shows them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import trimesh
from PIL import Image as Picture
from PIL import ImageDraw

from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.house.object_looks import meshes_of, with_meshes
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import FreeCamera
from homie.kernel.types import Array, Image

OUT = Path(__file__).parents[2] / "docs" / "images" / "meshes.jpg"
WIDTH, HEIGHT = 900, 300
"""Pixels of a picture."""
SECTIONS = 40
"""Sides of what is round."""
THINGS = (
    ("mug", "blue", 0.45, 0.7),
    ("bowl", "green", 0.27, 0.0),
    ("vase", "teal", 0.12, 0.0),
    ("pear", "green", 0.0, 0.5),
    ("cracker_box", "red", -0.15, 0.3),
    ("teapot", "white", -0.36, 2.1),
)
"""Kind, colour, where on the worktop (m), and yaw there."""

Point = tuple[float, float]


def turned(profile: Sequence[Point], colour: Sequence[int]) -> trimesh.Trimesh:
    """A surface of revolution about z from points (radius, height)."""
    mesh = trimesh.creation.revolve(np.array(profile), sections=SECTIONS)
    mesh.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=[*colour, 255])
    )
    return mesh


def tube(points: Array, radius: float, colour: Sequence[int]) -> trimesh.Trimesh:
    """A round tube along points (n, 3) in the plane y = 0."""
    ahead = np.gradient(points, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    aside = np.tile([0.0, 1.0, 0.0], (len(points), 1))
    above = np.cross(ahead, aside)
    around = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
    rings = points[:, None] + radius * (
        np.cos(around)[None, :, None] * aside[:, None] + np.sin(around)[None, :, None] * above[:, None]
    )
    faces = []
    for k in range(len(points) - 1):
        for j in range(16):
            a, b = k * 16 + j, k * 16 + (j + 1) % 16
            faces += [(a, b, a + 16), (b, b + 16, a + 16)]
    mesh = trimesh.Trimesh(rings.reshape(-1, 3), faces, process=False)
    mesh.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=[*colour, 255])
    )
    return mesh


def ear(x: float, low: float, high: float, out: float) -> Array:
    """The middle line (n, 3) of a handle from (x, low) to (x, high)."""
    turn = np.linspace(-np.pi / 2, np.pi / 2, 24)
    middle, half = (low + high) / 2, (high - low) / 2
    return np.stack([x + out * np.cos(turn), np.zeros(24), middle + half * np.sin(turn)], axis=1)


def mug() -> trimesh.Scene:
    outer = [
        (0.0, 0.0),
        (0.030, 0.0),
        (0.036, 0.004),
        (0.0385, 0.012),
        (0.039, 0.088),
        (0.0405, 0.094),
        (0.0395, 0.096),
    ]
    inner = [(0.0365, 0.094), (0.0355, 0.088), (0.035, 0.014), (0.030, 0.008), (0.0, 0.007)]
    blue = (38, 84, 150)
    return trimesh.Scene([turned(outer + inner, blue), tube(ear(0.037, 0.02, 0.076, 0.03), 0.0048, blue)])


def bowl() -> trimesh.Scene:
    rise = np.linspace(0.0, np.pi / 2.3, 14)
    outer = [(0.0, 0.0), (0.035, 0.0), *((0.035 + 0.043 * np.sin(t) / np.sin(rise[-1]), 0.006 + 0.056 * (1 - np.cos(t)) / (1 - np.cos(rise[-1]))) for t in rise)]  # fmt: skip  # noqa: E501
    inner = [(radius - 0.0035, height + 0.0025) for radius, height in reversed(outer[3:])]
    return trimesh.Scene([turned([*outer, *inner, (0.0, 0.0085)], (70, 132, 96))])


def vase() -> trimesh.Scene:
    height = np.linspace(0.0, 1.0, 24)
    radius = 0.020 + 0.020 * np.sin(np.pi * height**0.8) ** 1.4 + 0.012 * np.clip(height - 0.86, 0.0, 1.0) / 0.14
    outer = [(0.0, 0.0), *zip(radius, 0.27 * height, strict=True)]
    inner = [(r - 0.003, z) for r, z in reversed(outer[4:])]
    return trimesh.Scene([turned([*outer, *inner, (0.0, 0.02)], (24, 128, 128))])


def pear() -> trimesh.Scene:
    """It lies along x, as the catalogue's does."""
    along = -np.cos(np.linspace(0.0, np.pi, 36))
    radius = 0.0235 * np.sqrt(1.0 - along**2) * (1.0 - 0.62 * along) * (1.0 + 0.3 * along**2)
    body = turned(list(zip(radius, 0.046 * along, strict=True)), (160, 186, 60))
    stem = turned([(0.0, 0.044), (0.0022, 0.044), (0.0018, 0.058), (0.0, 0.058)], (92, 64, 30))
    scene = trimesh.Scene([body, stem])
    scene.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, (0, 1, 0)))
    return scene


def teapot() -> trimesh.Scene:
    """A body of revolution with its lid, a spout and an ear."""
    turn = np.linspace(0.1, np.pi - 0.35, 30)
    profile = [(0.0, 0.0), *((0.052 * np.sin(t) ** 0.8, 0.046 - 0.046 * np.cos(t)) for t in turn)]
    profile += [(0.020, 0.092), (0.008, 0.098), (0.006, 0.103), (0.010, 0.108), (0.0, 0.113)]
    white = (232, 230, 222)
    spout = np.array([(-0.045, 0, 0.035), (-0.062, 0, 0.045), (-0.072, 0, 0.065), (-0.084, 0, 0.082)])
    return trimesh.Scene([turned(profile, white), tube(spout, 0.0075, white), tube(ear(0.047, 0.025, 0.075, 0.03), 0.005, white)])  # fmt: skip  # noqa: E501


def cracker_box(folder: Path) -> None:
    """A box with a printed texture, as OBJ, MTL and PNG in a folder as YCB has them."""
    folder.mkdir(parents=True, exist_ok=True)
    label = Picture.new("RGB", (512, 512), (196, 32, 34))
    draw = ImageDraw.Draw(label)
    draw.rectangle((0, 60, 512, 190), fill=(250, 214, 60))
    draw.text((256, 125), "CRACKERS", fill=(120, 20, 20), anchor="mm", font_size=88)
    for k in range(5):
        at = (70 + 92 * k, 330 + 40 * (k % 2))
        draw.rounded_rectangle((at[0] - 46, at[1] - 46, at[0] + 46, at[1] + 46), 12, fill=(226, 170, 92))
        for u in (-22, 0, 22):
            for v in (-22, 0, 22):
                draw.ellipse((at[0] + u - 4, at[1] + v - 4, at[0] + u + 4, at[1] + v + 4), fill=(168, 112, 48))
    label.save(folder / "texture_map.png")
    (folder / "textured.mtl").write_text("newmtl print\nKd 1 1 1\nmap_Kd texture_map.png\n")
    corners = [
        (-x, -y, z) for z in (0.0, 0.21) for x, y in ((0.03, 0.079), (-0.03, 0.079), (-0.03, -0.079), (0.03, -0.079))
    ]
    lines = ["mtllib textured.mtl", "usemtl print", *(f"v {x} {y} {z}" for x, y, z in corners)]
    lines += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1", "vt 0.01 0.01", "vt 0.02 0.02"]
    for a, b, c, d in ((1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)):
        lines += [f"f {a}/1 {b}/2 {c}/3", f"f {a}/1 {c}/3 {d}/4"]
    for a, b, c, d in ((4, 3, 2, 1), (5, 6, 7, 8)):
        lines += [f"f {a}/5 {b}/6 {c}/6", f"f {a}/5 {c}/6 {d}/6"]
    (folder / "textured.obj").write_text("\n".join(lines) + "\n")


def write(folder: Path) -> None:
    """Make the meshes: GLBs, whose y is up, and one OBJ with a texture."""
    folder.mkdir(parents=True, exist_ok=True)
    upright = trimesh.transformations.rotation_matrix(-np.pi / 2, (1, 0, 0))
    for name, scene in (("mug", mug()), ("bowl", bowl()), ("vase", vase()), ("pear", pear()), ("teapot", teapot())):
        scene.apply_transform(upright)
        scene.export(folder / f"{name}.glb")
    cracker_box(folder / "003_cracker_box" / "google_16k")


def counter() -> SceneSpec:
    """The things side by side on a worktop."""
    room = {"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 4, "y1": 4}
    table = {
        "name": "table",
        "kind": "table",
        "colour": "wood",
        "room": "kitchen",
        "x": 2.0,
        "y": 3.0,
        "yaw": -np.pi / 2,
    }
    things = [
        {"name": kind, "kind": kind, "colour": colour, "x": 0.1, "y": y, "yaw": yaw} for kind, colour, y, yaw in THINGS
    ]
    place = {"receptacle": "table", "surface": "top"}
    return SceneSpec.model_validate(
        {
            "rooms": [room],
            "furniture": [table],
            "objects": [{**thing, **place} for thing in things],
            "robot": {"x": 1.0, "y": 1.0},
        }
    )


def picture(scene: SceneSpec) -> Image:
    """The table (HEIGHT, WIDTH, 3) from before it and a little above."""
    home = build(scene)
    camera = FreeCamera(lookat=(2.0, 2.9, 0.83), distance=0.95, azimuth=np.pi / 2, elevation=-0.42, fovy=0.36)
    with make_renderer(home.model, WIDTH, HEIGHT, samples=4) as renderer:
        return renderer.rgbd(home.new_data(), camera, hidden_groups=frozenset({3})).rgb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("runs/meshes"))
    folder = parser.parse_args().folder
    write(folder)
    scene = counter()
    rows = [picture(scene), picture(with_meshes(scene, meshes_of(folder)))]
    Picture.fromarray(np.vstack(rows)).save(OUT, quality=90)
    print(f"{OUT} and {folder}")


if __name__ == "__main__":
    main()
