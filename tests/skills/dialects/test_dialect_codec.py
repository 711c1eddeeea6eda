"""Frames byte for byte as the codecs of the packages of others make and read them; GR00T's as numpy writes arrays."""

from __future__ import annotations

import io

import msgpack
import numpy as np
import pytest

from skills.dialects import vla_eval as dialect
from skills.dialects.codec import pack, unpack
from skills.dialects.layouts import Layout
from skills.policy_codec import CodecError
from tests import other_packages

other_packages.use("openpi_client", "openpi-client==0.1.2", dependencies=False)
other_packages.use("vla_eval", "vla-eval==0.8.0", dependencies=False)
other_packages.use("msgpack_numpy", "msgpack-numpy==0.4.8", dependencies=False)
other_packages.use("inspect_robots", "inspect-robots>=0.60")
other_packages.use("inspect_robots_xpolicylab", "inspect-robots-xpolicylab==0.1.0", dependencies=False)

from inspect_robots_xpolicylab import _protocol as xpolicylab  # noqa: E402
from openpi_client import image_tools, msgpack_numpy  # noqa: E402
from vla_eval.protocol import Message, MessageType, pack_message, unpack_message  # noqa: E402

RNG = np.random.default_rng(0)
TYPES = ("?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", ">f4", ">i4")
PICTURE = RNG.integers(0, 256, (48, 64, 3), np.uint8)
ARRAYS = {
    **{f"array-{name}": np.asarray(RNG.integers(0, 2, (3, 4))).astype(name) for name in TYPES},
    "empty": np.zeros((0, 7), np.float32),
    "no-axis": np.array(1.5, np.float32),
    "columns-first": np.asfortranarray(RNG.normal(size=(3, 5))),
    "every-second": RNG.normal(size=(8, 6))[::2, 1::2],
    "picture": PICTURE,
    "picture-with-alpha": RNG.integers(0, 256, (8, 9, 4), np.uint8),
    "pictures": RNG.integers(0, 256, (2, 8, 9, 3), np.uint8),
}
NUMBERS = {name: np.dtype(name).type(1) for name in TYPES if not name.startswith(">")}
TREE = {"prompt": "pick up the cube", "list": [1, 2.5, None, True, "a"], "more": {"deep": {"er": (1, 2)}}, "raw": b"ab"}


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def are_same(first: object, other: object) -> bool:
    if isinstance(first, np.ndarray | np.generic):
        return (
            type(first) is type(other)
            and first.dtype == other.dtype
            and first.shape == other.shape
            and np.array_equal(first, other)
        )
    if isinstance(first, dict):
        return (
            isinstance(other, dict)
            and first.keys() == other.keys()
            and all(are_same(first[k], other[k]) for k in first)
        )
    return first == other and type(first) is type(other)


@pytest.mark.parametrize("value", [*ARRAYS.values(), *NUMBERS.values(), TREE], ids=[*ARRAYS, *NUMBERS, "tree"])
def test_openpi_frames_are_those_of_its_own_codec_both_ways(value):
    message = {"observation/x": value, "prompt": "go"}
    reference = msgpack_numpy.packb(message)
    assert pack(message, "openpi") == reference == msgpack_numpy.Packer().pack(message)
    assert are_same(unpack(reference), msgpack_numpy.unpackb(reference))
    assert are_same(msgpack_numpy.unpackb(pack(message, "openpi")), msgpack_numpy.unpackb(reference))


@pytest.mark.parametrize("value", [*ARRAYS.values(), *NUMBERS.values(), TREE], ids=[*ARRAYS, *NUMBERS, "tree"])
@pytest.mark.parametrize("kind", ["observation", "action"])
def test_vla_eval_frames_are_those_of_its_own_codec_both_ways(value, kind):
    reference = pack_message(Message(MessageType(kind), {"x": value}, seq=3, timestamp=1.25))
    own_bytes = pack(dialect.message(kind, {"x": value}, 3, 1.25), "vla-eval")
    assert own_bytes == reference
    read, meant = unpack(reference), unpack_message(own_bytes)
    assert (read["type"], read["seq"], read["timestamp"]) == (meant.type.value, 3, 1.25)
    assert are_same(read["payload"], meant.payload)


