"""RT-1-X without its network: embodiments, the table of texts, what the set asks for."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import BadInput, MissingCheckpoint
from homie.kernel.types import Subtask
from skills.effector.rt1x_actions import EMBODIMENTS, Google, WidowX
from skills.effector.rt1x_skill_set import Rt1x, Rt1xSettings
from skills.policies.instructions import Templates, instruction
from skills.policies.motions import rotation_matrix
from skills.policies.policy import PolicyFailed
from skills.policies.text_table import TextTable
from skills.policies.tokens import RT1X

ZERO = {
    "world_vector": np.zeros(3),
    "rotation_delta": np.zeros(3),
    "gripper_closedness_action": np.zeros(1),
    "base_displacement_vertical_rotation": np.zeros(1),
    "base_displacement_vector": np.zeros(2),
}


def motion(embodiment, mode="continue", opening=1.0, **values):
    embodiment.reset(opening)
    return embodiment.motion(RT1X.encode(mode, {**ZERO, **values}))


@given(st.lists(st.integers(0, 511), min_size=10, max_size=10))
def test_google_takes_actions_as_they_are_and_widowx_stays_small(tokens):
    _, values = RT1X.decode([1, *tokens])
    google, widowx = Google(), WidowX()
    google.reset(0.5)
    widowx.reset(0.5)
    as_is, small = google.motion([1, *tokens]), widowx.motion([1, *tokens])
    np.testing.assert_array_equal(as_is.translation, values["world_vector"])
    np.testing.assert_array_equal(as_is.rotation, values["rotation_delta"])
    assert as_is.base.tolist() == [
        *values["base_displacement_vector"],
        *values["base_displacement_vertical_rotation"],
    ]
    assert np.abs(small.translation).max() <= 0.05 and np.linalg.norm(small.rotation) <= 3 * 0.25 + 1e-9
    assert not small.base.any()
    assert 0.0 <= as_is.opening <= 1.0 and small.opening in (0.0, 1.0)


def test_widowx_is_scaled():
    movement = motion(WidowX(), world_vector=np.array([0.875, -1.75, 2.0]))
    np.testing.assert_allclose(movement.translation, [0.025, -0.05, 0.05], atol=3e-4)


def test_a_rotation_of_the_widowx_is_roll_pitch_and_yaw_of_a_quarter_radian_at_most():
    for axis, (delta, angle) in enumerate([(1.4, 0.25), (-0.7, -0.125), (1.57, 0.25)]):
        rotation = np.zeros(3)
        rotation[axis] = delta
        turned = motion(WidowX(), rotation_delta=rotation).rotation
        np.testing.assert_allclose(turned, np.eye(3)[axis] * angle, atol=1e-3)
    both = motion(WidowX(), rotation_delta=np.array([1.4, 0.0, 1.4])).rotation
    roll, yaw = (rotation_matrix(0.25 * np.eye(3)[axis]) for axis in (0, 2))
    np.testing.assert_allclose(rotation_matrix(both), yaw @ roll, atol=2e-3)  # about fixed axes, roll first


@pytest.mark.parametrize(("closedness", "google", "widowx"), [(1.0, 0.0, 0.0), (-1.0, 1.0, 1.0), (0.4, 0.1, 0.0)])
def test_one_closes_the_gripper(closedness, google, widowx):
    output = {"gripper_closedness_action": np.array([closedness])}
    assert motion(Google(), opening=0.5, **output).opening == pytest.approx(google, abs=3e-3)
    assert motion(WidowX(), opening=0.5, **output).opening == widowx


def test_googles_gripper_stays_when_nothing_is_asked():
    assert motion(Google(), opening=0.3).opening == 0.3


def test_only_the_first_mode_terminates():
    for embodiment in EMBODIMENTS.values():
        assert motion(embodiment(), "terminate").terminate
        assert not motion(embodiment(), "continue").terminate and not motion(embodiment(), "other").terminate


# ---------------------------------------------------------------- the table


def write(path, texts, embeddings):
    np.savez(path, texts=texts, embeddings=embeddings)
    return path


def test_texts_are_found_whatever_their_case_and_blanks(tmp_path):
    rows = np.arange(1024, dtype=np.float32).reshape(2, 512)
    table = TextTable.read(write(tmp_path / "use.npz", ["Pick Apple.", "open fridge"], rows), (512,))
    assert np.array_equal(table["pick  apple"], rows[0]) and np.array_equal(table["Open fridge."], rows[1])
    with pytest.raises(PolicyFailed, match=r"use\.npz has no row for 'pick pear'; the nearest are 'pick apple'"):
        table["pick pear"]
    with pytest.raises(PolicyFailed, match="it has 2 others"):
        table["zzz"]


def test_where_the_planners_words_are_not_in_the_table_the_listed_name_is_looked_up(tmp_path):
    rows = np.arange(1024, dtype=np.float32).reshape(2, 512)
    table = TextTable.read(write(tmp_path / "use.npz", ["pick master chef can", "pick pear"], rows), (512,))
    facts = Templates().facts()
    words, listed = (instruction(facts, Subtask("Pick", "coffee can"), name) for name in ("", "master_chef_can_2"))
    assert np.array_equal(table.first(words, listed), rows[0])
    assert np.array_equal(table.first("pick pear", listed), rows[1])  # the planner's words go first
    with pytest.raises(PolicyFailed, match=r"'pick mug'.*`homie skill texts SET SUITE` lists the texts"):
        table.first("pick mug", "pick cup")
    assert instruction(facts, Subtask("Put", "pear", "icebox"), "fridge_1") == "put pear in fridge"


def test_the_texts_of_a_suite_are_listed_as_the_skill_says_them(homie, tmp_path):
    (tmp_path / "suite.yaml").write_text(
        """
