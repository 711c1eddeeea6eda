"""Objects drawn by meshes that a user has: small meshes are made here, in the forms of files that there are."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from homie.envs.mujoco.blueprints.catalog import object_plan
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.house.object_looks import meshes_of, with_meshes
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.meshes.bundle import bundle
from homie.envs.mujoco.meshes.library import library, name_of
from homie.envs.mujoco.meshes.meshed import mesh_plan
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import FreeCamera
from homie.envs.mujoco.world import World
from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.options import RunOptions
from homie.kernel.types import Array, Command
from homie.runtime.session import run
from tests.homes import one_room

GREEN = [40, 170, 60, 255]


def box(size: tuple[float, float, float], colour: list[int] | None = None) -> trimesh.Trimesh:
    mesh = trimesh.creation.box(size)
    if colour:
        mesh.visual.face_colors = colour
    return mesh


def vessel(radius: float = 0.04, height: float = 0.08, wall: float = 0.004) -> trimesh.Trimesh:
    """A cup without an ear: open above, 8 mm of floor."""
    profile = [
        (0.0, 0.0), (radius, 0.0), (radius, height), (radius - wall, height), (radius - wall, 0.008), (0.0, 0.008),
    ]  # fmt: skip
    return trimesh.creation.revolve(np.array(profile), sections=24)


def table_with(**thing: object) -> SceneSpec:
    """One thing on a table, and where it stands."""
    return one_room(
        [{"name": "table", "kind": "table", "colour": "wood", "x": 2.9, "y": 2.0, "yaw": 3.14159}],
        [{"name": str(thing["kind"]), "receptacle": "table", "surface": "top", "x": 0.12, "y": 0.0, **thing}],
        robot=(1.3, 2.0, 0.0),
    )


def meshed_table(folder: Path, **thing: object) -> SceneSpec:
    return with_meshes(table_with(**thing), meshes_of(folder))


def close_up(scene: SceneSpec) -> tuple[Array, Array]:
    """Colours (h, w, 3) of a picture of the first object, and which pixels (h, w) are of it."""
    home = build(scene)
    data, item = home.new_data(), home.index.objects[0]
    camera = FreeCamera(lookat=tuple(data.xpos[item.body]), distance=0.5, azimuth=0.7, elevation=-0.4)
    with make_renderer(home.model, 160, 160) as renderer:
        picture = renderer.rgbd(data, camera, segmentation=True, hidden_groups=frozenset({3}))
    geoms = [geom for geom, info in home.index.geoms.items() if info.entity == item.name]
    return picture.rgb, np.isin(picture.geoms, geoms)


# ------------------------------------------------------------------ how large, which way


@pytest.mark.parametrize("unit", [1.0, 0.01, 0.001, 39.4])
@pytest.mark.parametrize("suffix", ["obj", "glb"])
def test_whatever_its_units_it_is_as_large_as_its_kind(unit: float, suffix: str, tmp_path: Path) -> None:
    upright = box((0.038, 0.089, 0.175))
    if suffix == "glb":  # glTF has y up
        upright.apply_transform(trimesh.transformations.rotation_matrix(-np.pi / 2, (1, 0, 0)))
    upright.apply_scale(1.0 / unit)
    upright.export(tmp_path / f"sugar_box.{suffix}")
    plan = mesh_plan("sugar_box", "yellow", str(tmp_path / f"sugar_box.{suffix}"), "")
    usual = object_plan("sugar_box", "yellow")
    assert plan.half == pytest.approx(usual.half, rel=1e-4)
    assert sum(part.mass for part in plan.parts) == pytest.approx(sum(part.mass for part in usual.parts))


def test_another_shape_is_shrunk_into_the_box_of_its_kind_and_turned_where_that_fits_better(tmp_path: Path) -> None:
    box((0.4, 0.1, 0.2)).export(tmp_path / "sugar_box.obj")  # its kind is thin along x
    plan = mesh_plan("sugar_box", "yellow", str(tmp_path / "sugar_box.obj"), "")
    assert plan.half[1] == pytest.approx(4 * plan.half[0]) and plan.half[2] == pytest.approx(2 * plan.half[0])
    assert all(
        own <= usual + 1e-9 for own, usual in zip(plan.half, object_plan("sugar_box", "yellow").half, strict=True)
    )


def test_the_world_knows_its_true_extents_however_it_lies(tmp_path: Path) -> None:
    trimesh.creation.cylinder(0.5, 1.0, sections=32).export(tmp_path / "tomato_soup_can.obj")
    scene = meshed_table(tmp_path, kind="tomato_soup_can", colour="red")
    home = build(scene)
    world = World(home, home.new_data())
    (upright,) = world.object_boxes(["tomato_soup_can"])
    assert upright.half == pytest.approx(scene.objects[0].plan.half, abs=1e-3)
    lying = with_meshes(table_with(kind="tomato_soup_can", colour="red", roll=1.5708), meshes_of(tmp_path))
    home = build(lying)
    (lain,) = World(home, home.new_data()).object_boxes(["tomato_soup_can"])
    assert lain.half[2] == pytest.approx(0.033, abs=2e-3)


# ------------------------------------------------------------------ pictures


def test_a_mesh_of_the_usual_shape_has_the_same_silhouette_and_its_own_colour(tmp_path: Path) -> None:
    box((0.038, 0.089, 0.175), GREEN).export(tmp_path / "sugar_box.glb")
    turned = trimesh.load(tmp_path / "sugar_box.glb", force="mesh")
    turned.apply_transform(trimesh.transformations.rotation_matrix(-np.pi / 2, (1, 0, 0)))
    turned.export(tmp_path / "sugar_box.glb")
    usual, shape = close_up(table_with(kind="sugar_box", colour="yellow"))
    green, silhouette = close_up(meshed_table(tmp_path, kind="sugar_box", colour="yellow"))
    assert shape.sum() > 1000
    assert (shape & silhouette).sum() / (shape | silhouette).sum() > 0.96
    red, more, _ = green[silhouette].mean(axis=0)
    assert more > 1.5 * red and usual[shape].mean(axis=0)[0] > 150


def write_textured_box(folder: Path, texture: str = "texture.png") -> Path:
    """A box whose upper half is red and whose lower half is blue, as OBJ, material and texture."""
    folder.mkdir(parents=True, exist_ok=True)
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:32], pixels[32:] = (200, 20, 20), (20, 20, 200)
    Image.fromarray(pixels).save(folder / "texture.png")
    (folder / "box.mtl").write_text(f"newmtl all\nKd 1 1 1\nmap_Kd {texture}\n")
    lines, faces = ["mtllib box.mtl", "usemtl all"], []
    for z in (0, 1):
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)):
            lines += [f"v {x * 0.04} {y * 0.09} {z * 0.175}", f"vt {(x + y) / 2 * 0.98 + 0.01} {0.02 + 0.96 * z}"]
    for a, b, c, d in ((1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8), (4, 3, 2, 1), (5, 6, 7, 8)):
        faces += [f"f {a}/{a} {b}/{b} {c}/{c}", f"f {a}/{a} {c}/{c} {d}/{d}"]
    path = folder / "textured.obj"
    path.write_text("\n".join([*lines, *faces]))
    return path


def test_a_texture_is_drawn_the_right_way_up(tmp_path: Path) -> None:
    write_textured_box(tmp_path / "004_sugar_box")
    picture, silhouette = close_up(meshed_table(tmp_path, kind="sugar_box", colour="yellow"))
    rows = np.flatnonzero(silhouette.any(axis=1))
    upper, lower = (picture[row][silhouette[row]].mean(axis=0) for row in (rows[len(rows) // 3], rows[-len(rows) // 6]))
    assert upper[0] > 2 * upper[2] and lower[2] > 2 * lower[0]


def test_the_colour_of_a_mesh_without_one_is_that_of_the_object(tmp_path: Path) -> None:
    trimesh.creation.icosphere(2).export(tmp_path / "apple.obj")
    picture, silhouette = close_up(meshed_table(tmp_path, kind="apple", colour="red"))
    red, green, _ = picture[silhouette].mean(axis=0)
    assert red > 2 * green


def test_a_fine_mesh_is_thinned_out_and_looks_the_same(tmp_path: Path) -> None:
    fine = trimesh.creation.icosphere(6)
    assert len(fine.faces) > 80_000
    fine.export(tmp_path / "orange.glb")
    plan = mesh_plan("orange", "orange", str(tmp_path / "orange.glb"), "")
    surface = plan.parts[0].surface
    assert surface is not None and surface.faces is not None and 500 < len(surface.faces) <= 4000
    assert np.linalg.norm(surface.points, axis=1) == pytest.approx(0.0365, rel=0.03)


# ------------------------------------------------------------------ bodies


def test_it_stands_still_and_the_same_home_goes_the_same_way(tmp_path: Path) -> None:
    vessel().export(tmp_path / "mug.obj")
    scene = meshed_table(tmp_path, kind="mug", colour="red")
    ends = []
    for _ in range(2):
        with MujocoHome(scene, shade=False, picture_size=(16, 16)) as home:
            before = home.world.position(home.world.objects["mug"].body).copy()
            for _ in range(30):
                home.act(Command())
            ends.append(home.data.qpos.tobytes())
            assert np.linalg.norm(home.world.position(home.world.objects["mug"].body) - before) < 0.001
    assert ends[0] == ends[1]


def test_a_vessel_is_hollow_and_holds_what_lies_in_it(tmp_path: Path) -> None:
    vessel(0.08, 0.055).export(tmp_path / "bowl.obj")
    scene = meshed_table(tmp_path, kind="bowl", colour="red")
    hollow = scene.objects[0].plan.hollow
    assert hollow is not None
    assert hollow.radius(0.5 * hollow.depth) == pytest.approx(0.076, abs=0.003)
    assert hollow.depth == pytest.approx(0.047, abs=0.002)
    plum = {"name": "plum", "kind": "plum", "colour": "purple", "z": 0.05, "receptacle": "table", "surface": "top"}
    content = json.loads(scene.dump())
    content["objects"].append({**plum, "x": 0.12, "y": 0.0})
    with MujocoHome(SceneSpec.parse(json.dumps(content)), shade=False, picture_size=(16, 16)) as home:
        for _ in range(20):
            home.act(Command())
        place = home.world.place("plum")
        assert (place.relation, place.entity) == ("in", "bowl")


def test_a_solid_in_the_place_of_a_vessel_is_refused(tmp_path: Path) -> None:
    box((1, 1, 1)).export(tmp_path / "bowl.obj")
    with pytest.raises(BadInput, match="no hollow that is open above, and a bowl has one"):
        meshed_table(tmp_path, kind="bowl", colour="red")


# ------------------------------------------------------------------ folders


def test_names_are_those_of_kinds_as_data_sets_write_them(tmp_path: Path) -> None:
    for place in (
        "025_mug/google_16k/textured",
        "Bowl/meshes/model",
        "plum",
        "red_mug",
        "apple_2",
        "035_power_drill/x",
    ):
        path = tmp_path / f"{place}.obj"
        path.parent.mkdir(parents=True, exist_ok=True)
        vessel().export(path)
    assert {name: path.stem for name, path in library(tmp_path).items()} == {
        "mug": "textured", "bowl": "model", "plum": "plum", "red_mug": "red_mug", "apple_2": "apple_2",
    }  # fmt: skip
    assert name_of(Path("SoapDispenser.glb")) == "soap_dispenser"
    scene = with_meshes(generate(3, rooms=2, objects=40), meshes_of(tmp_path))
    drawn = {item.name: Path(item.mesh.file).stem for item in scene.objects if item.mesh}
    mugs = {item.name: item.colour for item in scene.objects if item.kind == "mug"}
    assert {
        name: "red_mug" if colour == "red" else "textured" for name, colour in mugs.items()
    }.items() <= drawn.items()
    assert [(item.name, item.x, item.y) for item in scene.objects] == [
        (item.name, item.x, item.y) for item in generate(3, rooms=2, objects=40).objects
    ], "everything stands where it stood"


def test_a_folder_must_say_which_mesh_is_meant(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"Cannot read the folder of meshes .*none: No such file"):
        library(tmp_path / "none")
    with pytest.raises(BadInput, match="has no mesh of a kind of object: name one by its kind"):
        library(tmp_path)
    for name in ("mug.obj", "025_mug.obj"):
        box((1, 1, 1)).export(tmp_path / name)
    with pytest.raises(BadInput, match="are the mesh of 'mug': leave one out"):
        library(tmp_path)


def test_a_scene_keeps_its_meshes_by_their_sha256(tmp_path: Path) -> None:
    path = write_textured_box(tmp_path / "sugar_box")
    scene = meshed_table(tmp_path, kind="sugar_box", colour="yellow")
    assert SceneSpec.parse(scene.dump()) == scene and bundle(path).sha256 in scene.dump()
    assert "mesh" not in table_with(kind="sugar_box", colour="yellow").dump()
    other = write_textured_box(tmp_path / "other")
    Image.new("RGB", (8, 8), "white").save(other.parent / "texture.png")
    assert bundle(other).sha256 != bundle(path).sha256, "a texture counts"
    content = json.loads(scene.dump())
    content["objects"][0]["mesh"]["file"] = str(other)
    with pytest.raises(BadInput, match="is not the one of this scene"):
        SceneSpec.parse(json.dumps(content))


# ------------------------------------------------------------------ damaged and hostile files


def _glb(content: dict[str, object], binary: bytes = b"") -> bytes:
    text = json.dumps({"asset": {"version": "2.0"}, **content}).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary if binary else b""
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
FILES: list[tuple[str, str | bytes, str]] = [
    ("apple.obj", "", "no faces|Cannot read"),
    ("apple.obj", "hello", "no faces|Cannot read"),
    ("apple.obj", TRIANGLE + "f 1 2 3\n", "is flat"),
    ("apple.obj", "v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n", "not three numbers each"),
    ("apple.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
    ("apple.obj", "v 1e300 0 0\nv -1e300 0 0\nv 0 1e300 9\nf 1 2 3\n", "beyond 1e\\+09"),
    ("apple.obj", TRIANGLE + "f 1 2 9\n", "Cannot read|does not have"),
    ("apple.obj", TRIANGLE + "f 1 2 3\n" * 200_001, "200,001 faces, at most 200,000"),
    ("apple.obj", "mtllib ../../secret.mtl\n" + TRIANGLE + "f 1 2 3\n", "outside of its folder"),
    ("apple.obj", "mtllib /etc/hostname\n" + TRIANGLE + "f 1 2 3\n", "outside of its folder"),
    ("apple.obj", "mtllib none.mtl\n" + TRIANGLE + "f 1 2 3\n", "refers to, .*none.mtl: No such file"),
    ("apple.glb", b"", "not a GLB"),
    ("apple.glb", b"glTF" + bytes(40), "not a GLB"),
    ("apple.glb", _glb({}), "no faces|Cannot read"),
    ("apple.glb", _glb({"buffers": [{"byteLength": 4, "uri": "http://example.org/a.bin"}]}), "everything inside"),
    ("apple.glb", _glb({"images": [{"uri": "../../secret.png"}]}), "everything inside"),
    ("apple.glb", _glb({"accessors": [{"count": 10**12, "componentType": 5126, "type": "VEC3"}]}), "an array of"),
    ("apple.glb", _glb({"extensionsRequired": ["KHR_draco_mesh_compression"]}), "is packed by KHR_draco"),
    ("apple.gltf", "{}", "save it as a GLB"),
]


@pytest.mark.parametrize(("name", "content", "sentence"), FILES, ids=range(len(FILES)))
def test_a_bad_file_gets_one_sentence(name: str, content: str | bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(BadInput, match=sentence) as refusal:
        meshed_table(tmp_path, kind="apple", colour="red")
    assert "\n" not in str(refusal.value) and name in str(refusal.value)


@pytest.mark.parametrize("length", [0, 40, 90])
def test_a_damaged_texture_is_a_sentence(length: int, tmp_path: Path) -> None:
    write_textured_box(tmp_path / "sugar_box")
    picture = tmp_path / "sugar_box" / "texture.png"
    picture.write_bytes(picture.read_bytes()[:length])
    with pytest.raises(BadInput, match=r"textured\.obj"):
        meshed_table(tmp_path, kind="sugar_box", colour="yellow")


def test_without_trimesh_there_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box((1, 1, 1)).export(tmp_path / "apple.obj")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingPart, match="Drawing meshes needs the package 'trimesh': install it with `pip install"):
        meshed_table(tmp_path, kind="apple", colour="red")


def test_what_is_cut_short_anywhere_is_a_sentence_too(tmp_path: Path) -> None:
    path = tmp_path / "apple.glb"
    trimesh.creation.icosphere(1).export(path)
    intact = path.read_bytes()
    for length in range(0, len(intact), 97):
        path.write_bytes(intact[:length])
        with pytest.raises(BadInput):
            mesh_plan("apple", "red", str(path), "")


def test_a_mesh_need_not_be_closed(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(3)
    ball.update_faces(ball.triangles_center[:, 2] < 0.8)
    assert not ball.is_watertight
    ball.export(tmp_path / "apple.obj")
    assert build(meshed_table(tmp_path, kind="apple", colour="red")).index.objects[0].name == "apple"


# ------------------------------------------------------------------ an episode


def test_a_meshed_can_is_picked_and_put_and_the_run_says_by_which_mesh(tmp_path: Path) -> None:
    can = trimesh.creation.revolve(
        np.array([(0, 0), (0.030, 0), (0.033, 0.01), (0.033, 0.09), (0.030, 0.1), (0, 0.1)]), sections=32
    )
    (tmp_path / "meshes").mkdir()
    can.export(tmp_path / "meshes" / "tomato_soup_can.obj")
    scene = one_room(
        [
            {"name": "table", "kind": "table", "colour": "wood", "x": 2.9, "y": 1.0, "yaw": 1.5708},
            {"name": "desk", "kind": "desk", "colour": "white", "x": 1.2, "y": 3.4, "yaw": -1.5708},
        ],
        [{"name": "can", "kind": "tomato_soup_can", "colour": "red", "receptacle": "table", "surface": "top", "x": 0.15,
          "y": 0.0}],
        robot=(1.3, 2.0, 0.0),
    )  # fmt: skip
    (tmp_path / "scene.json").write_text(scene.dump())
    summary = run(
        RunOptions.build(
            task="put the tomato soup can on the desk",
            scene=tmp_path / "scene.json",
            meshes=tmp_path / "meshes",
            picture_size="64",
            shade=False,
            video=False,
            frames=False,
            out=tmp_path / "run",
        )
    )
    state = json.loads((summary.episode_folder / "final_state.json").read_text())
    assert summary.result.ended_by == "ended"
    assert (state["objects"]["can"]["relation"], state["objects"]["can"]["at"]) == ("on", "desk")
    digest = bundle(tmp_path / "meshes" / "tomato_soup_can.obj").sha256
    assert digest in (tmp_path / "run" / "scene.json").read_text()
    (parts,) = (tmp_path / "run" / "parts").glob("*.json")
    assert json.loads(parts.read_text())["robot"]["meshes"] == {"tomato_soup_can": digest}


def test_a_table_has_no_use_for_them(tmp_path: Path) -> None:
    from homie.kernel.options import OpenOptions
    from homie.runtime.assembly import open_robot

    with pytest.raises(BadInput, match="franka does not support --meshes"):
        open_robot(OpenOptions.build(robot="franka:stack", meshes=tmp_path))
