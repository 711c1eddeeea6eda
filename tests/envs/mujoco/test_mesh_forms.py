"""What a mesh file says is what is read: indices, faces of many corners, fans and strips, names of materials."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from homie.cli.main import main
from homie.envs.mujoco.meshes.bundle import bundle
from homie.envs.mujoco.meshes.polygons import triangles
from homie.envs.mujoco.meshes.read_mesh import Skin, skins
from homie.kernel.errors import BadInput
from homie.kernel.types import Array

CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
SIDES = ((4, 3, 2, 1), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8))


def points_of(height: float = 1.0, above: float = 0.0) -> str:
    return "".join(f"v {x} {y} {above + height * z}\n" for x, y, z in CORNERS)


def faces_of(*, back: bool = False, start: int = 0) -> str:
    return "".join("f " + " ".join(str(i - 9 if back else i + start) for i in side) + "\n" for side in SIDES)


TWO_BOXES = points_of() + points_of(2, 1) + faces_of() + faces_of(start=8)
L_SHAPE = (
    "v 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\nv 0 0 1\nv 2 0 1\n"
    "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n"
)


def read(path: Path, content: str | bytes) -> tuple[Skin, ...]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return skins(bundle(path))


def measure(parts: tuple[Skin, ...]) -> tuple[list[float], float, float]:
    """Extents, area, and the volume that the faces enclose, negative where they look inwards."""
    corners = np.concatenate([part.points[part.faces] for part in parts])
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area, volume = np.linalg.norm(normals, axis=1).sum() / 2, (corners[:, 0] * normals).sum() / 6
    return np.ptp(corners.reshape(-1, 3), axis=0).tolist(), float(area), float(volume)


@pytest.mark.parametrize(
    ("content", "extents", "area", "volume"),
    [
        (TWO_BOXES, [1, 1, 3], 16, 3),
        (points_of() + faces_of(back=True) + points_of(2, 1) + faces_of(back=True), [1, 1, 3], 16, 3),
        (points_of() + faces_of() + points_of(2, 1) + faces_of(back=True), [1, 1, 3], 16, 3),
        (L_SHAPE, [2, 2, 1], 14, 3),
        (L_SHAPE.replace("\n", "\r\n"), [2, 2, 1], 14, 3),
        (points_of() + faces_of().replace("\n", "  # a side\n"), [1, 1, 1], 6, 1),
        (points_of() + faces_of().replace("f ", "f\t"), [1, 1, 1], 6, 1),
        (points_of() + faces_of().replace("f 4 3", "f 4 \\\n3"), [1, 1, 1], 6, 1),
        (points_of() + "g empty\ng\no none\ns off\n" + faces_of() + "g empty too\n", [1, 1, 1], 6, 1),
        (points_of() * 2 + faces_of(), [1, 1, 1], 6, 1),
        (faces_of() + points_of(), [1, 1, 1], 6, 1),
        (points_of() + "vt 0 0\nvn 0 0 1\n" + faces_of().replace(" 4 ", " 4/1/1 ", 1), [1, 1, 1], 6, 1),
        (points_of() + "vn 0 0 1\n" + faces_of(back=True).replace("\n", "//-1\n"), [1, 1, 1], 6, 1),
    ],
)
def test_an_obj_is_read_as_it_is_meant(
    content: str, extents: list[float], area: float, volume: float, tmp_path: Path
) -> None:
    measurements = measure(read(tmp_path / "apple.obj", content))
    assert measurements[0] == pytest.approx(extents)
    assert measurements[1:] == pytest.approx((area, volume))


@pytest.mark.parametrize(
    ("face", "sentence"),
    [
        ("f 0 1 2", "corner '0' in line 9: indices of an OBJ are whole numbers from 1"),
        ("f 1/0 2/1 3/1", "corner '1/0' in line 9: indices of an OBJ are whole numbers from 1"),
        ("f 1 2 9 3", "corner '9' in line 9, and 8 lines of 'v': it refers to one that is not there"),
        ("f 1 2 9", "index 8 is out of bounds|not there"),
        ("f 1 2 -9", "corner '-9' in line 9, and 8 lines of 'v'"),
        ("f 1/-1 2/-1 3/-1", "corner '1/-1' in line 9, and 0 lines of 'vt'"),
        ("f 1 2", "face of 2 corners in line 9"),
        ("f a b c", "corner 'a' in line 9: indices"),
        ("f 1.5 2 3", "corner '1.5' in line 9: indices"),
        ("v nan 0 0\nf 1 2 3 9", "points that are not finite numbers"),
        ("v 1e30 0 0\nf 1 2 9", "points that are not finite numbers"),
    ],
)
def test_a_face_that_is_none_is_refused_by_its_line(face: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=sentence):
        read(tmp_path / "apple.obj", points_of() + face + "\n" + faces_of())


@given(st.lists(st.floats(0.2, 3.0), min_size=4, max_size=14), st.integers(0, 2), st.booleans())
def test_any_face_is_covered_once(radii: list[float], axis: int, reverse: bool) -> None:
    angles = np.linspace(0, 2 * np.pi, len(radii), endpoint=False)
    flat = np.array(radii)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    corners = np.insert(flat[::-1] if reverse else flat, axis, 0.5, axis=1)
    x, y = flat.T
    area = abs(float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))) / 2
    faces = np.array(triangles(corners))
    normals = np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]])
    assert len(faces) == len(radii) - 2
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(area)
    assert abs(normals.sum(axis=0)[axis]) / 2 == pytest.approx(area), "all turn one way"


def test_corners_on_a_line_and_a_face_that_crosses_itself_end() -> None:
    line = np.array([(float(index), 0.0, 0.0) for index in range(5)])
    star = np.array([(np.cos(4 * np.pi * k / 5), np.sin(4 * np.pi * k / 5), 0.0) for k in range(5)])
    assert len(triangles(line)) == len(triangles(star)) == 3


# ------------------------------------------------------------------ materials


def read_textured_box(folder: Path, libraries: str, picture: str, *names: str) -> tuple[Skin, ...]:
    """A box whose first material is red and whose second has a green picture, in files of materials of these names."""
    texts = ["newmtl red\nKd 1 0 0\n", f"newmtl green\n{picture}\n"]
    for number, name in enumerate(names):
        (folder / name).write_text("".join(texts) if len(names) == 1 else texts[number])
    coordinates = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    faces = [" ".join(f"{i}/{k}" for k, i in enumerate(side, 1)) for side in SIDES]
    drawn = "".join(f"usemtl {'red' if number < 3 else 'green'}\nf {face}\n" for number, face in enumerate(faces))
    return read(folder / "apple.obj", f"{libraries}\n{points_of()}{coordinates}{drawn}")


@pytest.mark.parametrize(
    ("libraries", "picture", "names"),
    [
        ("mtllib a.mtl", "map_Kd green.png", ["a.mtl"]),
        ("mtllib a.mtl b.mtl", "map_Kd green.png", ["a.mtl", "b.mtl"]),
        ("mtllib a.mtl\nmtllib b.mtl", "map_Kd green.png", ["a.mtl", "b.mtl"]),
        ('mtllib "a b.mtl"', "map_Kd green.png", ["a b.mtl"]),
        ("mtllib a b.mtl", "map_Kd green.png", ["a b.mtl"]),
        ('mtllib "a b.mtl" "c.mtl"', "map_Kd green.png", ["a b.mtl", "c.mtl"]),
        ("# mtllib other.mtl\nmtllib a.mtl", "map_Kd green.png", ["a.mtl"]),
        ("mtllib a.mtl", 'map_Kd "green.png"', ["a.mtl"]),
        ("mtllib a.mtl", "map_Kd -s 1 1 1 -clamp on green.png", ["a.mtl"]),
        ("mtllib a.mtl", "map_kd -bm 1 pale green.png", ["a.mtl"]),
    ],
)
def test_materials_are_found_by_any_names(libraries: str, picture: str, names: list[str], tmp_path: Path) -> None:
    for name in ("green.png", "pale green.png"):
        Image.new("RGB", (8, 8), (0, 255, 0)).save(tmp_path / name)
    parts = read_textured_box(tmp_path, libraries, picture, *names)
    assert sorted(tuple(round(value) for value in part.rgb or ()) for part in parts) == [(0, 1, 0), (1, 0, 0)]
    assert sum(part.texture is not None for part in parts) == 1


def test_a_file_of_materials_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a\.mtl b\.mtl: No such file"):
        read_textured_box(tmp_path, "mtllib a.mtl b.mtl", "map_Kd green.png", "a.mtl")
    with pytest.raises(BadInput, match="outside of its folder"):
        read_textured_box(tmp_path, 'mtllib "../a.mtl"', "map_Kd green.png", "a.mtl")


# ------------------------------------------------------------------ glTF


QUAD = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], "<f4")
FAN = np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 2, 0), (0, 2, 0)], "<f4")


def glb(*parts: tuple[Array, int, str | None], scale: tuple[float, float, float] = (1, 1, 1)) -> bytes:
    """Parts: points, mode, and the type of indices from 0 on, None for none."""
    views, accessors, primitives, binary = [], [], [], b""
    types = {"u1": 5121, "u2": 5123, "u4": 5125}
    for points, mode, kind in parts:
        arrays = [(np.asarray(points, "<f4"), 5126, "VEC3")]
        if kind is not None:
            arrays.append((np.arange(len(points)).astype(f"<{kind}"), types[kind], "SCALAR"))
        begin = len(accessors)
        for array, component, shape in arrays:
            binary += b"\0" * (-len(binary) % 4)
            views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": array.nbytes})
            extra = {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()} if shape == "VEC3" else {}
            accessors.append(
                {"bufferView": len(views) - 1, "componentType": component, "count": len(array), "type": shape, **extra}
            )
            binary += array.tobytes()
        primitive = {"attributes": {"POSITION": begin}, "mode": mode}
        primitives.append(primitive | ({"indices": begin + 1} if kind else {}))
    binary += b"\0" * (-len(binary) % 4)
    content = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "scale": scale}],
        "meshes": [{"primitives": primitives}], "buffers": [{"byteLength": len(binary)}], "bufferViews": views,
        "accessors": accessors,
    }  # fmt: skip
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", None])
def test_fans_and_strips_are_read(kind: str | None, tmp_path: Path) -> None:
    _, area, _ = measure(read(tmp_path / "fan.glb", glb((FAN, 6, kind))))
    assert area == pytest.approx(3.5)
    strip = QUAD[[0, 1, 3, 2]]
    _, area, _ = measure(read(tmp_path / "all.glb", glb((QUAD + 5, 6, kind), (strip, 5, kind), (QUAD[:3], 4, kind))))
    assert area == pytest.approx(1 + 1 + 0.5)


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        (0, "a part of points, which is not a surface"),
        (1, "a part of lines"),
        (3, "a part of lines"),
        (7, "the mode 7"),
    ],
)
def test_what_is_no_surface_is_refused(mode: int, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=sentence):
        read(tmp_path / "parts.glb", glb((QUAD[:3], 4, None), (QUAD, mode, None)))


def test_a_fan_whose_indices_are_not_there_is_a_sentence(tmp_path: Path) -> None:
    data = glb((FAN, 6, "u2"))
    with pytest.raises(BadInput, match="a fan of triangles whose indices cannot be read"):
        read(tmp_path / "fan.glb", data.replace(b'"count": 5, "type": "SCALAR"', b'"count": 99,"type": "SCALAR"'))


def test_a_mirrored_mesh_still_looks_outwards(tmp_path: Path) -> None:
    box = trimesh.creation.box((1, 2, 3))
    for scale in ((1, 1, 1), (-1, 1, 1), (1, -2, 1), (-1, -1, -1)):
        data = glb((box.vertices[box.faces].reshape(-1, 3), 4, None), scale=scale)
        assert measure(read(tmp_path / "box.glb", data))[2] == pytest.approx(6 * abs(np.prod(scale)))


def test_the_scene_says_what_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "apple.obj").write_text(TWO_BOXES)
    with pytest.raises(SystemExit) as excinfo:
        main(["scene", "--seed", "7", "--meshes", str(tmp_path)])
    assert excinfo.value.code in (0, None)
    assert "apple.obj: 24 faces; 1 x 1 x 3 in the file, 2.5 x 2.5 x 7.5 cm here" in capsys.readouterr().err