format: 1
name: small
tasks:
  - id: one
    text: put the pear away
    keypaths: [["[Pick, pear]", "[Put, pear, fridge_1]", "[End]"]]
    expert: ["[Go to, pear]", "[Open, fridge_1]", "[Pick, pear]", "[Put, pear, fridge_1]"]
"""
    )
    listed = homie("skill", "texts", "rt1x", "suite.yaml")
    assert listed.stdout.splitlines() == ["open fridge 1", "pick pear", "put pear in fridge 1"]
    table = TextTable.read(write(tmp_path / "t.npz", listed.stdout.splitlines(), np.ones((3, 512), np.float32)), (512,))
    assert table[instruction(Templates().facts(), Subtask("Put", "pear", "fridge_1"))].all()
    octo = homie("skill", "texts", "octo", "suite.yaml", "--json", "--skill-option", "octo.pick=take the {target}")
    assert "take the pear" in json.loads(octo.stdout)
    for arguments, message in (
        (("nomad", "suite.yaml"), "takes no texts"),
        (("rt1x", "suite.yaml", "--skill-option", "rt1x.pick=pick {thing}"), "a template may hold"),
    ):
        completed = homie("skill", "texts", *arguments)
        assert completed.returncode == 2 and message in completed.stderr


@pytest.mark.parametrize(
    ("texts", "embeddings", "message"),
    [
        (["a"], np.zeros((1, 511), np.float32), r"shape \(1, 512\)"),
        (["a", "b"], np.zeros((1, 512), np.float32), r"shape \(2, 512\)"),
        (["a"], np.zeros((1, 512), np.int64), "finite numbers"),
        (["a"], np.full((1, 512), np.nan, np.float32), "finite numbers"),
        (["a"], np.full((1, 512), 1e300), "finite numbers of 32 bits"),
        (["Pick_a.", "pick a"], np.arange(1024.0).reshape(2, 512), "two embeddings of 'pick a', which differ"),
        ([1], np.zeros((1, 512), np.float32), "a list of strings"),
        (np.array([object()]), np.zeros((1, 512), np.float32), "a list of strings"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, texts, embeddings, message):
    with pytest.raises(BadInput, match=message):
        TextTable.read(write(tmp_path / "use.npz", texts, embeddings), (512,))


def test_files_that_are_no_tables(tmp_path):
    with pytest.raises(BadInput, match="There is no table"):
        TextTable.read(tmp_path / "none.npz", (512,))
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(BadInput, match="is not a table of embeddings"):
        TextTable.read(tmp_path / "text.npz", (512,))
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(BadInput, match="`texts` and `embeddings`"):
        TextTable.read(tmp_path / "other.npz", (512,))


@pytest.mark.parametrize(
    ("rows", "width", "message"), [(1000, 512_000, r"shape \(1000, 512\)"), (2_000_000, 512, "claims 3,914 MiB")]
)
def test_zeros_that_would_fill_the_memory_are_not_unpacked(tmp_path, rows, width, message):
    """The head of an array tells its size. What follows it here is far too short, and is never read."""
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, shape, kind in (("texts", (rows,), "<U1"), ("embeddings", (rows, width), "<f4")):
            with archive.open(f"{name}.npy", "w") as opened:
                np.lib.format.write_array_header_1_0(opened, {"shape": shape, "fortran_order": False, "descr": kind})
                opened.write(bytes(2**20))
    with pytest.raises(BadInput, match=message):
        TextTable.read(path, (512,))


# ---------------------------------------------------------------- the set


def test_what_has_to_be_given(tmp_path):
    with pytest.raises(MissingCheckpoint, match="rt1x:PATH/checkpoint"):
        Rt1x("")
    with pytest.raises(BadInput, match=r"rt1x\.embeddings=FILE\.npz"):
        Rt1x("checkpoint")
    table = write(tmp_path / "use.npz", ["a"], np.zeros((1, 512), np.float32))
    with pytest.raises(BadInput, match="There is no checkpoint"):
        Rt1x(str(tmp_path / "nothing"), Rt1xSettings(embeddings=table))
    with pytest.raises(BadInput, match="'tpu'"):
        Rt1x(str(tmp_path / "nothing"), Rt1xSettings(embeddings=table, device="tpu"))