@pytest.mark.parametrize("value", [*ARRAYS.values(), *NUMBERS.values(), TREE], ids=[*ARRAYS, *NUMBERS, "tree"])
def test_xpolicylab_frames_are_those_of_its_published_codec_both_ways(value):
    message = {"message_type": "infer", "payload": {"observation": {"x": value}}}
    reference = xpolicylab.encode_frame(message)
    assert pack(message, "xpolicylab") == reference
    assert are_same(unpack(reference), xpolicylab.decode_wire(reference))


@pytest.mark.parametrize("value", ARRAYS.values(), ids=ARRAYS)
def test_gr00t_frames_have_arrays_as_numpy_writes_them(value):
    file = io.BytesIO()
    np.save(file, value, allow_pickle=False)
    reference = msgpack.packb({"endpoint": "get_action", "x": {"__ndarray_class__": True, "as_npy": file.getvalue()}})
    assert pack({"endpoint": "get_action", "x": value}, "gr00t") == reference
    assert are_same(unpack(reference)["x"], np.load(io.BytesIO(file.getvalue()), allow_pickle=False))


@pytest.mark.parametrize("form", ["png", "jpeg", "raw"])
def test_pictures_in_every_form_of_vla_eval_are_read(form):
    from vla_eval.protocol.image_codec import decode_image, encode_image

    encoded = encode_image(PICTURE, form)
    assert np.array_equal(unpack(msgpack.packb({"x": encoded}))["x"], decode_image(encoded))


@pytest.mark.parametrize("value", [np.array(["a"]), np.array([1j]), np.array([object()]), object(), {1, 2}])
@pytest.mark.parametrize("name", ["openpi", "vla-eval", "xpolicylab", "gr00t"])
def test_what_is_no_number_is_not_sent(value, name):
    with pytest.raises(CodecError, match="cannot be sent"):
        pack({"x": value}, name)


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"\xc1",
        "a text",
        msgpack.packb({"__ndarray__": True, "data": b"1234", "dtype": "<f4", "shape": [2]}),
        msgpack.packb({"__ndarray__": True, "data": b"", "dtype": "O", "shape": [0]}),
        msgpack.packb({"__ndarray__": True, "data": b"", "dtype": "<f4", "shape": [2**40, 0, -1]}),
        msgpack.packb({b"__ndarray__": True, b"data": b"12345678", b"dtype": "<U2", b"shape": [1]}),
        msgpack.packb({b"__npgeneric__": True, b"data": 1, b"dtype": "V8"}),
        msgpack.packb({b"__npgeneric__": True, b"data": "no number", b"dtype": "<f4"}),
        msgpack.packb({"__image__": True, "format": "png", "data": b"GIF89a", "shape": [1, 1, 3]}),
        msgpack.packb({"__image__": True, "format": "png", "data": 5, "shape": [1, 1, 3]}),
        msgpack.packb({b"nd": True, b"type": "O", b"kind": b"O", b"shape": [1], b"data": b"cos\nsystem\n."}),
        msgpack.packb({b"nd": True, b"type": "<f4", b"kind": b"", b"shape": [2**30], b"data": b"1234"}),
        msgpack.packb({b"nd": False, b"type": "<f4", b"data": b"12345678"}),
        msgpack.packb({"__ndarray_class__": True, "as_npy": b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'shape': (2,"}),
        msgpack.packb({"__ndarray_class__": True, "as_npy": npy(np.zeros(2))[:-1]}),
        msgpack.packb({"__ndarray_class__": True, "as_npy": npy(np.array([None]))}),
        msgpack.packb({"__ndarray_class__": True, "as_npy": 5}),
        msgpack.packb(msgpack.ExtType(4, b"x")),
        b"\x91" * 5000 + b"\x01",
    ],
)
def test_bytes_that_are_no_message_are_refused_in_a_sentence(bad):
    with pytest.raises(CodecError):
        unpack(bad)


def test_a_picture_is_not_decompressed_before_its_size_is_known():
    from vla_eval.protocol.image_codec import encode_image

    small = {**encode_image(PICTURE, "png"), "shape": [4, 4, 3]}
    with pytest.raises(CodecError, match="not of the size"):
        unpack(msgpack.packb(small))


@pytest.mark.parametrize("shape", [(48, 64), (64, 48), (224, 224), (500, 500), (100, 333)])
def test_pictures_are_shrunk_as_openpi_shrinks_them(shape):
    picture = RNG.integers(0, 256, (*shape, 3), np.uint8)
    reference = image_tools.resize_with_pad(picture, 224, 224)
    assert np.array_equal(Layout().picture(picture), reference)
    assert np.array_equal(Layout(channels="bgr").picture(picture), reference[..., ::-1])
